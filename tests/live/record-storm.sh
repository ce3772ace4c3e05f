# A scheduler storm with default options: nothing lost; what the kernel never delivered is said.
# alone: what a storm of events costs
. "$PT_TOP/tests/lib.sh"
. "$PT_TOP/tests/lib/record.sh"
need_root; need_events sched:sched_switch; need perf
spin
pt-record --sched -o storm.data -- perf bench sched messaging -g 10 -l 600 > out 2> err || fail "pt-record: $(cat err)"
n=$(samples err)
at_least samples "$n" 100000
grep -q 'w[a-z]* lost' err && fail "lost: $(cat err)"
pt-script storm.data 2> pt.err > lines || fail "pt-script: $(cat pt.err)"
equal "lines" "$(wc -l < lines)" "$n"
as_recorded err pt.err
