/* topology.h - which CPU is where: socket, die, core, node. Source:
 * Documentation/ABI/testing/sysfs-devices-system-cpu of the kernel. Numbers of cores are unique
 * within a die, of dies within a socket. */
#ifndef PT_EVENT_TOPOLOGY_H
#define PT_EVENT_TOPOLOGY_H

struct pt_cpu_place { int socket, die, core, node; };

/* Of this machine, or of the one whose /sys is at `sysfs`. -1 in what it does not say, except that
 * a machine without dies or nodes has die 0, node 0. */
struct pt_cpu_place pt_topology_of(const char *sysfs, int cpu);

#endif
