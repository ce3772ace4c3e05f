# Parameters that are gone where the probe is, and what their callers passed: what is fetched is what the program itself says, and where more than a few calls refer to a function
# nothing is.
. "$PT_TOP/tests/lib.sh"
need_root; need_uprobes; need cc
[ "$(uname -m)" = x86_64 ] || skip "calls are read on x86-64 only"
name=ptc$$
cat > $name.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#define NOINLINE __attribute__((noinline))
volatile long sink;
struct pair { long a, b; };
static struct pair fixed = { 31, 32 };
/* All registers that calls do not keep have another value from here on. */
#define GONE __asm__ volatile("xor %%edi, %%edi\n\txor %%esi, %%esi\n\txor %%edx, %%edx\n\txor %%ecx, %%ecx" ::: "rdi", "rsi", "rdx", "rcx", "r8", "r9", "rax", "r10", "r11", "memory", "cc")
static NOINLINE long once(long i, long k, const struct pair *p, const struct pair *q)
{
	long x = (i * i + k * k + p->a * q->b) >> 1;

	GONE;
	sink += x;	/* once */
	return x;
}
static NOINLINE long twice(long same, long other)
{
	long x = (same * same ^ other * other) >> 1;

	GONE;
	sink += x;	/* twice */
	return x;
}
static NOINLINE long inner(long n, long m)
{
	long x = (n * n - m) >> 1;

	GONE;
	sink += x;	/* inner */
	return x;
}
static NOINLINE long outer(long n, long m)
{
	long x = inner(n, m + 3);

	GONE;
	sink += x;	/* outer */
	return x + 1;
}
static NOINLINE long pointed(long n) { long x = (n * n + 1) >> 1; GONE;
	sink += x;	/* pointed */
	return x; }
static NOINLINE long tabled(long n) { long x = (n * n + 2) >> 1; GONE;
	sink += x;	/* tabled */
	return x; }
static NOINLINE long jumped(long n) { long x = (n * n + 3) >> 1; GONE;
	sink += x;	/* jumped */
	return x; }
static NOINLINE long again(long n, long m) { long x = (n * n + m * m) >> 1; if (n > 100) x += again(n - 100, m); GONE;
	sink += x;	/* again */
	return x; }
#define MAYBE static
MAYBE NOINLINE long seen(long n) { long x = (n * n + 4) >> 1; GONE;
	sink += x;	/* seen */
	return x; }
static long (*const table[])(long) = { tabled, NULL };
long (*const volatile *tables)(long) = table;
long (*volatile pointer)(long);
static NOINLINE long jumps(long n) { sink += n; return jumped(n * 2); }

int main(int argc, char **argv)
{
	struct pair own = { 41, 42 };
	long r = 0, i, say = argc > 1;

	__asm__ volatile("" :: "r"(&own) : "memory");
	pointer = pointed;
#pragma GCC unroll 1
	for (i = 205; i < 208; i++) {
		if (say)
			printf("once i=%ld k=77 a=31 b=42\ntwice same=9 other=%ld\ntwice same=9 other=12\ninner n=%ld m=%ld\nouter n=%ld m=%d\npointed n=%ld\npointed n=%ld\ntabled n=%ld\ntabled n=%ld\n"
			       "jumped n=%ld\njumped n=%ld\nagain n=%ld m=7\nagain n=%ld m=7\nagain n=%ld m=7\nseen n=%ld\n",
			       i, i, i + argc - 2, i + 3, i + argc - 2, argc - 2, i, i + 1, i, i + 2, i * 2, i + 5, i - 200, i - 100, i, i);
		r += once(i, 77, &fixed, &own);
		r += twice(9, i);
		r += twice(9, 12);
		r += outer(i + argc - 2, argc - 2);
		r += pointed(i);
		r += pointer(i + 1);
		r += tabled(i);
		r += tables[0](i + 2);
		r += jumps(i);
		r += jumped(i + 5);
		r += again(i, 7);
		r += seen(i);
	}
	sink = r;
	return argv[argc] != NULL;
}
C
# try WANTED COMPILER...: "FUNCTION VARIABLE ..." that have to be fetched, whatever else is; everything that is fetched is right
try() {
	local wanted=$1 f v points=(); shift
	"$@" -g -o $name $name.c || skip "$*"
	./$name and say > truth
	for f in once:i,k,p-\>a,q-\>b twice:same,other inner:n,m outer:n,m pointed:n tabled:n jumped:n again:n,m seen:n; do
		v=
		for x in $(echo "${f#*:}" | tr , ' '); do
			if pt-probe -n -x ./$name "${f%%:*};sink*${f%%:*}*" "$x" > def 2> why; then v="$v $x"; else echo "${f%%:*} $x: $(head -n 1 why)"; fi
		done
		for x in $wanted; do
			[ "${x%%:*}" != "${f%%:*}" ] || case " $v " in *" ${x#*:} "*) ;; *) fail "$*: ${f%%:*} $x is refused" ;; esac
		done
		[ -z "$v" ] || points+=(-a "${f%%:*}=${f%%:*};sink*${f%%:*}*$v")
	done
	pt-probe -x ./$name "${points[@]}" -- ./$name and say > hits 2> err || fail "$*: $(cat err)"
	# What the program said and what was fetched: each function's hits in order; of the truth those parts that were fetched
	sed -n 's/.*: *[a-z_0-9]*:\([a-z]*\): ([0-9a-f]*) /\1 /p' hits > got
	awk '
		NR == FNR { t[$1, ++n[$1]] = $0 " "; next }
		{ line = t[$1, ++m[$1]]; for (i = 2; i <= NF; i++) { all++; if (index(line, " " $i " ") == 0) print $0 ", but " line } }
		END { print all + 0 > "compared" }' truth got > wrong
	empty "$*: what is fetched wrongly" wrong
	at_least "$*: values compared" "$(cat compared)" 12
}
try "once:k once:i once:p->a once:q->b twice:same" gcc -O1
try "once:k twice:same" gcc -O2 -fno-ipa-cp -fno-ipa-icf -no-pie -fno-pie
# A library's functions may be called by others
sed -i 's/^#define MAYBE.*/#define MAYBE/' $name.c
gcc -O1 -g -fPIC -shared -Wl,-Bsymbolic -o lib$name.so $name.c || skip "no library"
if pt-probe -n -x ./lib$name.so "seen;sink*seen*" n > out 2> err; then
	case $(cat out) in *"n=%"*|*"n=+"*) ;; *) fail "a parameter of an exported function: $(cat out)" ;; esac
else
	has "an exported function" "$(cat err)" "if a few calls were all that refers to the function"
fi
