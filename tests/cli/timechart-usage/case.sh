# Wrong usage: status 2 and advice. Nothing to draw: status 1.
try() { "$@" < /dev/null; echo "status $?"; }
try pt-timechart
try pt-timechart -w 10 x
try pt-timechart -n many x
try pt-timechart --theme grey x
try pt-timechart -P -T x
try pt-timechart --time 5,4 "$PT_DATA/sched.data"
try pt-timechart --time 1,2 "$PT_DATA/sched.data"
try pt-timechart nowhere.data
try pt-timechart sh
try pt-timechart -o /dev/full "$PT_DATA/sched.data"
try pt-timechart -o a.svg "$PT_DATA/fp.data"
try pt-timechart -p 1 -e cs "$PT_DATA/sched.data"
try pt-timechart -p make "$PT_DATA/sched.data"
