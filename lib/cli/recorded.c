#include "cli/recorded.h"

#include <errno.h>
#include <string.h>

int pt_recorded_run_times(struct pt_watch_args *w, struct pt_err *e)
{
	static const char name[] = "sched:sched_stat_runtime";
	struct pt_event_list *l = &w->watch.events;
	bool sched = false, had = false;
	struct pt_err none = PT_ERR_INIT;

	for (size_t i = 0; i < w->nr_wanted; i++)
		sched |= w->wanted[i].kind == PT_WANT_PRESET && !strcmp(w->wanted[i].text, "sched");
	for (size_t i = 0; i < l->nr; i++)
		had |= !strcmp(l->specs[i].name, name);
	if (sched && !had && pt_event_list_add(l, name, &none) < 0 && none.sys &&
	    none.sys != ENOENT) {
		*e = none;
		return -1;
	}
	return 0;
}

int pt_recorded_off_cpu(struct pt_watch_args *w, bool all_have_chains, struct pt_err *e)
{
	struct pt_event_list *l = &w->watch.events;
	size_t first = l->nr;

	if (pt_event_list_add(l, "sched:sched_switch", e) < 0)
		return pt_err_context(e, "--off-cpu");
	for (size_t i = first; i < l->nr; i++) {
		l->specs[i].attr.sample_period = 1;
		if (!all_have_chains)
			l->specs[i].chain = PT_CHAIN_FP;
	}
	return 0;
}
