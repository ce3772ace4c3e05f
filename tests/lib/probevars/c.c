/* Variables of all kinds, in places that optimisation moves about. */
#include <alloca.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __clang__
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE __attribute__((noinline, noclone))
#endif
#define KEEP(x) __asm__ volatile("" : : "g"(x) : "memory")

enum colour { RED = 1, GREEN, BLUE = 300 };
enum temper { COLD = -3, WARM = 4 };
struct flags { unsigned a : 3, b : 7; uint64_t c : 33; int s : 5; unsigned char whole : 8; bool yes : 1; };
struct point { int x, y; };
struct small { char tag; short level; };
struct big { long id; struct point at; struct { uint16_t lo, hi; }; union { uint32_t word; uint8_t bytes[4]; }; char name[12]; struct big *next; struct flags flags; double weight; int8_t grid[2][3]; enum temper temper; };
struct hidden;

int counter = 5;
static uint16_t table[6] = { 11, 22, 33, 44, 55, 66 };
static struct big first = { .id = 1001, .at = { -7, 8 }, .lo = 3, .hi = 4, .word = 0x01020384, .name = "first", .flags = { 5, 99, 0x123456789, -4, 200, 1 }, .weight = 1.5, .grid = { { 1, -2, 3 }, { -4, 5, -6 } }, .temper = COLD };
static __thread int mine = 77;
const char *const words[] = { "zero", "one", "two", "three" };
volatile long sink;

/* What is not initialised is zero rather than what the dynamic linker left, random numbers among it. */
NOINLINE void clean_stack(void)
{
	char room[8192];

	memset(room, 0, sizeof(room));
	KEEP(room);
}

NOINLINE long many(int8_t a, uint8_t b, short c, unsigned short d, int e, unsigned f, long g, unsigned long h, bool yes, char last)
{
	long sum = a + b;

	sum += c * d;
	KEEP(sum);
	sum += e - (long)f;
	sum ^= g + (long)h;
	KEEP(yes);
	return sum + yes + last;
}

static inline int twice(int n) { int r = n * 2; KEEP(r); return r + 1; }
static inline __attribute__((always_inline)) int thrice(int n, const struct point *p)
{
	int r = n * 3 + p->x;
	int t = twice(r);

	KEEP(t);
	return t - p->y;
}

NOINLINE int points(struct point p, struct point *q, struct small s)
{
	int d = p.x - q->x, e = p.y - q->y;
	int inl = thrice(d, q);

	KEEP(inl);
	q->x += s.level;
	return d * d + e * e + s.tag + inl;
}

NOINLINE unsigned long walk(const struct big *b, struct big **where, const struct hidden *h)
{
	unsigned long sum = 0;
	int depth = 0;

	for (const struct big *at = b; at; at = at->next) {
		uint32_t word = at->word;
		enum temper temper = at->temper;

		sum += word + (unsigned long)at->id;
		depth++;
		KEEP(temper);
		if (where)
			*where = (struct big *)at;
	}
	KEEP(h);
	return sum * 2 + (unsigned long)depth + first.flags.b;
}

NOINLINE int text(const char *s, char *buf, size_t len, enum colour colour)
{
	char local[16] = "local:";
	size_t n = strlen(s), i;
	unsigned char crc = 0;

	for (i = 0; i < n && i + 7 < sizeof(local); i++) {
		local[6 + i] = s[i];
		crc = (unsigned char)(crc * 31 + s[i]);
	}
	if (len > 4)
		memcpy(buf, local, 4);
	KEEP(local);
	return crc + (int)colour;
}

NOINLINE long numbers(int n, const int16_t *v, long (*f)(int8_t, uint8_t, short, unsigned short, int, unsigned, long, unsigned long, bool, char))
{
	int16_t copy[8];
	int *dyn = alloca((size_t)n * sizeof(*dyn));
	double mean = 0;
	long total = 0;
	const long scale = 3;

	for (int i = 0; i < n; i++) {
		copy[i % 8] = v[i];
		dyn[i] = v[i] * 2;
		mean += v[i];
		total += dyn[i] * scale;
	}
	{
		int total_in_block = (int)total + copy[0];
		unsigned char n = (unsigned char)(total_in_block & 0x7f);	/* hides the parameter */

		KEEP(n);
		total += n;
	}
	mean /= n;
	sink = (long)mean;
	total += f((int8_t)-n, 250, -300, 60000, -70000, 4000000000u, -5000000000, 18000000000000000000u, true, 'z');
	KEEP(copy);
	return total;
}

NOINLINE int recurse(int depth, int *below)
{
	int here = depth * 10 + counter;

	if (depth > 0)
		here += recurse(depth - 1, &here);
	if (below)
		*below += 1;
	KEEP(here);
	return here;
}

static NOINLINE unsigned globals(unsigned k)
{
	static int calls;
	static const struct point origin = { 40, 50 };
	unsigned r = table[k % 6] + (unsigned)origin.x;

	calls++;
	table[(k + 1) % 6]++;
	mine += (int)k;
	KEEP(r);
	return r + (unsigned)mine + (unsigned)calls + (unsigned)strlen(words[k % 4]);
}

static NOINLINE long only_here(long a, long unused, int fixed)
{
	long k = a ^ 0x55;
	long lost = k * fixed;

	sink = lost;
	k += sink;
	KEEP(k);
	return k;
}

/* The stack is aligned: the frame hangs on a register that the function itself saves. */
NOINLINE long aligned(int n, const char *name, long seventh)
{
	struct { char pad[64]; long v[4]; } room __attribute__((aligned(64))) = { .v = { n, n + 1, n * 5, seventh } };
	long best = room.v[n & 3];

	KEEP(&room);
	for (int i = 0; i < 4; i++) {
		long here = room.v[i] - *name;

		KEEP(here);
		if (here > best)
			best = here;
	}
	return best + room.v[2];
}

int main(void)
{
	struct big second = first;
	struct big *last = NULL;
	struct point p = { 3, 4 }, q = { 10, -20 };
	struct small s = { 'q', -9 };
	int16_t v[5] = { 5, -4, 300, -2, 1 };
	char buf[32] = "";
	long r = 0;

	clean_stack();
	first.next = &second;
	second.id = -2002;
	second.temper = WARM;
	second.word = 0xfffefdfc;
	for (int round = 0; round < 2; round++) {
		clean_stack();
		r += many((int8_t)-100, 200, -30000, 65000, -2000000000, 4294967295u, -1, ~0ul - 1, round == 1, (char)('a' + round));
		r += points(p, &q, s);
		r += (long)walk(&first, round ? &last : NULL, (struct hidden *)&s);
		r += text(round ? "two words" : "one", buf, sizeof(buf), round ? BLUE : GREEN);
		r += numbers(5, v, many);
		r += recurse(2, NULL);
		r += globals((unsigned)round + 2);
		r += only_here(r, 7, 42);
		r += aligned(round + 5, words[round], -77);
		counter++;
	}
	printf("%ld %s\n", r & 1, last ? "last" : buf);
	return 0;
}
