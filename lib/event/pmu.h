/* pmu.h - the PMUs in sysfs: types, CPUs, formats of terms, events; and terms put into attributes.
 *
 *     struct pt_pmus *p = pt_pmus_new(NULL);
 *     for (i = 0; i < p->nr; i++)
 *             if (pt_pmu_named(p->v[i], "cpu"))
 *                     pt_pmu_terms(p->v[i], "event=0xc0,umask=1", &out, &wrong, e);
 *
 * Formats and events of a PMU are read when they are first asked for. All belongs to the pt_pmus.
 * Names and texts that are too long, and numbers that are none, are left out. Source of the format:
 * Documentation/ABI/testing/sysfs-bus-event_source-devices-{events,format} of the kernel. */
#ifndef PT_EVENT_PMU_H
#define PT_EVENT_PMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "event/abi.h"

enum { PT_PMU_CONFIGS = 4, PT_PMU_RANGES = 16 };

/* The place of a term's bits: value bit 0 and up go into the ranges, one after the other. */
struct pt_pmu_format {
	char *name;			/* "umask"; first: they are sorted by it */
	char *text;			/* "config:8-15" */
	int config;			/* 0: config, 1: config1 ... */
	struct { uint8_t from, to; } ranges[PT_PMU_RANGES];
	size_t nr_ranges;
};

struct pt_pmu_event {
	char *name;			/* "instructions"; first as well */
	char *terms;			/* "event=0xc0" */
	char *unit;			/* of events/NAME.unit: "Joules"; NULL: none */
	double scale;			/* of .scale; 1 if there is none */
	bool per_pkg;			/* of .per-pkg: each CPU of a package has the same count */
	bool snapshot;			/* of .snapshot: a reading, not a sum */
};

struct pt_pmu {
	char *name;
	uint32_t type;
	bool core;			/* counts what CPUs execute, also for tasks */
	bool extended;			/* one of several, for config's upper half */
	bool software;			/* software, tracepoint, breakpoint, kprobe, uprobe */
	int *cpus;			/* where its events can be opened; NULL: on all */
	size_t nr_cpus;
	/* after pt_pmu_load(), sorted by name */
	struct pt_pmu_format *formats;
	size_t nr_formats, cap_formats;
	struct pt_pmu_event *events;
	size_t nr_events, cap_events;
	bool loaded;
	char *dir;
};

struct pt_pmus {
	struct pt_pmu **v;		/* sorted by name, numbers within names as numbers */
	size_t nr, cap;
	size_t nr_core;
};

/* A machine without sysfs has no PMUs. `root`: in front of /sys; NULL: nothing. */
struct pt_pmus *pt_pmus_new(const char *root);
void pt_pmus_free(struct pt_pmus *p);
/* As in -e: the name, with or without "uncore_" and a number ("imc" is uncore_imc_0 and
 * uncore_imc_1), or a glob. */
bool pt_pmu_named(const struct pt_pmu *pmu, const char *name);

void pt_pmu_load(struct pt_pmu *pmu);
/* NULL: none */
const struct pt_pmu_format *pt_pmu_format(struct pt_pmu *pmu, const char *name);
const struct pt_pmu_event *pt_pmu_event(struct pt_pmu *pmu, const char *name);
/* The largest value of a term. */
uint64_t pt_pmu_format_max(const struct pt_pmu_format *f);

/* Terms that all events have, with or without a PMU. */
enum pt_chain { PT_CHAIN_UNSET, PT_CHAIN_NO, PT_CHAIN_FP, PT_CHAIN_DWARF, PT_CHAIN_LBR };

struct pt_event_terms {
	char *name;			/* name=; the caller frees it; NULL */
	uint64_t period, freq, stack_bytes, max_stack;		/* 0: not given */
	enum pt_chain chain;		/* call-graph= */
	bool no_inherit, inherit;
};

/* The result of terms. Only config..config3 of attr are set. */
struct pt_pmu_config {
	struct pt_attr *attr;
	struct pt_event_terms *terms;
	/* the event in sysfs that they name, with its unit and scale; NULL: none */
	const struct pt_pmu_event *event;
};

/* The part of the text that is wrong. */
struct pt_blame { const char *at; size_t len; };

/* Parses "a=1,b,name=x" (`len` bytes) into c. pmu NULL: only terms that all events have. A word
 * without value is an event of the PMU, else a term of value 1. blame points into text. */
int pt_pmu_terms(struct pt_pmu *pmu, const char *text, size_t len, struct pt_pmu_config *c,
		 struct pt_blame *blame, struct pt_err *e);
void pt_event_terms_deinit(struct pt_event_terms *t);

#endif
