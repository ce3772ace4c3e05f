#include "cli/switches.h"

#include <string.h>

const char *pt_switches_events(bool moves)
{
	return moves ? "sched:sched_switch,sched:sched_waking,sched:sched_wakeup_new,sched:sched_migrate_task"
		     : "sched:sched_switch,sched:sched_waking,sched:sched_wakeup_new";
}

bool pt_switches_chosen(const struct pt_choose *c, const struct pt_sched_event *ev)
{
	if (!c->given)
		return true;
	if (!pt_choose_time(c, ev->time_ns) || !pt_choose_cpu(c, ev->cpu))
		return false;
	return !pt_choose_tasks(c) ||
	       pt_choose_task(c, ev->task->pid, ev->task->tid, ev->task->comm) ||
	       pt_choose_task(c, ev->next->pid, ev->next->tid, ev->next->comm);
}

static bool watches_switches(const struct pt_analysis *an)
{
	bool any = false;

	for (size_t i = 0; i < pt_source_nr_events(an->src) && !any; i++)
		any = strstr(pt_source_event(an->src, i)->name, "sched_switch");
	return any;
}

void pt_switches_end(struct pt_analysis *an, const struct pt_sched *s)
{
	struct pt_buf note = PT_BUF_INIT;

	pt_analysis_print(an);
	if (pt_analysis_gone(an))
		return;
	for (size_t i = 0; pt_sched_note(s, &i, &note); pt_buf_clear(&note))
		pt_warn(an->tool, "%s", pt_buf_str(&note));
	pt_buf_deinit(&note);
	if (an->rc || pt_sched_counts(s).switches || pt_analysis_emptied(an))
		return;
	if (an->live && !watches_switches(an))
		an->rc = pt_err_set(&an->err,
				    "sched:sched_switch must be among the events of -e");
	else if (!an->live)
		an->rc = pt_err_set(&an->err, "no sched:sched_switch events: record with "
						"pt-record --sched, or perf sched record");
}
