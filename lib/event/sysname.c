#include "event/sysname.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "event/abi.h"
#include "event/tp.h"

#define SW(id) PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id
#define HW(id) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id

static const struct pt_sysname fixed[] = {
	{ "cpu-clock", NULL, SW(CPU_CLOCK) },
	{ "task-clock", NULL, SW(TASK_CLOCK) },
	{ "page-faults", "faults", SW(PAGE_FAULTS) },
	{ "context-switches", "cs", SW(CONTEXT_SWITCHES) },
	{ "cpu-migrations", "migrations", SW(CPU_MIGRATIONS) },
	{ "minor-faults", NULL, SW(PAGE_FAULTS_MIN) },
	{ "major-faults", NULL, SW(PAGE_FAULTS_MAJ) },
	{ "alignment-faults", NULL, SW(ALIGNMENT_FAULTS) },
	{ "emulation-faults", NULL, SW(EMULATION_FAULTS) },
	{ "dummy", NULL, SW(DUMMY) },
	{ "bpf-output", NULL, SW(BPF_OUTPUT) },
	{ "cgroup-switches", NULL, PERF_TYPE_SOFTWARE, 11 },	/* PERF_COUNT_SW_CGROUP_SWITCHES, newer than some headers */
	{ "cycles", "cpu-cycles", HW(CPU_CYCLES) },
	{ "instructions", NULL, HW(INSTRUCTIONS) },
	{ "cache-references", NULL, HW(CACHE_REFERENCES) },
	{ "cache-misses", NULL, HW(CACHE_MISSES) },
	{ "branches", "branch-instructions", HW(BRANCH_INSTRUCTIONS) },
	{ "branch-misses", NULL, HW(BRANCH_MISSES) },
	{ "bus-cycles", NULL, HW(BUS_CYCLES) },
	{ "stalled-cycles-frontend", "idle-cycles-frontend", HW(STALLED_CYCLES_FRONTEND) },
	{ "stalled-cycles-backend", "idle-cycles-backend", HW(STALLED_CYCLES_BACKEND) },
	{ "ref-cycles", NULL, HW(REF_CPU_CYCLES) },
	{ NULL, NULL, 0, 0 },
};

const struct pt_sysname *pt_sysname_fixed(void)
{
	return fixed;
}

/* CACHE-OPs and CACHE-OP-misses: config is cache | op << 8 | result << 16. */
static bool find_cache(const char *name, uint64_t *config)
{
	static const char *const caches[] = { "L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node" };
	static const char *const ops[] = { "load", "store", "prefetch" };
	static const char *const plural[] = { "s", "s", "es" };
	size_t cache, op, len;

	for (cache = 0; cache < PT_NR(caches); cache++) {
		len = strlen(caches[cache]);
		if (strncasecmp(name, caches[cache], len) || name[len] != '-')
			continue;
		for (op = 0; op < PT_NR(ops); op++) {
			const char *rest = name + len + 1;
			size_t n = strlen(ops[op]);

			if (strncmp(rest, ops[op], n))
				continue;
			rest += n;
			*config = cache | op << 8;
			if (!strcmp(rest, plural[op]))
				return true;
			*config |= 1 << 16;
			if (!strcmp(rest, "-misses"))
				return true;
		}
	}
	return false;
}

