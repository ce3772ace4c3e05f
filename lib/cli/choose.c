/* choose.c - the options of task/choose.h */
#include "cli/analysis.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"

static int parse_point(const char *s, size_t len, struct pt_choose_point *p, struct pt_err *e)
{
	char *text = pt_strndup(s, len);
	int rc = 0;

	*p = (struct pt_choose_point){ .unit = PT_CHOOSE_OPEN };
	if (!len) {
		rc = 0;
	} else if (text[len - 1] == '%') {
		p->unit = PT_CHOOSE_PERCENT;
		text[len - 1] = '\0';
		rc = pt_num_double(text, &p->percent, e);
		if (!rc && (p->percent < 0 || p->percent > 100))
			rc = pt_err_set(e, "%s%% is not between 0%% and 100%%", text);
	} else {
		p->unit = *text == '+' ? PT_CHOOSE_FROM_START : PT_CHOOSE_ABSOLUTE;
		rc = pt_num_seconds(text + (*text == '+'), &p->time_ns, e);
	}
	free(text);
	return rc;
}

/* "10%/2": the second tenth */
static int parse_slice(const char *s, const char *slash, struct pt_choose_point *from,
		       struct pt_choose_point *to, struct pt_err *e)
{
	uint64_t n;

	if (parse_point(s, (size_t)(slash - s), to, e) < 0 ||
	    pt_num_u64(slash + 1, 1, 1000000, &n, e) < 0)
		return -1;
	if ((double)n * to->percent > 100)
		return pt_err_set(e, "%s is beyond the end", s);
	*from = *to;
	from->percent *= (double)(n - 1);
	to->percent *= (double)n;
	return 0;
}

/* "FROM,TO", either may be missing; "10%-20%" and "10%/2" as in perf; without a comma the end is
 * open. */
static int parse_range(const char *s, struct pt_choose_point *from, struct pt_choose_point *to,
		       struct pt_err *e)
{
	const char *cut = strchr(s, ','), *percent = strstr(s, "%-"), *slice = strstr(s, "%/");

