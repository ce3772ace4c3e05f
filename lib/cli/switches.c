#include "cli/switches.h"

#include <errno.h>

const char *pt_switches_events(bool moves)
{
	return moves ? "sched:sched_switch,sched:sched_waking,sched:sched_wakeup_new,sched:sched_migrate_task" :
		       "sched:sched_switch,sched:sched_waking,sched:sched_wakeup_new";
}

bool pt_switches_task(void *choose, const struct pt_sched_task *t)
{
	return pt_choose_task(choose, t->pid, t->tid, t->comm);
}

bool pt_switches_cpu(void *choose, int32_t cpu)
{
	return pt_choose_cpu(choose, cpu);
}

int pt_switches_end(const struct pt_tool *tool, const struct pt_sched *s, const struct pt_source *src, int rc, struct pt_err *e)
{
	struct pt_buf note = PT_BUF_INIT;

	if (e->sys == EPIPE)
		return rc;
	for (size_t i = 0; pt_sched_note(s, &i, &note); pt_buf_clear(&note))
		pt_warn(tool, "%s", pt_buf_str(&note));
	pt_buf_deinit(&note);
	if (!rc && !pt_source_info(src)->live && !pt_sched_counts(s).switches)
		rc = pt_err_set(e, "no sched:sched_switch events: record with pt-record --sched, or perf sched record");
	return rc;
}
