/* catalog.h - the events that a machine has: every kind, each with whether this user can open it
 * right now, and why not.
 *
 *     struct pt_catalog c = { 0 };
 *     pt_catalog_read(&c, &(struct pt_catalog_opts){ .patterns = argv + first, .nr_patterns = n });
 *     for (i = 0; i < c.nr; i++) ... c.v[i] ...
 *     pt_catalog_deinit(&c);
 *
 * Each event is opened once, but of the tracepoints one speaks for all, since closing takes 10 to
 * 30 ms. Never fails: what this user may not see is a line in `missing`, with the remedy. */
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
	/* no events, and listed only when they are asked for; added by pt-list */
	PT_KIND_METRIC,
	PT_KIND_METRIC_GROUP,
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
	char *terms;			/* "event=0x3c"; of a probe: its definition; NULL */
	const char *pmu;		/* of PMU and VENDOR events; NULL */
	struct pt_pmu *of;		/* of PMU events: the (first) PMU */
	const struct pt_pmu_event *event;	/* its unit and scale; NULL */
	size_t instances;		/* PMUs of that name that have the event */
	enum pt_can can;
	int sys;			/* errno of PT_CAN_NOT */
	const char *why;		/* of PT_CAN_NOT, in a few words; owned by the catalog */
	const char *how;		/* it was found out: "opened", "as sched:sched_switch" */
};

struct pt_catalog_opts {
	const char *root;		/* another machine's, of which nothing is opened; NULL */
	unsigned kinds;			/* bits 1 << PT_KIND_*; 0: all */
	/* globs over names; words without *?[: are found within names. None: all */
	char **patterns; size_t nr_patterns;
	bool umasks;			/* also vendors' EVENT:UMASK */
	bool quick;			/* with all rights, assume that tracepoints can be opened */
	bool names_only;		/* open nothing */
};

struct pt_catalog {
	struct pt_catalog_opts opts;
	struct pt_catalog_event *v;	/* by kind */
	size_t nr, cap;
	size_t nr_not;			/* number of PT_CAN_NOT */
	char **missing;			/* messages on what could not be listed or opened */
	size_t nr_missing, cap_missing;
	struct pt_event_list names;	/* the parsed names; owns PMUs and formats */
	struct pt_names *texts;
};

void pt_catalog_read(struct pt_catalog *c, const struct pt_catalog_opts *o);
void pt_catalog_deinit(struct pt_catalog *c);
/* For events from elsewhere (SDT markers of a file): true if the name is asked for. */
bool pt_catalog_wants(const struct pt_catalog *c, enum pt_event_kind kind, const char *name);
struct pt_catalog_event *pt_catalog_add(struct pt_catalog *c, enum pt_event_kind kind,
					const char *name, const char *what);

/* Between catalog.c and catalog_try.c: sees what can be opened; adds a message, each one once. */
void catalog_try_all(struct pt_catalog *c);
void catalog_missing(struct pt_catalog *c, const char *text);

#endif
