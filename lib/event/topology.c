#include "event/topology.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>

#include "base/smallfile.h"

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
				      .core = read_id(sysfs, cpu, "core_id", -1),
				      .node = read_node(sysfs, cpu) };
}
