# A function's name is looked for only in units of C that refer to its text; a pattern is looked for in all units. Both find the same
# places, however names are stored: short ones in the entry, ends of longer ones, by index, in other units.
. "$PT_TOP/tests/lib.sh"
need gcc clang
cat > t.h <<'H'
extern volatile int sink;
static inline int up(int a) { return a * sink + 3; }
static inline int helper(int a) { sink += a; return up(a) + sink; }
int far_helper(int a); int other(int a); int er(int a);
H
cat > a.c <<'C'
#include "t.h"
volatile int sink;
int far_helper(int a) { sink += a; return helper(a) * 2; }
int main(int argc, char **argv) { return other(argc) + er(argc) + up(argc) + helper(argv[0][0]); }
C
cat > b.c <<'C'
#include "t.h"
__attribute__((noinline)) int other(int a) { for (int i = 0; i < a; i++) sink += up(i); return far_helper(a); }
__attribute__((noinline)) int er(int a) { return helper(a) + other(a); }
C
n=0
for how in "gcc -g -O2" "gcc -g -O0" "gcc -gdwarf-4 -O2" "gcc -g -O2 -flto" "gcc -g -O2 -gz" "gcc -g3 -gdwarf64 -O2" "clang -g -O2" "clang -gdwarf-4 -O2"; do
	$how -o prog a.c b.c 2> err || { cat err; fail "$how"; }
	for f in up helper far_helper other er main; do
		pt-probe -n -x ./prog "$f" > one 2>&1
		pt-probe -n -x ./prog "[${f:0:1}]${f:1}" > two 2>&1
		equal "$how: $f" "$(grep '^p' one)" "$(grep '^p' two)"
		n=$((n + $(grep -c '^p' one)))
	done
done
echo "$n places"
at_least places "$n" 60
