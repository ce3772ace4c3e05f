# Waits as threads know them of themselves (schedstat, clocks), within 1 %, by pt-schedlat and pt-timehist; both live, with a command's own status and streams.
# variants: plain san
. "$PT_TOP/tests/lib.sh"
need_root
need jq
need_events sched:sched_switch sched:sched_waking
[ -r /proc/self/schedstat ] || skip "this kernel has no schedstat"
spin

# Live: the command's status, its output apart from the table, a row of each of its tasks.
cp "$(command -v sleep)" ./ptsleep
runs 7 pt-schedlat -j --by tid -o rows.json -- sh -c 'for i in 1 2 3; do ./ptsleep 0.0$i; done; echo told; exit 7' 2> errors
has "what the command says" "$(cat errors)" told
equal "tasks of the command" "$(jq -s 'map(select(.comm == "ptsleep")) | length' rows.json)" 3
runs 7 pt-timehist -o lines -- sh -c './ptsleep 0.01; exit 7' 2> errors
at_least "switches of the command" "$(grep -c ' ptsleep\[' lines)" 2

# The end of the process, or of the thread, is that of the tool, which prints what it has.
cp "$(command -v bash)" ./ptloop
ended() { ! kill -0 "$1"; }
for watching in 'pt-schedlat -p' 'pt-schedlat -t' 'pt-timehist -p' 'pt-schedmap -p' 'pt-timechart -p'; do
	background ./ptloop -c 'while sleep 0.01; do :; done'; task=$!
	background $watching $task > out 2> errors; tool=$!
	until_true 60 sh -c "ls -l /proc/$tool/fd | grep -q pidfd" || fail "$watching: not watching: $(cat errors)"
	sleep 1		# it runs and waits
	kill $task
	until_true 60 ended $tool || fail "$watching: no end with the watched task"
	wait $tool || fail "$watching: $(cat errors)"
	has "what $watching prints" "$(cat out)" ptloop
done
runs 1 pt-schedlat -p $task > out 2> errors
equal message "$(cat errors)" "pt-schedlat: -p $task: no such process"

# Of a window of a recording, what each thread knows of itself: TID FROM TO SLEPT CPU DELAY, in nanoseconds.
seconds() { echo "$((${1} / 1000000000)).$(printf %09d $((${1} % 1000000000)))"; }
# The kernel's account takes in what stood still with a virtual machine; events cannot tell. Some run of thirty must agree in everything.
differs() { unknown=1; why="thread $tid: $*"; }
near() {	# WHAT GOT WANT SLACK
	[ $(($2 - $3)) -le "$4" ] && [ $(($3 - $2)) -le "$4" ] || differs "$1 is $2, not $3 (within $4)"
}
# Where the kernel does not deliver all switches of this machine's other tasks, something is not known: done again.
for try in $(seq 30); do
	pt-record -q -a -e sched:sched_switch,sched:sched_waking,sched:sched_wakeup,sched:sched_wakeup_new,sched:sched_migrate_task -o truth.data -- "$PT_TOOLS/sched-truth" > truth 2> errors ||
		fail "pt-record: $(tail -1 errors)"
	equal "threads" "$(grep -cE '^[0-9]+ [0-9]+ [0-9]+ [0-9]+ [0-9]+ [0-9]+$' truth)" 3
	unknown=0 why=
	pt-timehist truth.data > lines 2> errors
	while read -r tid from to slept cpu delay; do
		! grep -E "\\[$tid[]/]" lines | grep -q ' - ' || { unknown=1; break; }
		all=$((to - from))
		pt-schedlat -j --tid "$tid" --time "$(seconds "$from"),$(seconds "$to")" truth.data 2> errors > row
		read -r ran waited off switches delays < <(jq -r '[(.runtime_ms, .wait_ms, .sleep_ms) * 1e6 | round] + [.switches, .delays] | @tsv' row)
		# run, sleep, iowait, preempt, delay of the summary, in microseconds
		pt-timehist -s --state --tid "$tid" --time "$(seconds "$from"),$(seconds "$to")" truth.data 2> /dev/null | awk -v tid="$tid" \
			'index($0, "[" tid "/") || index($0, "[" tid "]") { print $(NF - 4) * 1000, $(NF - 3) * 1000, $(NF - 2) * 1000, $(NF - 1) * 1000, $NF * 1000 }' > sums
		read -r run_us sleep_us io_us preempt_us _ < sums || fail "no row of thread $tid"
		[ "$switches" = "$delays" ] || { unknown=1; break; }
		near "run, wait and sleep together" $((ran + waited + off)) $all $((all / 100))
		# By its own clock a sleep ends when it runs again, not when it is woken: pt-timehist's.
		near "sleep" $(((sleep_us + io_us) * 1000)) "$slept" $((slept / 100 + all / 1000))
		[ "$off" -le $(((sleep_us + io_us) * 1000 + 1000000)) ] || differs "slept $off, more than it was away"
		near "wait" "$waited" "$delay" $((delay / 100 + all / 1000))
		[ "$ran" -ge $((cpu - cpu / 100)) ] || differs "ran $ran, less than its CPU clock says: $cpu"
		near "run time by pt-timehist" $((run_us * 1000)) "$ran" $((ran / 1000 + 1000000))
		near "time off the CPU by pt-timehist" $(((sleep_us + io_us + preempt_us) * 1000)) $((all - ran)) $((all / 100))
	done < truth
	[ $unknown = 1 ] || exit 0
done
[ -z "$why" ] || fail "in thirty runs: $why"
skip "in thirty runs something was not known: $(tail -3 errors)"
