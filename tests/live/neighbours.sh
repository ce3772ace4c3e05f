# perf beside the live tools, several of them at a time: none of its runs crashes. (Kernels whose build-ids leak into other recorders' records
# crashed every `perf record COMMAND` there.)
. "$PT_TOP/tests/lib.sh"
need_root; need_perf; need cc; need_uprobes; need_events sched:sched_switch raw_syscalls:sys_enter

perf record -q -o alone.data -- true > alone.out 2>&1 || skip "perf record does not work alone: $(tail -1 alone.out)"
perf trace -o alone.trace -- true > alone.out 2>&1 && traces=yes || traces=no

neighbours() {	# NAME: two commands recorded, perf top, perf trace
	local i
	for i in 1 2; do
		perf record -q -o perf.data -- ls / > perf.out 2>&1 || fail "perf record beside $1: status $?, $(tail -3 perf.out)"
		perf script -i perf.data > perf.txt 2> perf.err || fail "perf script beside $1: $(tail -3 perf.err)"
	done
	timeout -s INT 1 perf top --stdio -e cpu-clock -F 99 > top.out 2>&1 < /dev/null
	case $? in 0|124|130) ;; *) fail "perf top beside $1: $(tail -3 top.out)" ;; esac
	[ $traces = no ] || perf trace -o perf.trace -- ls / > perf.out 2>&1 || fail "perf trace beside $1: status $?, $(tail -3 perf.out)"
}

# start TOOL...: until it has opened its events
start() {
	nr=$((nr + 1))
	names+=("$*")
	"$@" > tool$nr.out 2> tool$nr.err < /dev/null &
	pids+=($!)
	pt_pids="$pt_pids $!"
	until_true 60 watches $! || fail "$*: no events opened: $(cat tool$nr.err)"
}
watches() { ls -l "/proc/$1/fd" 2> /dev/null | grep -q perf_event; }

# Those that were started are still there when the neighbours have run, and end well (143: a tool that ended its command).
finish() {
	local i
	neighbours "$(printf '%s; ' "${names[@]}")"
	for i in "${!pids[@]}"; do
		kill -0 "${pids[i]}" 2> /dev/null || fail "${names[i]} ended by itself: $(tail -3 "tool$((i + 1)).err")"
		kill -INT "${pids[i]}"
	done
	for i in "${!pids[@]}"; do
		wait "${pids[i]}"
		case $? in 0|130|143) ;; *) fail "${names[i]}: status $?: $(tail -3 "tool$((i + 1)).err")" ;; esac
	done
	names=() pids=() nr=0
}
names=() pids=() nr=0

start pt-record -q -F 99 -a -o tool1.data
start pt-record -q --sched -o tool2.data
start pt-record -q -F 99 --call-graph dwarf -a -o tool3.data
start pt-stack -F 99 -a
start pt-script -e cpu-clock -a
finish

cat > work.c <<'C'
#include <unistd.h>
__attribute__((noinline)) void work(int n) { __asm__ volatile("" :: "r"(n)); usleep(1000); }
int main(void) { for (int n = 0; ; n++) work(n); }
C
cc -O1 -g -o work work.c || fail "no program"
start pt-timehist -a
start pt-probe -x ./work work n -- ./work
start pt-schedlat -a
start pt-schedmap -a
start pt-timechart -a
start pt-lat --syscall=read -a
start pt-heatmap --syscall=read -a
start pt-stat -a -e cpu-clock -I 100
finish

start pt-report -a -g
start pt-annotate -a
start pt-top --text -a -g
start pt-trace -a -c
finish
