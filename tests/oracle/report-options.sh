# pt-report beside perf report, option by option: what --stats, --tasks, ... print, field by field.
. "$PT_TOP/tests/lib.sh"
need_perf
need gcc
cat > threads.c <<'C'
#include <pthread.h>
#include <sys/prctl.h>
volatile unsigned sink;
static void *run(void *name) { prctl(PR_SET_NAME, name); for (unsigned i = 0; i < 60000000; i++) sink += i; return 0; }
int main(void) { pthread_t t[3]; char *names[] = { "one", "two", "three" }; for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, run, names[i]); for (int i = 0; i < 3; i++) pthread_join(t[i], 0); return 0; }
C
gcc -O1 -g -fno-omit-frame-pointer -pthread -o threads threads.c || fail "gcc"
rec() { perf record -q -N -B --no-bpf-event -o "$@" > /dev/null 2>&1 || fail "perf record -o $*"; }
rec plain.data -F 999 -g sh -c './threads; ls -lR /usr/include > /dev/null & seq 100000 | sort > /dev/null; wait'
rec all.data -a -F 499 -g -- sh -c './threads; sleep 0.2'
rec group.data -e '{cpu-clock,task-clock}' -e page-faults -F 999 -g sh -c './threads; ls -lR /usr/include > /dev/null'
perf record -q -N -B --no-bpf-event -z -F 1999 -o z.data ./threads > /dev/null 2>&1 || fail "perf record -z"
perf record -q -N -B --no-bpf-event -F 999 -o - ./threads > stream.data 2> /dev/null || fail "perf record -o -"

# What a recording is made of: all of perf's text, but for the empty line in front and the order of tasks.
for f in plain all group z stream; do
	perf report -i $f.data --stats 2> /dev/null | sed 1d > perf.out
	runs 0 pt-report --stats $f.data > pt.out 2> pt.err
	at_least "$f --stats: lines" "$(wc -l < perf.out)" 6
	same_file "$f --stats" perf.out pt.out
	perf report -i $f.data --tasks 2> /dev/null | LC_ALL=C sort > perf.out
	runs 0 pt-report --tasks $f.data 2> pt.err | LC_ALL=C sort > pt.out
	at_least "$f --tasks: lines" "$(wc -l < perf.out)" 3
	same_file "$f --tasks" perf.out pt.out
	echo "$f: --stats and --tasks as perf has them"
done

# The hierarchy: each command, file and function with its share, below the same ones. Left out: addresses without a name and names of which perf chooses
# another (see report-vs-perf).
cat > tree.py <<'P'
import re, sys
tree, path = {}, []
for line in open(sys.argv[1]):
    m = re.match(r"^( *)([0-9.]+)%( +)(.*?) *$", line)
    if not m:
        continue
    # perf indents the share, by 3; pt-report the name, by 2
    level = (len(m[1]) + len(m[2]) - 9) // 3 if sys.argv[2] == "perf" else (len(m[3]) - 2) // 2
    name = "perf-exec" if m[4] in ("perf-ex", "perf-exe") else m[4]	# perf cuts it: it makes room for the task's last command only
    path = path[:level] + [name]
    if not re.search(r"@|thunk|0x[0-9a-f]+$| [0-9a-f]{16}$|\[k\] (__pi_)?mem|_ifunc", m[4]):
        tree["/".join(path)] = m[2]
for name in sorted(tree):
    print(name, tree[name])
P
for f in plain all; do
	perf report -i $f.data --no-inline --no-children -g none --hierarchy --stdio --percent-limit 0 2> /dev/null > perf.out
	runs 0 pt-report --no-inline --no-gather --hierarchy --percent-limit 0 $f.data > pt.out 2> pt.err
	python3 tree.py perf.out perf > perf.tree
	python3 tree.py pt.out pt > pt.tree
	n=$(wc -l < perf.tree) d=$(diff perf.tree pt.tree | grep -c '^<')
	at_least "$f --hierarchy: lines" "$n" 20
	at_least "$f --hierarchy: files below commands" "$(grep -c '^[^/]*/[^/]* [0-9.]*$' pt.tree)" 4
	[ $((d * 100)) -le "$n" ] || { diff perf.tree pt.tree | head; fail "$f --hierarchy: $d of $n lines differ"; }
	echo "$f --hierarchy: $((n - d)) of $n lines equal"
done

# Widths of columns, headings too; not which of a symbol's versions is shown. perf makes the last one, if its width is not given, as wide as rows that are not shown need.
widths() { sed -n '/Overhead/,$ { s/ *$//; s/@@*GLIBC_.*//; s/^\(# [. ]*\)  \.*$/\1/; /./p; }'; }
rec flat.data -F 999 ./threads
for w in 0,6,4 10,20,30,10 12,9,20; do
	perf report -i flat.data --no-inline --stdio -w $w --percent-limit 1 2> /dev/null | widths | grep -v '^# (Tip' | LC_ALL=C sort -u > perf.out
	runs 0 pt-report --no-inline --no-gather -w $w --percent-limit 1 flat.data 2> pt.err | widths | grep -v ' more row' | LC_ALL=C sort -u > pt.out
	at_least "-w $w: lines" "$(wc -l < perf.out)" 5
	same_file "-w $w" perf.out pt.out
done

# Paths of files.
for f in plain all; do
	perf report -v -i $f.data --no-inline --no-children -g none --percent-limit 0 -F sample,dso -t '|' 2> /dev/null | sed '/^#/d; /^$/d; s/ //g' | LC_ALL=C sort > perf.out
	runs 0 pt-report -v --no-inline --percent-limit 0 -F sample,dso -t '|' $f.data 2> pt.err | sed '/^#/d; /^$/d; s/ //g' | LC_ALL=C sort > pt.out
	at_least "$f -v: files with paths" "$(grep -c '|/' pt.out)" 2
	same_file "$f -v" perf.out pt.out
done
