/* open.h - perf_event_open(2): what this kernel knows of it, and what its refusals mean.
 *
 *     fd = pt_perf_open(&attr, pid, cpu, -1, 0);      // -errno when refused
 *     if (fd < 0)
 *             return pt_open_error(e, -fd, name, &attr, PT_OPEN_CPU);
 *
 * Messages name what is missing and the command that lifts it. Source: perf_event_open(2),
 * kernel/events/core.c's checks. */
#ifndef PT_EVENT_OPEN_H
#define PT_EVENT_OPEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "event/abi.h"

struct pt_kernel {
	bool lost;			/* PERF_FORMAT_LOST (6.0) */
	bool inherit_read;		/* PERF_SAMPLE_READ of inherited events (6.12) */
	uint64_t side_band;		/* PT_ATTR_* of it that this user may set */
	int paranoid;			/* kernel.perf_event_paranoid; 2 if it cannot be read */
	uint64_t max_rate_hz;		/* kernel.perf_event_max_sample_rate */
};
/* -1: no perf events for this user, or a kernel without a settable clock (before 4.1). */
int pt_kernel_probe(struct pt_kernel *k, struct pt_err *e);

/* The file descriptor (close-on-exec), or -errno. Raises the limit of open files where that is in
 * the way. */
int pt_perf_open(const struct pt_attr *attr, pid_t pid, int cpu, int group_fd, unsigned long flags);
/* Opens and closes it: 0, or the errno. */
int pt_perf_try(const struct pt_attr *attr, pid_t pid, int cpu);
/* An event that counts nothing, outside the kernel. */
struct pt_attr pt_dummy_attr(uint64_t flags);

/* The event happens only within the kernel (a context switch, a migration). With
 * PT_ATTR_EXCLUDE_KERNEL it opens and always counts 0. */
bool pt_event_is_kernels(const struct pt_attr *attr);
/* It counts nanoseconds. */
bool pt_event_is_clock(const struct pt_attr *attr);

enum pt_open_target { PT_OPEN_TASK, PT_OPEN_CPU, PT_OPEN_CGROUP };
/* The message for errno `sys`. Returns -1. */
int pt_open_error(struct pt_err *e, int sys, const char *name, const struct pt_attr *attr,
		  enum pt_open_target target);
/* The same for mmap of a ring of `pages` pages. */
int pt_mmap_error(struct pt_err *e, int sys, uint32_t pages);

/* Raises the limit of open files if `nr` files need it. */
void pt_want_open_files(uint64_t nr);

/* "cycles" if the CPU counts them for this user, else "cpu-clock". */
const char *pt_sampling_default_event(void);

#endif
