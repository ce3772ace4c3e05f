/* sched-truth: three threads on CPU 0, one that sleeps and works by turns, two that work. Each prints what it knows of itself, times in nanoseconds of CLOCK_MONOTONIC:
 *     TID FROM TO SLEPT CPU DELAY
 * between FROM and TO it was in clock_nanosleep for SLEPT by its own clock, ran for CPU by its CPU clock, and waited for the CPU for DELAY by schedstat. */
#include <fcntl.h>
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

/* Without stdio: what allocates may take a lock, which would be a sleep that nobody counts. */
static uint64_t run_delay(void)
{
	unsigned long long ran, waited;
	char text[128];
	ssize_t n;
	int fd = open("/proc/thread-self/schedstat", O_RDONLY);

	if (fd < 0 || (n = read(fd, text, sizeof(text) - 1)) <= 0)
		exit(77);
	close(fd);
	text[n] = 0;
	if (sscanf(text, "%llu %llu", &ran, &waited) != 2)
		exit(77);
	return waited;
}

struct account { uint64_t time_ns, cpu_ns, delay_ns; };

/* The window begins in the middle of a short sleep. Were it to begin while the thread runs, the wait before that
 * run would be taken for one within the window by those that count the wait before each run. Where the thread was
 * away for longer, some wait lies between the readings: then again. slept_ns is that sleep. */
static struct account account_begin(uint64_t *slept_ns)
{
	enum { BEGIN_SLEEP_NS = 300000, NOT_LONGER_NS = 1000000 };
	struct account a;
	uint64_t before, after;

	do {
		before = now(CLOCK_MONOTONIC);
		clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){ .tv_nsec = BEGIN_SLEEP_NS }, NULL);
		after = now(CLOCK_MONOTONIC);
		a.cpu_ns = now(CLOCK_THREAD_CPUTIME_ID);
		a.delay_ns = run_delay();
	} while (now(CLOCK_MONOTONIC) - before > NOT_LONGER_NS);
	a.time_ns = after - BEGIN_SLEEP_NS / 2;
	*slept_ns = after - before;
	return a;
}

/* The clocks and the kernel's account of one moment. A wait between the readings would belong to one of them
 * alone: then again. */
static struct account account_end(void)
{
	struct account a;
	uint64_t before;

	do {
		before = run_delay();
		a.time_ns = now(CLOCK_MONOTONIC);
		a.cpu_ns = now(CLOCK_THREAD_CPUTIME_ID);
		a.delay_ns = run_delay();
	} while (a.delay_ns != before);
	return a;
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
	uint64_t slept;
	struct account from = account_begin(&slept), to;

	if (!sleeper)
		work(LONG_WORK_NS);
	for (int i = 0; sleeper && i < TURNS; i++) {
		slept += rest();
		work(WORK_NS);
	}
	to = account_end();
	printf("%ld %llu %llu %llu %llu %llu\n", (long)syscall(SYS_gettid), (unsigned long long)from.time_ns, (unsigned long long)to.time_ns,
	       (unsigned long long)slept, (unsigned long long)(to.cpu_ns - from.cpu_ns), (unsigned long long)(to.delay_ns - from.delay_ns));
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
