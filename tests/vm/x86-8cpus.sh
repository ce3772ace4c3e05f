# The tools on another kernel: eight CPUs in two sockets, kprobes; recordings, live latency, a CPU that goes and comes back.
. "$PT_TOP/tests/lib.sh"
need qemu-system-x86_64 cpio readelf python3
[ "$(uname -m)" = x86_64 ] || skip "the tools built here do not run on x86_64"
machine=$PT_TOP/tests/vm/machine
"$machine/mk" x86_64 "$B/vm" > mk.log 2>&1 || { tail -5 mk.log; fail "cannot make the machine"; }
mkdir -p t/bin
cp "$PT_BIN"/pt-* t/bin/
cat > t/test.sh <<'T'
PATH=/t/bin:$PATH; cd /tmp/out
die() { echo "FAILED: $*"; exit 1; }
pt-doctor > doctor.txt || die "pt-doctor $?"
grep -q kprobes doctor.txt || die "pt-doctor does not speak of kprobes"
# 1. exact: each write of dd is a sample
pt-record -q -e syscalls:sys_enter_write -o dd.data -- dd if=/dev/zero of=/dev/null bs=512 count=3000 2> dd.err || die "pt-record $?: $(cat dd.err)"
n=$(pt-script --comm dd dd.data | grep -c sys_enter_write)
[ "$n" -ge 3000 ] && [ "$n" -le 3020 ] || die "dd wrote 3000 times, $n samples"
# 2. what perf reads of it
perf script -i dd.data > dd.perf 2> dd.perf.err || die "perf script: $(cat dd.perf.err)"
pt-script dd.data > dd.mine || die "pt-script"
cmp dd.perf dd.mine || die "pt-script and perf script differ"
# 3. a kprobe by tracefs, recorded here
echo 'p:ptvm/icmp icmp_rcv' > /sys/kernel/tracing/kprobe_events || die "no kprobes"
pt-record -q -a -e ptvm:icmp -o icmp.data -- ping -c 3 127.0.0.1 > ping.txt 2> icmp.err || die "kprobe: $(cat icmp.err)"
n=$(pt-script icmp.data | grep -c ptvm:icmp)
[ "$n" = 6 ] || die "six packets, $n hits"
# 4. live, scheduler, all CPUs; a CPU goes off line and comes back meanwhile
(sleep 1; echo 0 > /sys/devices/system/cpu/cpu5/online; sleep 1; echo 1 > /sys/devices/system/cpu/cpu5/online; sleep 2; taskset 20 dd if=/dev/zero of=/dev/null bs=4k count=20000 2> /dev/null) &
pt-record -q -a -e sched:sched_switch -o hot.data -- sh -c 'sleep 6' 2> hot.err || die "hot-plug: $(cat hot.err)"
pt-script -F cpu hot.data | sort | uniq -c > cpus.txt
[ "$(wc -l < cpus.txt)" -ge 4 ] || die "few CPUs in $(cat cpus.txt)"
pt-lat --sched --summary --for 2 > sched.txt 2> sched.err || die "pt-lat --sched: $(cat sched.err)"
pt-lat --syscall=read --hist -- dd if=/dev/zero of=/dev/null bs=1k count=2000 > hist.txt 2> hist.err || die "pt-lat --syscall: $(cat hist.err)"
# 5. counting by place: two sockets of two cores of two threads; a CPU that is away for a while keeps its row and what it had
pt-stat -a -A -x, -o by-cpu -e cpu-clock -- sh -c 'sleep 1; echo 0 > /sys/devices/system/cpu/cpu5/online; sleep 1; echo 1 > /sys/devices/system/cpu/cpu5/online; sleep 1' || die "pt-stat -A"
[ "$(grep -c '^CPU[0-7],' by-cpu)" = 8 ] || die "pt-stat -A: $(cat by-cpu)"
awk -F, '{ v[$1] = $2 } END { exit !(v["CPU5"] > 0 && v["CPU5"] < 0.9 * v["CPU6"]) }' by-cpu || die "CPU 5 was away a third of the time: $(cat by-cpu)"
for place in core socket node die; do
	pt-stat -a --per-$place -x, -o by-$place -e cpu-clock,cs sleep 0.5 || die "pt-stat --per-$place"
	perf stat -a --per-$place -x, -o perf-$place -e cpu-clock,cs sleep 0.5 || die "perf stat --per-$place"
	grep , by-$place | cut -d, -f1,2,5 > a; grep , perf-$place | cut -d, -f1,2,5 > b
	cmp a b || die "--per-$place: $(cat a) and perf's $(cat b)"
done
[ "$(grep -c '^S[01]-D0-C[01],2,.*cpu-clock' by-core)" = 4 ] || die "cores: $(cat by-core)"
[ "$(grep -c '^S[01],4,.*cpu-clock' by-socket)" = 2 ] || die "sockets: $(cat by-socket)"
# 6. a kprobe counted beside what it counts
pt-stat -a -x, -o icmp -e ptvm:icmp -- ping -c 3 127.0.0.1 > /dev/null || die "pt-stat on a kprobe"
grep -q '^6,,ptvm:icmp,' icmp || die "six packets, counted: $(cat icmp)"
exit 0
T
SMP=8,sockets=2,cores=2,threads=2 MEM=1024 "$machine/run" x86_64 "$B/vm" t out || { cat out/stdout out/stderr 2> /dev/null | tail -20; tail -5 out/console.log; fail "the machine ended with status $?"; }
at_least "lines of the histogram" "$(grep -c '|' out/hist.txt)" 2
