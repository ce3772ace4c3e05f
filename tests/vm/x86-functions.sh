# Functions and stacks as trace-cmd recorded them in a kernel that has ftrace's function tracers: pt-script prints them as trace-cmd report does.
. "$PT_TOP/tests/lib.sh"
. "$PT_TOP/tests/lib/tracedat.sh"
need qemu-system-x86_64 cpio readelf python3 trace-cmd
[ "$(uname -m)" = x86_64 ] || skip "the tools built here do not run on x86_64"
machine=$PT_TOP/tests/vm/machine
"$machine/mk" x86_64 "$B/vm" > mk.log 2>&1 || { tail -5 mk.log; fail "cannot make the machine"; }
mkdir t
cat > t/test.sh <<'T'
cd /tmp/out
record() { name=$1; shift; trace-cmd record -q -o $name.dat "$@" -- sh -c 'echo a line > /sys/kernel/tracing/trace_marker; cat /init > /dev/null' > $name.txt 2>&1 || { echo "FAILED: $name"; cat $name.txt; exit 1; }; }
record function -p function -l 'vfs_*' -l schedule
record graph -p function_graph -g vfs_read -g vfs_open
record filtered -p function_graph -l 'vfs_*' -l kfree
record function-stack -p function -l vfs_open --func-stack
record event-stack -e sched:sched_process_exec -e syscalls:sys_enter_openat -T
T
"$machine/run" x86_64 "$B/vm" t out || { cat out/stdout out/stderr 2> /dev/null | tail -20; tail -5 out/console.log; fail "the machine ended with status $?"; }
for name in function graph filtered function-stack event-stack; do
	theirs -O parent out/$name.dat > theirs.txt
	ours out/$name.dat > ours.txt 2> err || fail "pt-script $name.dat: $(cat err)"
	at_least "$name: lines" "$(wc -l < theirs.txt)" 20
	same_file "$name" ours.txt theirs.txt
	has "$name" "$(cat ours.txt)" "a line"
done
