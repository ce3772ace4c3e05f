/* names - C++ names, one a line on standard input (without what follows an @), by pt's own reader beside libiberty.
 *
 *     names check [PARAMS]      every difference, then how many names, how many of them pt answers itself; status 1 when one differs
 *     names left [PARAMS]       the names that pt leaves to the library
 *     names bench [PARAMS]      nanoseconds of processor time a name takes either of them, the best of turns
 *
 * PARAMS, anything: with parameters. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "code/names.h"
#include "names.h"

static struct pt_buf ours, theirs;

static int check(char **names, size_t nr, bool params, bool show_left)
{
	size_t i, left = 0, bad = 0;

	for (i = 0; i < nr; i++) {
		switch (names_compare(names[i], params, &ours, &theirs)) {
		case NAMES_LEFT:
			left++;
			if (show_left)
				puts(names[i]);
			break;
		case NAMES_DIFFERENT:
			bad++;
			printf("%s\n  pt      %s\n  library %s\n", names[i], pt_buf_str(&ours), pt_buf_str(&theirs));
			break;
		default:
			break;
		}
	}
	if (!show_left)
		printf("%zu names, %zu answered (%.2f %%), %zu different\n", nr, nr - left, nr ? 100.0 * (double)(nr - left) / (double)nr : 0, bad);
	return bad > 0;
}

static double turn(char **names, size_t nr, bool params, bool library)
{
	struct timespec a, b;
	size_t i;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
	for (i = 0; i < nr; i++) {
		pt_buf_clear(&ours);
		if (library)
			names_library(names[i], params, &ours);
		else if (params)
			pt_demangle_params(names[i], &ours);
		else
			pt_demangle(names[i], &ours);
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
	return ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) / (double)nr;
}

static int bench(char **names, size_t nr, bool params)
{
	double best[2] = { 1e12, 1e12 }, t;
	int i;

	for (i = 0; i < 14; i++) {
		t = turn(names, nr, params, i & 1);
		best[i & 1] = t < best[i & 1] ? t : best[i & 1];
	}
	printf("%zu names: pt %.0f ns, libiberty %.0f ns a name, %.1f times\n", nr, best[0], best[1], best[1] / best[0]);
	return 0;
}

int main(int argc, char **argv)
{
	char *line = NULL, **names = NULL;
	size_t room = 0, nr = 0, cap = 0;
	bool params = argc > 2;
	int status;

	while (getline(&line, &room, stdin) > 0) {
		line[strcspn(line, "@\n")] = '\0';
		if (nr == cap)
			names = pt_realloc(names, cap = cap * 2 + 1024, sizeof(*names));
		names[nr++] = pt_strdup(line);
	}
	if (argc < 2 || !nr) {
		fprintf(stderr, "names check|left|bench [PARAMS] < NAMES\n");
		return 2;
	}
	status = !strcmp(argv[1], "bench") ? bench(names, nr, params) : check(names, nr, params, !strcmp(argv[1], "left"));
	while (nr)
		free(names[--nr]);
	free(names);
	free(line);
	pt_buf_deinit(&ours);
	pt_buf_deinit(&theirs);
	return status;
}
