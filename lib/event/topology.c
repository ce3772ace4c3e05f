#include "event/topology.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/smallfile.h"
#include "event/open.h"

struct entry { int cpu; struct pt_cpu_place place; };

struct pt_topology {
	char *sysfs;
	struct entry **list;		/* pointers, so that answers do not move */
	size_t nr, cap;
};

struct pt_topology *pt_topology_read(const char *sysfs)
{
	struct pt_topology *t = pt_alloc(sizeof(*t));

	t->sysfs = pt_strdup(sysfs ? sysfs : "/sys");
	return t;
}

void pt_topology_free(struct pt_topology *t)
{
	size_t i;

	if (!t)
		return;
	for (i = 0; i < t->nr; i++)
		free(t->list[i]);
	free(t->list);
	free(t->sysfs);
	free(t);
}

static int read_id(const struct pt_topology *t, int cpu, const char *name, int none)
{
	char *path = pt_asprintf("%s/devices/system/cpu/cpu%d/topology/%s", t->sysfs, cpu, name);
	int64_t v = pt_file_number(path, none);

	free(path);
	return v < 0 || v > INT32_MAX ? none : (int)v;
}

static int read_node(const struct pt_topology *t, int cpu)
{
	char *path = pt_asprintf("%s/devices/system/cpu/cpu%d", t->sysfs, cpu);
	DIR *dir = opendir(path);
	struct dirent *d;
	int node = 0;

	while (dir && (d = readdir(dir)))
		if (sscanf(d->d_name, "node%d", &node) == 1)
			break;
	if (dir)
		closedir(dir);
	free(path);
	return node;
}

const struct pt_cpu_place *pt_topology_of(struct pt_topology *t, int cpu)
{
	struct entry *x;
	size_t i;

	for (i = 0; i < t->nr; i++)
		if (t->list[i]->cpu == cpu)
			return &t->list[i]->place;
	x = pt_alloc(sizeof(*x));
	x->cpu = cpu;
	x->place = (struct pt_cpu_place){ .socket = read_id(t, cpu, "physical_package_id", -1),
					  .die = read_id(t, cpu, "die_id", 0),
					  .core = read_id(t, cpu, "core_id", -1),
					  .node = read_node(t, cpu) };
	PT_GROW(t->list, t->nr, t->cap);
	t->list[t->nr++] = x;
	return &x->place;
}
