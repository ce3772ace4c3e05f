# pt-report beside perf report, row by row: samples, command, file and function of the same recordings, of several kinds; and inclusive
# figures beside the sums over pt-stack's folded lines.
. "$PT_TOP/tests/lib.sh"
need_perf
need gcc python3
cat > prog.c <<'C'
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
volatile unsigned sink;
static inline unsigned __attribute__((always_inline)) mix(unsigned n) { return n * 1664525 + 1013904223 + sink; }
static unsigned __attribute__((noinline)) leaf(unsigned n) { for (unsigned i = 0; i < 3000; i++) n = mix(n); return n; }
static unsigned __attribute__((noinline)) recurse(unsigned n) { unsigned x = n ? recurse(n - 1) : leaf(n); __asm__ volatile("" : "+r"(x)); return x + 1; }
static int compare(const void *a, const void *b) { unsigned x = *(unsigned *)a, y = *(unsigned *)b; sink += x; return (x > y) - (x < y); }
int main(void)
{
	static unsigned v[40000];
	struct stat st;
	for (unsigned r = 0; r < 150; r++) {
		for (unsigned i = 0; i < 40000; i++) v[i] = i * 2654435761u;
		qsort(v, 40000, sizeof(*v), compare);
		for (unsigned i = 0; i < 40; i++) sink += recurse(i % 9);
		for (unsigned i = 0; i < 300; i++) stat("/", &st);
	}
	return sink & 0;
}
C
have_tracefs() { [ -r "$(tracefs)/events/sched/sched_process_exec/format" ]; }
gcc -O2 -g -fno-omit-frame-pointer -fno-plt -o prog prog.c || fail "gcc"
mkdir far; cp prog far/prog; strip far/prog
rec() { perf record -q -N -B --no-bpf-event -o "$@" > /dev/null 2>&1 || fail "perf record -o $*"; }
rec flat.data -F 1999 ./prog
rec fp.data -F 1999 -g ./prog
rec dwarf.data -F 1999 --call-graph dwarf,8192 ./prog
rec kernel.data -F 1999 -g --kernel-callchains ./prog
rec period.data -e cpu-clock -c 700000 -g ./prog
rec two.data -e cpu-clock -e page-faults -c 1000000 ./prog
rec stripped.data -F 1999 -g far/prog
rec all.data -a -F 499 -g -- sh -c './prog; ls -lR /usr/include > /dev/null; sleep 0.2'
rec children.data -F 1999 -g sh -c './prog & ./prog; wait'
rec group.data -e '{cpu-clock,page-faults}' -F 1999 sh -c './prog & ./prog; wait'
rec cgroup.data -a --all-cgroups -F 499 -- ./prog
rec -z.data -F 1999 -z -g ./prog && mv -- -z.data z.data
kinds="flat fp dwarf kernel period two cgroup stripped all children z own"
if have_tracefs; then
	rec tp.data -e sched:sched_process_exec -e sched:sched_process_exit sh -c 'true; /bin/true; ls > /dev/null'
	kinds="$kinds tp"
	if leaf=$(pt-probe -x ./prog report_leaf_$$=leaf 2> pt.err) && recurse=$(pt-probe -x ./prog report_recurse_$$=recurse 2> pt.err); then
		rec probe.data -g -e "$leaf" -e "$recurse" ./prog
		pt-probe -d "$leaf" && pt-probe -d "$recurse" || fail "pt-probe -d"
		kinds="$kinds probe"
	fi
fi
pt-record -F 1999 --call-graph fp -o own.data -- ./prog > /dev/null 2>&1 || fail "pt-record"

