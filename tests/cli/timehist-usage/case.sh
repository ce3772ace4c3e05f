# variants: plain san
try() { echo "-- $*"; "$@" 2>&1 | head -1; }
cp "$PT_DATA/perf-sched.data" .
try pt-timehist -g --hide-call-graph perf-sched.data
try pt-timehist --max-stack 0 perf-sched.data
try pt-timehist -a perf-sched.data
try pt-timehist --time 50%,10% perf-sched.data
try pt-timehist nothing.data
try pt-timehist make
try pt-timehist -x
: > empty.data
pt-timehist empty.data; echo "status $?"
