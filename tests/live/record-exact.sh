# As many samples as events: system calls of one command, two recorders at once, a storm, uprobes as fast as they come.
. "$PT_TOP/tests/lib.sh"
. "$PT_TOP/tests/lib/record.sh"
need_root; need_events syscalls:sys_enter_write sched:sched_switch sched:sched_wakeup_new sched:sched_waking

pt-record -e syscalls:sys_enter_write -o dd.data -- dd if=/dev/zero of=/dev/null bs=512 count=100k status=none > out 2> err || fail "pt-record: $(cat err)"
empty "what dd says" out
equal samples "$(samples err)" 102400
equal lines "$(pt-script dd.data | grep -c '^ *dd .*syscalls:sys_enter_write: .*count: 0x00000200')" 102400

# The recording holds the kernel's final count: a reader compares it, as the recorder did. perf passes over it.
pt-script dd.data 2> err > out; empty "what a reader of all samples says" err
perf script -i dd.data 2> err > out || fail "perf script: $(cat err)"
empty "what perf script says" err
equal "lines of perf script" "$(wc -l < out)" "$(pt-script dd.data | wc -l)"
{ printf PERFFILE; tail -c +9 dd.data; } > first.data	# version 1 of the format
same_file "text of version 1" <(pt-script first.data) <(pt-script dd.data)
python3 - dd.data more.data <<'END' || fail "no final count in the recording"
import struct, sys
d = bytearray(open(sys.argv[1], 'rb').read())
at, size = struct.unpack_from('<QQ', d, 40)
end = at + size
while at < end:
    kind, _, n = struct.unpack_from('<IHH', d, at)
    if kind == 8 and struct.unpack_from('<ii', d, at + 8) == (-1, -1):
        value, = struct.unpack_from('<Q', d, at + 16)
        assert value == 102400, value
        struct.pack_into('<Q', d, at + 16, value + 5)
        open(sys.argv[2], 'wb').write(d)
        sys.exit(0)
    at += n
sys.exit(1)
END
for tool in pt-script pt-stack pt-lat; do
	case $tool in pt-lat) set -- --from syscalls:sys_enter_write --to syscalls:sys_enter_write --key fd ;; *) set -- ;; esac
	$tool "$@" more.data > out 2> err
	has "what $tool says" "$(cat err)" "$tool: the kernel counted 102,405 syscalls:sys_enter_write and delivered 102,400: 5 never came"
done

# Filters, and children that are followed or not.
pt-record -e syscalls:sys_enter_write --filter 'count == 77' -o f.data -- sh -c 'dd if=/dev/zero of=/dev/null bs=77 count=500 status=none; dd if=/dev/zero of=/dev/null bs=78 count=500 status=none' 2> err || fail "pt-record: $(cat err)"
equal "samples that pass the filter" "$(samples err)" 500
pt-record -i -e syscalls:sys_enter_write -o f.data -- sh -c 'dd if=/dev/zero of=/dev/null bs=77 count=500 status=none; true' 2> err || fail "pt-record: $(cat err)"
equal "samples without children" "$(samples err)" 0

# A wake-up is counted by both tasks and delivered once: nothing is lost.
never_lost() { equal "losses that $1 tells" "$(grep -c "never came" err)" 0; }
pt-record -e sched:sched_wakeup_new -o new.data -- threads 100 0 < /dev/null > out 2> err || fail "pt-record: $(cat err)"
equal "threads of a command that woke first" "$(samples err)" 100
never_lost pt-record
mkfifo word ctl ack
for tool in "pt-record -o new.data" pt-script; do
	background bash -c 'read -r < word; for ((i = 0; i < 100; i++)); do (:); done'; task=$!
	background $tool -e sched:sched_wakeup_new,sched:sched_waking -p $task --control fifo:ctl,ack > out 2> err; pid=$!
	echo ping > ctl; read -r < ack
	echo > word
	wait $pid || fail "$tool: $(cat err)"
	[ -s out ] || pt-script new.data > out
	equal "children that woke first, by $tool" "$(grep -c sched_wakeup_new: out)" 100
	never_lost "$tool"
done

# Two at once, of different things.
pt-record -q -e syscalls:sys_enter_write -o one.data -- dd if=/dev/zero of=/dev/null bs=512 count=30k status=none 2> one.err & one=$!
pt-record -q -e syscalls:sys_enter_read -o two.data -- dd if=/dev/zero of=/dev/null bs=512 count=20k status=none 2> two.err & two=$!
wait $one || fail "the first: $(cat one.err)"
wait $two || fail "the second: $(cat two.err)"
empty "what the first says" one.err
empty "what the second says" two.err
equal "of the first" "$(pt-script one.data | wc -l)" 30720
equal "of the second" "$(pt-script -F trace two.data | grep -c 'count: 0x00000200')" 20480

# Two at once, of the same page faults: some kernels give both the id of one of them.
pt-record -e page-faults -c 1 -o outer.data -- pt-record -q -e page-faults -c 1 -o inner.data -- sh -c 'for i in 1 2 3 4 5; do /bin/true; done' > out 2> err || fail "pt-record in pt-record: $(cat err)"
never_lost "the outer one"
for file in outer inner; do
	pt-script $file.data > $file 2> err
	equal "samples left out of $file.data" "$(grep -c 'does not describe' err)" 0
	never_lost "the reader of $file.data"
done
equal "faults of true, twice" "$(grep -c '^ *true ' outer)" "$(grep -c '^ *true ' inner)"
at_least "faults of true" "$(grep -c '^ *true ' inner)" 5
