# Which events pair: said, or chosen from what the recording has.
# variants: plain san
cp "$PT_DATA"/lat-*.data .
d=lat-mixed.data
echo "-- several"; pt-lat $d; echo "status $?"
echo "-- block"; pt-lat --block $d
echo "-- sched"; pt-lat --sched $d 2>&1
echo "-- preempted"; pt-lat --preempted -S $d 2>&1
echo "-- fields"; pt-lat --from sched_waking --to sched:sched_switch --key pid=next_pid $d 2>&1
echo "-- an event with itself"; pt-lat --from block_rq_issue --to block_rq_issue --key dev $d
echo "-- one kind in it"; pt-lat lat-calls.data 2>&1 | tail -4
echo "-- calls by name"; pt-lat --syscall=read,write -S --by syscall lat-calls.data
echo "-- none"; pt-lat --syscall $d; echo "status $?"
pt-lat --queued $d; echo "status $?"
pt-lat --syscall=frobnicate lat-calls.data; echo "status $?"
pt-lat --from block:block_rq_issue --to nothing $d; echo "status $?"
pt-lat --from block:block_rq_issue --to block:block_rq_complete --key bytes $d; echo "status $?"
