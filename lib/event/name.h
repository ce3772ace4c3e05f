/* name.h - an event's name, as in perf's -e, to what the kernel opens.
 *
 *     software and hardware:  cpu-clock  page-faults  cycles:u  instructions:k   (also aliases)
 *     cache:                  L1-dcache-loads  LLC-load-misses, and perf's other spellings
 *     of a PMU in sysfs:      cpu/event=0xc0,umask=1/u  uncore_imc/data_reads/  energy-pkg
 *     raw:                    rNNN (hexadecimal)
 *     vendors' names:         RETIRED_INSTRUCTIONS:u, pfm:NAME (with libpfm4)
 *     tracepoints, probes:    sched:sched_switch  block:*  'syscalls:sys_enter_{read,write}'
 *     breakpoints:            mem:0x601040/8:rw
 *     counted by pt-stat:     duration_time  user_time  system_time
 *     several:                comma or blank separated, or -e again; groups {a,b}; modifiers
 *                             :ukhGHpppPSDIWe behind a name or a group
 *     terms of any event:     cycles/period=1000,name=mine,call-graph=fp/
 *
 * A glob gives its tracepoints sorted by name. :P asks for precise_ip 3, which the opener lowers
 * until the machine takes it. On hybrid machines a hardware event becomes one on each core PMU
 * (cpu_core/cycles/). A PMU of several instances (uncore_imc_0, uncore_imc_1) gives an event on
 * each, all of one name and `origin`. A group that spans PMUs becomes one group a PMU.
 *
 * The error for an unknown name shows where it stands in the text (with a caret) and the nearest
 * names that exist; e->sys is set only if the machine or the user's rights are to blame. */
#ifndef PT_EVENT_NAME_H
#define PT_EVENT_NAME_H

#include "base/err.h"
#include "event/abi.h"
#include "event/cgroup.h"
#include "event/pmu.h"
#include "event/sysname.h"
#include "tracepoint/tp.h"

struct pt_event_spec {
	char *name;			/* as perf prints it: "sched:sched_switch", "cycles:u" */
	/* sample_period (and PT_ATTR_FREQ) only where the name says them */
	struct pt_attr attr;
	const struct pt_tp *tp;		/* a tracepoint's format; else NULL */
	char *filter;			/* --filter; NULL: none */
	char *cgroup;			/* below the cgroup file system; NULL: the session's */
	int leader;			/* index of its group's leader, or its own */
	/* NULL: the kernel finds it (software, tracepoints, the only core PMU). The list's. */
	const struct pt_pmu *pmu;
	uint32_t origin;		/* the same for instances, whose counts are added up */
	const struct pt_pmu_event *event;	/* its unit and scale in sysfs; NULL. The list's */
	enum pt_tool_event tool; /* counted by pt-stat itself; the kernel opens a dummy event */
	bool weak;			/* :W: if it does not fit its group, it is counted alone */
	bool sample_read;		/* :S */
	/* of pt-record --trigger: its samples are delivered at once, and never overwritten */
	bool trigger;
	bool inherit, no_inherit;	/* terms of the name */
	bool guest_chosen;		/* :G or :H */
	enum pt_chain implied;		/* by stack-size= or max-stack= */
	enum pt_chain chain;		/* call-graph=, stack-size= (0: not given), max-stack= */
	uint32_t stack_bytes;
	uint16_t max_stack;
};

struct pt_event_list {
	struct pt_event_spec *specs;
	size_t nr, cap;
	size_t last;			/* where the last add began: a filter applies from there */
	struct pt_tp_db *db;		/* opened for the first tracepoint */
	struct pt_pmus *pmus;		/* read for the first event that needs them */
	char *root, *tracefs;
	uint32_t next_origin;
};

void pt_event_list_init(struct pt_event_list *l);
/* Another machine, with /sys below `root` and tracefs in sys/kernel/tracing; NULL: this one. */
void pt_event_list_init_at(struct pt_event_list *l, const char *root);
void pt_event_list_deinit(struct pt_event_list *l);
/* Adds the events of one -e text. On failure nothing is added. */
int pt_event_list_add(struct pt_event_list *l, const char *text, struct pt_err *e);
/* --filter (tracepoint/tp_filter.h): for the tracepoints of the last add. An error if it had
 * none. */
int pt_event_list_filter(struct pt_event_list *l, const char *filter, struct pt_err *e);
/* -G a,b: the n-th name is for the n-th event; empty or missing: the whole machine. */
int pt_event_list_cgroups(struct pt_event_list *l, const char *names, struct pt_err *e);
/* --for-each-cgroup: all events in each group (at least one). */
int pt_event_list_each_cgroup(struct pt_event_list *l, const struct pt_cgroups *groups,
			      struct pt_err *e);

/* The machine's PMUs, and where its tracepoints are (-1: they cannot be read; advice in e). Owned
 * by the list. */
struct pt_pmus *pt_event_list_pmus(struct pt_event_list *l);
int pt_event_list_tracefs(struct pt_event_list *l, const char **path, struct pt_err *e);

#endif
