# Samples from tracefs' own rings: complete without a spinner, live and recorded, like perf's in all else; losses counted; the user's own tracing and other sessions
# left alone; an instance that was left behind by SIGKILL is removed by the next session.
# alone: all of tracefs is compared
. "$PT_TOP/tests/lib.sh"
need_root
need_events block:block_rq_issue block:block_rq_complete sched:sched_wakeup sched:sched_switch
[ -w "$(tracefs)/instances" ] || skip "tracefs has no instances"
fs=$(tracefs)
disk=$(disk_dir) || skip "no disk"
dd if=/dev/urandom of="$disk/file" bs=1M count=8 conv=fsync 2> /dev/null
ours() { ls "$fs/instances" | grep "^pt-$1-"; }
# Instances whose owner is gone.
left() { local name pid; for name in $(ours '[0-9]*'); do pid=${name#pt-}; [ -e "/proc/${pid%%-*}" ] || echo "$name"; done; }
samples() { pt-script -F event "$1" 2> /dev/null | grep -c "$2"; }
count() { awk -F, -v event="$2" '$3 == event { print $1 }' "$1"; }
# of LINES EVENT TOOL: how many of its events the tool's own process caused. Each tool leaves out what it does itself (a page of its program, read from the disk), but
# of the scheduler's events, and those that an interrupt brings; the others see it.
of() { case $2 in sched:* | *_complete) echo 0 ;; *) awk -v event="$2:" -v tool="$3" '$1 == tool && index($0, event) { split($2, id, "/"); n += id[1] == id[2] } END { print n + 0 }' "$1" ;; esac; }

# All settings of the user's own tracing that may be read without taking something from it.
settings() {
	(cd "$fs" && for f in current_tracer tracing_on trace_clock trace_options set_event set_event_pid buffer_size_kb buffer_total_size_kb \
		saved_cmdlines_size tracing_cpumask events/sched/enable events/block/enable events/sched/sched_switch/filter events/block/block_rq_complete/filter; do
		[ ! -r $f ] || { echo "== $f"; cat $f; }
	done; ls instances | grep -v '^pt-')
}

