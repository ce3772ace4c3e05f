/* catalog_try.c - which events this user can open now */
#include "event/catalog.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "event/caps.h"
#include "event/open.h"

/* 0: it opens; 1: only outside the kernel; -errno */
static int try_attr(struct pt_attr a, const struct pt_pmu *pmu)
{
	bool task = !pmu || pmu->core || !pmu->nr_cpus;
	int cpu = task ? -1 : pmu->cpus[0], sys;

	a.flags |= PT_ATTR_DISABLED;
	a.sample_period = 0;
	sys = pt_perf_try(&a, task ? 0 : -1, cpu);
	if (!pt_is_refusal(sys) || a.type == PERF_TYPE_TRACEPOINT ||
	    pt_event_is_kernels(&a) || !task)
		return -sys;
	a.flags |= PT_ATTR_EXCLUDE_KERNEL | PT_ATTR_EXCLUDE_HV;
	sys = pt_perf_try(&a, 0, -1);
	return sys ? -sys : 1;
}

static bool no_core_pmu(const struct pt_catalog *c, const struct pt_attr *a)
{
	return c->names.pmus && !c->names.pmus->nr_core &&
	       (a->type == PERF_TYPE_HARDWARE || a->type == PERF_TYPE_HW_CACHE ||
		a->type == PERF_TYPE_RAW);
}

/* A few words for a column; the whole message goes to `missing`, each once. */
static void explain(struct pt_catalog *c, struct pt_catalog_event *ev, const struct pt_attr *a,
		    const struct pt_pmu *pmu, int sys)
{
	enum pt_open_target target =
		!pmu || pmu->core || !pmu->nr_cpus ? PT_OPEN_TASK : PT_OPEN_CPU;
	struct pt_attr tried = *a;
	struct pt_err e = PT_ERR_INIT;
	const char *text, *what;
	char *words, said[128];
	struct pt_caps caps;

	ev->sys = sys;
	switch (sys) {
	case EACCES:
	case EPERM:
		if (target == PT_OPEN_TASK && a->type != PERF_TYPE_TRACEPOINT &&
		    !pt_event_is_kernels(a))
			tried.flags |= PT_ATTR_EXCLUDE_KERNEL;
		pt_caps_get(&caps);
		pt_caps_level(&tried, target == PT_OPEN_TASK, &what);
		words = caps.paranoid == PT_PARANOID_UNKNOWN || caps.perfmon
				? pt_strdup("not for this user")
				: pt_asprintf(
					  "not for this user (kernel.perf_event_paranoid is %d)",
					  caps.paranoid);
		ev->why = pt_names_add(c->texts, words, strlen(words));
		free(words);
		pt_open_error(&e, sys, what, &tried, target);
		text = strstr(e.msg, ": ");
		catalog_missing(c, text && !strncmp(e.msg, what, strlen(what)) ? text + 2 : e.msg);
		return;
	case ENOENT:
	case ENODEV:
	case ENXIO:
	case EOPNOTSUPP:
		ev->why = no_core_pmu(c, a) ? "no hardware counters here" : "not on this machine";
		return;
	case ENOSYS:
		ev->why = "a kernel without perf events";
		return;
	}
	text = strerror_r(sys, said, sizeof(said));
	ev->why = pt_names_add(c->texts, text, strlen(text));
}

static void catalog_try_tell(struct pt_catalog *c, struct pt_catalog_event *ev, int rc,
			     const struct pt_event_spec *s, const char *how)
{
	ev->how = how;
	ev->can = rc == 0 ? PT_CAN_OPEN : rc > 0 ? PT_CAN_OPEN_USER : PT_CAN_NOT;
	if (rc >= 0)
		return;
	c->nr_not++;
	explain(c, ev, &s->attr, s->pmu, -rc);
}

/* Tries it by its name, as any tool would. Of several events (instances, core PMUs) one that opens
 * is enough. */
static void try_named(struct pt_catalog *c, struct pt_catalog_event *ev, const char *name)
{
	size_t first = c->names.nr;
	struct pt_err e = PT_ERR_INIT;
	int rc = -ENOENT;

	if (pt_event_list_add(&c->names, name, &e) < 0) {
		ev->pattern = true;	/* needs a unit mask or another term */
		ev->why = ev->kind == PT_KIND_VENDOR ? "needs a unit mask" : "not understood";
		return;
	}
	for (size_t i = first; i < c->names.nr && rc < 0; i++)
		rc = try_attr(c->names.specs[i].attr, c->names.specs[i].pmu);
	catalog_try_tell(c, ev, rc, &c->names.specs[first], "opened");
}

static bool is_of_tracefs(const struct pt_catalog_event *ev)
{
	return ev->kind == PT_KIND_TRACEPOINT || ev->kind == PT_KIND_PROBE;
}

/* Opening takes 10 us, but closing waits for the kernel: one tracepoint speaks for all. */
static void try_tracepoints(struct pt_catalog *c)
{
	const struct pt_catalog_event *tried = NULL;
	struct pt_catalog_event *ev, *end = c->v + c->nr;
	struct pt_err e = PT_ERR_INIT;
	size_t at = c->names.nr;
	struct pt_caps caps;
	bool quick;
	char *how;
	int rc;

	for (ev = c->v; ev < end && !tried; ev++)
		if (is_of_tracefs(ev) &&
		    pt_event_list_add(&c->names, ev->name, &e) == 0)
			tried = ev;
	if (!tried && e.msg[0]) {	/* only root may read their ids */
		catalog_missing(c, e.msg);
		for (ev = c->v; ev < end; ev++)
			if (is_of_tracefs(ev)) {
				ev->can = PT_CAN_NOT;
				ev->sys = e.sys ? e.sys : ENOENT;
				ev->why = e.sys == EACCES ? "not for this user"
							  : "its format cannot be read";
				ev->how = "its id cannot be read";
				c->nr_not++;
			}
		return;
	}
	if (!tried)
		return;
	pt_caps_get(&caps);
	quick = c->opts.quick && caps.perfmon && !caps.user_namespace && !caps.seccomp;
	rc = quick ? 0 : try_attr(c->names.specs[at].attr, NULL);
	how = quick ? pt_strdup("by this user's rights")
		    : pt_asprintf("as %s, which was opened", tried->name);
	for (ev = c->v; ev < end; ev++)
		if (is_of_tracefs(ev))
			catalog_try_tell(c, ev, rc, &c->names.specs[at],
					 ev == tried && !quick ? "opened"
						   : pt_names_add(c->texts, how, strlen(how)));
	free(how);
}

void catalog_try_all(struct pt_catalog *c)
{
	char *mem = pt_asprintf("mem:%p/4:rw", (void *)&c->nr);

	for (size_t i = 0; i < c->nr; i++) {
		struct pt_catalog_event *ev = &c->v[i];

		switch (ev->kind) {
		case PT_KIND_TRACEPOINT:
		case PT_KIND_PROBE:
		case PT_KIND_SDT:
			break;
		case PT_KIND_TOOL:
			ev->can = PT_CAN_OPEN;
			ev->how = "counted by pt-stat itself";
			break;
		case PT_KIND_RAW:
			try_named(c, ev, "r0");
			break;
		case PT_KIND_BREAKPOINT:
			try_named(c, ev, mem);
			break;
		case PT_KIND_PMU:
			if (ev->pattern)
				break;
			/* fall through */
		default:
			try_named(c, ev, ev->name);
		}
	}
	try_tracepoints(c);
	free(mem);
}
