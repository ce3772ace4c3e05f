# Probes by the kernel's debug information, in the kernel that it is of: lines, local variables, inlined functions, returns; a module by its file, before it is loaded and after.
. "$PT_TOP/tests/lib.sh"
need qemu-system-x86_64 cpio readelf python3 jq
[ "$(uname -m)" = x86_64 ] || skip "the tools built here do not run on x86_64"
machine=$PT_TOP/tests/vm/machine d=$B/vm/x86_64
"$machine/vmlinux" --check "$B/vm" || skip "the debug information of the machine's kernel is not here: make check-vmlinux fetches it (280 MB)"
"$machine/mk" x86_64 "$B/vm" > mk.log 2>&1 || { tail -5 mk.log; fail "cannot make the machine"; }
"$machine/vmlinux" --check "$B/vm" || skip "the machine has another kernel now: make check-vmlinux fetches its debug information"
release=$(cut -d' ' -f1 "$d/version")

echo "== what is known here: source lines and variables of functions that packets run through"
# the first line of a function at which these can be had
line_with() {
	local image=$1 func=$2 n; shift 2
	for n in $(pt-probe -k "$image" -j -L "$func" 2> /dev/null | jq 'select(.probeable and .number > 0) | .number'); do
		if pt-probe -k "$image" -n "$func:$n" "$@" > /dev/null 2>&1; then echo "$n"; return; fi
	done
	fail "$func has no line with $*"
}
line=$(line_with "$d/vmlinux" icmp_rcv 'icmph->type' 'skb->len') || exit 1
xmit=$(line_with "$d/dummy-debug.ko" dummy_xmit 'dev->name:string' 'skb->len') || exit 1
pt-probe -k "$d/vmlinux" -n icmp_rcv:$line 2> /dev/null | head -1
file=$(pt-probe -k "$d/vmlinux" -n -j icmp_rcv:$line | jq -r '.places[0].file | sub(".*/net/"; "net/")')
abs=$(pt-probe -k "$d/vmlinux" -n -j icmp_rcv:$line | jq -r '.places[0].line')
off=$(pt-probe -k "$d/vmlinux" -n -j icmp_rcv:$line | jq -r '.places[0].definition | sub(".*icmp_rcv[+]"; "") | sub(" .*"; "")')
pt-probe -k "$d/vmlinux" -n start_kernel 2> err && fail "start_kernel"
has "what is gone after the start" "$(cat err)" "thrown away"
mkdir -p "t/bin" "t/debug/boot" t/debug/lib/modules/net
cp "$PT_BIN"/pt-* t/bin/
cp "$d/vmlinux" t/debug/boot/"vmlinux-$release"
cp "$d/dummy-debug.ko" t/debug/lib/modules/net/dummy.ko
python3 -c 'import sys; d = bytearray(open(sys.argv[1], "rb").read()); d[d.index(b"GNU\0") + 4] ^= 1; open("t/other.ko", "wb").write(d)' "$d/dummy-debug.ko"
echo "release=$release line=$line file=$file abs=$abs off=$off xmit=$xmit" > t/known
cat > t/test.sh <<'END'
PATH=/t/bin:$PATH; cd /tmp/out
die() { echo "FAILED: $*"; head -20 /tmp/out/*.txt /tmp/out/*err; exit 1; }
same() { [ "$2" = "$3" ] || die "$1: '$2', not '$3'"; }
has() { case $2 in *"$3"*) ;; *) die "$1: '$2', without '$3'" ;; esac; }
. /t/known
mkdir -p /usr/lib/debug/lib/modules
ln -s /t/debug/boot /usr/lib/debug/boot
same "the release" "$(uname -r)" "$release"
# packets POINT ARG...: three pings, whoever runs the softirq
packets() {
	ev=$(pt-probe "$@" 2> err) || die "$*: $(cat err)"
	pt-record -q -a -o data -e "$ev" -- ping -c 3 127.0.0.1 > ping.txt 2>&1 || die "$*: pt-record: $(cat ping.txt)"
	pt-script -F event,trace data > hits.txt
	pt-probe -d "$ev" || die "-d $ev"
}
# a line within a function, with a local variable's member and a global one; the image is found by itself
packets "icmp_rcv:$line" 'skb->len' 'icmph->type' 'init_task.comm:string'
same "requests" "$(grep -c 'probe:icmp_rcv_L[0-9]*: ([0-9a-f]*) len=56 type=8 comm="swapper/0"$' hits.txt)" 3
same "replies" "$(grep -c 'probe:icmp_rcv_L[0-9]*: ([0-9a-f]*) len=56 type=0 comm="swapper/0"$' hits.txt)" 3
same "hits" "$(wc -l < hits.txt)" 6
# the same place by the file's line, and by its offset
for p in "$file:$abs" "icmp_rcv+$off"; do
	packets -k /usr/lib/debug/boot/vmlinux-$release "$p"
	same "hits of $p" "$(wc -l < hits.txt)" 6
done
# where a function is inlined
pt-probe xfrm4_policy_check_reverse -- ping -c 1 127.0.0.1 > /dev/null 2> err || die "an inlined function: $(cat err)"
pt-probe -a 'vfs_write count' -a 'back=vfs_write%return $retval' -- sh -c 'printf 1234567 > /dev/null' > write.txt 2> err || die "vfs_write: $(cat err)"
has "what was to be written" "$(cat write.txt)" "count=7"
has "what was" "$(cat write.txt)" "ret=7"
# a module by its file: its first function, before it is loaded, then a line of another one
ev=$(pt-probe -m /t/debug/lib/modules/net/dummy.ko -a dummy_init_module -a 'dummy_xmit skb->len dev->name:string' 2> err) || die "dummy.ko: $(cat err)"
has "what is said" "$(cat err)" "the module dummy is not loaded"
pt-stat -a -x, -o stat -e probe:dummy_init_module -- insmod /lib/dummy.ko
has "its first function" "$(cat stat)" "1,,probe:dummy_init_module,"
pt-probe -d "$ev" || die "-d"
ln -s /t/debug/lib/modules /usr/lib/debug/lib/modules/$release
ip link set dummy0 up && ip addr add 10.9.9.1/24 dev dummy0 || die "no dummy0"
pt-probe -m dummy -L dummy_xmit > lines.txt 2> err || die "-m dummy -L: $(cat err)"
pt-probe -m dummy "dummy_xmit:$xmit" 'dev->name:string' 'skb->len' -- ping -c 2 -W 1 10.9.9.2 > xmit.txt 2> err
has "a line of a module" "$(cat xmit.txt err)" 'name="dummy0"'
pt-probe -m /t/debug/lib/modules/net/dummy.ko dummy_init_module 2> err && die "dummy_init_module"
has "its first function, too late" "$(cat err)" "thrown away"
pt-probe -m /t/other.ko dummy_xmit 2> err && die "other.ko"
has "another build" "$(cat err)" "their build-ids differ"
same "what is left" "$(cat /sys/kernel/tracing/kprobe_events)" ""
grep ' _stext$' /proc/kallsyms
exit 0
END
SMP=2 MEM=3072 "$machine/run" x86_64 "$B/vm" t out || { cat out/stdout out/stderr 2> /dev/null | tail -20; tail -5 out/console.log; fail "the machine ended with status $?"; }
