/* calls SECONDS: calls of 48 to 56 functions below one another, hardly ever the same ones twice, until so many seconds are over. For stacks by frame pointers. */
#include <stdlib.h>
#include <time.h>

volatile unsigned sink;
static unsigned choose(unsigned depth, unsigned way);

#define KEEP(x) __asm__ volatile("" : "+r"(x))	/* no tail call */
#define FUNCTION(name, n) \
	static __attribute__((noinline)) unsigned name(unsigned depth, unsigned way) \
	{ \
		unsigned x = choose(depth, way * 1664525 + 1013904223 + n); \
		KEEP(x); \
		return x + n; \
	}
FUNCTION(parse, 1) FUNCTION(expand, 2) FUNCTION(resolve, 3) FUNCTION(check, 4) FUNCTION(fold, 5) FUNCTION(emit, 6) FUNCTION(visit, 7) FUNCTION(merge, 8)

static __attribute__((noinline)) unsigned work(unsigned n)
{
	while (n--)
		sink += n;
	return sink;
}

static __attribute__((noinline)) unsigned choose(unsigned depth, unsigned way)
{
	static unsigned (*const functions[])(unsigned, unsigned) = { parse, expand, resolve, check, fold, emit, visit, merge };
	unsigned x = depth ? functions[way >> 13 & 7](depth - 1, way) : work(500);

	KEEP(x);
	return x;
}

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 1);

	for (unsigned i = 0; time(NULL) < end; i++)
		sink += choose(24 + i % 5, i * 2654435761u);
	return 0;
}
