#include "event/sysname.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "event/abi.h"

#define SW(id) PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id
#define HW(id) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id

static const struct pt_sysname fixed[] = {
	{ "cpu-clock", NULL, SW(CPU_CLOCK), "time on CPUs, by their clock", 0 },
	{ "task-clock", NULL, SW(TASK_CLOCK), "time that tasks run", 0 },
	{ "page-faults", "faults", SW(PAGE_FAULTS), "page faults, minor and major", 0 },
	{ "context-switches", "cs", SW(CONTEXT_SWITCHES), "a task leaves a CPU for another", 0 },
	{ "cpu-migrations", "migrations", SW(CPU_MIGRATIONS), "a task goes on on another CPU", 0 },
	{ "minor-faults", NULL, SW(PAGE_FAULTS_MIN), "page faults that needed no disk", 0 },
	{ "major-faults", NULL, SW(PAGE_FAULTS_MAJ), "page faults that waited for a disk", 0 },
	{ "alignment-faults", NULL, SW(ALIGNMENT_FAULTS), "unaligned accesses that the kernel mended", 0 },
	{ "emulation-faults", NULL, SW(EMULATION_FAULTS), "instructions that the kernel emulated", 0 },
	{ "dummy", NULL, SW(DUMMY), "counts nothing", 0 },
	{ "bpf-output", NULL, SW(BPF_OUTPUT), "what BPF programs put out", 0 },
	{ "cgroup-switches", NULL, PERF_TYPE_SOFTWARE, 11, "switches to a task of another control group", 0 },	/* newer than some headers */
	{ "duration_time", NULL, SW(DUMMY), "time that counting took", PT_TOOL_DURATION_TIME },
	{ "user_time", NULL, SW(DUMMY), "CPU time outside the kernel", PT_TOOL_USER_TIME },
	{ "system_time", NULL, SW(DUMMY), "CPU time within the kernel", PT_TOOL_SYSTEM_TIME },
	{ "cycles", "cpu-cycles", HW(CPU_CYCLES), "cycles of the CPU's clock, as fast as it runs", 0 },
	{ "instructions", NULL, HW(INSTRUCTIONS), "instructions that were completed", 0 },
	{ "cache-references", NULL, HW(CACHE_REFERENCES), "accesses to the last cache, usually", 0 },
	{ "cache-misses", NULL, HW(CACHE_MISSES), "accesses that the last cache did not have, usually", 0 },
	{ "branches", "branch-instructions", HW(BRANCH_INSTRUCTIONS), "branches that were completed", 0 },
	{ "branch-misses", NULL, HW(BRANCH_MISSES), "branches that were predicted wrongly", 0 },
	{ "bus-cycles", NULL, HW(BUS_CYCLES), "cycles of the bus", 0 },
	{ "stalled-cycles-frontend", "idle-cycles-frontend", HW(STALLED_CYCLES_FRONTEND), "cycles without instructions to issue", 0 },
	{ "stalled-cycles-backend", "idle-cycles-backend", HW(STALLED_CYCLES_BACKEND), "cycles that waited for data or units", 0 },
	{ "ref-cycles", NULL, HW(REF_CPU_CYCLES), "cycles of a clock of constant speed", 0 },
	{ NULL, NULL, 0, 0, NULL, 0 },
};

const struct pt_sysname *pt_sysname_fixed(void)
{
	return fixed;
}

bool pt_sysname_find(const char *name, struct pt_attr *attr, enum pt_tool_event *tool)
{
	const struct pt_sysname *n;

	for (n = fixed; n->name; n++)
		if (!strcmp(n->name, name) || (n->alias && !strcmp(n->alias, name))) {
			attr->type = n->type;
			attr->config = n->config;
			if (tool)
				*tool = n->tool;
			return true;
		}
	if (!pt_cache_find(name, &attr->config))
		return false;
	attr->type = PERF_TYPE_HW_CACHE;
	return true;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The matching directories of a directory, sorted; NULL-terminated; free_dirs() frees them. */
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
		if (ent->d_name[0] != '.' && ent->d_type == DT_DIR &&
		    pt_text_glob(glob, ent->d_name)) {
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

long pt_sysname_tracepoints(const char *tracefs, const char *system_glob, const char *name_glob,
			    void (*each)(void *arg, const char *system, const char *name),
			    void *arg, struct pt_err *e)
{
	char **systems, **names, *path;
	size_t i, j;
	long nr = 0;
	int sys = 0;

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
