#include "event/topology.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/smallfile.h"

enum { MAX_CACHES = 16 };

static int read_id(const char *sysfs, int cpu, const char *name, int none)
{
	char path[4096];
	int64_t v;

	snprintf(path, sizeof(path), "%s/devices/system/cpu/cpu%d/topology/%s", sysfs, cpu, name);
	v = pt_file_number(path, none);
	return v < 0 || v > INT32_MAX ? none : (int)v;
}

static int read_node(const char *sysfs, int cpu)
{
	char path[4096];
	struct dirent *d;
	int node = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/devices/system/cpu/cpu%d", sysfs, cpu);
	dir = opendir(path);
	while (dir && (d = readdir(dir)))
		if (sscanf(d->d_name, "node%d", &node) == 1)
			break;
	if (dir)
		closedir(dir);
	return node;
}

struct pt_cpu_place pt_topology_of(const char *sysfs, int cpu)
{
	sysfs = sysfs ? sysfs : "/sys";
	return (struct pt_cpu_place){ .socket = read_id(sysfs, cpu, "physical_package_id", -1),
				      .die = read_id(sysfs, cpu, "die_id", 0),
				      .cluster = read_id(sysfs, cpu, "cluster_id", 0),
				      .core = read_id(sysfs, cpu, "core_id", -1),
				      .node = read_node(sysfs, cpu),
				      .level = -1,
				      .cache = -1 };
}

bool pt_topology_cache(const char *sysfs, int cpu, int level, struct pt_cpu_place *p)
{
	char path[4096], text[4096];
	bool found = false;

	for (int i = 0; i < MAX_CACHES; i++) {
		int64_t its_level;
		int first;

		snprintf(path, sizeof(path), "%s/devices/system/cpu/cpu%d/cache/index%d/level",
			 sysfs ? sysfs : "/sys", cpu, i);
		its_level = pt_file_number(path, -1);
		if (its_level <= 0 || its_level > MAX_CACHES || (level && its_level != level) ||
		    (found && its_level <= p->level))
			continue;
		strcpy(strrchr(path, '/'), "/type");
		if (pt_file_text(path, text, sizeof(text)) || !strcmp(text, "Instruction"))
			continue;
		strcpy(strrchr(path, '/'), "/shared_cpu_list");
		if (pt_file_text(path, text, sizeof(text)) || sscanf(text, "%d", &first) != 1)
			continue;
		p->level = (int)its_level;
		p->cache = first;
		found = true;
	}
	return found;
}
