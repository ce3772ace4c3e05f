/* measure - runs commands in turns, and says what each took.
 *
 *     measure [-n TURNS[,TURNS...]] [-m] [-p CMD] CMD [CMD...]          each CMD is one argument, standard output thrown away
 *
 * What a shell has to read goes to /bin/sh -c; plain words are a program and its arguments, so that a tool of a few milliseconds is not measured with a shell.
 *
 * A line a command: least wall ms, median wall ms, least CPU ms (user and system, children included), peak resident KB, exit status of the last run.
 * Children that outlive a command (perf's addr2line does) are ended then, and what they took counts.
 * Turns are interleaved (A B A B ...), so that what else the machine does hits all alike. Each command may have a number of turns of its own, the last one given
 * holds for the rest: those of a slow one are spread among those of the others (-n 2,6: A B B B A B B B). With -m a further run of each is watched
 * for its private memory: the peak of RssAnon in KB of the process (and of its largest descendant) stands in front of the status. What -p names runs before each,
 * and is not measured. */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"

enum { MAX_WORDS = 64 };

struct result {
	const char *cmd;
	int turns, done;
	double *wall_ms;
	double cpu_ms;
	long rss_kb, anon_kb;
	int status;
};

static double now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

/* Returns when it is no program, or more than words. */
static void exec_words(const char *cmd)
{
	char *words[MAX_WORDS], *text = pt_strdup(cmd), *save = NULL;
	size_t nr = 0;

	if (cmd[strcspn(cmd, "|&;<>()$`\\\"'*?[]#~=%!{}\n")])
		return;
	for (words[0] = strtok_r(text, " ", &save); words[nr] && nr + 1 < MAX_WORDS; words[++nr] = strtok_r(NULL, " ", &save))
		;
	if (nr && !words[nr])
		execvp(words[0], words);
}

static pid_t start(const char *cmd)
{
	pid_t pid = fork();

	if (pid < 0) {
		perror("measure: fork");
		exit(1);
	}
	if (!pid) {
		int null = open("/dev/null", O_WRONLY);

		setpgid(0, 0);
		dup2(null, 1);
		exec_words(cmd);
		execl("/bin/sh", "sh", "-c", cmd, (char *)NULL);
		_exit(127);
	}
	return pid;
}

static int status_of(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static double cpu_ms(const struct rusage *ru)
{
	return (double)(ru->ru_utime.tv_sec + ru->ru_stime.tv_sec) * 1e3 + (double)(ru->ru_utime.tv_usec + ru->ru_stime.tv_usec) / 1e3;
}

static void run(struct result *r, const char *before)
{
	struct rusage ru, rest;
	double began, cpu;
	int status;
	pid_t pid;

	if (before && (pid = start(before)) > 0)
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	began = now_ms();
	pid = start(r->cmd);
	while (wait4(pid, &status, 0, &ru) < 0 && errno == EINTR)
		;
	r->wall_ms[r->done] = now_ms() - began;
	cpu = cpu_ms(&ru);
	kill(-pid, SIGKILL);
	while (wait4(-pid, NULL, 0, &rest) > 0)
		cpu += cpu_ms(&rest);
	if (!r->done++ || cpu < r->cpu_ms)
		r->cpu_ms = cpu;
	r->rss_kb = PT_MAX(r->rss_kb, ru.ru_maxrss);
	r->status = status_of(status);
}

static long anon_kb(int pid)
{
	char path[64], line[256];
	long kb = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "RssAnon: %ld", &kb) == 1)
			break;
	fclose(f);
	return kb;
}

/* The largest of the process group. */
static long group_anon_kb(pid_t group)
{
	DIR *d = opendir("/proc");
	struct dirent *de;
	long most = 0;

	while (d && (de = readdir(d))) {
		int pid = atoi(de->d_name);

		if (pid > 0 && getpgid(pid) == group)
			most = PT_MAX(most, anon_kb(pid));
	}
	if (d)
		closedir(d);
	return most;
}

static void watch_memory(struct result *r)
{
	struct timespec pause = { 0, 500000 };
	pid_t pid = start(r->cmd);
	int status;

	while (!waitpid(pid, &status, WNOHANG)) {
		r->anon_kb = PT_MAX(r->anon_kb, group_anon_kb(pid));
		nanosleep(&pause, NULL);
	}
	r->status = status_of(status);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* "2,5": of the first command, of the others. False: that is none. */
static bool turns_of(const char *list, struct result *r, size_t nr, int *most)
{
	long turns = 5;
	char *end;
	size_t i;

	for (i = *most = 0; i < nr; i++) {
		if (list && *list) {
			turns = strtol(list, &end, 10);
			if (end == list || turns < 1 || turns > 10000 || (*end && *end != ','))
				return false;
			list = *end ? end + 1 : end;
		}
		r[i].turns = (int)turns;
		r[i].wall_ms = pt_alloc_array((size_t)turns, sizeof(double));
		*most = PT_MAX(*most, r[i].turns);
	}
	return true;
}

int main(int argc, char **argv)
{
	int most, opt, i, turn;
	const char *turns = NULL, *before = NULL;
	struct result *results;
	bool memory = false;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	while ((opt = getopt(argc, argv, "+n:mp:")) != -1) {
		if (opt == 'n')
			turns = optarg;
		else if (opt == 'm')
			memory = true;
		else if (opt == 'p')
			before = optarg;
		else
			return 2;
	}
	argc -= optind;
	argv += optind;
	results = pt_alloc_array((size_t)argc, sizeof(*results));
	for (i = 0; i < argc; i++)
		results[i].cmd = argv[i];
	if (!turns_of(turns, results, (size_t)argc, &most)) {
		fprintf(stderr, "measure: -n takes TURNS[,TURNS...], not '%s'\n", turns);
		return 2;
	}
	for (turn = 0; turn < most; turn++)
		for (i = 0; i < argc; i++)
			if (results[i].done * most <= turn * results[i].turns)
				run(&results[i], before);
	for (i = 0; i < argc; i++) {
		struct result *r = &results[i];

		if (memory)
			watch_memory(r);
		qsort(r->wall_ms, (size_t)r->turns, sizeof(double), compare);
		printf("%.2f %.2f %.2f %ld ", r->wall_ms[0], r->wall_ms[r->turns / 2], r->cpu_ms, r->rss_kb);
		if (memory)
			printf("%ld ", r->anon_kb);
		printf("%d\n", r->status);
		free(r->wall_ms);
	}
	free(results);
	return 0;
}
