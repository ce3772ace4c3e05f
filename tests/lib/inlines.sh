# inlines.sh - the frames pt finds at addresses of a program (tests/tools/frames) beside llvm-symbolizer's, for programs of many compilers and options.
# Source it after lib.sh; then inlines_sources, inlines_build NAME KIND OPTIONS..., inlines_compare OBJECT ADDRESSES.

# The programs: C++ (templates, lambdas, virtual calls, exceptions, cold parts, classes and lambdas within functions), two units that call each other (for -flto),
# C (nested inlines, switches, tails), Rust (iterators, closures, generics).
inlines_sources() {
	cat > one.cc <<'C'
#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>
#include "both.h"
volatile unsigned sink;
namespace {
template <typename T, unsigned N> struct fixed {
	T v[N];
	T sum() const { T s = 0; for (unsigned i = 0; i < N; i++) s += at(i); return s; }
	const T &at(unsigned i) const { if (__builtin_expect(i >= N, 0)) throw std::out_of_range("fixed"); return v[i]; }
};
}
struct shape { virtual ~shape() {} virtual unsigned area() const = 0; };
struct square : shape { unsigned a; square(unsigned x) : a(x) {} unsigned area() const override { return times(a, a); } };
struct box : square { unsigned h; box(unsigned x, unsigned y) : square(x), h(y) {} unsigned area() const override { return square::area() * h; } };
static unsigned __attribute__((noinline)) local_things(unsigned n)
{
	struct counter { unsigned c; unsigned step(unsigned by) { struct deep { static unsigned f(unsigned x) { return x * sink; } }; return c += deep::f(by); } };
	counter k{n};
	auto twice = [&](unsigned x) { auto once = [&k](unsigned y) { return k.step(y) + 1; }; return once(x) + once(x + 1); };
	std::function<unsigned(unsigned)> f = [twice](unsigned x) { return twice(x) ^ 3; };
	return f(n) + twice(n);
}
static unsigned may_throw(unsigned n) { if (n % 7 == 3) throw std::runtime_error("seven"); return mix(n, n + 1); }
unsigned __attribute__((noinline)) catching(unsigned n)
{
	try { return may_throw(n) + local_things(n); } catch (const std::exception &e) { return (unsigned)e.what()[0]; }
}
unsigned work(unsigned n)
{
	std::map<unsigned, std::string> m;
	std::vector<unsigned> v(64);
	fixed<unsigned, 16> f = {};
	std::vector<std::unique_ptr<shape>> shapes;
	for (unsigned i = 0; i < v.size(); i++) v[i] = i * 2654435761u + n;
	std::sort(v.begin(), v.end(), [](unsigned a, unsigned b) { sink = sink + 1; return a < b; });
	for (unsigned i = 0; i < 40; i++) { m[v[i]] += std::to_string(v[i]); f.v[i % 16] += other(v[i]); }
	shapes.emplace_back(new square(n)); shapes.emplace_back(new box(n, 3));
	for (auto &s : shapes) sink = sink + s->area();
	return f.sum() + catching(n) + (unsigned)m.size();
}
int main(int argc, char **) { printf("%u\n", work((unsigned)argc)); return 0; }
C
	cat > both.h <<'C'
unsigned other(unsigned n);
unsigned work(unsigned n);
static inline unsigned times(unsigned a, unsigned b) { unsigned s = 0; while (b--) s += a; return s; }
static inline unsigned mix(unsigned a, unsigned b) { for (int i = 0; i < 3; i++) a = times(a ^ b, 3) + (a >> 3); return a; }
C
	cat > two.cc <<'C'
#include "both.h"
extern volatile unsigned sink;
static unsigned tail(unsigned n) { return n ? mix(n, sink) : 1; }
unsigned other(unsigned n) { if (n > 4000000000u) return work(1); for (unsigned i = 0; i < n % 5; i++) sink = sink + tail(i); return tail(n); }
C
	cat > c.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
volatile unsigned sink;
struct list { struct list *next; unsigned v; };
static inline unsigned step(unsigned x) { return x * 1664525 + sink; }
static inline __attribute__((always_inline)) unsigned steps(unsigned x) { unsigned i; for (i = 0; i < 4; i++) { unsigned t = step(x); if (t & 1) { unsigned u = step(t); x ^= u; } else x += t; } return x; }
static __attribute__((noinline)) unsigned choose(unsigned k, unsigned x)
{
	switch (k % 8) {
	case 0: return steps(x); case 1: return steps(x + 1) + 1; case 2: return step(x); case 3: return step(steps(x));
	case 4: return x * 3; case 5: if (__builtin_expect(x == 77, 0)) { fprintf(stderr, "cold %u\n", steps(x)); abort(); } return 5; default: return steps(step(x));
	}
}
static struct list *push(struct list *l, unsigned v) { struct list *n = malloc(sizeof(*n)); if (!n) abort(); n->next = l; n->v = v; return n; }
static unsigned fold(const struct list *l, unsigned (*f)(unsigned, unsigned)) { unsigned s = 0; for (; l; l = l->next) s = f(s, steps(l->v)); return s; }
static unsigned add(unsigned a, unsigned b) { return a + step(b); }
static int compare(const void *a, const void *b) { unsigned x = *(const unsigned *)a, y = *(const unsigned *)b; sink = sink + 1; return (x > y) - (x < y); }
unsigned __attribute__((used)) unused(unsigned x) { return steps(x); }
unsigned dropped(unsigned x) { return steps(x) + choose(x, 2); }
int main(int argc, char **argv)
{
	struct list *l = NULL; unsigned i, v[64], s = 0;
	for (i = 0; i < 64; i++) { v[i] = choose(i, i * (unsigned)argc); l = push(l, v[i]); }
	qsort(v, 64, sizeof(v[0]), compare);
	s = fold(l, add);
#if defined(__GNUC__) && !defined(__clang__)
	{ unsigned nested(unsigned a, unsigned b) { s += a; return steps(a) ^ b; } s += fold(l, nested); }
#endif
	printf("%u %s\n", s + v[3], argv[0]); return 0;
}
C
	cat > r.rs <<'R'
use std::collections::HashMap;
trait Shape { fn area(&self) -> u64; }
struct Square { a: u64 }
struct Rect<T> { a: T, b: T }
impl Shape for Square { fn area(&self) -> u64 { self.a * self.a } }
impl<T: Into<u64> + Copy> Shape for Rect<T> { fn area(&self) -> u64 { let a: u64 = self.a.into(); a * self.b.into() } }
mod inner { pub fn twist<F: Fn(u64) -> u64>(n: u64, f: F) -> u64 { (0..n).filter(|x| x % 3 != 1).map(|x| f(x)).fold(0, |a, b| a ^ b) } }
#[inline(never)] fn words(n: u64) -> HashMap<String, u64> { let mut m = HashMap::new(); for i in 0..n { *m.entry(format!("w{}", i % 7)).or_insert(0) += i; } m }
fn main() {
    let n = std::env::args().count() as u64 + 40;
    let shapes: Vec<Box<dyn Shape>> = vec![Box::new(Square { a: n }), Box::new(Rect { a: 3u32, b: 4u32 })];
    let m = words(n);
    let mut v: Vec<_> = m.iter().map(|(k, v)| (k.clone(), *v)).collect();
    v.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let total: u64 = shapes.iter().map(|s| s.area()).sum::<u64>() + inner::twist(n, |x| x * x + n);
    println!("{} {:?}", total, v.first());
}
R
}

