# Structures that functions return in registers: members that are in registers of integers have the values that the program itself says.
. "$PT_TOP/tests/lib.sh"
need_root; need_uprobes; need cc
[ "$(uname -m)" = x86_64 ] || skip "registers of results are known of x86-64 only"
name=ptr$$
cat > $name.c <<'C'
#include <stdio.h>
#define NI __attribute__((noinline))
struct one { int a; };
struct two { int a; unsigned short b; unsigned char c[2]; };
struct mix { double d; long n; };
struct xim { long n; double d; };
struct il { int i; unsigned lo : 5, hi : 20; int sg : 7; char tail; };
struct odd { unsigned char c[11]; };
struct nest { struct { short x; union { unsigned u; float f; } y; }; struct one o; };
struct fi { float f; unsigned i; float g; unsigned short h; };
struct big { long v[3]; };
struct ptr { char *s; unsigned char n; };
struct bits { unsigned long a : 40, b : 24; unsigned long e : 3; };
#define F(T, ...) NI struct T T##_(int i); NI struct T T##_(int i) { struct T r = __VA_ARGS__; __asm__ volatile(""); return r; }
F(one, { i * -1 }) F(two, { i, (unsigned short)(i * 20000), { 'a', (unsigned char)i } }) F(mix, { 1.5 * i, i * 3 }) F(xim, { i * 4, 2.5 })
F(il, { -i, 7, (unsigned)i * 1000, -3, (char)-i }) F(odd, { { 1, 2, (unsigned char)i, 4, 5, 6, 7, 8, 9, (unsigned char)(i * 2), 11 } }) F(nest, { { (short)-i, { (unsigned)i * 900000000u } }, { i * 11 } })
F(fi, { 1.0f, (unsigned)i * 3, 2.0f, (unsigned short)(i * 7) }) F(big, { { i, i, i * -5 } }) F(ptr, { i & 1 ? "odd" : "even", (unsigned char)i }) F(bits, { 0x1234567890ul + (unsigned)i, 0xabcdef, 5 })
int main(int argc, char **argv)
{
	volatile long s = 0;

	for (int i = 3; i < 5; i++) {
		if (argc > 1)
			printf("one a=%d\ntwo a=%d b=%d c=%d\nmix n=%d\nxim n=%d\nil i=%d lo=7 hi=%d tail=%d\nodd c=%d d=%d\nnest x=%d u=%u a=%d\nfi f=0x3f800000 i=%d h=%d\nbig v=%d\nptr s=\"%s\" n=%d\nbits a=%lu b=11259375 e=5\n",
			       -i, i, i * 20000 & 0xffff, i, i * 3, i * 4, -i, i * 1000, -i, i, i * 2, -i, (unsigned)i * 900000000u, i * 11, i * 3, i * 7, i * -5, i & 1 ? "odd" : "even", i, 0x1234567890ul + (unsigned)i);
		s += one_(i).a + two_(i).b + mix_(i).n + xim_(i).n + il_(i).i + odd_(i).c[3] + nest_(i).o.a + (long)fi_(i).i + big_(i).v[2] + ptr_(i).n + (long)bits_(i).e;
	}
	return argv[argc] != NULL;
}
C
try() {
	"$@" -g -o $name $name.c || skip "$*"
	./$name say > truth
	pt-probe -x ./$name -a 'one=one_%return $retval.a' -a 'two=two_%return $retval.a b=$retval.b:u16 c=$retval.c[1]:u8' -a 'mix=mix_%return $retval.n' -a 'xim=xim_%return $retval.n' \
		-a 'il=il_%return $retval.i $retval.lo $retval.hi $retval.tail' -a 'odd=odd_%return c=$retval.c[2]:u8 d=$retval.c[9]:u8' -a 'nest=nest_%return $retval.x u=$retval.y.u:u32 $retval.o.a' \
		-a 'fi=fi_%return f=$retval.f:x32 i=$retval.i:u32 h=$retval.h:u16' -a 'big=big_%return $retval.v[2]' -a 'ptr=ptr_%return $retval.s:string $retval.n' -a 'bits=bits_%return $retval.a $retval.b $retval.e' \
		-- ./$name > hits 2> err || fail "$*: $(cat err)"
	sed -n 's/.*: *[a-z_0-9]*:\([a-z]*\): ([^)]*) /\1 /p' hits > got
	same_file "$*" got truth
	pt-probe -n -x ./$name odd_%return '$retval.c' > out 2> err && fail "in two registers: $(cat out)"
	has "an array in two registers" "$(cat err)" "it is in pieces"
	pt-probe -n -x ./$name mix_%return '$retval.d:x64' > out 2> err && fail "in a vector register: $(cat out)"
	has "a vector register" "$(cat err)" "it is in %xmm0, which the kernel cannot fetch"
}
try gcc -O1