# "SAMPLES|COMM|DSO|SYM" of both. Left out: addresses without a name (pt has the file's own numbering, perf offsets), which are compared by their number, and
# names of one address of which perf chooses another (aliases, thunks, PLT stubs: perf 6.1 names a stub after the function before it, so prog has none). perf cuts a command at its heading's width: perf-exec, when it is the only
# longer one.
rows() { sed -E '/^#/d; /^$/d; s/ *\| */|/g; s/\bperf-exec\b/perf-ex/; s/^ +//; s/ +$//; s/\[.\] 0x[0-9a-f]+$/ADDRESS/; s/\[.\] [0-9a-f]{16}$/ADDRESS/' | LC_ALL=C sort; }
all=0 differ=0
for f in $kinds; do
	perf report -i $f.data --no-inline --no-children -g none -F sample,comm,dso,sym -t '|' 2> perf.err | rows > perf.rows
	runs 0 pt-report --no-inline --no-children --no-gather --percent-limit 0 -F sample,comm,dso,sym -t '|' $f.data > pt.out 2> pt.err
	rows < pt.out > pt.rows
	equal "$f: samples" "$(awk -F'|' '{ s += $1 } END { print s }' pt.rows)" "$(awk -F'|' '{ s += $1 } END { print s }' perf.rows)"
	n=$(wc -l < perf.rows)
	at_least "$f: rows" "$n" 2
	d=$(diff perf.rows pt.rows | grep '^<' | grep -cvE '@|thunk|\[k\] (__pi_)?mem|_ifunc')
	all=$((all + n)) differ=$((differ + d))
	[ "$d" = 0 ] || diff perf.rows pt.rows | grep '^[<>]' | head -6
done
echo "$((all - differ)) of $all rows equal"
[ $((differ * 100)) -le "$all" ] || fail "$differ of $all rows differ"

# Shares, with callers: perf's children, which count a function once a stack. perf looks return addresses up as they are: behind a call that ends a function
# it names the next one (_dl_start_user for _start), and stacks of frame pointers have such.
for f in fp all; do
	perf report -i $f.data --no-inline --children -g none -F overhead_children,overhead,comm,dso,sym -t '|' 2> /dev/null | rows | grep -v 'ADDRESS\|@\|thunk' > perf.rows
	runs 0 pt-report --no-inline --children --no-gather --percent-limit 0 -F overhead_children,overhead,comm,dso,sym -t '|' $f.data > pt.out 2> pt.err
	rows < pt.out | grep -v 'ADDRESS\|@\|thunk' > pt.rows
	n=$(wc -l < perf.rows) d=$(diff perf.rows pt.rows | grep -c '^<')
	echo "$f: children: $((n - d)) of $n rows equal"
	[ $((d * 20)) -le "$n" ] || { diff perf.rows pt.rows | head -20; fail "$f: $d of $n rows with children differ"; }
done

# Inclusive sums, inlined functions too, are those of the stacks.
for f in fp dwarf; do
	runs 0 pt-stack $f.data > folded 2> pt.err
	runs 0 pt-report -F overhead_children,sample,sym --no-demangle -t '|' --percent-limit 0 $f.data > pt.out 2> pt.err
	python3 - <<'P' || fail "$f: inclusive figures are not those of pt-stack"
import re
from collections import Counter
total, inside, own = 0, Counter(), Counter()
for line in open("folded"):
    if line[0] == "#":
        continue
    stack, n = line.rstrip("\n").rsplit(" ", 1)
    frames = [f for f in stack.split(";")[1:] if not f.startswith("[")]
    total += int(n)
    for f in set(frames):
        inside[f] += int(n)
    last = stack.split(";")[-1]
    own[last] += int(n)
rows = 0
for line in open("pt.out"):
    if line[0] == "#" or not line.strip():
        continue
    share, n, name = line.rstrip("\n").split("|", 2)
    name = name[4:]
    if name.startswith("[") or re.search(r"\+0x[0-9a-f]+$", name):
        continue
    rows += 1
    assert abs(float(share[:-1]) - 100 * inside[name] / total) < 0.006, (name, share, inside[name], total)
    assert int(n) == own[name], (name, n, own[name])
assert rows == len(inside), (rows, len(inside))
print(rows, "functions, inclusive and own, as the stacks have them")
P
done

