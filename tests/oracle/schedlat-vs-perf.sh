# The figures of perf sched latency, number by number. perf 6.1 knows neither sched_waking nor R+: it gets a copy in which these go by names that it knows (tests/tools/oldsched.c).
. "$PT_TOP/tests/lib.sh"
need_root
need_perf
need_events sched:sched_switch sched:sched_waking sched:sched_stat_runtime
spin
for i in 1 2 3; do
	perf sched record -q -N -B --no-bpf-event -o p.data -- sh -c 'perf bench sched messaging -g 1 -l 40; sleep 0.02; i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done & ls / > ls.out; wait' \
		> perf.out 2> perf.err && break
	[ $i -lt 3 ] || skip "perf sched record fails here: $(tail -1 perf.err)"
done
perf script -i p.data --show-lost-events 2> /dev/null | grep -q PERF_RECORD_LOST && skip "perf record lost events"
oldsched p.data old.data > changed || fail "no copy"

# name:tid -> run time, count, average, maximum, when it ended
perf sched latency -p -i old.data 2> perf.err | awk -F'|' '/max end:/ {
	gsub(/ms|avg:|max end:|max start:|max:| s$/, ""); gsub(/ +/, ""); print $1, $2, $3, $4, $5, $7 }' | sed 's/\(.*\):\([0-9]*\) /\2 \1 /' > want
runs 0 pt-schedlat --by tid p.data > table 2> errors
# ... and of it run time, switches, delays, average, maximum, when
awk 'NR > 1 && $NF != "TOTAL" { name = $0; for (i = 1; i <= 11; i++) sub(/^ *[^ ]+ +/, "", name); tid = name; sub(/.*:/, "", tid); sub(/:[0-9]*$/, "", name); gsub(/ /, "", name); print tid, name, $1, $5, $6, $7, $10, $11 }' table > got
at_least "tasks" "$(wc -l < got)" 40
# Where the kernel itself loses switches, tasks ran unseen: it leaves these delays out and says so, perf pairs what does not belong together.
missing=$(sed -nE 's/.*: ([0-9]+) (switch(es are|.is) missing|delays? left out).*/\1/p' errors | awk '{ n += $1 } END { print n + 0 }')

awk 'function near(a, b, by) { return a - b <= by && b - a <= by }
	BEGIN { while ((getline line < "got") > 0) { split(line, f, " "); n[f[1]]++; for (i = 2; i <= 8; i++) pt[f[1], i] = f[i] } }
	$2 ~ /^:/ { next }				# perf has no name for it, and several tasks by that number
	!($1 in n) { print "not there: " $0; bad++; next }
	n[$1] > 1 { next }				# a number that was given twice
	{
		rows++; t = $1; ok = pt[t, 2] == $2 && pt[t, 3] == $3
		delays = pt[t, 5]
		if ($4 == delays && (delays == 0 || (pt[t, 6] == $5 && pt[t, 7] == $6 && ($6 == "0.000" || pt[t, 8] == $7)))) exact++
		else if ($4 == delays + 1 && pt[t, 4] > delays) {	# perf takes a task that it first sees coming in to have waited 0
			first++
			if (delays && !(near(pt[t, 6] * delays / $4, $5, 0.0011) && pt[t, 7] == $6)) ok = 0
		} else ok = 0
		if (!ok) { bad++; print "perf: " $0 " pt:", pt[t, 2], pt[t, 3], pt[t, 4], pt[t, 5], pt[t, 6], pt[t, 7], pt[t, 8] }
	}
	END { print rows + 0, exact + 0, first + 0, bad + 0 > "counts" }' want > differing
read -r rows exact first bad < counts
at_least "rows of perf" "$rows" 40
at_least "rows that are the same in all figures, of $rows" "$exact" $((rows * 9 / 10 - missing))
at_most "rows that differ ($(head -3 differing | tr '\n' ';'))" "$bad" "$missing"

# By name: as many tasks, the same run time.
perf sched latency -i old.data 2> /dev/null | sed -nE 's/^  (sched-messaging:\([0-9]+\)) *\| *([0-9.]+) ms.*/\2 \1/p' > want
pt-schedlat p.data 2> /dev/null | awk '$NF ~ /^sched-messaging:/ { print $1, $NF }' > got
same_file "tasks of one name" want got
