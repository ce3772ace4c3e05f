# The shell session of a tutorial, counted exactly: one event for a line that a macro fills, its pointer, inlined functions, markers with semaphores, perf's probes and ours for perf.
. "$PT_TOP/tests/lib.sh"
need_root; need_uprobes; need cc
name=ptp$$
at_exit gone
gone() { until_true 30 sh -c "pt-probe -d 'probe_$name*:*' 'sdt_$name:*' 2>&1 | grep -q 'no probe matches probe_$name'"; } > /dev/null
cat > $name.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#define ONE p = (char **)*p;
#define FIVE ONE ONE ONE ONE ONE
#define TEN FIVE FIVE
#define FIFTY TEN TEN TEN TEN TEN
#define HUNDRED FIFTY FIFTY
struct mem_state { char *base; char **p[16]; size_t len, stride; };
static volatile unsigned long use_result, inlined;
static void __attribute__((noinline)) use_pointer(void *p) { use_result += (long)p; }
static inline __attribute__((always_inline)) int often(int x) { inlined++; return x + (int)inlined; }
void __attribute__((noinline)) benchmark_loads(unsigned long iterations, void *cookie)
{
	struct mem_state *state = (struct mem_state *)cookie;
	register char **p = state->p[0];
	register size_t i;
	register size_t count = state->len / (state->stride * 100) + 1;

	while (iterations-- > 0) {
		for (i = 0; i < count; ++i) {
			HUNDRED;
		}
	}
	use_pointer((void *)p);
	state->p[0] = p;
}
__attribute__((noinline)) int recurse(int n) { return n < 2 ? often(n) : recurse(n - 1) + recurse(n - 2); }
#define NOTE(provider, name, sema, args) "990: nop\n.pushsection .note.stapsdt,\"\",\"note\"\n.balign 4\n.4byte 992f-991f, 994f-993f, 3\n" \
	"991: .asciz \"stapsdt\"\n992: .balign 4\n993: .8byte 990b, 0, " sema "\n.asciz \"" provider "\"\n.asciz \"" name "\"\n.asciz \"" args "\"\n" \
	"994: .balign 4\n.popsection\n"
__attribute__((section(".probes"), used)) volatile unsigned short step_semaphore;
int main(int argc, char **argv)
{
	static char *a[7];
	static struct mem_state s;
	int i, n = argc > 1 ? atoi(argv[1]) : 5, sum = 0;
	long hits = 0, skipped = 0;

	for (i = 0; i < 7; i++)
		a[i] = (char *)&a[(i + 1) % 7];
	s.p[0] = (char **)a;
	s.len = 200;
	s.stride = 1;
	benchmark_loads(n, &s);
	for (i = 0; i < n; i++) {
		sum += often(i);
		if (sum & 1)
			sum += often(-i);
		if (step_semaphore) {
			__asm__ volatile(NOTE(PROVIDER, "step", "step_semaphore", "-4@%0 8@%1 -4@$5") :: "r"(i), "m"(hits));
			hits++;
		} else {
			skipped++;
		}
	}
	sum += recurse(argc > 2 ? 10 : 2);
	printf("%p %lu %ld %ld\n", (void *)a, inlined, hits, skipped);
	return sum & 0;
}
C
cc -O1 -g -no-pie -DPROVIDER="\"$name\"" -o $name $name.c 2> err || skip "no program can be built: $(head -3 err)"
field() { cut -d' ' -f"$1" out; }
# counts WHAT EVENT WANT ARG...: what pt-stat counts of it in a run
counts() {
	local what=$1 ev=$2 want=$3; shift 3
	runs 0 pt-stat -e "$ev" -x, -o stat -- ./$name "$@" > out
	equal "$what" "$(awk -F, '/probe_|sdt_/ { s += $1 } END { print s + 0 }' stat)" "$want"
}

