#include "event/sysname.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
	{ "cgroup-switches", NULL, SW(CGROUP_SWITCHES), "switches to a task of another control group", 0 },
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

char *pt_sysname_of(uint32_t type, uint64_t config)
{
	struct pt_buf cache = PT_BUF_INIT;

	for (const struct pt_sysname *n = fixed; n->name; n++)
		if (n->type == type && n->config == config)
			return pt_strdup(n->name);
	if (type == PERF_TYPE_HW_CACHE)
		pt_cache_name_of(config, &cache);
	return cache.data;
}

static int is_folder(const struct dirent *d)
{
	return d->d_name[0] != '.' && d->d_type == DT_DIR;
}

static int sysname_by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int folders(const char *tracefs, const char *system, struct dirent ***list, struct pt_err *e)
{
	char *path = pt_asprintf("%s/events%s%s", tracefs, *system ? "/" : "", system);
	int nr = scandir(path, list, is_folder, sysname_by_name);

	if (nr < 0) {
		*list = NULL;
		pt_err_sys(e, errno, "%s cannot be read", path);
	}
	free(path);
	return nr;
}

long pt_sysname_tracepoints(const char *tracefs, const char *system_glob, const char *name_glob,
			    void (*each)(void *arg, const char *system, const char *name),
			    void *arg, struct pt_err *e)
{
	struct dirent **systems, **names;
	int nr_systems = folders(tracefs, "", &systems, e), nr_names;
	long nr = nr_systems < 0 ? -1 : 0;

	for (int i = 0; i < nr_systems; free(systems[i++])) {
		const char *system = systems[i]->d_name;

		if (!pt_text_glob(system_glob, system) ||
		    (!strcmp(system, "ftrace") && strcmp(system_glob, "ftrace")))
			continue;
		nr_names = folders(tracefs, system, &names, NULL);
		for (int k = 0; k < nr_names; free(names[k++]))
			if (pt_text_glob(name_glob, names[k]->d_name)) {
				each(arg, system, names[k]->d_name);
				nr++;
			}
		free(names);
	}
	free(systems);
	return nr;
}
