/* Loads that each wait for the one before: a walk along pointers through memory, as lmbench's lat_mem_rd does it. For the probe session in README.md.
 *     cc -O2 -g -o lat_mem_rd lat_mem_rd.c && ./lat_mem_rd ITERATIONS */
#include <stdio.h>
#include <stdlib.h>

#define ONE p = (char **)*p;
#define TEN ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN

struct walk { char **at; size_t len, step; };

__attribute__((noinline)) static void benchmark_loads(long iterations, struct walk *w)
{
	char **p = w->at;
	size_t i;
	size_t count = w->len / (w->step * 100) + 1;

	/* Each load waits for the one before. */
	while (iterations-- > 0) {
		for (i = 0; i < count; i++) {
			HUNDRED
		}
	}
	w->at = p;
}

int main(int argc, char **argv)
{
	struct walk w = { NULL, 1 << 12, 64 };
	long iterations = argc > 1 ? atol(argv[1]) : 1000;
	size_t i;

	w.at = malloc(w.len * sizeof(*w.at));
	if (!w.at)
		return 1;
	for (i = 0; i < w.len; i++)
		w.at[i] = (char *)&w.at[(i + w.step + 1) % w.len];
	benchmark_loads(iterations, &w);
	printf("%p\n", (void *)w.at);
	return 0;
}