echo "== the session"
ev=$(pt-probe -x $name benchmark_loads:9 addr=p 2> err) || fail "$(cat err)"
equal "the event" "$ev" "probe_$name:benchmark_loads_L9"
equal "what is said" "$(cat err)" "pt-probe: $name: $PWD/$name, in this directory"
counts "hits of line 9" "$ev" 300 100
runs 0 pt-record -q -o data -e "$ev" -- ./$name 100 > out
a=$(($(field 1)))
pt-script -F trace data | sed 's/.*addr=//' > got
awk -v a=$a 'BEGIN { for (i = 0; i < 300; i++) printf "0x%x\n", a + 8 * (2 * i % 7) }' > want
same_file "the pointer at each hit" got want
pt-probe -l > list
has "the list" "$(cat list)" "$ev  (on benchmark_loads+"
has "the list" "$(cat list)" "@$name.c:21 in $PWD/$name with addr="
runs 0 pt-probe -d "$ev"
pt-probe -l "probe_$name:*" > list 2> err
empty "what is left" list

echo "== inlined, and out of line"
ev=$(pt-probe -x $name often 2> err) || fail "inlined: $(cat err)"
runs 0 pt-stat -e "$ev" -x, -o stat -- ./$name 20 deep > out
equal "hits of all instances" "$(awk -F, '/probe_/ { s += $1 } END { print s + 0 }' stat)" "$(field 2)"
runs 0 pt-probe -d "$ev"

echo "== arguments by the calling convention, the return, latency"
ev=$(pt-probe -x $name -a 'recurse $arg1:s32' -a 'recurse%return $retval') || fail "recurse"
equal "names" "$ev" "probe_$name:recurse
probe_$name:recurse__return"
counts "calls and returns" "$ev" 354 1 deep
runs 0 pt-lat --probe "$ev" -o lat -- ./$name 1 deep 2> err
equal "latencies of recursion" "$(wc -l < lat)" 177
runs 0 pt-stack -e "probe_$name:recurse" -- ./$name 1 deep > folded 2> err
equal "stacks at the probe" "$(awk '/;main;recurse/ { s += $NF } END { print s }' folded)" 177
runs 0 pt-probe -d "$ev"

echo "== a marker with its semaphore"
runs 0 ./$name 50 > out
equal "without a probe" "$(cut -d' ' -f3,4 out)" "0 50"
ev=$(pt-probe -x $name "sdt_$name:step") || fail "marker"
equal "its name" "$ev" "sdt_$name:step"
counts "hits of the marker" "$ev" 50 50
equal "with a probe" "$(cut -d' ' -f3,4 out)" "50 0"
runs 0 pt-record -q -o data -e "$ev" -- ./$name 3 > out
pt-script -F trace data | sed 's/.*) //' > got
printf 'arg1=%d arg2=%d arg3=5\n' 0 0 1 1 2 2 > want
same_file "its arguments" got want
runs 0 ./$name 50 > out
equal "when nobody watches" "$(cut -d' ' -f3,4 out)" "0 50"

echo "== names that are taken"
first=$(pt-probe -x $name recurse)
runs 1 pt-probe -x $name recurse > out 2> err
empty "the same again" out
has "what is said" "$(cat err)" "$first exists already: \`pt-probe -d $first\` deletes it, --force makes one more, recurse_1"
runs 1 pt-probe -x $name -a sum=main -a 'recurse $arg1' > out 2> err
has "what is said of one of two" "$(cat err)" "$first exists already"
equal "what there is" "$(pt-probe -l "probe_$name:*" | wc -l)" 1
cp $name new && mv new $name		# a build: the old probe is of a file that nobody runs any more
second=$(pt-probe --force -x $name recurse 2> err)
equal "forced" "$second" "${first}_1"
has "what is said" "$(cat err)" "$first is taken by another probe: this one is $second"
counts "hits of the new file" "$second" 177 1 deep
background pt-stat -e "$first" -o stat -- sh -c 'touch started; exec sleep 100'
until_true 30 test -e started || fail "pt-stat does not start"
third=$(pt-probe -f -x $name recurse 2> err)
equal "a third one" "$third" "${first}_2"
runs 1 pt-probe -d "$first" 2> err
has "in use" "$(cat err)" "$first is in use: processes with perf events: "
case $(cat err) in *" more") ;; *) has "by whom" "$(cat err)" "$! (pt-stat)" ;; esac	# of many users a few are named
kill $! && wait $!
until_true 30 pt-probe -d "$first" || fail "$first cannot be deleted"
echo 1 > "$(tracefs)/events/${second/://}/enable"
runs 1 pt-probe -d "$second" 2> err
has "enabled" "$(cat err)" "enabled by \`echo 1 > "
echo 0 > "$(tracefs)/events/${second/://}/enable"
pt-probe -d "probe_$name:recurse*" || fail "delete by pattern"

