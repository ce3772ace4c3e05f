# A scheduler storm with default options: nothing lost; what the kernel never delivered is said.
. "$PT_TOP/tests/lib.sh"
. "$PT_TOP/tests/lib/record.sh"
need_root; need_events sched:sched_switch; need perf
spin
pt-record --sched -o storm.data -- perf bench sched messaging -g 10 -l 1000 > out 2> err || fail "pt-record: $(cat err)"
n=$(samples err)
at_least samples "$n" 100000
grep -q 'were lost' err && fail "lost: $(cat err)"
equal "lines" "$(pt-script storm.data | wc -l)" "$n"
pt-script storm.data 2> pt.err > /dev/null || fail "pt-script: $(cat pt.err)"
empty "what pt-script says" pt.err
