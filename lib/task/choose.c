#include "task/choose.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"

static int resolve(const struct pt_choose_point *p, const struct pt_info *info, uint64_t first_ns,
		   uint64_t open, uint64_t *out, struct pt_err *e)
{
	uint64_t start = info->first_time_ns ? info->first_time_ns : first_ns;

	switch (p->unit) {
	case PT_CHOOSE_OPEN:
		*out = open;
		break;
	case PT_CHOOSE_ABSOLUTE:
		*out = p->time_ns;
		break;
	case PT_CHOOSE_FROM_START:
		*out = start + p->time_ns;
		break;
	case PT_CHOOSE_PERCENT:
		if (!info->last_time_ns || info->last_time_ns < info->first_time_ns)
			return pt_err_set(
				e,
				"--time in percent: the recording does not say when it ended; give seconds (+S from the start)");
		*out = info->first_time_ns +
		       (uint64_t)((double)(info->last_time_ns - info->first_time_ns) * p->percent /
				  100);
		break;
	}
	return 0;
}

int pt_choose_start(struct pt_choose *c, struct pt_source *s, uint64_t first_ns, struct pt_err *e)
{
	const struct pt_info *info = pt_source_info(s);

	c->from_ns = 0;
	c->to_ns = UINT64_MAX;
	if (!c->time_text)
		return 0;
	if (resolve(&c->from, info, first_ns, 0, &c->from_ns, e) < 0 ||
	    resolve(&c->to, info, first_ns, UINT64_MAX, &c->to_ns, e) < 0)
		return -1;
	if (c->from_ns > c->to_ns)
		return pt_err_set(e, "--time %s: ends before it starts", c->time_text);
	return 0;
}

static bool among(const int *list, size_t nr, uint32_t v)
{
	int key = (int)v;

	return nr && bsearch(&key, list, nr, sizeof(int), pt_num_compare);
}

void pt_choose_add_pid(struct pt_choose *c, int pid)
{
	size_t at = c->nr_pids;

	if (among(c->pids, c->nr_pids, (uint32_t)pid))
		return;
	c->pids = pt_realloc(c->pids, c->nr_pids + 1, sizeof(*c->pids));
	for (; at > 0 && c->pids[at - 1] > pid; at--)
		c->pids[at] = c->pids[at - 1];
	c->pids[at] = pid;
	c->nr_pids++;
}

void pt_choose_follow(struct pt_choose *c, const struct pt_record *rec)
{
	if (rec->u.task.pid != rec->u.task.ppid && among(c->pids, c->nr_pids, rec->u.task.ppid))
		pt_choose_add_pid(c, (int)rec->u.task.pid);
}

/* Notes whether something was chosen, for pt_choose_emptied(); returns just that. */
static bool note_time(const struct pt_choose *c, uint64_t time_ns, bool chosen)
{
	struct pt_choose_met *m = c->met;

	if (!m || m->some[PT_CHOOSE_BY_TIME])
		return chosen;
	m->some[PT_CHOOSE_BY_TIME] = chosen;
	if (!m->nr[PT_CHOOSE_BY_TIME] || time_ns < m->least_ns)
		m->least_ns = time_ns;
	if (time_ns > m->greatest_ns)
		m->greatest_ns = time_ns;
	m->nr[PT_CHOOSE_BY_TIME] = 1;
	return chosen;
}

static bool note_number(const struct pt_choose *c, enum pt_choose_by by, uint32_t v, bool chosen)
{
	struct pt_choose_met *m = c->met;
	size_t i, *nr;

	if (!m || m->some[by] || v == UINT32_MAX)
		return chosen;
	m->some[by] = chosen;
	nr = &m->nr[by];
	for (i = 0; i < *nr; i++)
		if (m->numbers[by][i] == v)
			return chosen;
	if (i < PT_NR(m->numbers[by]))
		m->numbers[by][(*nr)++] = v;
	return chosen;
}

enum pt_choose_by pt_choose_emptied(const struct pt_choose *c)
{
	for (int by = 0; by < PT_CHOOSE_NR; by++)
		if (c->met && (c->met->nr[by] || c->met->lacking[by]) && !c->met->some[by])
			return (enum pt_choose_by)by;
	return c->met && pt_offer_refused(&c->met->comms) ? PT_CHOOSE_BY_COMM : PT_CHOOSE_NR;
}

bool pt_choose_time_given(const struct pt_choose *c, uint64_t time_ns)
{
	return note_time(c, time_ns, time_ns >= c->from_ns && time_ns <= c->to_ns);
}

bool pt_choose_cpu_given(const struct pt_choose *c, int cpu)
{
	return cpu >= 0 && note_number(c, PT_CHOOSE_BY_CPU, (uint32_t)cpu,
				       among(c->cpus, c->nr_cpus, (uint32_t)cpu));
}

bool pt_choose_task_given(const struct pt_choose *c, uint32_t pid, uint32_t tid, const char *comm)
{
	bool is = false;

	if ((c->nr_pids &&
	     !note_number(c, PT_CHOOSE_BY_PID, pid, among(c->pids, c->nr_pids, pid))) ||
	    (c->nr_tids &&
	     !note_number(c, PT_CHOOSE_BY_TID, tid, among(c->tids, c->nr_tids, tid))))
		return false;
	if (!c->comms.nr)
		return true;
	for (size_t i = 0; comm && i < c->comms.nr && !is; i++)
		is = !strcmp(c->comms.v[i], comm) || pt_text_glob(c->comms.v[i], comm);
	return c->met ? pt_offer_note(&c->met->comms, comm ? comm : "?", is) : is;
}

/* Notes it if the sample does not have what it is to be chosen by. */
static bool choose_lacks(const struct pt_choose *c, const struct pt_record *rec, uint64_t field,
			 enum pt_choose_by by)
{
	bool lacking = !(rec->has & field);

	if (c->met)
		c->met->lacking[by] |= lacking;
	return lacking;
}

bool pt_choose_sample(const struct pt_choose *c, const struct pt_record *rec, const char *comm)
{
	if (!c->given)
		return true;
	if (c->time_text && (choose_lacks(c, rec, PERF_SAMPLE_TIME, PT_CHOOSE_BY_TIME) ||
			     !pt_choose_time_given(c, rec->time_ns)))
		return false;
	if (c->nr_cpus && (choose_lacks(c, rec, PERF_SAMPLE_CPU, PT_CHOOSE_BY_CPU) ||
			   !pt_choose_cpu_given(c, (int)rec->cpu)))
		return false;
	if ((c->nr_pids && choose_lacks(c, rec, PERF_SAMPLE_TID, PT_CHOOSE_BY_PID)) ||
	    (c->nr_tids && choose_lacks(c, rec, PERF_SAMPLE_TID, PT_CHOOSE_BY_TID)))
		return false;
	return pt_choose_task(c, rec->pid, rec->tid, comm);
}