echo "== odd paths, sonames, addresses"
mkdir "o d#d" && cp $name "o d#d/a b" || fail "cp"
ev=$(pt-probe -x "o d#d/a b" "$name=benchmark_loads:9") || fail "odd path"
runs 0 pt-stat -e "$ev" -x, -o stat -- "o d#d/a b" 10 > out
equal "hits in a path with blanks" "$(awk -F, '/probe_/ { print $1 }' stat)" 30
has "its path in the list" "$(pt-probe -l "$ev")" " in $PWD/o d#d/a b)"
link=$(sed -n "s|^p:probe_a/$name \([^:]*\):.*|\1|p" "$(tracefs)/uprobe_events")
[ -L "$link" ] || fail "'$link' is no link"
runs 0 pt-probe -d "$ev"
[ ! -e "$link" ] || fail "$link is left"
ev=$(pt-probe -x libc.so.6 ${name}=getenv 2> err) || fail "libc"
has "the library" "$(cat err)" "libc.so.6, a library"
runs 0 pt-probe -d "$ev"
addr=0x$(nm $name | awk '$3 == "recurse" { print $1 }')
cp $name ${name}s && strip ${name}s
runs 1 pt-probe -x ${name}s recurse > out 2> err
has "stripped" "$(cat err)" "recurse"
ev=$(pt-probe -x ${name}s "$addr" '%rdi' 2> err) || fail "by address: $(cat err)"
equal "by address" "$ev" "probe_${name}s:abs_0x$(printf %x "$addr")"
runs 0 pt-stat -e "$ev" -x, -o stat -- ./${name}s 1 deep > out
equal "hits of a stripped program" "$(awk -F, '/probe_/ { print $1 }' stat)" 177
runs 0 pt-probe -d "probe_${name}s:*"

echo "== a name that nobody got"
runs 1 pt-probe -x ./$name recurse > /dev/full 2> err
has "what is said" "$(cat err)" "no probe was made"
case $(pt-probe -l) in *"probe_$name"*) fail "left behind: $(pt-probe -l)" ;; esac

echo "== a line that has a row without code (location views)"
cat > views.c <<'C'
#include <stdlib.h>
#define TEN ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE
#define ONE p = (char **)*p;
__attribute__((noinline)) void loads(long n, char ***at)
{
	char **p = *at;

	while (n-- > 0) {
		TEN
	}
	*at = p;
}
int main(int argc, char **argv) { char *one = (char *)&one, **p = (char **)&one; loads(argc > 1 ? atol(argv[1]) : 1, &p); return p != (char **)&one; }
C
for level in 0 1 2 3; do
	${CC:-cc} -O$level -g -o ${name}v views.c || fail "cc"
	ev=$(pt-probe -x ./${name}v loads:5 addr=p 2> err) || fail "-O$level: $(cat err)"
	runs 0 pt-stat -e "$ev" -x, -o stat -- ./${name}v 37 > out
	equal "hits of the line at -O$level" "$(awk -F, '/probe_/ { print $1 }' stat)" 37
	runs 0 pt-probe -d "$ev"
done

echo "== perf's for us, ours for perf"
need_perf
if perf probe -q -x ./$name theirs=recurse > perf.out 2>&1; then
	has "perf's in the list" "$(pt-probe -l)" "probe_$name:theirs  "
	counts "hits of perf's" "probe_$name:theirs" 177 1 deep
	runs 0 pt-probe -d "probe_$name:theirs"
fi
ev=$(pt-probe -x $name ours=recurse 'n=$arg1:s32') || fail "ours"
has "perf's list" "$(perf probe -l 2>&1)" "probe_$name:ours"
perf stat -e "$ev" -x, -o stat -- ./$name 1 deep > out 2> err || fail "perf stat: $(cat err)"
equal "perf's count" "$(awk -F, '/probe_/ { print $1 }' stat)" 177
perf probe -q -d "$ev" > perf.out 2>&1 || fail "perf deletes ours: $(cat perf.out)"
pt-probe -l > list
case $(cat list) in *"probe_$name"*) fail "left: $(cat list)" ;; esac
