# The map of a fresh recording of perf's, line by line and column by column as perf sched map prints it; and the waits behind the lines as pt-lat pairs them.
# Where perf is wrong the two may differ: a cell of which it is not known any more what runs there (`?`; perf goes on showing who was there), names of tasks
# that no COMM record named (":TID" there), names shown again after a COMM record (perf takes the task that wrote it for the one that is named).
. "$PT_TOP/tests/lib.sh"
need_root
need_perf
need_events sched:sched_switch sched:sched_waking
spin
perf sched record -q -N -B --no-bpf-event -o p.data -- perf bench sched messaging -g 1 -l 30 > rec.out 2>&1 || skip "perf sched record fails here: $(tail -1 rec.out)"
perf sched map -i p.data > perf.txt 2> perf.err || skip "perf sched map fails here: $(tail -1 perf.err)"
grep -q LOST <(perf script -i p.data --show-lost-events 2> /dev/null) && skip "perf lost events"
for form in '' --compact; do
	# shellcheck disable=SC2086
	perf sched map $form -i p.data > perf.txt 2> perf.err
	# shellcheck disable=SC2086
	runs 0 pt-schedmap --no-latency $form p.data > mine.txt 2> mine.err
	at_least "lines of perf sched map" "$(wc -l < perf.txt)" 200
	equal "number of lines ($form)" "$(grep -c secs mine.txt)" "$(grep -c secs perf.txt)"
	paste -d $'\001' <(grep secs perf.txt) <(grep secs mine.txt) | awk -F $'\001' '
	function columns(s) { return substr(s, 1, index(s, " secs")) }
	function name(s) { s = substr(s, index(s, " secs ") + 6); return s ~ / => / ? s : "" }
	function bad(why) { print why ":\n" $1 "\n" $2; exit 1 }
	{
		a = columns($1); b = columns($2)
		if (length(a) != length(b)) bad("columns")
		if (a != b)
			for (i = 1; i <= length(a); i++)
				if (substr(a, i, 1) != substr(b, i, 1) && substr(b, i, 1) != "?" && substr(b, i - 1, 1) != "?") bad("columns")
		a = name($1); b = name($2); mark = substr(b, 1, 2)
		if (b != "" && !(mark in seen)) {	# its first line
			seen[mark] = 1
			if (++marks > 260) exit	# from there on several tasks have the same mark in perf
			sub(/=> :[0-9]+:/, "=> *:", a)
			if (a ~ /=> \*:/) sub(/=> .*:/, "=> *:", b)
			if (a != b) bad("names")
		}
	}' > differ || fail "map $form: $(cat differ)"
done

# The last field is what pt-lat finds.
pt-schedmap p.data 2> /dev/null | sed -nE 's/.* ([0-9]+)\.([0-9]{6}) secs .* ([0-9]+)\.([0-9]{3}) ms$/\1\2 \3\4/p' > map.lat
pt-lat --sched --preempted p.data 2> /dev/null | sed -E 's/^([0-9]+)\.[0-9]+ ([0-9]+)\.[0-9]+ .*/\1 \2/' | awk '{ printf "%d %04d\n", $1, $2 }' > lat.lat
awk '{ printf "%d %04d\n", $1, $2 }' map.lat > map.norm
same_file "waits of map and pt-lat" map.norm lat.lat
