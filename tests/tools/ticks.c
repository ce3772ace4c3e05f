/* ticks - what a machine takes for waking a process alone: sleeps N times until the next multiple of MS milliseconds, does nothing else.
 *
 *     ticks MS N */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv)
{
	struct timespec due;
	long step_ns, n;

	if (argc != 3 || (step_ns = atol(argv[1]) * 1000000) <= 0 || step_ns >= 1000000000 || (n = atol(argv[2])) <= 0) {
		fprintf(stderr, "usage: ticks MS N\n");
		return 2;
	}
	clock_gettime(CLOCK_MONOTONIC, &due);
	while (n--) {
		due.tv_nsec += step_ns;
		if (due.tv_nsec >= 1000000000)
			due.tv_nsec -= 1000000000, due.tv_sec++;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
	}
	return 0;
}
