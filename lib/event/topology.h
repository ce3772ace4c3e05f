/* topology.h - which CPU is where: socket, die, core, node. For counts by core, socket and so on.
 *
 *     struct pt_topology *t = pt_topology_read(NULL);
 *     // never NULL; -1 in what the machine does not say
 *     const struct pt_cpu_place *p = pt_topology_of(t, cpu);
 *
 * Source: Documentation/ABI/testing/sysfs-devices-system-cpu of the kernel;
 * /sys/devices/system/cpu/cpuN/topology/ and cpuN/nodeM. Numbers of cores are unique within a die,
 * of dies within a socket. A machine without dies has die 0. */
#ifndef PT_EVENT_TOPOLOGY_H
#define PT_EVENT_TOPOLOGY_H

struct pt_cpu_place { int socket, die, core, node; };

struct pt_topology;
/* NULL: "/sys". A CPU's files are read at its first use. */
struct pt_topology *pt_topology_read(const char *sysfs);
void pt_topology_free(struct pt_topology *t);
const struct pt_cpu_place *pt_topology_of(struct pt_topology *t, int cpu);

#endif
