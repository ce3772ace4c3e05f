#include "count/metric.h"

#include <string.h>

#include "base/mem.h"
#include "event/open.h"

#define KINDS \
	(PT_ATTR_EXCLUDE_USER | PT_ATTR_EXCLUDE_KERNEL | PT_ATTR_EXCLUDE_HV | \
	 PT_ATTR_EXCLUDE_HOST | PT_ATTR_EXCLUDE_IDLE)
#define READ_MISS(cache) \
	((cache) | PERF_COUNT_HW_CACHE_OP_READ << 8 | PERF_COUNT_HW_CACHE_RESULT_MISS << 16)

struct look {				/* where a figure's operands are looked for */
	const struct pt_counts *c;
	const struct pt_counts_row *row;
	enum pt_counts_which which;
	const char *cgroup;		/* only events of this control group count */
};

double pt_counts_value(const struct pt_counts *c, const struct pt_counts_row *row, size_t event,
		       enum pt_counts_which which)
{
	if (which == PT_COUNTS_ONES)
		return 1;
	if (which == PT_COUNTS_INTERVAL)
		return row->now[event].value;
	return c->nr_runs ? row->runs[event].mean : row->total[event].value;
}

static bool metric_counted(const struct look *l, size_t event)
{
	const char *cgroup = l->c->events[event].cgroup;

	if (cgroup && l->cgroup ? strcmp(cgroup, l->cgroup) : cgroup != l->cgroup)
		return false;
	if (!l->c->supported[event] || l->which == PT_COUNTS_ONES)
		return l->c->supported[event];
	return (l->which == PT_COUNTS_INTERVAL ? l->row->now : l->row->total)[event].running_ns;
}

/* Finds the value of an event of the same kind as `like`, and on machines with several kinds of
 * cores of the same kind of core. */
static bool metric_find(const struct look *l, uint32_t type, uint64_t config,
			const struct pt_attr *like, double *v)
{
	for (size_t i = 0; i < l->c->nr; i++) {
		const struct pt_attr *a = l->c->events[i].attr;

		if (a->type != type || (uint32_t)a->config != config || !metric_counted(l, i))
			continue;
		if (like &&
		    ((a->flags ^ like->flags) & KINDS ||
		     (like->type != PERF_TYPE_SOFTWARE && a->config >> 32 != like->config >> 32)))
			continue;
		*v = pt_counts_value(l->c, l->row, i, l->which);
		return true;
	}
	return false;
}

/* Finds the nanoseconds on CPUs, by one of the clocks. */
static bool clock_ns(const struct look *l, double *v)
{
	return (metric_find(l, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, NULL, v) ||
		metric_find(l, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, NULL, v)) &&
	       *v > 0;
}

static const struct { uint32_t type, config; enum pt_metric_id id; } named_rates[] = {
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, PT_METRIC_SWITCHES },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, PT_METRIC_MIGRATIONS },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, PT_METRIC_FAULTS },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, PT_METRIC_BRANCHES },
};

static size_t rate(const struct look *l, double v, const struct pt_attr *a, struct pt_metric *m)
{
	static const char *const units[] = { "/sec", "K/sec", "M/sec", "G/sec" };
	size_t unit = 0;
	double ns;

	if (!clock_ns(l, &ns))
		return 0;
	for (v = v / ns * 1e9; v > 1000 && unit + 1 < PT_NR(units); unit++)
		v /= 1000;
	*m = (struct pt_metric){ .value = v, .width = 8, .decimals = 3, .after = "",
				 .unit = units[unit],
				 .base = (double[]){ 1, 1e3, 1e6, 1e9 }[unit] };
	for (size_t i = 0; i < PT_NR(named_rates); i++)
		if (a->type == named_rates[i].type && (uint32_t)a->config == named_rates[i].config)
			m->id = named_rates[i].id;
	return 1;
}

bool pt_metric_is_rate(const struct pt_metric *m)
{
	const char *slash = strchr(m->unit, '/');

	return slash && !strcmp(slash, "/sec");
}

static struct pt_metric per_insn(enum pt_metric_id id, double v, const char *unit)
{
	return (struct pt_metric){ .id = id, .value = v, .width = 7, .decimals = 2, .after = " ",
				   .unit = unit, .base = 1 };
}

static size_t of_instructions(const struct look *l, double v, const struct pt_attr *a,
			      struct pt_metric *m)
{
	double cycles, front = 0, back = 0;
	bool stalls;
	size_t n = 0;