bool pt_sysname_find(const char *name, uint32_t *type, uint64_t *config)
{
	const struct pt_sysname *n;

	for (n = fixed; n->name; n++)
		if (!strcmp(n->name, name) || (n->alias && !strcmp(n->alias, name))) {
			*type = n->type;
			*config = n->config;
			return true;
		}
	if (!find_cache(name, config))
		return false;
	*type = PERF_TYPE_HW_CACHE;
	return true;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The directories of a directory that match, sorted; NULL-terminated, freed by free_dirs(). */
static char **list_dirs(const char *path, const char *glob, int *sys)
{
	DIR *d = opendir(path);
	struct dirent *ent;
	size_t nr = 0, cap = 0;
	char **names = NULL;

	if (!d) {
		*sys = errno;
		return NULL;
	}
	while ((ent = readdir(d)))
		if (ent->d_name[0] != '.' && ent->d_type == DT_DIR && pt_text_glob(glob, ent->d_name)) {
			PT_GROW(names, nr, cap);
			names[nr++] = pt_strdup(ent->d_name);
		}
	closedir(d);
	PT_GROW(names, nr, cap);
	names[nr] = NULL;
	qsort(names, nr, sizeof(*names), by_name);
	return names;
}

static void free_dirs(char **names)
{
	size_t i;

	for (i = 0; names && names[i]; i++)
		free(names[i]);
	free(names);
}

long pt_sysname_tracepoints(const char *system_glob, const char *name_glob, void (*each)(void *arg, const char *system, const char *name),
			    void *arg, struct pt_err *e)
{
	const char *tracefs;
	char **systems, **names, *path;
	size_t i, j;
	long nr = 0;
	int sys = 0;

	if (pt_tp_tracefs(&tracefs, e) < 0)
		return -1;
	path = pt_asprintf("%s/events", tracefs);
	systems = list_dirs(path, system_glob, &sys);
	if (!systems)
		pt_err_sys(e, sys, "%s cannot be read", path);
	free(path);
	if (!systems)
		return -1;
	for (i = 0; systems[i]; i++) {
		if (!strcmp(systems[i], "ftrace") && strcmp(system_glob, "ftrace"))
			continue;
		path = pt_asprintf("%s/events/%s", tracefs, systems[i]);
		names = list_dirs(path, name_glob, &sys);
		free(path);
		for (j = 0; names && names[j]; j++) {
			each(arg, systems[i], names[j]);
			nr++;
		}
		free_dirs(names);
	}
	free_dirs(systems);
	return nr;
}

/* The three best so far. */
struct nearest {
	const char *wrong;
	const char *wrong_name;		/* behind the colon, or all of it */
	size_t max;			/* edits */
	struct { char *name; size_t distance; } best[3];
	size_t nr;
};

static void keep_best(struct nearest *n, const char *name, size_t distance)
{
	size_t i, last;

	for (i = 0; i < n->nr; i++)
		if (!strcmp(n->best[i].name, name))
			return;
	for (i = 0; i < n->nr && n->best[i].distance <= distance; i++)
		;
	if (i == PT_NR(n->best))
		return;
	if (n->nr == PT_NR(n->best))
		free(n->best[--n->nr].name);
	for (last = n->nr++; last > i; last--)
		n->best[last] = n->best[last - 1];
	n->best[i].name = pt_strdup(name);
	n->best[i].distance = distance;
}

/* A name is near by few edits; when it is the same but for the system; when one holds the other. */
static void look_at(struct nearest *n, const char *full, const char *name)
{
	size_t d = pt_text_distance(n->wrong, full, n->max);

	if (d > n->max && !strcmp(n->wrong_name, name))
		d = 1;
	if (d > n->max && n->wrong == n->wrong_name && pt_text_distance(n->wrong, name, n->max / 2) <= n->max / 2)
		d = n->max;
	if (d > n->max && strlen(n->wrong_name) >= 4 && strstr(name, n->wrong_name))
		d = n->max;
	if (d <= n->max)
		keep_best(n, full, d);
}

static void look_at_tracepoint(void *arg, const char *system, const char *name)
{
	char *full = pt_asprintf("%s:%s", system, name);

	look_at(arg, full, name);
	free(full);
}

void pt_sysname_nearest(const char *wrong, struct pt_buf *out)
{
	const char *colon = strchr(wrong, ':');
	struct nearest n = { .wrong = wrong, .wrong_name = colon ? colon + 1 : wrong };
	const struct pt_sysname *f;
	size_t i;

	n.max = PT_MIN(PT_MIN(PT_MAX(strlen(wrong) / 4, 2), strlen(wrong) / 2), 6);
	for (f = fixed; f->name; f++) {
		look_at(&n, f->name, f->name);
		if (f->alias)
			look_at(&n, f->alias, f->alias);
	}
	if (strlen(wrong) <= 128)
		pt_sysname_tracepoints("*", "*", look_at_tracepoint, &n, NULL);
	for (i = 0; i < n.nr; i++) {
		if (i)
			pt_buf_puts(out, i + 1 == n.nr ? " or " : ", ");
		pt_text_plain(out, n.best[i].name, strlen(n.best[i].name));
		free(n.best[i].name);
	}
}
