# What pt-stat prints where nothing depends on the machine: ends before the beginning, groups that are pinned, sums of intervals, where output goes.
try() { echo "\$ $*"; "$@" 2>&1; echo "status $?"; }
# Of a command that ends before counting begins: nothing, after no time.
try pt-stat -D 600000 -I 600000 -x, -e dummy,duration_time -- true
# More beside what was asked for.
pt-stat -x, -o - -d -e dummy -- true | cut -d, -f3
try pt-stat -n -I 600000 -x, -- true
# Only the leader of a group can be pinned; events that are read together are in one, too.
try pt-stat -x, -e 'dummy,dummy:D,{dummy,dummy}:D,dummy:e' -- true | sed 's/,[0-9]*,100.00,.*//'
# The summary is what the intervals showed.
pt-stat -I 1 --interval-count 5 --summary -x, -o sums -e task-clock -- sh -c 'while :; do :; done'
awk -F, '!/summary/ { sum += $5 } /summary/ { print sum == $5 ? "the summary is the sum" : "sum " sum ", summary " $5 }' sums
# A pipe (a device) is written to, not replaced; a file behind a link is replaced, the link stays.
mkfifo pipe
cat pipe > piped & pt-stat --openmetrics -o pipe -e dummy -- true
wait
ls -F; tail -n 1 piped
echo before > file; ln -s file link
pt-stat --openmetrics -o link -e dummy -- true
ls -F; tail -n 1 file
# Nobody can know the name that it is written under, and put a link there.
echo precious > victim
sh -c 'ln -s victim metrics.$$.tmp; exec pt-stat --openmetrics -o metrics -e dummy -- true'
cat victim; tail -n 1 metrics
try pt-stat --openmetrics -o no/such/place -e dummy -- touch started
[ ! -e started ] || echo "a command was started"
try pt-stat --openmetrics -o link --append -e dummy -- true
pt-stat -o - -e dummy -- true 2>&1 > /dev/full; echo "status $?"
pt-stat -x, -o - -e dummy -- echo "of the command" 2> err | grep -c command; cat err
