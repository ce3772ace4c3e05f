# variants: plain san
try() { echo "-- $*"; "$@" 2>&1 | head -1; }
cp "$PT_DATA/perf-sched.data" .
try pt-schedlat --by shoe perf-sched.data
try pt-schedlat --pids --per-cpu perf-sched.data
try pt-schedlat -s runtime,size perf-sched.data
try pt-schedlat -s '' perf-sched.data
try pt-schedlat --worst 0 perf-sched.data
try pt-schedlat --worst 1001 perf-sched.data
try pt-schedlat -a perf-sched.data
try pt-schedlat -p 0 perf-sched.data
try pt-schedlat --time 2,1 perf-sched.data
try pt-schedlat nothing.data
try pt-schedlat make
try pt-schedlat -i perf-sched.data -- true
: > empty.data
pt-schedlat empty.data; echo "status $?"