	if (metric_find(l, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, a, &cycles))
		m[n++] = per_insn(PT_METRIC_INSNS, cycles ? v / cycles : 0, "insn per cycle");
	stalls = metric_find(l, PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, a,
			     &front);
	stalls |=
		metric_find(l, PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, a, &back);
	if (stalls && v)
		m[n++] = per_insn(PT_METRIC_STALLS, PT_MAX(front, back) / v,
				  "stalled cycles per insn");
	return n;
}

/* Events that are a share of another one; how much of it is yellow, magenta, red. */
static const struct {
	enum pt_metric_id id;
	uint32_t type, config, whole;
	const char *unit;
	double yellow, magenta, red;
} shares[] = {
#define HARDWARE(id, part, whole, ...) \
	{ PT_METRIC_##id, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##part, PERF_COUNT_HW_##whole, \
	  __VA_ARGS__ }
#define CACHE(cache, unit) \
	{ PT_METRIC_##cache##_MISSES, PERF_TYPE_HW_CACHE, \
	  READ_MISS(PERF_COUNT_HW_CACHE_##cache), PERF_COUNT_HW_CACHE_##cache, unit, 5, 10, 20 }
	HARDWARE(BRANCH_MISSES, BRANCH_MISSES, BRANCH_INSTRUCTIONS, "of all branches", 5, 10, 20),
	HARDWARE(CACHE_MISSES, CACHE_MISSES, CACHE_REFERENCES, "of all cache refs", 5, 10, 20),
	HARDWARE(FRONTEND, STALLED_CYCLES_FRONTEND, CPU_CYCLES, "frontend cycles idle", 10, 30, 50),
	HARDWARE(BACKEND, STALLED_CYCLES_BACKEND, CPU_CYCLES, "backend cycles idle", 20, 50, 75),
	CACHE(L1D, "of all L1-dcache accesses"),
	CACHE(L1I, "of all L1-icache accesses"),
	CACHE(LL, "of all LL-cache accesses"),
	CACHE(DTLB, "of all dTLB cache accesses"),
	CACHE(ITLB, "of all iTLB cache accesses"),
#undef CACHE
#undef HARDWARE
};

static size_t metric_share(const struct look *l, double v, const struct pt_attr *a,
			   struct pt_metric *m)
{
	double whole;

	for (size_t i = 0; i < PT_NR(shares); i++) {
		if (a->type != shares[i].type || (uint32_t)a->config != shares[i].config ||
		    !metric_find(l, a->type, shares[i].whole, a, &whole))
			continue;
		v = whole ? v / whole * 100 : 0;
		*m = per_insn(shares[i].id, v, shares[i].unit);
		m->after = "%";
		m->grade = (v > shares[i].yellow) + (v > shares[i].magenta) + (v > shares[i].red);
		return 1;
	}
	return 0;
}

/* -- top-down level 1 -- */

/* The name alone: "cpu/topdown-retiring/u" is "topdown-retiring". */
static bool metric_is_named(const char *name, const char *what)
{
	const char *slash = strchr(name, '/');
	size_t len;

	if (slash)
		name = slash + 1;
	len = strcspn(name, "/:,");
	return len == strlen(what) && !strncmp(name, what, len);
}

static bool find_named(const struct look *l, const char *what, double *v)
{
	for (size_t i = 0; i < l->c->nr; i++)
		if (metric_is_named(l->c->events[i].name, what) && metric_counted(l, i)) {
			*v = pt_counts_value(l->c, l->row, i, l->which);
			return true;
		}
	return false;
}

/* Level 1: which figures, and from when on they are worth a look. */
static const struct { enum pt_metric_id id; const char *unit; double much; } parts[] = {
	{ PT_METRIC_TOP_RETIRING, "retiring", 2 },
	{ PT_METRIC_TOP_BAD_SPECULATION, "bad speculation", 0.1 },
	{ PT_METRIC_TOP_FRONTEND, "frontend bound", 0.2 },
	{ PT_METRIC_TOP_BACKEND, "backend bound", 0.2 },
};
enum { RETIRING, BAD_SPECULATION, FRONTEND, BACKEND };

static size_t topdown(struct pt_metric *m, double v, unsigned part)
{
	*m = (struct pt_metric){ .id = parts[part].id, .value = v * 100, .width = 8, .decimals = 1,
				 .after = "%", .unit = parts[part].unit, .base = 1,
				 .grade = v > parts[part].much ? 3 : 0 };
	return 1;
}

/* PMUs with slots count the four parts as they are. */
static size_t of_slots(const struct look *l, const char *name, struct pt_metric *m)
{
	static const char *const names[PT_NR(parts)] = { "topdown-retiring", "topdown-bad-spec",
							 "topdown-fe-bound", "topdown-be-bound" };
	double v[PT_NR(parts)], sum = 0;
	unsigned i;

	for (i = 0; i < PT_NR(parts); i++) {
		if (!find_named(l, names[i], &v[i]))
			return 0;
		sum += v[i];
	}
	for (i = 0; i < PT_NR(parts); i++)
		if (sum > 0 && metric_is_named(name, names[i]))
			return topdown(m, v[i] / sum, i);
	return 0;
}

/* Older PMUs count slots, what was issued into them, what retired, and bubbles. Each part is shown
 * on the line of one of them. */
static size_t of_generic(const struct look *l, const char *name, struct pt_metric *m)
{
	double total, issued, retired, bubbles, recovery, fe, bad, ret;

	if (!find_named(l, "topdown-total-slots", &total) ||
	    !find_named(l, "topdown-slots-issued", &issued) ||
	    !find_named(l, "topdown-slots-retired", &retired) ||
	    !find_named(l, "topdown-fetch-bubbles", &bubbles) ||
	    !find_named(l, "topdown-recovery-bubbles", &recovery) || total <= 0)
		return 0;
	fe = bubbles / total;
	bad = PT_MAX(0, (issued - retired + recovery) / total);
	ret = retired / total;
	if (metric_is_named(name, "topdown-fetch-bubbles"))
		return topdown(m, fe, FRONTEND);
	if (metric_is_named(name, "topdown-recovery-bubbles"))
		return topdown(m, bad, BAD_SPECULATION);
	if (metric_is_named(name, "topdown-slots-retired"))
		return topdown(m, ret, RETIRING);
	if (metric_is_named(name, "topdown-total-slots"))
		return topdown(m, PT_MAX(0, 1 - fe - bad - ret), BACKEND);
	return 0;
}

static size_t of_time(double v, double ns, enum pt_metric_id id, const char *unit,
		      struct pt_metric *m)
{
	*m = (struct pt_metric){ .id = id, .value = v / ns, .width = 8, .decimals = 3, .after = "",
				 .unit = unit, .base = 1 };
	return 1;
}

static size_t figures(const struct look *l, const struct pt_counts_event *ev, double v,
		      double elapsed_ns, struct pt_metric *out)
{
	const struct pt_attr *a = ev->attr;
	double ns;

	if (pt_event_is_clock(a))
		return elapsed_ns > 0 ? of_time(v, elapsed_ns, PT_METRIC_CPUS, "CPUs utilized", out)
				      : 0;
	if (strstr(ev->name, "topdown-"))
		return of_slots(l, ev->name, out) || of_generic(l, ev->name, out);
	if (a->type == PERF_TYPE_HARDWARE && (uint32_t)a->config == PERF_COUNT_HW_INSTRUCTIONS)
		return of_instructions(l, v, a, out);
	if (a->type == PERF_TYPE_HARDWARE && (uint32_t)a->config == PERF_COUNT_HW_CPU_CYCLES)
		return clock_ns(l, &ns) ? of_time(v, ns, PT_METRIC_FREQUENCY, "GHz", out) : 0;
	if (*ev->unit)
		return 0;
	return metric_share(l, v, a, out) || rate(l, v, a, out);
}

size_t pt_counts_metrics(const struct pt_counts *c, const struct pt_counts_row *row, size_t event,
			 enum pt_counts_which which, double elapsed_ns,
			 struct pt_metric out[PT_METRICS_MAX])
{
	const struct pt_counts_event *ev = &c->events[event];
	struct look l = { c, row, which, ev->cgroup };
	size_t nr, i, kept = 0;

	if (!metric_counted(&l, event))
		return 0;
	nr = figures(&l, ev, pt_counts_value(c, row, event, which), elapsed_ns, out);
	if (!c->opts.metrics)
		return nr;
	for (i = 0; i < nr; i++) {
		if (!(c->opts.metrics >> out[i].id & 1))
			continue;
		out[kept] = out[i];
		out[kept].value *= out[i].base;
		out[kept].base = 1;
		out[kept++].unit = pt_metric_name(out[i].id)->name;
	}
	return kept;
}
