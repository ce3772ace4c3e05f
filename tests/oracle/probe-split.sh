# Split debug information (.dwo files) tells the same variables, fetched in the same way, as that which is not split.
# What libdw does not read is refused: packages (.dwp), type units in .dwo files.
. "$PT_TOP/tests/lib.sh"
need g++ dwp
cat > t.h <<'H'
struct inner { int a; short b[3]; };
struct outer { long l; struct inner in; struct outer *next; const char *name; };
enum color { red, green, blue = 7 };
namespace ns { struct elsewhere; }
extern ns::elsewhere *there;
extern volatile long sink;
H
cat > a.cc <<'A'
#include "t.h"
struct mine { int q; outer o; };
volatile long sink;
extern int work(outer *o, ns::elsewhere *e);
__attribute__((noinline)) int first(mine *p, color c, ns::elsewhere *e) { sink += p->q; sink += p->o.in.b[1] + c; return p->o.in.a + !e; }
int main() { mine x = { 3, { 4, { 5, { 6, 7, 8 } }, 0, "nm" } }; return first(&x, blue, there) + work(&x.o, there); }
A
cat > b.cc <<'B'
#include "t.h"
namespace ns { struct elsewhere { char c[4]; inner i; }; }
ns::elsewhere at = { "abc", { 1, { 2, 3, 4 } } }, *there = &at;
__attribute__((noinline)) int work(outer *o, ns::elsewhere *e) { long loops = o->l; sink += loops; sink += e->i.b[2]; return o->in.b[0] + e->i.a; }
B
# tells FILE FOLDER: all variables, and how parts of them are fetched
tells() (
	cd "$2"
	for f in first work main; do pt-probe -x "./$1" -V "$f" 2>&1; done
	for a in 'p->o.in.b[1]' c 'p->o.name:string' 'e->i.b[2]' 'there->c:string' 'sink' '*p->o.next' 'p->o.next->in.a'; do
		pt-probe -n -x "./$1" first "$a" 2>&1 | sed "s|$PWD/||"
	done
	pt-probe -n -x "./$1" work 'o->in.a' 'e->c[1]' 'there->i.a' 2>&1 | sed "s|$PWD/||"
)
# refused PROGRAM FOLDER WHY: no variable is shown or fetched, for this reason; functions and lines are known
refused() (
	cd "$2"
	has "-V" "$(pt-probe -x "./$1" -V first 2>&1)" "$3"
	has "an argument" "$(pt-probe -n -x "./$1" first c 2>&1)" "$3"
	has "a function" "$(pt-probe -n -x "./$1" first 2>&1)" "first"
	has "lines" "$(pt-probe -x "./$1" -L first 2>&1)" "sink += p->q"
)
package5=$(command -v llvm-dwp || ls /usr/bin/llvm-dwp-* 2> /dev/null | head -n 1)
compiles() { g++ -gdwarf-$1 -O1 -o prog "$OLDPWD/a.cc" "$OLDPWD/b.cc" -I"$OLDPWD" || fail "g++ -gdwarf-$1"; }
for v in 4 5; do
	mkdir -p g$v/split g$v/package g$v/types
	(cd g$v && compiles "$v") || exit
	(cd g$v/split && OLDPWD=$PWD/../.. && compiles "$v -gsplit-dwarf") || exit
	(cd g$v/types && OLDPWD=$PWD/../.. && compiles "$v -gsplit-dwarf -fdebug-types-section") || exit
	tells prog g$v > one
	for part in "b=+22(%di):s16" "b=+12(%dx):s16" "c=+0(@"; do has "parts are fetched" "$(cat one)" "$part"; done
	tells prog g$v/split > two
	equal "-gdwarf-$v: .dwo" "$(cat two)" "$(cat one)"
	refused prog g$v/types "libdw does not read type units in split debug information"
	cp g$v/split/prog g$v/package
	maker=dwp
	case $v in 5) maker=$package5; [ -n "$maker" ] || continue ;; esac
	(cd g$v/split && "$maker" -e prog -o ../package/prog.dwp) || fail "$maker"
	refused prog g$v/package "prog.dwp: a package of split debug information (.dwp), of which libdw does not read variables"
done
