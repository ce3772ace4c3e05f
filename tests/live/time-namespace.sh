# In a time namespace clocks are not the host's, which records have: order, and the recording's clock.
. "$PT_TOP/tests/lib.sh"
need_root; need_events sched:sched_switch; need unshare python3 perf
inside() { unshare -T --monotonic 100000 --boottime 5000 --fork "$@"; }
inside true 2> err || skip "no time namespaces: $(cat err)"
spin
inside pt-script -e sched:sched_switch -a -- sleep 0.3 > lines 2> err || fail "pt-script: $(cat err)"
at_least lines "$(wc -l < lines)" 10
grep 'out of order' err && fail "records came out of order"

# The clock that a recording stores: as the host has it at the time of its samples.
inside pt-record -q -e sched:sched_switch -a -o in.data -- sleep 0.1 2> err || fail "pt-record: $(cat err)"
host_s=$(python3 -c 'import time; print(int(time.clock_gettime(time.CLOCK_MONOTONIC)))')
stored_s=$(perf script --header-only -i in.data 2> /dev/null | sed -nE 's/.*reference time: .* = ([0-9]+)\.[0-9]+ \(monotonic\).*/\1/p')
[ -n "$stored_s" ] || fail "no reference time in the header: $(perf script --header-only -i in.data)"
[ $((host_s - stored_s)) -lt 100 ] && [ $((stored_s - host_s)) -lt 100 ] || fail "the stored clock is at $stored_s s, the host's at $host_s s"
