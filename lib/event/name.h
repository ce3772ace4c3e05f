/* name.h - an event's name, as in perf's -e, to what the kernel opens.
 *
 *     software and hardware:  cpu-clock  page-faults  cycles:u  instructions:k   (perf's names and
 *                             aliases)
 *     cache:                  L1-dcache-loads  LLC-load-misses, and perf's other spellings
 *     of a PMU in sysfs:      cpu/event=0xc0,umask=1/u   uncore_imc/data_reads/
 *                             power/energy-pkg/, or the event's name alone (energy-pkg)
 *     raw:                    rNNN (hexadecimal)
 *     vendors' names:         RETIRED_INSTRUCTIONS:u, pfm:NAME (with libpfm4)
 *     tracepoints:            sched:sched_switch  block:*  'syscalls:sys_enter_{read,write}'
 *                             (globs)   probe:foo  sdt_prog:mark
 *     breakpoints:            mem:0x601040/8:rw
 *     counted by pt-stat:     duration_time  user_time  system_time
 *     several:                comma or blank separated, or -e again; groups {a,b}; modifiers
 *                             :ukhGHpppPSDIWe behind a name or a group
 *     terms of any event:     cycles/period=1000,name=mine,call-graph=fp/
 *
 * A glob brings its tracepoints sorted by name. :P asks for precise_ip 3: the opener lowers it
 * until the machine takes it. On machines with several kinds of CPU (hybrid), a hardware event
 * becomes one on each core PMU: cpu_core/cycles/, cpu_atom/cycles/. A PMU of several instances
 * (uncore_imc_0, uncore_imc_1) gives an event on each, all of one name and `origin`. A group that
 * spans PMUs becomes one group a PMU. Names that do not exist give an error that says where in the
 * text (a second and third line with a caret, where the text holds more than that name), and the
 * nearest names that do exist; e->sys is then 0. It is set where the machine or the user's rights
 * are to blame. */
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
	/* type, config.., exclude_*, precise_ip; sample_period (and PT_ATTR_FREQ) only where the
	 * name says them */
	struct pt_attr attr;
	const struct pt_tp *tp;		/* a tracepoint's format; else NULL */
	/* for PERF_EVENT_IOC_SET_FILTER, from --filter; NULL: none */
	char *filter;
	/* what it counts in, below the cgroup file system; NULL: where the session says */
	char *cgroup;
	/* index of its group's leader; its own index when it leads or stands alone */
	int leader;
	/* The PMU it is for; NULL: the kernel finds it (software, tracepoints, the only core PMU).
	 * Its cpus are those that it can be opened on. The list's. */
	const struct pt_pmu *pmu;
	/* the same for events of one name on several instances of a PMU, whose counts are added up
	 */
	uint32_t origin;
	/* from sysfs: unit, scale, per_pkg, snapshot; NULL: not from there. Owned by the list */
	const struct pt_pmu_event *event;
	enum pt_tool_event tool; /* counted by pt-stat itself; the kernel opens a dummy event */
	/* :W, or in such a group: a member that does not fit is counted alone */
	bool weak;
	bool sample_read;		/* :S */
	bool percore, inherit, no_inherit;	/* terms of the name */
	bool guest_chosen;		/* :G or :H */
	/* by stack-size= or max-stack= without a call-graph= */
	enum pt_chain implied;
	enum pt_chain chain;		/* call-graph=, stack-size= (0: not given), max-stack= */
	uint32_t stack_bytes;
	uint16_t max_stack;
};

struct pt_event_list {
	struct pt_event_spec *specs;
	size_t nr, cap;
	size_t last;			/* where the last add began: a filter applies from there */
	/* of this machine; opened for the first tracepoint; owned by the list */
	struct pt_tp_db *db;
	/* the same, for the first event that is neither software nor tracepoint */
	struct pt_pmus *pmus;
	char *root, *tracefs;
	uint32_t next_origin;
};

void pt_event_list_init(struct pt_event_list *l);
/* Another machine, with /sys below `root` and tracefs in sys/kernel/tracing; NULL: this one. */
void pt_event_list_init_at(struct pt_event_list *l, const char *root);
void pt_event_list_deinit(struct pt_event_list *l);
/* Adds the events of one -e text. On failure nothing is added. */
int pt_event_list_add(struct pt_event_list *l, const char *text, struct pt_err *e);
/* --filter: for the tracepoints of the last add. An error if it had none. */
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
