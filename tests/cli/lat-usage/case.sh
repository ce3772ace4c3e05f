try() { echo "-- $*"; "$@" 2>&1 | head -1; }
cp "$PT_DATA"/lat-*.data .
d=lat-block.data
try pt-lat --by op $d
try pt-lat -S --by shoe $d
try pt-lat -S --by syscall $d
try pt-lat -I 1 $d
try pt-lat --min 2ms --max 1ms $d
try pt-lat --from block_rq_issue $d
try pt-lat --key dev $d
try pt-lat --probe one $d
try pt-lat --queued --sched $d
try pt-lat --from a --to b --probe c,d $d
try pt-lat --block dd
try pt-lat nothing.data

try pt-lat --syscall ls
try pt-lat --syscall=fsnc -- true
pt-lat --syscall=fsnc -- true 2> /dev/null; echo "status $?"
