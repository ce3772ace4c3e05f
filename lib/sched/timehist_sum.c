/* The summary: a line a task. */
#include "sched/timehist_priv.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

static void msec(struct pt_buf *out, uint64_t ns, int width)
{
	pt_buf_scaled_wide(out, ns / 1000, 3, width + 4);
	pt_buf_putc(out, ' ');
}

/* Standard deviation of the mean, in percent of it. */
static float deviation(const struct timehist_stats *s)
{
	double variance = s->n > 1 ? s->m2 / (s->n - 1) / s->n : 0;

	return s->mean != 0 ? (float)(100.0 * sqrt(variance) / s->mean) : 0;
}

static void timehist_sum_row(struct pt_timehist *h, struct pt_sched_task *t, struct pt_buf *out)
{
	const struct timehist_task *d = timehist_name(h, t);

	pt_buf_printf(out, "%*s   %5d  %9llu ", (int)h->width, d->name, (int)t->ppid,
		      (unsigned long long)d->outs);
	msec(out, d->run_ns, 8);
	if (h->o.state && !h->o.idle) {
		msec(out, d->sleep_ns, 6);
		pt_buf_putc(out, ' ');
		msec(out, d->iowait_ns, 6);
		pt_buf_putc(out, ' ');
		msec(out, d->preempt_ns, 6);
		pt_buf_putc(out, ' ');
		msec(out, d->delay_ns, 6);
	} else {
		msec(out, d->run.min, 6);
		pt_buf_putc(out, ' ');
		msec(out, (uint64_t)d->run.mean, 6);
		pt_buf_putc(out, ' ');
		msec(out, d->run.max, 6);
		pt_buf_printf(out, "  %5.2f   %5llu", (double)deviation(&d->run),
			      (unsigned long long)d->moves);
	}
	pt_buf_putc(out, '\n');
}

static int longest(const void *a, const void *b)
{
	const struct pt_sched_task *x = *(struct pt_sched_task *const *)a,
				   *y = *(struct pt_sched_task *const *)b;
	const struct timehist_task *p = x->user, *q = y->user;

	if (p->run_ns != q->run_ns)
		return PT_COMPARE(q->run_ns, p->run_ns);
	return PT_COMPARE(x->nr, y->nr);
}

static void heads(const struct pt_timehist *h, struct pt_buf *out)
{
	const char *what = h->o.idle ? "Idle-time" : h->o.state ? "Wait-time" : "Runtime";
	const char *count = h->o.idle ? "sched-out" : " sched-in";
	const char *columns =
		h->o.idle    ? "  idle-time   min-idle    avg-idle    max-idle  stddev  migrations"
		: h->o.state ? "   run-time      sleep      iowait     preempt       delay"
			     : "   run-time    min-run     avg-run     max-run  stddev  migrations";

	pt_buf_printf(out, "\n%s summary\n%*s  parent  %s  %s\n", what, (int)h->width, "comm",
		      count, columns);
	pt_buf_printf(
		out,
		"%*s            (count)       (msec)     (msec)      (msec)      (msec)       %s\n",
		(int)h->width, "", h->o.state && !h->o.idle ? "(msec)" : "%");
	pt_buf_fill(out, '-', 117);
	pt_buf_putc(out, '\n');
}

static void idle_stats(struct pt_timehist *h, uint64_t whole_ns, struct pt_buf *out)
{
	pt_buf_puts(out, "\nIdle stats:\n");
	for (size_t i = 0; i < timehist_columns(h); i++) {
		const struct timehist_cpu *c = i < h->nr_cpus ? &h->cpus[i] : NULL;

		if (!pt_choose_cpu(h->o.choose, (int)i))
			continue;
		pt_buf_printf(out, "    CPU %2zu ", i);
		if (!c || !c->seen) {
			pt_buf_puts(out, "without a switch\n");
		} else if (!c->outs) {
			pt_buf_puts(
				out,
				c->into_idle
					? "idle for an unknown time: no switch away from idle was seen\n"
					: "never idle\n");
		} else {
			pt_buf_puts(out, "idle for ");
			msec(out, c->idle_ns, 6);
			pt_buf_printf(out, " msec  (%6.2f%%)%s\n",
				      whole_ns ? 100.0 * (double)c->idle_ns / (double)whole_ns
					       : 0.0,
				      c->part ? ", at least" : "");
		}
	}
}

void pt_timehist_summary(struct pt_timehist *h, struct pt_buf *out)
{
	uint64_t whole_ns = h->last_ns - h->first_ns, outs = 0, run_ns = 0;
	struct pt_sched_task **v =
		pt_alloc_array(pt_sched_nr_tasks(h->sched), sizeof(struct pt_sched_task *));
	size_t nr = 0;
	bool ended = false;

	for (struct pt_sched_task *t = NULL; (t = pt_sched_each(h->sched, t)); ) {
		const struct timehist_task *d = t->user;

		if (!d || !d->outs || !pt_choose_task(h->o.choose, t->pid, t->tid, t->comm))
			continue;
		v[nr++] = t;
		outs += d->outs;
		run_ns += d->run_ns;
		timehist_name(h, t);
	}
	heads(h, out);
	qsort(v, nr, sizeof(struct pt_sched_task *), longest);
	for (size_t i = 0; i < nr; i++) {
		ended |= v[i]->exiting || v[i]->ended;
		if (!v[i]->exiting && !v[i]->ended)
			timehist_sum_row(h, v[i], out);
	}
	if (ended)
		pt_buf_puts(out, "\nTerminated tasks:\n");
	for (size_t i = 0; i < nr; i++)
		if (v[i]->exiting || v[i]->ended)
			timehist_sum_row(h, v[i], out);
	free(v);
	idle_stats(h, whole_ns, out);
	if (h->o.idle && h->frames)
		timehist_idle_chains(h, out);
	for (size_t i = 0; i < h->nr_cpus && !pt_choose_tasks(h->o.choose); i++)
		outs += h->cpus[i].outs;
	pt_buf_printf(
		out,
		"\n    Total number of unique tasks: %zu\nTotal number of context switches: %llu\n           Total run time (msec): ",
		nr, (unsigned long long)outs);
	msec(out, run_ns, 2);
	pt_buf_puts(out, "\n    Total scheduling time (msec): ");
	msec(out, whole_ns, 2);
	pt_buf_printf(out, " (x %u)\n", timehist_columns(h));
}
