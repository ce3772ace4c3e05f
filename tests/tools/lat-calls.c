/* lat-calls N: calls itself as fib(N) does; for probes on entry and return. The number of calls is printed. */
#include <stdio.h>
#include <stdlib.h>

static unsigned long calls;

unsigned long lat_fib(unsigned long n);
/* No compiler may see that it is itself. */
static unsigned long (*volatile self)(unsigned long) = lat_fib;

unsigned long lat_fib(unsigned long n)
{
	calls++;
	return n < 2 ? n : self(n - 1) + self(n - 2);
}

int main(int argc, char **argv)
{
	unsigned long v = lat_fib(argc > 1 ? strtoul(argv[1], NULL, 10) : 10);

	printf("%lu %lu\n", v, calls);
	return 0;
}