# complete NAME EVENTS SCRIPT: what the kernel counts before and after is all in NAME.data, and all comes live, but the tools' own. perf records the same run, without a
# spinner, to compare with: it may have less.
complete() {
	local name=$1 events=$2 event n live own_n own_live perfs=0 beside=
	! command -v perf > /dev/null || beside="perf record -q -a -o perf.data $(sed 's/^\|,/ -e /g' <<< "$events") --"
	pt-stat -a -x, -o outer -e "$events" -- pt-record -q -a --ring tracefs -e "$events" -o "$name.data" -- sh -c "
		pt-script -a --ring tracefs -e $events -F comm,pid,tid,event -- $beside pt-stat -a -x, -o inner -e $events -- sh $3 > live" 2> err ||
		fail "$name: $(cat err)"
	pt-script -F comm,pid,tid,event "$name.data" > recorded 2> /dev/null
	for event in ${events//,/ }; do
		own_n=$(of live "$event" pt-record)
		own_live=$(of recorded "$event" pt-script)
		n=$(samples "$name.data" "$event")
		live=$(grep -c "$event" live)
		[ -z "$beside" ] || perfs=$(perf script -i perf.data -F event 2> /dev/null | grep -c "$event:")
		echo "$event: $n recorded and $own_n of pt-record, $live live and $own_live of pt-script, $perfs by perf, between $(count inner $event) and $(count outer $event)"
		at_least "$event" $((n + own_n)) "$(count inner $event)"
		at_most "$event" "$n" "$(count outer $event)"
		at_least "$event, live" $((live + own_live)) "$(count inner $event)"
		at_most "$event, live (\"$(tail -1 err)\" has the rest)" "$live" $((n + own_n))
		at_most "$event by perf" "$perfs" "$(count outer $event)"
	done
}

echo "== as many as the kernel counts"
echo "cat $fs/instances/pt-*/trace_clock > clock; exec dd if=$disk/file of=/dev/null bs=4k iflag=direct" > reads.sh
if command -v perf > /dev/null; then echo 'perf bench sched pipe -l 10000 >&2'; else echo 'for i in $(seq 1000); do /bin/true; done'; fi > switches.sh
echo 'for i in $(seq 100); do sleep 0.005; done' >> switches.sh
settings > before
complete block block:block_rq_issue,block:block_rq_complete reads.sh
complete sched sched:sched_waking,sched:sched_wakeup,sched:sched_process_fork switches.sh
settings > after
same_file "the user's own tracing" before after
equal "instances left" "$(left)" ""
has "clock" "$(cat clock)" "[mono]"
pt-lat block.data > lat 2> err || fail "pt-lat: $(cat err)"
at_least "latencies" "$(grep -c . lat)" 2048
if command -v perf > /dev/null; then
	equal "perf's samples" "$(perf script -i block.data -F event 2> /dev/null | grep -c block_rq_complete)" "$(samples block.data block:block_rq_complete)"
fi

# Programs of names that nobody else starts.
prog=pt-true-$$
cp "$(type -P true)" $prog
echo "== the same lines as from perf's rings"
for ring in perf tracefs; do
	pt-record -q -a --ring $ring -e sched:sched_process_exec -o $ring.data -- sh -c "./$prog; ./$prog; ./$prog" 2> err || fail "$ring: $(cat err)"
	pt-script -F comm,event,trace $ring.data 2> /dev/null | grep "filename=./$prog" | sed 's/ pid=.*//; s/ *$//' > $ring.txt
done
equal "programs" "$(wc -l < tracefs.txt)" 3
same_file "programs" perf.txt tracefs.txt

echo "== two sessions at once"
pt-record -q -a --ring tracefs -e sched:sched_process_exec -o one.data -- sh -c "pt-record -q -a --ring tracefs -e sched:sched_process_exec -o two.data -- sh -c 'for i in 1 2 3 4 5; do ./$prog; done'" ||
	fail "two sessions"
for f in one two; do equal "$f" "$(pt-script $f.data 2> /dev/null | grep -c "filename=./$prog")" 5; done
equal "instances left" "$(left)" ""

echo "== what there was no room for is counted"
flood='perf bench sched pipe -l 20000'
command -v perf > /dev/null || flood='sh -c "for i in \$(seq 3000); do /bin/true; done"'
pt-stat -a -x, -o outer -e sched:sched_switch -- pt-record -a --ring tracefs -m 8 -e sched:sched_switch -o lost.data -- \
	sh -c "kill -STOP \$PPID; pt-stat -a -x, -o inner -e sched:sched_switch -- $flood > /dev/null; kill -CONT \$PPID" 2> err
pt-script lost.data > lost.txt 2> lost.err
n=$(grep -c sched_switch lost.txt)
lost=$(sed -n 's/^pt-script: \([0-9,]*\) of [0-9,]* sched:sched_switch w[a-z]* lost.*/\1/p' lost.err | tr -d ,)
echo "$n samples, ${lost:-0} lost, between $(count inner sched:sched_switch) and $(count outer sched:sched_switch): $(cat lost.err)"
at_least "lost" "${lost:-0}" 1000
at_least "samples and losses" $((n + lost)) "$(count inner sched:sched_switch)"
at_most "samples and losses" $((n + lost)) "$(count outer sched:sched_switch)"

echo "== after SIGKILL"
background pt-record -q -a --ring tracefs -e sched:sched_process_exec -o killed.data
victim=$!
until_true 60 ours $victim > /dev/null
kill -9 $victim
wait $victim 2> /dev/null
[ -n "$(ours $victim)" ] || fail "the kernel removed the instance: this test has nothing to see"
pt-record -q -a --ring tracefs -e sched:sched_process_exec -o next.data -- true || fail "next"
equal "instances left" "$(left)" ""

echo "== what it cannot do"
cannot() { pt-record -a --ring tracefs "$@" -o no.data -- true > out 2>&1 && fail "$*: done"; has "$*" "$(cat out)" "perf's rings alone can do that"; }
cannot -e cpu-clock
cannot -e sched:sched_switch --call-graph fp
pt-record --ring tracefs -e sched:sched_switch -o no.data -- true > out 2>&1 && fail "a command's own: done"
has "a command's own" "$(cat out)" "without -a"
