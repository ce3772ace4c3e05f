# Wrong usage: what is wrong, what was meant, exit 2.
cp "$PT_DATA/perf-sched.data" sched; cp "$PT_DATA/perf-faults.data" faults
try() { echo "== $*"; "$@" < /dev/null; echo "status $?"; }
try pt-script -F tme sched 2>&1
try pt-script -F hw:comm sched 2>&1
try pt-script -F trace:addr sched 2>&1
try pt-script -F comm,+tid sched 2>&1
try pt-script --filds comm 2>&1
try pt-script 2>&1
try pt-script ls 2>&1
try pt-script -i a b 2>&1
try pt-script -a -e cycels 2>&1
try pt-script -a -e cs,nosuch:thing,faults 2>&1
try pt-script --time 3,x sched 2>&1
printf '#define' > text; try pt-script text 2>&1
