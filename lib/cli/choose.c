/* choose.c - which samples of a recording count: by time, name, process, thread, CPU */
#include "cli/input.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"

enum { OPEN, ABSOLUTE, FROM_START, PERCENT };

static int parse_point(const char *s, size_t len, struct pt_choose_point *p, struct pt_err *e)
{
	char *text = pt_strndup(s, len);
	int rc = 0;

	*p = (struct pt_choose_point){ .unit = OPEN };
	if (!len) {
		rc = 0;
	} else if (text[len - 1] == '%') {
		p->unit = PERCENT;
		text[len - 1] = '\0';
		rc = pt_num_double(text, &p->percent, e);
		if (!rc && (p->percent < 0 || p->percent > 100))
			rc = pt_err_set(e, "%s%% is not between 0%% and 100%%", text);
	} else {
		p->unit = *text == '+' ? FROM_START : ABSOLUTE;
		rc = pt_num_seconds(text + (*text == '+'), &p->time_ns, e);
	}
	free(text);
	return rc;
}

/* "FROM,TO", either may be missing; "10%-20%" as in perf; without a comma the end is open. */
static int parse_range(const char *s, struct pt_choose_point *from, struct pt_choose_point *to,
		       struct pt_err *e)
{
	const char *cut = strchr(s, ','), *percent = strstr(s, "%-");

	if (!cut && percent)
		cut = percent + 1;
	if (!cut)
		cut = s + strlen(s);
	if (parse_point(s, (size_t)(cut - s), from, e) < 0)
		return -1;
	return parse_point(*cut ? cut + 1 : cut, *cut ? strlen(cut + 1) : 0, to, e);
}

static int opt_time(void *group, const char *arg, struct pt_err *e)
{
	struct pt_choose *c = group;

	if (parse_range(arg, &c->from, &c->to, e) < 0)
		return -1;
	c->time_text = arg;
	return 0;
}

/* `given` is set by each. */
#define ROW(name_, arg_, help_, ...) \
	{ .name = (name_), .arg = (arg_), .help = (help_), .given = "--" name_, .given_off = offsetof(struct pt_choose, given), __VA_ARGS__ }
#define NUMBERS(list_) \
	.kind = PT_OPT_NUMBERS, .max = INT32_MAX, .off = offsetof(struct pt_choose, list_), \
	.nr_off = offsetof(struct pt_choose, nr_##list_)
const struct pt_opt pt_opts_choose[] = {
	ROW("time", "FROM,TO", "seconds; +S from the start; 10%,20% of the recording",
	    .kind = PT_OPT_CALL, .call = opt_time),
	ROW("comm", "NAMES", "only tasks of these names", .kind = PT_OPT_NAMES,
	    .off = offsetof(struct pt_choose, comms)),
	ROW("pid", "PIDS", "only these processes", NUMBERS(pids)),
	ROW("tid", "TIDS", "only these threads", NUMBERS(tids)),
	ROW("cpu", "CPUS", "only what happened there: 0-3,7", NUMBERS(cpus)),
	{ 0 }
};

static int resolve(const struct pt_choose_point *p, const struct pt_info *info, uint64_t first_ns,
		   uint64_t open, uint64_t *out, struct pt_err *e)
{
	uint64_t start = info->first_time_ns ? info->first_time_ns : first_ns;

	switch (p->unit) {
	case OPEN:
		*out = open;
		break;
	case ABSOLUTE:
		*out = p->time_ns;
		break;
	case FROM_START:
		*out = start + p->time_ns;
		break;
	case PERCENT:
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
	if (c->nr_cpus && (!(rec->has & PERF_SAMPLE_CPU) || !among(c->cpus, c->nr_cpus, rec->cpu)))
		return false;
	if ((c->nr_pids || c->nr_tids) && !(rec->has & PERF_SAMPLE_TID))
		return false;
	return pt_choose_task(c, rec->pid, rec->tid, comm);
}

/* Appends a list to another one. */
static void move_numbers(int **to, size_t *nr_to, int **from, size_t *nr_from)
{
	if (!*nr_from)
		return;
	pt_num_list_join(to, nr_to, *from, *nr_from);
	free(*from);
	*from = NULL;
	*nr_from = 0;
}

void pt_choose_watched(struct pt_choose *c, struct pt_watch_args *w, const struct pt_input_args *in,
		       int argc, char **argv, int first)
{
	struct pt_watch *watch = &w->watch;
	bool recording =
		(in && in->file) || (first < argc && !pt_opt_had_dashes(argc, argv, first));

	if (recording && w->given &&
	    (!strcmp(w->given, "-p") || !strcmp(w->given, "-t") || !strcmp(w->given, "-C")))
		w->given = watch->all_cpus      ? "-a"
			   : watch->duration_ns ? "--for"
			   : w->nr_wanted       ? "-e"
						: NULL;
	if (watch->nr_pids || watch->nr_tids || watch->nr_cpus)
		c->given = "-p";
	move_numbers(&c->pids, &c->nr_pids, &watch->pids, &watch->nr_pids);
	move_numbers(&c->tids, &c->nr_tids, &watch->tids, &watch->nr_tids);
	move_numbers(&c->cpus, &c->nr_cpus, &watch->cpus, &watch->nr_cpus);
	if (!watch->cgroup)
		watch->all_cpus = true;
}

void pt_choose_deinit(struct pt_choose *c)
{
	size_t i;

	for (i = 0; i < c->comms.nr; i++)
		free((char *)(uintptr_t)c->comms.v[i]);
	free(c->comms.v);
	free(c->pids);
	free(c->tids);
	free(c->cpus);
	*c = (struct pt_choose){ 0 };
}