# What is said of stacks is what pt-stack says, also of places that several events have.
rec both.data -e cpu-clock -e cpu-clock:u -c 1000000 -g far/prog
pt-stack both.data 2>&1 > folded | sed 's/^pt-stack/pt-report/' > want.err
runs 0 pt-report both.data > pt.out 2> pt.err
same_file "notes on a recording of two events" want.err pt.err

# A recording compared with itself differs in nothing.
runs 0 pt-report --base fp.data -j fp.data > same.json 2> pt.err
equal "differences of a recording from itself" "$(grep -cv '"delta":0.0000' same.json)" 0
if have_tracefs; then
	perf report -i tp.data -F sample,trace -t '|' 2> /dev/null | rows | sed 's/ *$//' > perf.rows
	runs 0 pt-report -F sample,trace -t '|' --percent-limit 0 tp.data > pt.out 2> pt.err
	equal "events with their text" "$(rows < pt.out | cut -d'|' -f1 | sort | uniq -c)" "$(cut -d'|' -f1 perf.rows | sort | uniq -c)"
fi

# Control groups.
perf report -i cgroup.data --no-children -F sample,comm,cgroup -t '|' 2> /dev/null | rows > perf.rows
runs 0 pt-report --no-children --percent-limit 0 -F sample,comm,cgroup -t '|' cgroup.data > pt.out 2> pt.err
at_least "rows of control groups" "$(wc -l < perf.rows)" 1
same_file "control groups" perf.rows <(rows < pt.out)

# A group side by side.
perf report --group -i group.data --no-children -g none -F overhead,sample,comm,dso -t '|' 2> /dev/null | rows > perf.rows
runs 0 pt-report --group --no-children --percent-limit 0 -F overhead,sample,comm,dso -t '|' group.data > pt.out 2> pt.err
has "heading of a group" "$(cat pt.out)" "events 'cpu-clock, page-faults'"
rows < pt.out | sed 's/^\([^|]*\)|\([^|]*\)|\([^|]*\)|\([^|]*\)|/\1 \2|\3 \4|/' | LC_ALL=C sort > pt.rows
same_file "a group" perf.rows pt.rows

# Shares of wall time: a sample counts for its part of the tasks that run, by perf script's lines of switches.
rec wall.data --switch-events -F 1999 sh -c './prog & ./prog; wait; ./prog'
runs 0 pt-report --latency --no-children --percent-limit 0 -s pid -t '|' wall.data > pt.out 2> pt.err
perf script -i wall.data --show-switch-events --show-task-events -F comm,pid,tid,event,period 2> /dev/null > wall.txt
python3 - <<'P' || fail "shares of wall time: $(cat pt.out)"
import re
from collections import Counter
running, wall, cpu = set(), Counter(), Counter()
for line in open("wall.txt"):
    ids = re.search(r" (\d+)/(\d+) ", line)
    pid, tid = int(ids.group(1)), int(ids.group(2))
    if "PERF_RECORD_SWITCH OUT" in line or "PERF_RECORD_EXIT" in line:
        running.discard(tid)
    elif "PERF_RECORD_SWITCH IN" in line:
        running.add(tid)
    elif "PERF_RECORD_" not in line:
        running.add(tid)
        period = int(re.search(r"(\d+) cpu-clock", line).group(1))
        wall[pid] += period // len(running)
        cpu[pid] += period
shares = {}  # pt has a row for each command that a process was
for line in open("pt.out"):
    if line[0] != "#" and line.strip():
        a, b, who = line.strip().split("|")
        pid = int(who.split(":")[0])
        before = shares.get(pid, (0, 0))
        shares[pid] = before[0] + float(a[:-1]), before[1] + float(b[:-1])
assert set(shares) == set(cpu), (shares, cpu)
for pid in cpu:
    assert abs(shares[pid][0] - 100 * wall[pid] / sum(wall.values())) < 0.02, (pid, shares[pid], wall, cpu)
    assert abs(shares[pid][1] - 100 * cpu[pid] / sum(cpu.values())) < 0.02, (pid, shares[pid], wall, cpu)
P
