/* metric_names.c - figures by name. Names and groups are those of perf's metrics of any CPU (in
 * Linux 6.19, tools/perf/pmu-events/arch/common), of top-down those of Intel's; "IPC" is what most
 * vendors' tables call it, and cache_miss_rate is a name of pt's own. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "count/defaults.h"
#include "count/metric.h"

static const char TOPDOWN_EVENTS[] = "topdown", CLOCK[] = "clock";

_Static_assert(PT_METRIC_END <= 32, "a bit each in struct pt_counts_opts");

static const struct pt_metric_name names[PT_METRIC_END] = {
#define ROW(id, name, group, what, ...) [PT_METRIC_##id] = { name, group, what, __VA_ARGS__ }
#define PER_SECOND(id, name, what, event) \
	ROW(id, name, "Default", what " a second of CPU time", { NULL }, { event, CLOCK }, NULL)
#define SHARE(id, name, group, what, part, whole) \
	ROW(id, name, group, what ", in percent", { part, whole }, { NULL }, NULL)
#define TOPDOWN(id, name, what) \
	ROW(id, name, "TopdownL1", "slots of the pipeline " what ", in percent", { TOPDOWN_EVENTS }, \
	    { NULL }, NULL)
	ROW(CPUS, "CPUs_utilized", "Default", "busy CPUs, on average", { NULL }, { CLOCK },
	    NULL),
	PER_SECOND(SWITCHES, "cs_per_second", "context switches", "context-switches"),
	PER_SECOND(MIGRATIONS, "migrations_per_second", "moves to another CPU", "cpu-migrations"),
	PER_SECOND(FAULTS, "page_faults_per_second", "page faults", "page-faults"),
	ROW(INSNS, "insn_per_cycle", "Default", "instructions per cycle",
	    { "instructions", "cycles" }, { NULL }, "IPC"),
	ROW(STALLS, "stalled_cycles_per_instruction", "Default",
	    "idle cycles of the frontend or the backend per instruction",
	    { "instructions", "stalled-cycles-frontend", "stalled-cycles-backend" }, { NULL }, NULL),
	SHARE(FRONTEND, "frontend_cycles_idle", "Default", "cycles that the frontend was idle",
	      "stalled-cycles-frontend", "cycles"),
	SHARE(BACKEND, "backend_cycles_idle", "Default", "cycles that the backend was idle",
	      "stalled-cycles-backend", "cycles"),
	ROW(FREQUENCY, "cycles_frequency", "Default", "cycles a nanosecond of CPU time (GHz)",
	    { "cycles" }, { CLOCK }, NULL),
	ROW(BRANCHES, "branch_frequency", "Default", "branches a second of CPU time",
	    { "branches" }, { CLOCK }, NULL),
	SHARE(BRANCH_MISSES, "branch_miss_rate", "Default", "branches that were predicted wrong",
	      "branch-misses", "branches"),
	SHARE(CACHE_MISSES, "cache_miss_rate", "Default2", "misses of the caches",
	      "cache-misses", "cache-references"),
	SHARE(L1D_MISSES, "l1d_miss_rate", "Default2", "misses of the L1 data cache",
	      "L1-dcache-load-misses", "L1-dcache-loads"),
	SHARE(LL_MISSES, "llc_miss_rate", "Default2", "misses of the last-level cache",
	      "LLC-load-misses", "LLC-loads"),
	SHARE(L1I_MISSES, "l1i_miss_rate", "Default3", "misses of the L1 instruction cache",
	      "L1-icache-load-misses", "L1-icache-loads"),
	SHARE(DTLB_MISSES, "dtlb_miss_rate", "Default3", "misses of the data TLB",
	      "dTLB-load-misses", "dTLB-loads"),
	SHARE(ITLB_MISSES, "itlb_miss_rate", "Default3", "misses of the instruction TLB",
	      "iTLB-load-misses", "iTLB-loads"),
	TOPDOWN(TOP_RETIRING, "tma_retiring", "with useful work"),
	TOPDOWN(TOP_BAD_SPECULATION, "tma_bad_speculation", "lost to wrong predictions"),
	TOPDOWN(TOP_FRONTEND, "tma_frontend_bound", "without instructions"),
	TOPDOWN(TOP_BACKEND, "tma_backend_bound", "that waited for data or units"),
#undef ROW
#undef PER_SECOND
#undef SHARE
#undef TOPDOWN
};

const struct pt_metric_name *pt_metric_name(enum pt_metric_id id)
{
	return names[id].name ? &names[id] : NULL;
}

/* What -M has asked for so far. */
struct request {
	bool tasks;
	uint32_t which;
	struct pt_strs events;		/* that were added */
	struct pt_buf *text;		/* the same, as -e takes them */
	struct pt_err *e;
};

