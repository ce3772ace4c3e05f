# A kernel that does not deliver switches away from idle: where a task sleeps on such a CPU, the delays that are left out are less than a hundredth of what is left out
# on perf's rings; live and recorded, by pt-schedlat and pt-timehist. perf reads the recordings.
# alone: the CPU must be idle
. "$PT_TOP/tests/lib.sh"
need_root
need jq taskset
need_events sched:sched_switch sched:sched_waking
[ -w "$(tracefs)/instances" ] || skip "tracefs has no instances"
! pt-doctor | grep -q 'events of idle CPUs arrive (' || skip "this kernel delivers the events of idle CPUs"
cpu=$(taskset -cp $$ | sed 's/.*[-, ]//')
[ "$cpu" != 0 ] || skip "there is no other CPU than 0"

# A program of a name that nobody else has sleeps often, for a millisecond each time.
mkfifo never
cp "$(type -P bash)" ptnap
sleeps=400
load=(taskset -c "$cpu" ./ptnap -c "exec 3<> never; for i in \$(seq $sleeps); do read -t 0.001 -u 3; done; exit 0")

live_lat() { runs 0 pt-schedlat -a --ring "$1" --by tid -j -o "lat.$1" -- "${load[@]}" 2> "lat.$1.err"; }
# How often the program came in, and how often of these without a known delay; in pt-schedlat's rows or pt-timehist's lines.
came_in() { jq -s 'map(select(.comm == "ptnap").switches) | add' "$1"; }
left_out() {
	case $1 in
	lat.*) jq -s 'map(select(.comm == "ptnap") | .switches - .delays) | add' "$1" ;;
	*) awk '/ ptnap\[/ { left += $(NF - 1) == "-" } END { print left + 0 }' "$1" ;;
	esac
}

for try in $(seq 20); do
	live_lat perf
	[ "$(left_out lat.perf)" -lt $((sleeps / 2)) ] || break
done
[ "$(left_out lat.perf)" -ge $((sleeps / 2)) ] || skip "CPU $cpu was never idle, or this kernel delivers its events"
live_lat tracefs
for ring in perf tracefs; do
	runs 0 pt-timehist -a --ring $ring -o hist.$ring -- "${load[@]}" 2> hist.$ring.err
	runs 0 pt-record -q --sched --ring $ring -o $ring.data -- "${load[@]}" 2> record.$ring.err
	pt-schedlat --by tid -j $ring.data > lat.$ring.file 2> lat.$ring.file.err || fail "pt-schedlat: $(cat lat.$ring.file.err)"
	pt-timehist $ring.data > hist.$ring.file 2> hist.$ring.file.err || fail "pt-timehist: $(cat hist.$ring.file.err)"
	has "pt-schedlat" "$(cat lat.$ring.err)" "switches that the kernel did not deliver are known by a record"
	at_least "times it came in" "$(came_in lat.$ring)" $sleeps
done
for what in lat.%s lat.%s.file hist.%s hist.%s.file; do
	mine=$(left_out "$(printf $what tracefs)") perfs=$(left_out "$(printf $what perf)")
	echo "$(printf $what RING): left out on tracefs' ring $mine, on perf's $perfs"
	at_most "a hundred times what $what leaves out on tracefs' ring" $((mine * 100)) "$perfs"
done

pt-lat --sched tracefs.data > lat.lines 2> lat.err || fail "pt-lat --sched: $(cat lat.err)"
at_least "delays by pt-lat" "$(grep -c ptnap lat.lines)" $sleeps
has "pt-lat" "$(cat lat.err)" "known by a record of the task that came in"

if command -v perf > /dev/null; then
	perf script -F event -i tracefs.data 2> /dev/null | sort | uniq -c > perf.events
	pt-script -F event tracefs.data 2> /dev/null | sort | uniq -c > pt.events
	same_file "events by perf script" <(sed 's/: *$//' perf.events) <(sed 's/: *$//' pt.events)
	perf sched latency -i tracefs.data > perf.latency 2>&1 || fail "perf sched latency: $(tail -3 perf.latency)"
	has "perf sched latency" "$(cat perf.latency)" ptnap
fi
