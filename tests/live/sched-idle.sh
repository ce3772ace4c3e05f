# A kernel that does not deliver switches away from idle: where a task sleeps on such a CPU, the delays that are left out are less than a hundredth of what is left out
# on perf's rings; live and recorded, by pt-schedlat and pt-timehist, which agree. perf reads the recordings.
# alone: the CPU must be idle
. "$PT_TOP/tests/lib.sh"
need_root
need jq taskset
need_events sched:sched_switch sched:sched_waking
[ -w "$(tracefs)/instances" ] || skip "tracefs has no instances"
! pt-doctor | grep -q 'events of idle CPUs arrive (' || skip "this kernel delivers the events of idle CPUs"
cpu=$(taskset -cp $$ | sed 's/.*[-, ]//')
[ "$cpu" != 0 ] || skip "there is no other CPU than 0"

# A program of a name that nobody else has sleeps N times, for a millisecond each.
mkfifo never
cp "$(type -P bash)" ptnap
sleeps=600
load=(taskset -c "$cpu" ./ptnap -c "exec 3<> never; for i in \$(seq $sleeps); do read -t 0.001 -u 3; done; exit 0")

# Of the load's task: times it came in without a known delay.
left_by_schedlat() { jq -s 'map(select(.comm == "ptnap")) | (map(.switches) | add) - (map(.delays) | add)' "$1"; }
left_by_timehist() { awk '/ ptnap\[/ { left += $(NF - 1) == "-" } END { print left + 0 }' "$1"; }
runs_seen() { jq -s 'map(select(.comm == "ptnap").switches) | add' "$1"; }

for try in 1 2 3 4 5; do
	for ring in perf tracefs; do
		runs 0 pt-schedlat -a --ring $ring --by tid -j -o lat.$ring -- "${load[@]}" 2> lat.$ring.err
		runs 0 pt-timehist -a --ring $ring -o hist.$ring -- "${load[@]}" 2> hist.$ring.err
		runs 0 pt-record -q --sched --ring $ring -o $ring.data -- "${load[@]}" 2> record.$ring.err
		pt-schedlat --by tid -j $ring.data > lat.$ring.file 2> lat.$ring.file.err || fail "pt-schedlat: $(cat lat.$ring.file.err)"
		pt-timehist $ring.data > hist.$ring.file 2> hist.$ring.file.err || fail "pt-timehist: $(cat hist.$ring.file.err)"
	done
	perfs=$(left_by_schedlat lat.perf)
	[ "$perfs" -lt 200 ] || break
done
[ "$perfs" -ge 200 ] || skip "CPU $cpu was never idle, or this kernel delivers its events"

for ring in perf tracefs; do
	for how in lat.$ring lat.$ring.file; do
		echo "$how: $(left_by_schedlat $how) of $(runs_seen $how) left out; $(grep 'did not deliver are' $how.err)"
		at_least "runs in $how" "$(runs_seen $how)" $sleeps
		has "$how" "$(cat $how.err)" "switches that the kernel did not deliver are known by a record"
	done
	for how in hist.$ring hist.$ring.file; do echo "$how: $(left_by_timehist $how) left out"; done
done
for how in lat.tracefs lat.tracefs.file; do at_most "left out by $how" $(($(left_by_schedlat $how) * 100)) "$(left_by_schedlat "${how/tracefs/perf}")"; done
for how in hist.tracefs hist.tracefs.file; do at_most "left out by $how" $(($(left_by_timehist $how) * 100)) "$(left_by_timehist "${how/tracefs/perf}")"; done

if command -v perf > /dev/null; then
	perf script -F event -i tracefs.data 2> /dev/null | sort | uniq -c > perf.events
	pt-script -F event tracefs.data 2> /dev/null | sort | uniq -c > pt.events
	same_file "events by perf script" <(sed 's/: *$//' perf.events) <(sed 's/: *$//' pt.events)
	perf sched latency -i tracefs.data > perf.latency 2>&1 || fail "perf sched latency: $(tail -3 perf.latency)"
	has "perf sched latency" "$(cat perf.latency)" ptnap
fi
