/* twenty - burns CPU in twenty functions of different weights, each below a few callers, until it is killed.
 *
 *     twenty PROCESSES        so many processes
 *
 * How often a function goes round its loop is drawn anew for each call, so that nothing here keeps step with a profiler's clock. Built without
 * optimisation across functions: their names are what a profile must show. */
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned sink;

#ifdef __clang__
#define ALONE __attribute__((noinline))
#else
#define ALONE __attribute__((noinline, noclone))
#endif

#define LEAF(n) static void ALONE leaf_##n(unsigned rounds) { for (unsigned i = 0; i < rounds; i++) sink = sink + n; sink = sink + 1; }
LEAF(0) LEAF(1) LEAF(2) LEAF(3) LEAF(4) LEAF(5) LEAF(6) LEAF(7) LEAF(8) LEAF(9)
LEAF(10) LEAF(11) LEAF(12) LEAF(13) LEAF(14) LEAF(15) LEAF(16) LEAF(17) LEAF(18) LEAF(19)

static void (*const leaves[])(unsigned) = {
	leaf_0, leaf_1, leaf_2, leaf_3, leaf_4, leaf_5, leaf_6, leaf_7, leaf_8, leaf_9,
	leaf_10, leaf_11, leaf_12, leaf_13, leaf_14, leaf_15, leaf_16, leaf_17, leaf_18, leaf_19,
};

static void ALONE deeper(unsigned n, unsigned depth, unsigned rounds)
{
	if (depth)
		deeper(n, depth - 1, rounds);
	else
		leaves[n](rounds);
	sink = sink + 1;
}

static void ALONE work(uint64_t seed)
{
	for (;;)
		for (unsigned n = 0; n < 20; n++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			deeper(n, 1 + n % 7, (n + 3) * 100 + (unsigned)(seed >> 33) % ((n + 3) * 200));
		}
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1;
	pid_t parent = getpid();

	for (int i = 0; i < n; i++)
		if (fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			if (getppid() == parent)
				work((uint64_t)i + 1);
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	return 0;
}
