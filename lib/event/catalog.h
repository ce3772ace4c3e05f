/* catalog.h - the events that a machine has: every kind, each with whether this user can open it
 * right now, and why not.
 *
 *     struct pt_catalog c = { 0 };
 *     pt_catalog_read(&c, &(struct pt_catalog_opts){ .kinds = ~0u, .patterns = argv + first,
 *             .nr_patterns = n });
 *     for (i = 0; i < c.nr; i++) ... c.v[i] ...
 *     pt_catalog_deinit(&c);
 *
 * Events are opened once and closed again, but tracepoints: to close one takes 10 to 30 ms, so that
 * one of them speaks for all (`how`). Never fails: what this user may not see is a line in
 * `missing`, with the command that would lift it. */
#ifndef PT_EVENT_CATALOG_H
#define PT_EVENT_CATALOG_H

#include <stdbool.h>
#include <stddef.h>

#include "event/name.h"

enum pt_event_kind {
	PT_KIND_HARDWARE,
	PT_KIND_SOFTWARE,
	PT_KIND_CACHE,
	PT_KIND_TOOL,
	PT_KIND_PMU,
	PT_KIND_VENDOR,
	PT_KIND_RAW,
	PT_KIND_BREAKPOINT,
	PT_KIND_TRACEPOINT,
	PT_KIND_PROBE,
	PT_KIND_SDT,
	PT_KIND_END,
};
const char *pt_kind_name(enum pt_event_kind kind);		/* "hardware" */
/* Also perf list's words ("hw", "hardware", "hwcache"); PT_KIND_END: none. */
enum pt_event_kind pt_kind_find(const char *word);

/* OPEN_USER: only outside the kernel (:u) */
enum pt_can { PT_CAN_UNKNOWN, PT_CAN_OPEN, PT_CAN_OPEN_USER, PT_CAN_NOT };

struct pt_catalog_event {
	enum pt_event_kind kind;
	char *name;			/* as -e takes it */
	bool pattern;			/* not a name yet: rNNN, mem:ADDR, msr/TERMS/ */
	const char *alias;		/* another name; NULL */
	char *what;			/* one line; "" if nothing is known */
	/* as in sysfs: "event=0x3c"; of a probe: its definition; NULL */
	char *terms;
	const char *pmu;		/* of PMU and VENDOR events; NULL */
	/* of PMU events: the (first) PMU, whose formats apply to the terms */
	struct pt_pmu *of;
	const struct pt_pmu_event *event;	/* its unit and scale; NULL */
	size_t instances;		/* PMUs of that name that have the event */
	enum pt_can can;
	int sys;			/* errno of PT_CAN_NOT */
	const char *why;		/* of PT_CAN_NOT, in a few words; owned by the catalog */
	/* how it was found out: "opened", "as sched:sched_switch" */
	const char *how;
};

struct pt_catalog {
	/* by kind; tables in their order, the rest by name */
	struct pt_catalog_event *v;
	size_t nr, cap;
	size_t nr_not;			/* number of PT_CAN_NOT */
	/* whole messages on what could not be listed or opened, each once */
	char **missing;
	size_t nr_missing, cap_missing;
	struct pt_event_list names;	/* the parsed names; owns PMUs and formats */
	struct pt_names *texts;
};

struct pt_catalog_opts {
	/* see pt_event_list_init_at(); then nothing is opened. NULL: this machine */
	const char *root;
	unsigned kinds;			/* bits 1 << PT_KIND_*; 0: all */
	/* globs over names; a word without *?[: is searched for within names. None: all */
	char **patterns; size_t nr_patterns;
	bool umasks;			/* also vendors' EVENT:UMASK */
	/* with all rights, assume that tracepoints can be opened: it takes 30 ms, most of them to
	 * close one */
	bool quick;
	bool names_only;		/* open nothing */
};

void pt_catalog_read(struct pt_catalog *c, const struct pt_catalog_opts *o);
void pt_catalog_deinit(struct pt_catalog *c);
/* For events from elsewhere (SDT markers of a file): true if the name is asked for. */
bool pt_catalog_wants(const struct pt_catalog_opts *o, enum pt_event_kind kind, const char *name);
struct pt_catalog_event *pt_catalog_add(struct pt_catalog *c, enum pt_event_kind kind,
					const char *name, const char *what);

/* Between catalog.c and catalog_try.c: sees what can be opened; adds a message, each one once. */
void catalog_try_all(struct pt_catalog *c, bool quick);
void catalog_missing(struct pt_catalog *c, const char *text);

#endif
