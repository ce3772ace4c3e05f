# pt-stack beside perf script, stack for stack: the user part of programs with debug information, as perf records them with DWARF stack copies.
# Known differences, in perf's disfavour, are left out by choosing programs that are not exec'd through a shell (perf 6.1 keeps the shell's maps then).
. "$PT_TOP/tests/lib.sh"
need_perf
need gcc python3
cat > prog.c <<'C'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
volatile unsigned sink;
static unsigned __attribute__((noinline)) leaf(unsigned n) { for (unsigned i = 0; i < 2000; i++) n = n * 1664525 + 1013904223 + sink; return n; }
static inline unsigned __attribute__((always_inline)) twice(unsigned n) { return leaf(n) + leaf(n + 1); }
static unsigned __attribute__((noinline)) recurse(unsigned n) { unsigned x = n ? recurse(n - 1) : twice(n); __asm__ volatile("" : "+r"(x)); return x + 1; }
static int compare(const void *a, const void *b) { unsigned x = *(unsigned *)a, y = *(unsigned *)b; sink += x; return (x > y) - (x < y); }
static void on_alarm(int sig) { sink += recurse((unsigned)sig); }
static unsigned __attribute__((noinline)) wide(int n) { char *a = __builtin_alloca((size_t)n * 16); memset(a, n, (size_t)n * 16); return leaf((unsigned)a[3]); }
int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 300, *v = malloc(40000 * sizeof(*v));
	signal(SIGUSR1, on_alarm);
	for (unsigned r = 0; r < rounds; r++) {
		for (unsigned i = 0; i < 40000; i++) v[i] = i * 2654435761u;
		qsort(v, 40000, sizeof(*v), compare);
		for (unsigned i = 0; i < 40; i++) sink += recurse(i % 9) + wide((int)i);
		raise(SIGUSR1);
	}
	printf("%u\n", sink);
	return 0;
}
C
gcc -O2 -g -o prog prog.c || fail "gcc"
perf record -q -N -B --no-bpf-event -F 999 --call-graph=dwarf,16384 -o prog.data ./prog 300 > /dev/null 2>&1 || fail "perf record"
cat > fold.py <<'P'
# perf script's text as folded lines, the user part only.
import re, sys
from collections import Counter
count, comm, stack = Counter(), None, []
def done():
    if comm is not None:
        count[comm + "".join(";" + f for f in reversed(stack))] += 1
for line in sys.stdin:
    line = line.rstrip("\n")
    if not line.strip():
        done(); comm, stack = None, []
    elif comm is None:
        comm = re.match(r"^\s*(\S.*?)\s+-?\d+", line).group(1)
    else:
        name, module = re.match(r"^\s*[0-9a-f]+ (.*) \((.*)\)$", line).groups()
        if "kernel" in module:
            continue
        name = re.sub(r"\+0x[0-9a-f]+$", "", name)
        stack.append("[" + module.split("/")[-1].strip("[]") + "]" if name == "[unknown]" else name)
done()
for k in sorted(count):
    print(k, count[k])
P
perf script --no-inline -i prog.data 2> /dev/null | python3 fold.py > perf.folded
runs 0 pt-stack --no-inline --annotate prog.data > pt.all 2> pt.err
sed -E 's/;[^;]*_\[k\]//g' pt.all | awk '{ n = $NF; sub(/ [0-9]+$/, ""); c[$0] += n } END { for (k in c) print k, c[k] }' | LC_ALL=C sort > pt.folded
LC_ALL=C sort -o perf.folded perf.folded
total=$(awk '{ s += $NF } END { print s }' perf.folded)
at_least "samples" "$total" 50
equal "samples" "$(awk '{ s += $NF } END { print s }' pt.folded)" "$total"
# Start-up (the dynamic linker's own frames) is where perf's libdw stops early, as in the return from a signal handler itself: being longer is fine there, another
# way up is not. Where a handler returns to, perf looks up the byte before, which has no symbol. Entries of the PLT for functions chosen at start are "@plt" to it.
sed -i 's/;\[libc\.so\.6\];on_alarm/;__restore_rt;on_alarm/; s/;@plt \([0-9]*\)$/;[libc.so.6] \1/' perf.folded
LC_ALL=C sort -o perf.folded perf.folded
diff perf.folded pt.folded | grep '^[<>]' | grep -vE '_dl_|ld-linux|ld\.so|_start 1$|__restore_rt [0-9]+$' > differ
same=$((total - $(awk '/^</ { s += $NF } END { print s + 0 }' differ)))
echo "$same of $total stacks equal"
[ $((same * 1000)) -ge $((total * 995)) ] || { cut -c1-300 differ | head -20; fail "$same of $total stacks equal"; }
# Inlined functions are there, in their place.
runs 0 pt-stack prog.data > inline.folded 2> inline.err
at_least "stacks with the inlined function" "$(grep -c ';recurse;twice;leaf' inline.folded)" 1
equal "stacks with the inlined function in the wrong place" "$(grep -c ';leaf;twice' inline.folded)" 0
