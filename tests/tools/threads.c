/* threads - many threads that each make K getppid(2) calls, once they may.
 *
 *     threads N K [PAUSE_US] [CHAIN]
 *
 * N threads come one after another, PAUSE_US apart, all made by the main thread; with CHAIN each made by the one before it. "all PID" is printed when the
 * last is there. At the end of standard input (or a line) each makes its calls and the program ends: N * K calls in all. */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static unsigned long calls, pause_us, to_make;
static bool chain;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned long made, ended;
static bool gate;

static void make_one(void);

static void *thread(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	made++;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	if (chain)
		make_one();
	pthread_mutex_lock(&lock);
	while (!gate)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	for (unsigned long i = 0; i < calls; i++)
		syscall(SYS_getppid);
	pthread_mutex_lock(&lock);
	ended++;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void make_one(void)
{
	pthread_attr_t attr;
	pthread_t t;

	if (!to_make)
		return;
	to_make--;
	if (pause_us)
		usleep((useconds_t)pause_us);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 << 10);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	while ((errno = pthread_create(&t, &attr, thread, NULL)) == EAGAIN)
		usleep(1000);
	if (errno) {
		perror("threads: pthread_create");
		exit(1);
	}
	pthread_attr_destroy(&attr);
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
	char b;

	calls = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
	pause_us = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
	chain = argc > 4;
	to_make = n;
	printf("pid %d\n", (int)getpid());
	fflush(stdout);
	do
		make_one();
	while (to_make && !chain);
	pthread_mutex_lock(&lock);
	while (made < n)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	printf("all %d\n", (int)getpid());
	fflush(stdout);
	if (read(STDIN_FILENO, &b, 1) < 0)
		return 1;
	pthread_mutex_lock(&lock);
	gate = true;
	pthread_cond_broadcast(&changed);
	while (ended < n)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	return 0;
}
