# Python scripts of perf script -s in pt-script: those that perf brings print what they print in perf; functions and their arguments.
. "$PT_TOP/tests/lib.sh"
need gcc python3
need_perf; need_root
need_events raw_syscalls:sys_exit syscalls:sys_enter_futex irq:softirq_entry sched:sched_switch
perf version --build-options 2> /dev/null | grep -q 'libpython: \[ on' || skip "this perf runs no Python"
scripts=
for dir in /usr/lib/perf-core /usr/libexec/perf-core /usr/share/perf-core; do [ ! -d $dir/scripts/python ] || scripts=$dir/scripts/python; done
[ -n "$scripts" ] || skip "the scripts of perf are not installed"

cat > w.c <<'C'
static int __attribute__((noinline)) work(int n) { volatile int s = 0; for (int i = 0; i < n; i++) s += i; return s; }
int main(void) { return work(20000000) & 1; }
C
gcc -O1 -g -fno-omit-frame-pointer -o w w.c || fail "gcc"
events=raw_syscalls:sys_enter,raw_syscalls:sys_exit,syscalls:sys_enter_futex,syscalls:sys_exit_futex,irq:softirq_entry,irq:softirq_exit,sched:sched_switch
for ev in skb:kfree_skb skb:consume_skb net:netif_rx net:net_dev_queue net:net_dev_xmit compaction:mm_compaction_begin; do
	[ ! -e /sys/kernel/tracing/events/${ev/:/\/} ] || events=$events,$ev
done
pt-record -q -o events.data -e $events -- sh -c 'cat /no/such 2> /dev/null; python3 -c "import threading; t = threading.Thread(target=print); t.start(); t.join()"; sleep 0.01'
pt-record -q -o chains.data -e cpu-clock -g -- ./w
pt-record -q -o flat.data -e cpu-clock --phys-data -- ./w

# same SCRIPT DATA LINES [ARG...]: perf and pt print the same, at least so many lines
same() {
	local name=$1 data=$2 lines=$3; shift 3
	rm -f /dev/shm/perf.db
	# a script that was written for the fields of another kernel fails in both
	timeout 100 perf script -i $data -s $scripts/$name.py -- "$@" > want 2> want.err < /dev/null || {
		timeout 100 pt-script -i $data -s $scripts/$name.py -- "$@" > got 2> got.err < /dev/null && fail "perf script -s $name.py fails, pt-script does not: $(tail -1 want.err)"
		return
	}
	empty "what perf script -s $name.py says of pt-record's file" want.err
	rm -f /dev/shm/perf.db
	timeout 100 pt-script --no-inline -i $data -s $scripts/$name.py -- "$@" > got 2> got.err < /dev/null || fail "pt-script -s $name.py: $(tail -3 got.err)"
	rm -f /dev/shm/perf.db
	same_file "$name" want got
	at_least "$name: lines" "$(grep -c . got)" "$lines"
}
same syscall-counts events.data 10
same syscall-counts-by-pid events.data 20
same failed-syscalls-by-pid events.data 6
same futex-contention events.data 1
same net_dropmonitor events.data 1
same netdev-times events.data 1
same compaction-times events.data 1
same powerpc-hcalls events.data 1
same mem-phys-addr flat.data 3
same event_analyzing_sample flat.data 8
pt-record -q -o few.data -a -e irq:softirq_entry,sched:sched_switch -- sleep 0.1
same check-perf-trace few.data 4

# Stacks: pt names the caller by the call, perf by the instruction behind it, which differs where a function begins there.
for what in perf pt; do
	[ $what = perf ] && run="perf script -i" || run="pt-script --no-inline -i"
	$run chains.data -s $scripts/stackcollapse.py 2> err < /dev/null | grep ';main;work ' > $what.folded || fail "$what: stackcollapse.py: $(cat err)"
	$run chains.data -s $scripts/flamegraph.py -- --format=json -o $what.json 2> err < /dev/null || fail "$what: flamegraph.py: $(cat err)"
done
same_file "stackcollapse" perf.folded pt.folded
at_least "stackcollapse: lines" "$(grep -c . pt.folded)" 1
python3 - <<'P' || fail "flamegraph.py gives other stacks"
import json
def works(node, path=()):
    path += (node["n"],)
    found = [(path[-2:], node["v"])] if node["n"] == "work" else []
    return found + [x for c in node["c"] for x in works(c, path)]
perf, pt = (sorted(works(json.load(open(name)))) for name in ("perf.json", "pt.json"))
assert perf == pt and perf, (perf, pt)
P

# What functions get, by perf and by pt.
cat > all.py <<'P'
import sys
from perf_trace_context import *
def trace_begin(): print("begin", sys.argv[1:])
def trace_end(): print("end")
def sched__sched_switch(name, context, cpu, s, ns, pid, comm, callchain, prev_comm, prev_pid, prev_prio, prev_state, next_comm, next_pid, next_prio, more):
    print(name, cpu, s, ns, pid, comm, callchain, prev_comm, prev_pid, next_comm, next_pid, common_pc(context), common_flags(context), common_lock_depth(context),
          sorted(more["sample"].items() & {"pid", "tid", "cpu", "time", "period"}), more["raw_buf"], more["ev_name"])
def trace_unhandled(name, context, fields): print("unhandled", name, sorted(fields.items()))
def process_event(d): print(d["ev_name"], d["comm"], d.get("symbol"), d.get("dso"), [d["sample"][k] for k in ("pid", "tid", "cpu", "ip", "time", "period")], d["attr"][:4], d["attr"][8:16])
P
for data in events few flat; do
	perf script -i $data.data -s all.py -- a "b c" > want 2> err < /dev/null || fail "perf script -s all.py: $(cat err)"
	pt-script --no-inline -i $data.data -s all.py -- a "b c" > got 2> err < /dev/null || fail "pt-script -s all.py: $(cat err)"
	same_file "arguments in $data.data" want got
	at_least "lines" "$(grep -c . got)" 10
done

# What cannot be run.
runs 1 pt-script -s no-such.py -i flat.data 2> err
has "a script that is not there" "$(cat err)" "no-such.py: No such file"
echo 'raise SystemExit(3)' > leaves.py
pt-script -s leaves.py -i flat.data > /dev/null 2> err; status=$?
[ $status = 3 ] || [ $status = 141 ] || fail "a script that ends early: status $status: $(cat err)"
# Text of a recording is no program: names of values are taken if they are numbers, and nothing else is evaluated.
python3 - "$PT_TOP/lib/cli/perfscript.py" <<'P' || fail "constants"
import signal, sys
signal.alarm(60)
source = open(sys.argv[1]).read().rsplit("\nmain()\n", 1)[0]
space = {"__name__": "perfscript"}
exec(compile(source, sys.argv[1], "exec"), space)
number = space["number"]
assert number("( gfp_t)(0x400u|0x800UL) | (1UL << 4)") == 0xc10
assert number("-1") == -1 and number("~0 & 255") == 255
for bad in ("__import__('os').system('touch pwned')", "'x'", "1 << 10000000000", "2 ** 9 ** 9", "f(1)", "(" * 5000, ""):
    try:
        number(bad)
    except ValueError:
        continue
    raise AssertionError(bad)
assert space["arguments"]('REC->x, "a,\\"|", {1, "b)"}, { 2UL, "c" })', 0)[0] == ["REC->x", '"a,\\"|"', '{1, "b)"}', '{ 2UL, "c" }']
# Calls that do not end are not gone through for each of them.
space["define_names"](dict.fromkeys(("define_flag_field", "define_symbolic_field"), lambda *args: None), "h", "__print_symbolic(" * 20000)
P