static bool is_added(const struct request *r, const char *event)
{
	for (size_t i = 0; i < r->events.nr; i++)
		if (!strcmp(r->events.v[i], event))
			return true;
	return false;
}

/* What stands for an event, as -e takes it. NULL: this machine does not have it. */
static const char *metric_names_event_of(const struct request *r, const char *event)
{
	if (event == CLOCK)
		return r->tasks ? "task-clock" : "cpu-clock";
	return event == TOPDOWN_EVENTS ? pt_counts_topdown_events() : event;
}

/* Adds the events that are not there yet, as one group if they are several. */
static int metric_names_add_events(struct request *r, const char *const *events, size_t max,
				   bool group)
{
	struct pt_buf new = PT_BUF_INIT;
	size_t before = r->events.nr;

	for (size_t i = 0; i < max && events[i]; i++) {
		const char *event = metric_names_event_of(r, events[i]);

		if (!event)
			return pt_err_set(r->e, "this machine's PMU does not count %s events",
					  events[i]);
		if (is_added(r, event))
			continue;
		pt_strs_add(&r->events, event);
		pt_buf_printf(&new, "%s%s", new.len ? "," : "", event);
	}
	if (new.len)
		pt_buf_printf(r->text, group && r->events.nr - before > 1 ? "%s{%s}" : "%s%s",
			      r->text->len ? "," : "", pt_buf_str(&new));
	pt_buf_deinit(&new);
	return 0;
}

static bool metric_names_is_named(const struct pt_metric_name *m, const char *word)
{
	return m->name && (!strcasecmp(m->name, word) || !strcasecmp(m->group, word) ||
			   (m->also && !strcasecmp(m->also, word)));
}

static int metric_names_unknown(const char *word, struct pt_err *e)
{
	struct pt_buf known = PT_BUF_INIT;
	size_t i;

	for (i = 0; i < PT_METRIC_END; i++)
		if (names[i].name)
			pt_buf_printf(&known, " %s", names[i].name);
	pt_err_set(e,
		   "no metric or group of metrics '%s'; vendors' tables of them are not part of pt. There are:%s",
		   word, pt_buf_str(&known));
	pt_buf_deinit(&known);
	return -1;
}

static int metric_names_add_word(struct request *r, const char *word)
{
	bool found = false;

	for (size_t i = 0; i < PT_METRIC_END; i++) {
		const struct pt_metric_name *m = &names[i];

		if (!metric_names_is_named(m, word))
			continue;
		if (metric_names_add_events(r, m->hardware, PT_NR(m->hardware), true) < 0 ||
		    metric_names_add_events(r, m->software, PT_NR(m->software), false) < 0)
			return pt_err_context(r->e, "%s", word);
		r->which |= 1u << i;
		found = true;
	}
	return found ? 0 : metric_names_unknown(word, r->e);
}

int pt_metrics_parse(const struct pt_strs *words, bool tasks, uint32_t *which,
		     struct pt_buf *events, struct pt_err *e)
{
	struct request r = { .tasks = tasks, .text = events, .e = e };
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < words->nr; i++)
		rc = metric_names_add_word(&r, words->v[i]);
	*which = r.which;
	free(r.events.v);
	return rc;
}
