// Variables of C++: methods, bases, references, namespaces, templates, lambdas.
#include <cstdint>
#include <cstdio>
#include <cstring>

#define NOINLINE __attribute__((noinline))
#define KEEP(x) __asm__ volatile("" : : "g"(x) : "memory")

// What is not initialised is zero rather than what the dynamic linker left, random numbers among it.
NOINLINE void clean_stack()
{
	char room[8192];

	memset(room, 0, sizeof(room));
	KEEP(room);
}

namespace outer {
int level = 3;
namespace { unsigned hidden = 9; }
namespace inner { long deep = -8; }

struct named { const char *name; uint32_t id; named(const char *n, uint32_t i) : name(n), id(i) {} };
struct sized { int64_t width = 5; int8_t height = -6; static int made; };
int sized::made = 2;
struct virt { int common = 70; virtual ~virt() {} virtual int area() const { return common; } };

class shape : public named, public sized {
public:
	shape(const char *n, uint32_t i) : named(n, i) {}
	NOINLINE long grow(int by, const sized &like)
	{
		long before = width;

		width += by * like.width;
		height = (int8_t)(height + level);
		made++;
		KEEP(before);
		return width - before + (long)hidden + inner::deep;
	}
	NOINLINE int scan(int n) const
	{
		int found = 0;

		for (int i = 0; i < n; i++) {
			unsigned char c = (unsigned char)name[i];

			found += c > 'm';
			KEEP(found);
		}
		return found + (int)id;
	}
	union { uint16_t half; uint8_t low; };
private:
	unsigned depth = 11;
	friend unsigned deep_of(const shape &s);
};
NOINLINE unsigned deep_of(const shape &s) { unsigned d = s.depth; KEEP(d); return d + 1; }

struct square : virt { int side; square(int s) : side(s) {} int area() const override { int a = side * side; KEEP(a); return a + common; } };
struct diamond : virtual virt { int facet = 4; NOINLINE int shine(int by) { int s = facet * by; KEEP(s); return s + common; } };

template <typename T, unsigned N> struct ring {
	T v[N] = {};
	unsigned at = 0;
	NOINLINE T push(T x) { T old = v[at]; v[at] = x; at = (at + 1) % N; KEEP(old); return old; }
};
template <typename T> NOINLINE T clamp(const T &x, T lo, T hi) { const T *best = x < lo ? &lo : x > hi ? &hi : &x; KEEP(best); return *best; }
}

NOINLINE long by_reference(int &a, const long &b, outer::shape *&s, int &&temp)
{
	a += (int)b;
	s->half = 0x1234;
	temp++;
	KEEP(temp);
	return a * b + temp;
}

template <typename F> NOINLINE int apply(F f, int n) { int r = f(n) + f(n + 1); KEEP(r); return r; }

static NOINLINE int run()
{
	outer::shape s("square peg", 42), *p = &s;
	outer::square sq(6);
	outer::diamond di;
	outer::ring<short, 3> ring;
	outer::ring<uint64_t, 2> wide;
	long total = 0;
	int a = 5;

	for (int round = 0; round < 2; round++) {
		clean_stack();
		outer::sized like;
		total += s.grow(round + 2, like);
		total += s.scan(7);
		total += outer::deep_of(s);
		total += di.shine(3);
		total += sq.area();
		total += ring.push((short)(-300 - round)) + ring.push(7);
		total += (long)wide.push(1ull << 40);
		total += outer::clamp(round, 1, 5) + outer::clamp<long>(-4000000000, -7, 7);
		total += by_reference(a, total, p, round + 100);
		int captured = round + 20;
		total += apply([&total, captured](int n) { int k = n * captured; total += k; KEEP(k); return k; }, 4);
	}
	return (int)(total & 1);
}

int main()
{
	clean_stack();
	std::printf("%d\n", run());
	return 0;
}