# inlines_build NAME cc|c|rs COMPILER OPTIONS...: the program ./NAME and NAME.log, in the background, two at a time. What -gsplit-dwarf leaves is NAME-*.dwo.
inlines_build() {
	while [ "$(jobs -r | wc -l)" -ge 2 ]; do wait -n; done
	inlines_compile "$@" > "$1.log" 2>&1 &
}
inlines_compile() {
	local name=$1 kind=$2; shift 2
	case $kind in
	c) "$@" -o "$name" c.c ;;
	cc) "$@" -c -o "$name-1.o" one.cc && "$@" -c -o "$name-2.o" two.cc && "$@" -o "$name" "$name-1.o" "$name-2.o" ;;
	rs) "$@" -o "$name" r.rs ;;
	esac
}
# inlines_built NAME...: waits for all
inlines_built() {
	local name
	wait
	for name; do [ -x "$name" ] || fail "$name is not built: $(cat "$name.log")"; done
}

# inlines_compare OBJECT MAX: at so many addresses of its code no more than 1 in 1000 frames differ from llvm-symbolizer's, but for what is known; and the tables
# that may be kept give the same names again
inlines_compare() {
	python3 "$PT_TOP/tests/lib/inlines.py" "$PT_TOOLS/frames" "$@" || fail "$1: frames differ"
	inlines_addresses "$1" 5
	"$PT_TOOLS/frames" -n "$1" < addresses > names || fail "frames -n $1"
	"$PT_TOOLS/frames" -f "$1" < addresses > kept 2> err || fail "frames -f $1: $(cat err)"
	same_file "$1: names from tables kept" kept names
}
# inlines_same OBJECT REFERENCE: the same code, whose debug information is kept another way: the same frames
inlines_same() {
	inlines_addresses "$1" 3
	"$PT_TOOLS/frames" "$1" < addresses > frames-is
	"$PT_TOOLS/frames" "$2" < addresses > frames-should
	at_least "$2: frames with lines" "$(grep -c '^/.*:[1-9]' frames-should)" 500
	same_file "$1 has the frames of $2" frames-is frames-should
	echo "$1: as $2"
}
# Every so many addresses of .text
inlines_addresses() {
	readelf -SW "$1" | sed -n 's/^ *\[ *[0-9]*\] \.text  *PROGBITS *\([0-9a-f]*\) [0-9a-f]* \([0-9a-f]*\) .*/\1 \2/p' | {
		read -r start bytes
		seq $((16#$start)) "$2" $((16#$start + 16#$bytes - 1)) | xargs printf '%x\n'
	} > addresses
	at_least "$1: addresses" "$(wc -l < addresses)" 100
}
