# As many samples as events: system calls of one command, two recorders at once, a storm, uprobes as fast as they come.
. "$PT_TOP/tests/lib.sh"
. "$PT_TOP/tests/lib/record.sh"
need_root; need_events syscalls:sys_enter_write sched:sched_switch

pt-record -e syscalls:sys_enter_write -o dd.data -- dd if=/dev/zero of=/dev/null bs=512 count=100k status=none > out 2> err || fail "pt-record: $(cat err)"
empty "what dd says" out
equal samples "$(samples err)" 102400
equal lines "$(pt-script dd.data | grep -c '^ *dd .*syscalls:sys_enter_write: .*count: 0x00000200')" 102400

# Filters, and children that are followed or not.
pt-record -e syscalls:sys_enter_write --filter 'count == 77' -o f.data -- sh -c 'dd if=/dev/zero of=/dev/null bs=77 count=500 status=none; dd if=/dev/zero of=/dev/null bs=78 count=500 status=none' 2> err || fail "pt-record: $(cat err)"
equal "samples that pass the filter" "$(samples err)" 500
pt-record -i -e syscalls:sys_enter_write -o f.data -- sh -c 'dd if=/dev/zero of=/dev/null bs=77 count=500 status=none; true' 2> err || fail "pt-record: $(cat err)"
equal "samples without children" "$(samples err)" 0

# Two at once, of different things.
pt-record -q -e syscalls:sys_enter_write -o one.data -- dd if=/dev/zero of=/dev/null bs=512 count=30k status=none 2> one.err & one=$!
pt-record -q -e syscalls:sys_enter_read -o two.data -- dd if=/dev/zero of=/dev/null bs=512 count=20k status=none 2> two.err & two=$!
wait $one || fail "the first: $(cat one.err)"
wait $two || fail "the second: $(cat two.err)"
empty "what the first says" one.err
empty "what the second says" two.err
equal "of the first" "$(pt-script one.data | wc -l)" 30720
equal "of the second" "$(pt-script -F trace two.data | grep -c 'count: 0x00000200')" 20480
