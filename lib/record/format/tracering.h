/* tracering.h - an instance of tracefs of our own: tracepoints enabled and filtered there, with a
 * ring for each CPU, beside the user's own tracing, which it does not touch.
 *
 * The instance is called pt-PID-START-N: process id and start time of its owner. Closing it removes
 * it. Opening one first removes those whose owner is dead (after SIGKILL).
 *
 * Shared with all tracing on this machine, and therefore left alone: the saved names and process
 * ids of tasks, and the clock and options of other instances. Source: Documentation/trace/
 * ftrace.rst and events.rst of the kernel. */
#ifndef PT_RECORD_TRACERING_H
#define PT_RECORD_TRACERING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "tracepoint/tp.h"

struct tracefs_instance;

/* The trace clock that is the same as this CLOCK_*; NULL: there is none. */
const char *pt_tracering_clock(int clockid);
int pt_tracering_clockid(const char *clock);	/* -1: it is none of CLOCK_* */
/* Can this user make an instance? */
bool pt_tracering_allowed(void);
/* Nothing is recorded before pt_tracering_run(). `bytes`: of each CPU's ring. */
int pt_tracering_open(struct tracefs_instance **t, int clockid, uint64_t bytes, struct pt_err *e);
void pt_tracering_close(struct tracefs_instance *t);
/* Records on these CPUs only. */
void pt_tracering_cpus(struct tracefs_instance *t, const int *cpus, size_t nr);
/* Both return the errno, or 0. */
int pt_tracering_filter(struct tracefs_instance *t, const struct pt_tp *tp, const char *filter);
int pt_tracering_enable(struct tracefs_instance *t, const struct pt_tp *tp, bool on);
/* Starts or stops all enabled events. */
void pt_tracering_run(struct tracefs_instance *t, bool on);
/* A descriptor from which each read() takes one page of the CPU's ring (EAGAIN: there is none);
 * poll() tells when a quarter of the ring is full. The caller's. */
int pt_tracering_cpu(struct tracefs_instance *t, int cpu, struct pt_err *e);
/* Events lost so far for want of room in this CPU's ring. */
uint64_t pt_tracering_lost(struct tracefs_instance *t, int cpu);

#endif
