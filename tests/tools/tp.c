/* tp - this machine's tracepoint formats: which cannot be compiled, and what printing costs.
 *
 *     tp failed              a line for each format that cannot be compiled: name, reason
 *     tp bench SYS:NAME      nanoseconds a record of zeros takes to print
 *     tp print SYS:NAME HEX  the text of one record */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tracepoint/tp_tree_priv.h"
#include "tracepoint/tracefs.h"

static struct pt_tp_db *db;

static int failed(const char *tracefs)
{
	char path[4096];
	struct dirent *s, *d;
	size_t nr = 0, bad = 0;
	DIR *systems, *dir;

	snprintf(path, sizeof(path), "%s/events", tracefs);
	systems = opendir(path);
	while (systems && (s = readdir(systems))) {
		snprintf(path, sizeof(path), "%s/events/%s", tracefs, s->d_name);
		dir = *s->d_name == '.' ? NULL : opendir(path);
		while (dir && (d = readdir(dir))) {
			const struct pt_tp *tp = *d->d_name == '.' ? NULL : pt_tp_db_find(db, s->d_name, d->d_name, NULL);
			const char *why = "";

			if (!tp)
				continue;
			nr++;
			if (pt_tp_prog_of(tp))
				continue;
			bad++;
			pt_tp_compile((struct pt_tp_entry *)tp, &why);
			printf("%s:%s: %s\n", tp->system, tp->name, why);
		}
		if (dir)
			closedir(dir);
	}
	if (systems)
		closedir(systems);
	printf("%zu of %zu cannot be compiled\n", bad, nr);
	return 0;
}

static const struct pt_tp *named(char *name)
{
	char *colon = strchr(name, ':');
	struct pt_err e = PT_ERR_INIT;
	const struct pt_tp *tp;

	if (!colon)
		return NULL;
	*colon = '\0';
	tp = pt_tp_db_find(db, name, colon + 1, &e);
	if (!tp)
		fprintf(stderr, "tp: %s\n", e.msg);
	return tp;
}

static int bench(const struct pt_tp *tp)
{
	enum { ROUNDS = 1000000 };
	uint8_t raw[4096] = { 0 };
	struct pt_buf out = PT_BUF_INIT;
	struct timespec from, to;
	size_t i;

	for (i = 0; i < tp->nr_fields; i++)
		if ((tp->fields[i].flags & PT_TP_STRING) && !(tp->fields[i].flags & PT_TP_DYNAMIC))
			memcpy(raw + tp->fields[i].off, "swapper/0", 10);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	for (i = 0; i < ROUNDS; i++) {
		pt_buf_clear(&out);
		pt_tp_print(tp, raw, sizeof(raw), &out);
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	printf("%s\n%.1f ns\n", pt_buf_str(&out), ((double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec)) / ROUNDS);
	pt_buf_deinit(&out);
	return 0;
}

static int print(const struct pt_tp *tp, const char *hex)
{
	struct pt_buf raw = PT_BUF_INIT, out = PT_BUF_INIT;
	unsigned byte;

	for (; sscanf(hex, "%2x", &byte) == 1 && hex[1]; hex += 2)
		pt_buf_putc(&raw, (char)byte);
	pt_tp_print(tp, pt_buf_str(&raw), raw.len, &out);
	puts(pt_buf_str(&out));
	pt_buf_deinit(&raw);
	pt_buf_deinit(&out);
	return 0;
}

int main(int argc, char **argv)
{
	struct pt_err e = PT_ERR_INIT;
	const struct pt_tp *tp = NULL;
	const char *tracefs;
	int status = 2;

	if (argc < 2 || pt_tracefs_find(&tracefs, &e) < 0) {
		fprintf(stderr, "tp: %s\n", *e.msg ? e.msg : "see its first lines");
		return 2;
	}
	db = pt_tp_db_new_at(tracefs);
	if (argc > 2)
		tp = named(argv[2]);
	if (!strcmp(argv[1], "failed"))
		status = failed(tracefs);
	else if (!strcmp(argv[1], "bench") && tp)
		status = bench(tp);
	else if (!strcmp(argv[1], "print") && tp && argc > 3)
		status = print(tp, argv[3]);
	pt_tp_db_free(db);
	return status;
}
