/* name.h - an event's name, as in perf's -e, to what the kernel opens.
 *
 *     software and hardware:  cpu-clock  page-faults  cycles:u  instructions:k   (perf's names and aliases)
 *     tracepoints:            sched:sched_switch  block:*  'syscalls:sys_enter_{read,write}' (globs)   probe:foo
 *     cache:                  L1-dcache-loads  LLC-load-misses
 *     raw:                    rNNN (hexadecimal)
 *     several:                comma or blank separated, or -e again; groups {a,b}; modifiers :ukhHGpppPDeI behind a name or a group
 *
 * A glob brings its tracepoints sorted by name. :P asks for precise_ip 3: the opener lowers it until the machine takes it.
 * Names that do not exist give an error that says where in the text (a second and third line with a caret, where the text holds more than that
 * name), and the nearest names that do exist. */
#ifndef PT_EVENT_NAME_H
#define PT_EVENT_NAME_H

#include "base/err.h"
#include "event/abi.h"
#include "event/tp.h"

struct pt_event_spec {
	char *name;			/* as perf prints it: "sched:sched_switch", "cycles:u" */
	struct pt_attr attr;		/* type, config.., exclude_*, precise_ip; sampling is for the opener to set */
	const struct pt_tp *tp;		/* a tracepoint's format; else NULL */
	char *filter;			/* for PERF_EVENT_IOC_SET_FILTER, from --filter; NULL: none */
	int leader;			/* index of its group's leader; its own index when it leads or stands alone */
};

struct pt_event_list {
	struct pt_event_spec *specs;
	size_t nr, cap;
	size_t last;			/* where the last add began: whom a filter is for */
	struct pt_tp_db *db;		/* of this machine; opened when the first tracepoint is named; the list's own */
};

void pt_event_list_init(struct pt_event_list *l);
void pt_event_list_deinit(struct pt_event_list *l);
/* Adds the events of one -e text. On failure nothing is added. */
int pt_event_list_add(struct pt_event_list *l, const char *text, struct pt_err *e);
/* --filter: for the tracepoints that the last add brought. An error when it brought none. */
int pt_event_list_filter(struct pt_event_list *l, const char *filter, struct pt_err *e);

#endif
