/* clock.h - clocks as the kernel's records have them.
 *
 * perf writes the host's CLOCK_MONOTONIC and CLOCK_BOOTTIME into records. A process in a time
 * namespace (time_namespaces(7)) reads these clocks with the namespace's offset, and so do pt's
 * tools there. Source of the offset: /proc/PID/timens_offsets. */
#ifndef PT_BASE_CLOCK_H
#define PT_BASE_CLOCK_H

#include <stdint.h>

struct pt_clock {
	int id;			/* CLOCK_*, see clock_gettime(2) */
	int64_t offset_ns;	/* what this process's time namespace adds */
};

struct pt_clock pt_clock(int id);
/* The host's time now, in nanoseconds; 0 if there is no such clock. */
uint64_t pt_clock_now_ns(const struct pt_clock *c);
/* What the time namespace of a process (0: this one) adds to a clock, in nanoseconds; 0 if
 * unknown */
int64_t pt_clock_offset_ns(int pid, int id);

#endif
