# The lines of perf sched timehist, character by character, of recordings of perf's; what perf does not know and prints as 0.000 is "-" here.
. "$PT_TOP/tests/lib.sh"
need_root
need_perf
need_events sched:sched_switch sched:sched_waking sched:sched_stat_runtime
spin

record() {	# FILE OPTION... -- COMMAND...: perf stumbles now and then over build-ids that others asked the kernel for
	local out=$1 i; shift
	for i in 1 2 3; do
		perf sched record -q -N -B --no-bpf-event -o "$out" "$@" > perf.out 2> perf.err && return
	done
	skip "perf sched record fails here: $(tail -1 perf.err)"
}
record p.data -- sh -c 'perf bench sched messaging -g 1 -l 20; sleep 0.02; i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done & ls / > ls.out; wait'
perf script -i p.data --show-lost-events 2> /dev/null | grep -q PERF_RECORD_LOST && skip "perf record lost events"
nr_cpus=$(getconf _NPROCESSORS_ONLN)

# perf's lines as they ought to be: -V with a column less, marks of moves in place, today's letters of states.
mend() {
	awk -v V="$1" -v state="$2" -v n="$nr_cpus" '
	V && /migrated: / { $0 = substr($0, 1, 23) substr($0, 25, n + 1) substr($0, 28 + n) }
	V && !/migrated: / { $0 = substr($0, 1, 24 + n) substr($0, 26 + n) }
	state { at = 23 + (V ? n + 2 : 0) + 1 + 31 + 33 + 6; c = substr($0, at, 1)
		if (c ~ /[KWXZx]/ && substr($0, at - 5, 5) == "     ") $0 = substr($0, 1, at - 1) (c == "K" ? "I" : c == "W" ? "R" : c == "X" ? "Z" : c == "Z" ? "X" : "P") substr($0, at + 1) }
	{ print }'
}
# compare WHAT FILE OPTION...: equal but for dashes, and for tasks whose name perf does not have
compare() {
	local what=$1 file=$2 V= state=; shift 2
	case " $* " in *" -V "*) V=1 ;; esac
	case " $* " in *" --state "*) state=1 ;; esac
	perf sched timehist -i "$file" "$@" 2> perf.err | mend "$V" "$state" | sed 's/__ia32_sys/__x64_sys/; s/do_compat_epoll_pwait/do_epoll_pwait/' > want
	pt-timehist "$@" "$file" 2> got.err | sed 's/__ia32_sys/__x64_sys/; s/do_compat_epoll_pwait/do_epoll_pwait/' > got	# two names of one function, each
	equal "$what: lines" "$(wc -l < got)" "$(wc -l < want)"
	awk '{ perf = $0; getline pt < "got"; nr++
		if (perf == pt) next
		if (perf ~ / :-?[0-9]+\[|: :[0-9]+/) { nameless++; next }	# also behind the marks of -V
		at = 1
		while ((i = index(substr(pt, at), "         - ")) > 0) { i += at - 1; pt = substr(pt, 1, i - 1) substr(perf, i, 11) substr(pt, i + 11); at = i + 11; found = 1 }
		dashes += found; found = 0
		if (perf != pt) { differ++; if (differ < 4) print "perf|" perf "\npt  |" pt }
	}
	END { print nr, differ + 0, dashes + 0, nameless + 0 > "counts" }' want > differing
	read -r nr differ dashes nameless < counts
	# Where the kernel itself loses a switch, a task that is woken twice in a row has run in between: it says so, perf takes the first wake-up.
	at_most "$what: lines that differ ($(cat differing))" "$differ" "$(sed -nE 's/.*: ([0-9]+) delays? left out.*/\1/p' got.err | grep . || echo 0)"
	at_most "$what: lines with something unknown" "$dashes" $((nr / 4 + 20))
	at_most "$what: tasks that perf has no name for" "$nameless" $((nr / 10 + 10))
}

compare plain p.data
at_least lines "$nr" 200
compare "all that there is" p.data -M -V -w -n --state
pid=$(awk '/sched-messaging\[/ { sub(/.*sched-messaging\[/, ""); sub(/\].*/, ""); print; exit }' want)
[ -n "$pid" ] || fail "no task of sched-messaging"
compare "one process on one CPU" p.data -C 1 -p "$pid"

# Summaries: order apart; figures of tasks of which some run is not known differ, and those of idle CPUs.
perf sched timehist -s -M -i p.data 2> /dev/null | sort > want
pt-timehist -s -M p.data 2> /dev/null | sort > got
tasks=$(grep -c '\[' want)
same=$(comm -12 want got | grep -c '\[')
at_least "tasks with the same figures, of $tasks" "$same" $((tasks * 2 / 3))
equal "number of switches" "$(grep switches got)" "$(grep switches want)"
equal "total time" "$(grep 'scheduling time' got)" "$(grep 'scheduling time' want)"

# Chains of the kernel.
record g.data -g --kernel-callchains -- sh -c 'sleep 0.01; ls / > ls.out'
compare "chains" g.data --max-stack 4
at_least "chains" "$(grep -c ' <- ' got)" 5
