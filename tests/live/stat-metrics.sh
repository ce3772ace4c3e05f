# pt-stat -M: the events that it opens, by their attributes (of hardware's also where there is none: tests/peers/attributes.c), and figures of software events.
. "$PT_TOP/tests/lib.sh"
need gcc
gcc -Wall -shared -fPIC -O1 -D_GNU_SOURCE -o attributes.so "$PT_TOP/tests/peers/attributes.c" || fail "gcc"
# opened OPTION...: a line for each event: TYPE:CONFIG, and that of its group's leader
opened() {
	rm -f events
	LD_PRELOAD=$PWD/attributes.so PEERS_ATTRIBUTES=$PWD/events pt-stat -x, -o counts "$@" -- true || fail "$*"
	awk -F= '/^\[/ { n++ } { v[n, $1] = $2 }
		END { for (i = 1; i <= n; i++) of[v[i, "fd"]] = v[i, "type"] ":" v[i, "config"]
			for (i = 1; i <= n; i++) print of[v[i, "fd"]] (v[i, "group_fd"] == -1 ? "" : " with " of[v[i, "group_fd"]]) }' events | sort -u | paste -sd,
}
equal "insn_per_cycle" "$(opened -M insn_per_cycle)" "0:0 with 0:1,0:1"
equal "its other name" "$(opened -M ipc)" "0:0 with 0:1,0:1"
# cycles are there already
equal "what two of them share" "$(opened -M insn_per_cycle,frontend_cycles_idle)" "0:0 with 0:1,0:1,0:7"
equal "pairs" "$(opened -M branch_miss_rate,l1d_miss_rate)" "0:4 with 0:5,0:5,3:0 with 3:65536,3:65536"
equal "events beside" "$(opened -e page-faults -M CPUs_utilized | tr ',' '\n' | sed 's/ with .*//' | sort | paste -sd,)" "1:1,1:2"
equal "tasks" "$(opened -M CPUs_utilized)" "1:1"
equal "asked for one by one" "$(opened -M insn_per_cycle -M IPC -M CPUs_utilized)" "$(opened -M insn_per_cycle,CPUs_utilized)"
equal "CPUs" "$(opened -M CPUs_utilized -a)" "1:0"

# The figures: of the named ones alone, under their names.
runs 0 pt-stat -x, -o counts -M CPUs_utilized,page_faults_per_second -- sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done'
equal "figures" "$(sed '/^#/d' counts | cut -d, -f7 | grep . | sort | paste -sd,)" "CPUs_utilized,page_faults_per_second"
awk -F, '$3 == "task-clock" { ms = $1 } $3 == "page-faults" { n = $1; rate = $6 } END { exit !(rate > n / ms * 1000 * .99 && rate < n / ms * 1000 * 1.01) }' counts || fail "page faults a second: $(cat counts)"
runs 0 pt-stat -M CPUs_utilized --metric-only -x, -o counts -e cs -- true
equal "without counts" "$(sed '/^#/d; /^$/d' counts | head -1)" "CPUs_utilized,"

# Software events are counted together; one that is refused does not take the others with it.
runs 0 pt-stat -x, -o counts -e context-switches:u,task-clock -- true
equal "the refused one" "$(sed -n '/context-switches/s/,.*//p' counts)" "<not supported>"
equal "the one behind it" "$(grep -c "^[0-9.]*,msec,task-clock" counts)" 1
