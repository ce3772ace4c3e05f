# pt-stat beside perf stat: the same counts of what is exact, the same CSV fields, the same JSON keys, for the same options.
. "$PT_TOP/tests/lib.sh"
need_perf
need python3

# Counts that are exact: the calls of dd, in both.
for tool in "perf stat" pt-stat; do
	$tool -x, -o "${tool%% *}.csv" -e syscalls:sys_enter_write,syscalls:sys_enter_read,syscalls:sys_exit_write:u -- dd if=/dev/zero of=/dev/null bs=1 count=5000 2> /dev/null ||
		fail "$tool"
done
cut -d, -f1-3 perf.csv | grep -v '^#' | grep . > perf.counts
cut -d, -f1-3 pt-stat.csv | grep -v '^#' | grep . > pt.counts
same_file "calls of dd" perf.counts pt.counts
at_least "calls of dd" "$(head -1 pt.counts | cut -d, -f1)" 5000

# Page faults of a program that touches 2,000 pages: those and the few of its start.
cat > touch.py <<'P'
import mmap
m = mmap.mmap(-1, 2000 * 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
if hasattr(mmap, "MADV_NOHUGEPAGE"): m.madvise(mmap.MADV_NOHUGEPAGE)
for i in range(2000): m[i * 4096] = 1
P
pt-stat -x, -o - -e page-faults -- python3 touch.py > with.csv || fail "pt-stat"
at_least "page faults" "$(cut -d, -f1 with.csv)" 2000

# The same fields and keys. Values differ from run to run; their shape may not.
cat > shape.py <<'P'
import json, re, sys
def shape(form, path):
    out = []
    for line in open(path):
        line = line.rstrip("\n")
        if not line.strip() or line.startswith("# started"): continue
        if form == "json":
            o = json.loads(line)
            out.append(" ".join(o) + " | %s %s %s %s" % (o.get("event"), o.get("unit"), re.sub(r"^[KMG]?/sec$", "/sec", o["metric-unit"]),
                       "text" if o["counter-value"].startswith("<") else "number"))
        elif form == "csv":
            f = line.split(",")
            out.append("%d " % len(f) + " ".join("N" if re.fullmatch(r" *-?[\d.]+%?", x) else re.sub(r"^[KMG]?/sec$", "/sec", x.strip()) for x in f))
        else:
            line = re.sub(r"[KMG]/sec", "/sec", re.sub(r"\( \+- .*\)", "", line))
            out.append(re.sub(r"\s+", " ", re.sub(r"(?<![A-Z])-?\d[\d.,]*(?![a-z])", "N", line)).strip())
    return out
bad = 0
for n, line in enumerate(open("done")):
    form, options = line.rstrip("\n").split(" ", 1)
    perf, pt = shape(form, "perf.%d" % (n + 1)), shape(form, "pt.%d" % (n + 1))
    if not perf or perf != pt:
        bad = 1
        print("%s: perf" % options, *perf, "pt", *pt, sep="\n  ")
sys.exit(bad)
P
n=0
compare() {	# FORM OPTION...
	local form=$1; shift
	n=$((n + 1))
	perf stat -o perf.$n "$@" sleep 0.02 > /dev/null 2>&1 || fail "perf stat $*"
	pt-stat -o pt.$n "$@" sleep 0.02 > /dev/null 2>&1 || fail "pt-stat $*"
	echo "$form $*" >> done
}
ev=task-clock,context-switches,page-faults,cycles
for places in "" "-a" "-a -A" "-a --per-core" "-a --per-socket" "-a --per-die" "-a --per-node"; do
	compare csv -x, -e $ev,cpu-migrations $places
	compare json -j -e $ev $places
	compare table -e $ev $places
done
compare csv -x, -r 2 -e $ev
compare json -j -r 2 -e $ev
compare table -d -d
compare csv -x, -d
compare csv -x, -e '{context-switches,page-faults},dummy:u'
# Control groups, where one can be made: the name is a field, figures take their operands from the same group.
root=$(awk '$3 == "cgroup" && $4 ~ /perf_event/ { print $2; exit }' /proc/self/mounts)
[ -n "$root" ] || root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
g=pt-stat.$$
if [ -n "$root" ] && mkdir "$root/$g" "$root/$g/one" "$root/$g/two" 2> /dev/null; then
	at_exit gone
	gone() { until_true 20 rmdir "$root/$g/one" && rmdir "$root/$g/two" "$root/$g"; }
	two=$g/one,$g/two
	compare csv -x, -a -A -e context-switches,page-faults,cpu-clock -G $g/one,,$g/two
	compare json -j -a -e context-switches,page-faults -G $g/one
	compare table -a -e context-switches,page-faults --for-each-cgroup $two
	compare csv -x, -a -r 2 -e '{context-switches,page-faults}' --for-each-cgroup $two
	# Patterns choose the same groups (perf shows them as they lie in the directory).
	for pattern in "^$g" "$g/t*" "$g/\\(one\\|two\\)\$" "^$g/one\$,^$g/t.o" "$g/.*"; do
		for tool in "perf stat" pt-stat; do
			$tool -a -x, -o chosen -e context-switches --for-each-cgroup "$pattern" -- true || fail "$tool --for-each-cgroup '$pattern'"
			grep context-switches chosen | cut -d, -f4 | sort > "${tool%% *}.chosen"
		done
		same_file "what '$pattern' chooses" perf.chosen pt-stat.chosen
		at_least "chosen by '$pattern'" "$(wc -l < pt-stat.chosen)" 1
	done
	# What a group does is counted there and nowhere else, with the operands of its own figures.
	for tool in "perf stat" pt-stat; do
		$tool -a -x, -o "${tool%% *}.in" -e syscalls:sys_enter_getppid,cpu-clock --for-each-cgroup $two -- sh -c "echo \$\$ > $root/$g/one/cgroup.procs; threads 4 250 < /dev/null > /dev/null; echo \$\$ > $root/cgroup.procs" ||
			fail "$tool --for-each-cgroup"
		grep getppid "${tool%% *}.in" | cut -d, -f1-4 > "${tool%% *}.in.counts"
		equal "figures of $tool" "$(grep -c 'cpu-clock.*CPUs utilized' "${tool%% *}.in")" 1
	done
	same_file "calls in two control groups" perf.in.counts pt-stat.in.counts
	equal "calls in the first" "$(head -1 pt-stat.in.counts)" "1000,,syscalls:sys_enter_getppid,$g/one"
fi
at_least "comparisons" $n 20
python3 shape.py || fail "fields or keys differ"

# Intervals: the same line in each, and all of them add up to the summary.
pt-stat -x, -I 10 --summary -o out -e page-faults,task-clock -- python3 touch.py || fail "pt-stat -I"
grep -v '^#' out | grep . > lines
awk -F, '$4 == "page-faults" && $1 !~ /summary/ { a += $2 } $4 == "page-faults" && $1 ~ /summary/ { s = $2 } END { exit !(s >= 2000 && a == s) }' lines || fail "intervals do not add up: $(cat lines)"
echo "$n comparisons of shape"
