# Split debug information (.dwo files, packages; type units in them) tells the same variables, fetched in the same way, as that which is not split.
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
package5=$(command -v llvm-dwp || ls /usr/bin/llvm-dwp-* 2> /dev/null | head -n 1)
n=0
for how in 5 "4 -fdebug-types-section" "5 -fdebug-types-section"; do
	d=g$n; n=$((n + 1))
	mkdir -p "$d/split" "$d/package"
	for s in "" -gsplit-dwarf; do
		(cd "$d${s:+/split}" && g++ -gdwarf-$how -O1 $s -o prog "$OLDPWD/a.cc" "$OLDPWD/b.cc" -I"$OLDPWD") || fail "g++ -gdwarf-$how $s"
	done
	tells prog "$d" > one
	for part in "b=+22(%di):s16" "b=+12(%dx):s16" "c=+0(@"; do has "parts are fetched" "$(cat one)" "$part"; done
	tells prog "$d/split" > two
	equal "-gdwarf-$how: .dwo" "$(cat two)" "$(cat one)"
	cp "$d/split/prog" "$d/package"
	maker=dwp
	case $how in 5*) maker=$package5; [ -n "$maker" ] || continue ;; esac
	(cd "$d/split" && "$maker" -e prog -o ../package/prog.dwp) || fail "$maker"
	rm "$d"/split/*.dwo
	tells prog "$d/package" > two
	equal "-gdwarf-$how: package" "$(cat two)" "$(cat one)"
done
echo "$n ways"
