# Probes in a kernel that has kprobes: a session, parameters by BTF, returns, names that several functions have, what may not be probed; nothing is left.
. "$PT_TOP/tests/lib.sh"
need qemu-system-x86_64 cpio readelf python3
[ "$(uname -m)" = x86_64 ] || skip "the tools built here do not run on x86_64"
machine=$PT_TOP/tests/vm/machine
"$machine/mk" x86_64 "$B/vm" > mk.log 2>&1 || { tail -5 mk.log; fail "cannot make the machine"; }
mkdir -p t/bin
cp "$PT_BIN"/pt-* t/bin/
cat > t/test.sh <<'END'
PATH=/t/bin:$PATH; cd /tmp/out
die() { echo "FAILED: $*"; exit 1; }
same() { [ "$2" = "$3" ] || die "$1: '$2', not '$3'"; }
has() { case $2 in *"$3"*) ;; *) die "$1: '$2', without '$3'" ;; esac; }
# hits FILE PATTERN
hits() { grep -c "$2" "$1"; }
mount -t debugfs none /sys/kernel/debug 2> /dev/null
ev=$(pt-probe icmp_rcv) || die "icmp_rcv"
same "its name" "$ev" probe:icmp_rcv
pt-stat -a -x, -o stat -e "$ev" -- ping -c 3 127.0.0.1 > /dev/null || die "pt-stat"
has "six packets" "$(cat stat)" "6,,probe:icmp_rcv,"
has "perf's list" "$(perf probe -l 2>&1)" "probe:icmp_rcv"
pt-probe -d "$ev" || die "-d"
# whoever runs the softirq: the command itself or ksoftirqd
ev=$(pt-probe icmp_rcv 'skb->len' 'skb->protocol:x16' 2> icmp.err) || die "arguments: $(cat icmp.err)"
pt-record -q -a -o icmp.data -e "$ev" -- ping -c 3 127.0.0.1 > icmp.out 2>&1 || die "pt-record: $(cat icmp.out)"
pt-script -F event,trace icmp.data > icmp.txt
same "packets with their length" "$(hits icmp.txt 'probe:icmp_rcv: ([0-9a-f]*) len=64 protocol=0x8$')" 6
pt-probe -d "$ev" || die "-d of one with arguments"
# names of files through pointers, and a returned value
pt-probe -a 'do_sys_openat2 filename:string how->flags' -a 'back=do_sys_openat2%return $retval' -- cat /no/such/file > open.txt 2> open.err
has "the file's name" "$(cat open.txt)" 'filename="/no/such/file"'
has "what came back" "$(cat open.txt)" 'ret=-2'
same "bytes written" "$(pt-probe vfs_write count -- sh -c 'printf 12345 > /dev/null' 2> /dev/null | sed -n 's/.* count=//p')" 5
# A value that the kernel could not read (what is at address 5: the third argument), beside one that it could.
pt-probe vfs_write 'bad=+0(%dx):x32' 'good=+0(%di):x64' count -- sh -c 'printf 12345 > /dev/null' > faults.txt 2> faults.err || die "faults: $(cat faults.err)"
cat faults.txt; same "no value without its memory" "$(grep -c 'bad=(fault) good=0x[0-9a-f]* count=5' faults.txt)" 1
has "guards of kprobes" "$(pt-probe -D vfs_write 'bad=+0(%dx):x32')" "__ok_bad=+3(%dx):string"
# latency, and calls at once
ev=$(pt-probe --maxactive 16 -a vfs_write -a vfs_write%return) || die "returns"
has "maxactive" "$(cat /sys/kernel/tracing/kprobe_events)" "r16:probe/vfs_write__return"
pt-lat --probe "$ev" -o lat -- sh -c 'for i in 1 2 3 4; do echo x > /dev/null; done' || die "pt-lat"
same "latencies" "$(wc -l < lat)" 4
pt-probe -d "$ev" || die "-d of two"
# what several functions are called
n=$(awk '$3 !~ /\./ && $2 ~ /[tT]/ && NF == 3 { c[$3]++ } END { for (i in c) if (c[i] == 3) { print i; exit } }' /proc/kallsyms)
pt-probe "$n" > twins 2> twins.err || die "$n: $(cat twins.err)"
has "what is said" "$(cat twins.err)" "$n: 3 functions have this name, all are meant"
same "their places" "$(pt-probe -l | grep -c "probe:$n  (on $n)")" 3
pt-probe -d 'probe:*' || die "-d of all"
# what may not be, and what cannot
pt-probe do_int3 2> err && die "do_int3"
has "do_int3" "$(cat err)" "the kernel lets nobody probe this function"
pt-probe vfs_read+1 2> err && die "vfs_read+1"
has "vfs_read+1" "$(cat err)" "not an instruction boundary"
pt-probe vfs_raed 2> err && die "vfs_raed"
has "vfs_raed" "$(cat err)" "did you mean vfs_read?"
# as many returns as there were calls, each with what it gave
pt-probe --maxactive 64 vfs_read%return '$retval' -- dd if=/dev/zero of=/dev/null bs=777 count=20 > reads 2> err || die "vfs_read%return: $(cat err)"
same "reads of 777 bytes" "$(hits reads ' dd .*=777$')" 20
# a module's function: each packet to an interface that swallows them
insmod /lib/dummy.ko && ip link set dummy0 up && ip addr add 10.9.9.1/24 dev dummy0 || die "no dummy0"
ev=$(pt-probe -m dummy dummy_xmit 2> err) || die "-m dummy dummy_xmit: $(cat err)"
pt-stat -a -x, -o stat -e "$ev" -- ping -c 2 -W 1 10.9.9.2 > ping.txt
[ "$(grep ",$ev," stat | cut -d, -f1)" -ge 2 ] || die "two packets into the module, counted: $(cat stat)"
has "a module in the list" "$(pt-probe -l)" "dummy_xmit"
pt-probe -d "$ev" || die "-d of a module's"
# perf's are listed, usable, and stay
perf probe -q --add 'theirs=icmp_rcv' 2> err || die "perf probe: $(cat err)"
has "perf's in the list" "$(pt-probe -l)" "probe:theirs"
pt-stat -a -x, -o stat -e probe:theirs -- ping -c 1 127.0.0.1 > ping.txt
has "two packets" "$(cat stat)" "2,,probe:theirs,"
pt-probe icmp_rcv -- true > /dev/null 2> err || die "a second probe at one place: $(cat err)"
has "somebody else's probe" "$(cat /sys/kernel/tracing/kprobe_events)" "theirs"
pt-probe -d probe:theirs || die "-d of perf's by its name"
# killed
pt-probe vfs_read -- sleep 100 > /dev/null 2>&1 & p=$!
i=0; until grep -q /vfs_read /sys/kernel/tracing/kprobe_events || [ $i -gt 300 ]; do sleep 0.1; i=$((i + 1)); done
kill -9 $p
i=0; while grep -q . /sys/kernel/tracing/kprobe_events && [ $i -lt 600 ]; do sleep 0.1; i=$((i + 1)); done
same "what is left" "$(cat /sys/kernel/tracing/kprobe_events)" ""
exit 0
END
SMP=2 MEM=1024 "$machine/run" x86_64 "$B/vm" t out || { cat out/stdout out/stderr 2> /dev/null | tail -20; tail -5 out/console.log; fail "the machine ended with status $?"; }
