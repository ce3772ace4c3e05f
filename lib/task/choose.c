#include "task/choose.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"

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

	return bsearch(&key, list, nr, sizeof(int), pt_num_compare);
}

bool pt_choose_task(const struct pt_choose *c, uint32_t pid, uint32_t tid, const char *comm)
{
	if ((c->nr_pids && !among(c->pids, c->nr_pids, pid)) ||
	    (c->nr_tids && !among(c->tids, c->nr_tids, tid)))
		return false;
	if (!c->comms.nr)
		return true;
	for (size_t i = 0; comm && i < c->comms.nr; i++)
		if (!strcmp(c->comms.v[i], comm))
			return true;
	return false;
}

bool pt_choose_cpu(const struct pt_choose *c, int cpu)
{
	return !c->nr_cpus || (cpu >= 0 && among(c->cpus, c->nr_cpus, (uint32_t)cpu));
}

bool pt_choose_sample(const struct pt_choose *c, const struct pt_record *rec, const char *comm)
{
	if (!c->given)
		return true;
	if (c->time_text && (!(rec->has & PERF_SAMPLE_TIME) || !pt_choose_time(c, rec->time_ns)))
		return false;
	if (!pt_choose_cpu(c, rec->has & PERF_SAMPLE_CPU ? (int)rec->cpu : -1))
		return false;
	if ((c->nr_pids || c->nr_tids) && !(rec->has & PERF_SAMPLE_TID))
		return false;
	return pt_choose_task(c, rec->pid, rec->tid, comm);
}
