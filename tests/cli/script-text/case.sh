# A recording as text: the layout, fields, times, call chains, side-band records.
d=$PT_DATA/perf-sched.data
echo "== as it is"; pt-script "$d" | sed -n 1,8p
echo "== fields"; pt-script -F comm,pid,tid,event --ns "$d" | tail -2
pt-script -F -cpu,+misc -i "$d" | sed -n 1,2p
echo "== only one task, only the last one's"; pt-script -F tid,comm,trace --comm true "$d" | tail -1
echo "== tasks"; pt-script --show-task-events "$d" | grep PERF_RECORD
echo "== chains"; pt-script -F -sym,-symoff,-dso "$PT_DATA/perf-faults.data" | sed -n 1,12p
pt-script -F -sym,-symoff,-dso --hide-call-graph "$PT_DATA/perf-faults.data" | sed -n 1,2p
pt-script -F comm,ip,dso --hide-call-graph "$PT_DATA/perf-faults.data" | sed -n 1,2p
echo "== records of perf's own"; pt-script --dump-raw-trace "$PT_DATA/stat.data" 2> /dev/null | grep -E '^0x.*PERF_RECORD_(ID|TH|EV|CPU|FIN)|^ ?\.\.\. ' | head -13
pt-script --dump-raw-trace "$PT_DATA/stream.data" 2> /dev/null | grep -oE 'PERF_RECORD_(ATTR|EVENT|TRAC|BUILD|FEAT)[A-Z_]*' | uniq -c
echo "== the rest of the time"; pt-script --time +0.0185, "$d" | wc -l
