# --range and --externs of -V beside perf's: where each variable has a value, and the variables outside of functions.
. "$PT_TOP/tests/lib.sh"
need_perf; need gcc
cat > prog.c <<'C'
#include <stdlib.h>
int counter; static volatile long hidden = 3; const char *text = "x";
static inline int twice(int v) { int w = v + v; hidden += w; return w * 2; }
__attribute__((noinline)) int work(int x, const char *s)
{
	int y = x * 3;
	for (int i = 0; i < x; i++) { int z = i * y; y += rand() + z; hidden += z; }
	counter += y + twice(x);
	return y + s[0];
}
int main(int argc, char **argv) { return work(argc, argv[0]) == 1; }
C
# of_perf, of_pt: "NAME RANGE" of each variable, in order of names. perf leaves out those that it
# takes for not fetchable, and lists those of calls inlined elsewhere in the function: v, w.
of_perf() { perf probe -x ./prog -V "$1" --range 2> perf.err | sed -n 's/.*\t\([^\t]*\)\t\(@<.*>\)$/\1 \2/p' | grep -v '^[vw] ' | sort -u; }
of_pt() { pt-probe -x ./prog -V "$1" --range 2> pt.err | sed -n 's/^\t\t[^\t]*\t\([^\t]*\)\t.*\t\(@<.*>\)$/\1 \2/p' | sort -u; }
for level in 0 1 2; do
	gcc -g -O$level -o prog prog.c
	for point in work work:4 main; do
		of_perf $point > perf.out; of_pt $point > pt.out
		[ -s perf.out ] || fail "perf at $point, -O$level: $(cat perf.err)"
		comm -23 perf.out pt.out > missing
		empty "ranges of perf's that pt-probe lacks at $point, -O$level" missing
	done
	pt-probe -x ./prog -V work | sed 1,2d | cut -f4 | sort > local
	pt-probe -x ./prog -V work --externs | sed 1,2d | cut -f4 | sort | comm -13 local - > externs
	perf probe -x ./prog -V work --externs 2> perf.err | sed 1,2d | cut -f4 | grep -vxFf local | sort > perf.externs
	equal "variables outside of functions" "$(paste -sd' ' externs)" "counter hidden text"
	same_file "those of perf" externs perf.externs
done
