# What pt-record says about wrong usage, before it touches a file.
try() { echo "\$ $*"; "$@" 2>&1; echo "status $?"; }
echo kept > perf.data
try pt-record --no-such-option
try pt-record --call-graph dwarf,70000 -- true
try pt-record --call-graph dwarf,0 -- true
try pt-record --call-graph up -- true
try pt-record -z30 -- true
try pt-record -F 99 -c 5 -- true
try pt-record --all-user --all-kernel -- true
try pt-record -e cpu-clok -- true
try pt-record -p 0
try pt-record -- ./not-there
try pt-record -m 0 -- true
cat perf.data
printf '#!/no/such/interpreter\n' > script; chmod +x script
try pt-record -o script.data -- ./script
for times in 10-20,15-40 10-10 10-20,30 10- 10,20 soon; do try pt-record -D $times -- true; done
try pt-lat -D 10-20 -- true
try pt-record --rotate 5 -o - -- true
try pt-record --rotate 10ms -- true
try pt-record --rotate often -- true
try pt-record --keep 3 -- true
try pt-record --format trace.dat --rotate 1M -e sched:sched_switch -- true
try pt-record --archive --format trace.dat -e sched:sched_switch -- true
try pt-record --snapshot --rotate 1s -- true
try pt-record --snapshot -o - -- true
try pt-record --snapshot --format trace.dat -e sched:sched_switch -- true
try pt-record --trigger cpu-clock -- true
try pt-record --snapshot --ring tracefs -a -e sched:sched_switch -- true
