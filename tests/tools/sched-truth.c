/* sched-truth: three threads on CPU 0, one that sleeps and works by turns, two that work. Each prints what it knows of itself, times in nanoseconds of CLOCK_MONOTONIC:
 *     TID FROM TO SLEPT CPU DELAY
 * between FROM and TO it was in clock_nanosleep for SLEPT by its own clock, ran for CPU by its CPU clock, and waited for the CPU for DELAY by schedstat. */
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { TURNS = 25, SLEEP_NS = 5000000, WORK_NS = 2000000, LONG_WORK_NS = 110000000 };

static uint64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static uint64_t run_delay(void)
{
	unsigned long long ran, waited;
	FILE *f = fopen("/proc/thread-self/schedstat", "r");

	if (!f || fscanf(f, "%llu %llu", &ran, &waited) != 2)
		exit(77);
	fclose(f);
	return waited;
}

static void work(uint64_t ns)
{
	uint64_t end = now(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (now(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}

static uint64_t rest(void)
{
	uint64_t from = now(CLOCK_MONOTONIC);

	clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){ .tv_nsec = SLEEP_NS }, NULL);
	return now(CLOCK_MONOTONIC) - from;
}

static void *thread(void *sleeper)
{
	uint64_t delay = run_delay(), cpu = now(CLOCK_THREAD_CPUTIME_ID), from = now(CLOCK_MONOTONIC), slept = 0, to;

	if (!sleeper)
		work(LONG_WORK_NS);
	for (int i = 0; sleeper && i < TURNS; i++) {
		slept += rest();
		work(WORK_NS);
	}
	to = now(CLOCK_MONOTONIC);
	cpu = now(CLOCK_THREAD_CPUTIME_ID) - cpu;
	delay = run_delay() - delay;
	printf("%ld %llu %llu %llu %llu %llu\n", (long)syscall(SYS_gettid), (unsigned long long)from, (unsigned long long)to, (unsigned long long)slept,
	       (unsigned long long)cpu, (unsigned long long)delay);
	return NULL;
}

int main(void)
{
	pthread_t t[3];
	cpu_set_t zero;
	int i;

	CPU_ZERO(&zero);
	CPU_SET(0, &zero);
	if (sched_setaffinity(0, sizeof(zero), &zero) < 0)
		return 77;
	for (i = 0; i < 3; i++)
		if (pthread_create(&t[i], NULL, thread, i ? NULL : (void *)1))
			return 1;
	for (i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
