#include "cli/switches.h"

const char *pt_switches_events(bool moves)
{
	return moves ? "sched:sched_switch,sched:sched_waking,sched:sched_wakeup_new,sched:sched_migrate_task"
		     : "sched:sched_switch,sched:sched_waking,sched:sched_wakeup_new";
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
	if (!an->rc && !an->live && !pt_sched_counts(s).switches &&
	    !pt_analysis_emptied(an))
		an->rc = pt_err_set(&an->err, "no sched:sched_switch events: record with "
						"pt-record --sched, or perf sched record");
}