	if (cut && (percent || slice || strchr(cut + 1, ',')))
		return pt_err_set(e, "%s: only one range at a time", s);
	if (slice)
		return parse_slice(s, slice + 1, from, to, e);
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

/* A name may have commas in it: all of the text is one, too. */
static int opt_comm(void *group, const char *arg, struct pt_err *e)
{
	struct pt_choose *c = group;

	(void)e;
	pt_strs_split(&c->comms, arg);
	if (strchr(arg, ','))
		pt_strs_add(&c->comms, pt_strdup(arg));
	return 0;
}

/* `given` is set by each. */
#define ROW(name_, arg_, help_, ...) \
	{ .name = (name_), .arg = (arg_), .help = (help_), .given = "--" name_, \
	  .given_off = offsetof(struct pt_choose, given), __VA_ARGS__ }
#define NUMBERS(list_) \
	.kind = PT_OPT_NUMBERS, .max = INT32_MAX, .off = offsetof(struct pt_choose, list_), \
	.nr_off = offsetof(struct pt_choose, nr_##list_)
const struct pt_opt pt_opts_choose[] = {
	ROW("time", "FROM,TO",
	    "this time, in seconds; +S: from the start; 10%,20%: of the recording",
	    .kind = PT_OPT_CALL, .call = opt_time),
	ROW("comm", "NAMES", "only tasks of these names; * and ? as in file names",
	    .kind = PT_OPT_CALL, .call = opt_comm),
	ROW("pid", "PIDS", "only these processes", NUMBERS(pids)),
	ROW("tid", "TIDS", "only these threads", NUMBERS(tids)),
	ROW("of-command", NULL, "only the command's own tasks: its process and what that starts",
	    .kind = PT_OPT_FLAG, .off = offsetof(struct pt_choose, descendants)),
	ROW("cpu", "CPUS", "only these CPUs: 0-3,7", NUMBERS(cpus)),
	{ 0 }
};

static void drop_numbers(int **list, size_t *nr)
{
	free(*list);
	*list = NULL;
	*nr = 0;
}

/* -p, -t and -C choose; -C no longer tells what is watched. */
static void choose_by_target(struct pt_choose *c, struct pt_watch *watch)
{
	if (watch->nr_pids || watch->nr_tids || watch->nr_cpus)
		c->given = "-p";
	pt_num_list_join(&c->pids, &c->nr_pids, watch->pids, watch->nr_pids);
	pt_num_list_join(&c->tids, &c->nr_tids, watch->tids, watch->nr_tids);
	pt_num_list_join(&c->cpus, &c->nr_cpus, watch->cpus, watch->nr_cpus);
	drop_numbers(&watch->cpus, &watch->nr_cpus);
}

void pt_analysis_choose(struct pt_analysis *an)
{
	struct pt_watch_args *w = an->watch;
	struct pt_watch *watch = w ? &w->watch : NULL;

	if (!w || !an->choose || (!an->input->file && (!an->operands.nr || an->operands.dashes)))
		return;
	w->target = NULL;
	choose_by_target(an->choose, watch);
	drop_numbers(&watch->pids, &watch->nr_pids);
	drop_numbers(&watch->tids, &watch->nr_tids);
}

void pt_analysis_watch_all(struct pt_analysis *an)
{
	pt_analysis_choose(an);
	choose_by_target(an->choose, &an->watch->watch);
	an->watch->until_gone = true;
	if (!an->watch->watch.cgroup)
		an->watch->watch.all_cpus = true;
}

/* The values that there are, for a choice that left nothing. */
static void put_numbers(const struct pt_choose_met *m, enum pt_choose_by by, struct pt_buf *b)
{
	for (size_t i = 0; i < m->nr[by]; i++)
		pt_buf_printf(b, "%s%d", i ? ", " : "", (int)m->numbers[by][i]);
	if (m->nr[by] == PT_NR(m->numbers[by]))
		pt_buf_puts(b, ", ...");
}

static void cli_choose_say(const struct pt_tool *tool, const char *option,
			   const struct pt_buf *values)
{
	pt_warn(tool, "%s chooses nothing; there is: %s", option, pt_buf_str(values));
}

void pt_analysis_offer(struct pt_analysis *an, const char *option, const struct pt_offer *o)
{
	struct pt_buf b = PT_BUF_INIT;

	if (!pt_offer_refused(o))
		return;
	an->nothing_chosen = true;
	pt_offer_puts(o, &b);
	cli_choose_say(an->tool, option, &b);
	pt_buf_deinit(&b);
}

bool pt_analysis_emptied(const struct pt_analysis *an)
{
	return an->nothing_chosen ||
	       (an->choose && pt_choose_emptied(an->choose) != PT_CHOOSE_NR) ||
	       (an->filter && an->nr_left_out && !an->filter_held);
}

void pt_choose_say(const struct pt_tool *tool, const struct pt_choose *c)
{
	static const char *const options[PT_CHOOSE_NR] = {
		[PT_CHOOSE_BY_TIME] = "--time", [PT_CHOOSE_BY_CPU] = "--cpu",
		[PT_CHOOSE_BY_PID] = "--pid",	[PT_CHOOSE_BY_TID] = "--tid",
		[PT_CHOOSE_BY_COMM] = "--comm",
	};
	static const char *const fields[PT_CHOOSE_NR] = {
		[PT_CHOOSE_BY_TIME] = "their time (perf record -T)",
		[PT_CHOOSE_BY_CPU] = "their CPU (perf record --sample-cpu)",
		[PT_CHOOSE_BY_PID] = "their process", [PT_CHOOSE_BY_TID] = "their thread",
	};
	enum pt_choose_by by = pt_choose_emptied(c);
	struct pt_buf b = PT_BUF_INIT;

	if (by == PT_CHOOSE_NR)
		return;
	if (c->met->lacking[by] && !c->met->nr[by]) {
		pt_warn(tool, "%s chooses nothing: the samples do not say %s", options[by],
			fields[by]);
		return;
	}
	if (by == PT_CHOOSE_BY_TIME) {
		pt_buf_usec(&b, c->met->least_ns);
		pt_buf_puts(&b, " to ");
		pt_buf_usec(&b, c->met->greatest_ns);
	} else if (by == PT_CHOOSE_BY_COMM) {
		pt_offer_puts(&c->met->comms, &b);
	} else {
		put_numbers(c->met, by, &b);
	}
	cli_choose_say(tool, options[by], &b);
	pt_buf_deinit(&b);
}

void pt_choose_deinit(struct pt_choose *c)
{
	pt_strs_deinit(&c->comms);
	free(c->pids);
	free(c->tids);
	free(c->cpus);
	*c = (struct pt_choose){ 0 };
}
