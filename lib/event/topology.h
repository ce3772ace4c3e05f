/* topology.h - which CPU is where: socket, die, cluster, core, node, caches. Source:
 * Documentation/ABI/testing/sysfs-devices-system-cpu of the kernel. Numbers of cores are unique
 * within a die, of dies within a socket. */
#ifndef PT_EVENT_TOPOLOGY_H
#define PT_EVENT_TOPOLOGY_H

#include <stdbool.h>

/* cache: the first CPU that shares it; level: its own. Both only by pt_topology_cache(). */
struct pt_cpu_place { int socket, die, cluster, core, node, level, cache; };
#define PT_CPU_NOWHERE (struct pt_cpu_place){ -1, -1, -1, -1, -1, -1, -1 }

/* Of this machine, or of the one whose /sys is at `sysfs`. -1 in what it does not say, except that
 * a machine without dies, clusters or nodes has die 0, cluster 0, node 0. */
struct pt_cpu_place pt_topology_of(const char *sysfs, int cpu);
/* The CPU's cache for data of a level (0: of the highest) and the first CPU that shares it. False:
 * the machine does not tell. */
bool pt_topology_cache(const char *sysfs, int cpu, int level, struct pt_cpu_place *p);

#endif
