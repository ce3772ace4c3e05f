# Places in files that lie elsewhere than linkers put them: hits are counted, values compared; a file that was moved after its debug information was split off is refused; a function that the compiler split.
. "$PT_TOP/tests/lib.sh"
need_root; need_uprobes; need cc; need objcopy
name=ptb$$
at_exit gone
gone() { until_true 30 sh -c "pt-probe -d 'probe_$name*:*' 2>&1 | grep -q 'no probe matches'"; } > /dev/null
cat > lib.c <<'C'
int tally;
__attribute__((noinline)) int count_up(int n);
__attribute__((noinline)) int count_up(int n)
{
	tally += n;
	return tally * 3;
}
static inline __attribute__((always_inline)) int inner(int x) { tally++; return x + tally; }
__attribute__((noinline)) int outer(int x);
int outer(int x) { return inner(x) + inner(x + 1); }
C
cat > main.c <<'C'
int count_up(int), outer(int);
int main(void) { int s = 0, i; for (i = 0; i < 7; i++) s += count_up(i) + outer(i); return s == 99; }
C
cc -O1 -g -c main.c 2> err || skip "no program can be built: $(head -3 err)"
cc -O1 -g -fPIC -c lib.c
id=-Wl,--build-id=0x0123456789abcdef0123456789abcdef0123456
# hits FILE PROGRAM: of two places with their values
hits() {
	local ev
	ev=$(pt-probe -x ./"$1" -a 'count_up:2 n tally' -a 'inner' 2> err) || fail "$1: $(cat err)"
	runs 0 pt-record -q -o data -e "$ev" -- ./"$2"
	pt-script -F event,trace data | sed 's/^ *probe_[^:]*://' > got
	equal "$1: calls of count_up" "$(grep -c '^count_up' got)" 7
	equal "$1: inlined calls" "$(grep -c '^inner' got)" 14
	sed -n 's/^count_up.* n=/n=/p' got > values
	# before line 2 the sum of what came, and of two calls of inner a round
	awk 'BEGIN { for (i = 0; i < 7; i++) { print "n=" i " tally=" t + 0; t += i + 2 } }' > want
	same_file "$1: values" values want
	runs 0 pt-probe -d "$ev"
}
for base in 0x41000000 0; do
	cc -shared "$id$((base > 0))" -o $name.$base.so lib.o -Wl,-Ttext-segment=$base,-z,max-page-size=4096
	cc -o $name-$base main.o ./$name.$base.so
done
hits $name.0x41000000.so $name-0x41000000
cc -no-pie -Wl,-Ttext-segment=0x10000000 -o $name-far main.o lib.o
hits $name-far $name-far
# code whose place in the file is far from where it is mapped
cc -no-pie -Wl,--section-start=.text=0x7000140 -o $name-apart main.o lib.o
hits $name-apart $name-apart

echo "== moved since its debug information was split off"
for base in 0x41000000 0; do
	cc -shared "${id}0" -o m.$base.so lib.o -Wl,-Ttext-segment=$base,-z,max-page-size=4096
done
objcopy --only-keep-debug m.0.so $name.moved.debug
cp m.0x41000000.so $name.moved.so
strip $name.moved.so
objcopy --add-gnu-debuglink=$name.moved.debug $name.moved.so
runs 1 pt-probe -x ./$name.moved.so -n count_up:2 > out 2> err
has "sections elsewhere" "$(cat err)" "its sections lie otherwise"

echo "== split by the compiler"
cat > split.c <<'C'
#include <stdio.h>
struct clock { int (*cycles)(struct clock *, long *), (*time)(struct clock *, long *, void *); };
volatile int hits;
int split(struct clock *c, long *t)
{
	hits++;
	if (c->cycles)
		return c->cycles(c, t);
	return c->time(c, t, 0);
}
static int cycles(struct clock *c, long *t) { *t = c->cycles != 0; return 5; }
static int time(struct clock *c, long *t, void *v) { *t = c->cycles != 0; return v ? 5 : 6; }
__attribute__((noinline)) int both(struct clock *c, long *t) { return split(c, t) + 1; }
__attribute__((noinline)) int more(struct clock *c, long *t) { long x; return split(c, &x) + 1 + x + *t; }
int (*volatile called)(struct clock *, long *) = split;
int main(void)
{
	struct clock a = { cycles, time }, b = { 0, time };
	long l = 0;
	for (int i = 0; i < 10; i++) { both(&a, &l); more(&a, &l); called(&a, &l); both(&b, &l); called(&b, &l); more(&b, &l); called(&b, &l); }
	printf("%d\n", hits);
}
C
cc -O2 -g -o $name-split split.c
ev=$(pt-probe -x ./$name-split split 2> err) || fail "split: $(cat err)"
runs 0 pt-stat -e "$ev" -x, -o stat -- ./$name-split > out
equal "its calls" "$(awk -F, '/probe_/ { s += $1 } END { print s + 0 }' stat)" "$(cat out)"
runs 0 pt-probe -d "$ev"

echo "== a copy that the debug information does not tell of"
cat > told.c <<'C'
#include <stdio.h>
volatile int hits;
int twin(int x);
extern inline __attribute__((gnu_inline, always_inline)) int twin(int x) { hits++; return x + 1; }
int (*volatile called)(int) = twin;
int main(void)
{
	int s = 0;
	for (int i = 0; i < 10; i++) { s += twin(i); s += called(s); }
	printf("%d\n", hits);
	return s == 7;
}
C
echo 'extern volatile int hits; int twin(int x); int twin(int x) { hits++; return x + 1; }' > untold.c
cc -O2 -g -c told.c && cc -O2 -g0 -c untold.c && cc -o $name-told told.o untold.o
ev=$(pt-probe -x ./$name-told twin 2> err) || fail "twin: $(cat err)"
runs 0 pt-stat -e "$ev" -x, -o stat -- ./$name-told > out
equal "calls, inlined and of the copy" "$(awk -F, '/probe_/ { s += $1 } END { print s + 0 }' stat)" "$(cat out)"
equal "all calls" "$(cat out)" 20
runs 0 pt-probe -d "$ev"
