#include "view/timehist_int.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "view/fold.h"

enum { NAME_WIDTH = 30, LINE_BYTES = 160, MAX_COLUMNS = 8192 };
static const char dashes[] = "------------------------------------------------------------------------------------------------------------------------------------------------";

static void drop(void *arg, struct pt_sched_task *t)
{
	struct pt_timehist *h = arg;
	struct timehist_task *d = t->user;

	for (size_t i = 0; i < h->nr_cpus; i++)
		if (h->cpus[i].last == t)
			h->cpus[i].last = NULL;
	if (!d)
		return;
	free(d->name);
	free(d);
	t->user = NULL;
}

struct pt_timehist *pt_timehist_new(const struct pt_timehist_opts *o, struct pt_sched *s)
{
	struct pt_timehist *h = pt_alloc(sizeof(*h));

	h->o = *o;
	if (!h->o.to_ns)
		h->o.to_ns = UINT64_MAX;
	if (h->o.nr_cpus > MAX_COLUMNS)		/* no machine has them: a damaged header */
		h->o.nr_cpus = 0;
	if (!h->o.max_stack)
		h->o.max_stack = PT_TIMEHIST_STACK;
	h->sched = s;
	h->width = NAME_WIDTH;
	pt_sched_on_drop(s, drop, h);
	return h;
}

void pt_timehist_free(struct pt_timehist *h)
{
	if (!h)
		return;
	for (struct pt_sched_task *t = NULL; (t = pt_sched_each(h->sched, t)); )
		drop(h, t);
	for (size_t i = 0; i < pt_sched_nr_cpus(h->sched); i++)
		if (pt_sched_idle(h->sched, (int)i))
			drop(h, pt_sched_idle(h->sched, (int)i));
	pt_sched_on_drop(h->sched, NULL, NULL);
	for (size_t i = 0; i < h->nr_cpus; i++) {
		pt_fold_free(h->cpus[i].chains);
		free(h->cpus[i].frames);
	}
	free(h->cpus);
	free(h);
}

void pt_timehist_window(struct pt_timehist *h, uint64_t from_ns, uint64_t to_ns)
{
	h->o.from_ns = from_ns;
	h->o.to_ns = to_ns;
}

void pt_timehist_frames(struct pt_timehist *h, struct pt_frames *f)
{
	h->frames = f;
}

static struct timehist_task *task_of(struct pt_timehist *h, struct pt_sched_task *t)
{
	(void)h;
	if (!t->user)
		t->user = pt_alloc(sizeof(struct timehist_task));
	return t->user;
}

static struct timehist_cpu *cpu_of(struct pt_timehist *h, int32_t cpu)
{
	size_t at = (size_t)cpu;

	if (at >= h->nr_cpus) {
		size_t nr = PT_MAX(h->nr_cpus * 2, at + 1);

		h->cpus = pt_realloc(h->cpus, nr, sizeof(*h->cpus));
		memset(h->cpus + h->nr_cpus, 0, (nr - h->nr_cpus) * sizeof(*h->cpus));
		h->nr_cpus = nr;
	}
	h->cpus[at].seen = true;
	return &h->cpus[at];
}

unsigned timehist_columns(const struct pt_timehist *h)
{
	return (unsigned)PT_MAX((size_t)h->o.nr_cpus, PT_MAX(pt_sched_nr_cpus(h->sched), 1));
}

/* -- names -------------------------------------------------------------------------------------------------------------------- */

static void make_name(struct timehist_task *d, const struct pt_sched_task *t)
{
	struct pt_buf b = PT_BUF_INIT;

	memcpy(d->comm, t->comm, sizeof(d->comm));
	d->pid = t->pid;
	if (!t->tid) {
		pt_buf_puts(&b, "<idle>");
	} else {
		pt_text_plain(&b, t->comm, strnlen(t->comm, sizeof(t->comm)));
		pt_buf_putc(&b, '[');
		pt_buf_dec(&b, t->tid);
		if (t->pid != t->tid && t->pid != UINT32_MAX) {
			pt_buf_putc(&b, '/');
			pt_buf_dec(&b, t->pid);
		}
		pt_buf_putc(&b, ']');
	}
	free(d->name);
	d->name = b.data;
	d->name_len = (uint32_t)b.len;
}

const struct timehist_task *timehist_name(struct pt_timehist *h, struct pt_sched_task *t)
{
	struct timehist_task *d = task_of(h, t);

	if (!d->name || d->pid != t->pid || memcmp(d->comm, t->comm, sizeof(d->comm)))
		make_name(d, t);
	if (d->name_len > h->width)
		h->width = d->name_len;
	return d;
}

/* -- pieces of a line, written to where there is room ------------------------------------------------------------------------- */

static char *spaces(char *p, size_t n)
{
	memset(p, ' ', n);
	return p + n;
}

/* At least `digits` of them, right aligned in `width`. */
static char *number(char *p, uint64_t v, unsigned width, unsigned digits)
{
	char text[24], *end = text + sizeof(text), *first = end;
	size_t len;

	do {
		*--first = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	while ((size_t)(end - first) < digits)
		*--first = '0';
	len = (size_t)(end - first);
	if (len < width)
		p = spaces(p, width - len);
	memcpy(p, first, len);
	return p + len;
}

static char *three(char *p, unsigned v)
{
	p[0] = (char)('0' + v / 100);
	p[1] = (char)('0' + v / 10 % 10);
	p[2] = (char)('0' + v % 10);
	return p + 3;
}

/* Seconds and microseconds in 15 places, the CPU. */
static char *where(char *p, uint64_t time_ns, int32_t cpu)
{
	uint64_t us = time_ns / 1000;
	unsigned below = (unsigned)(us % 1000000);

	p = number(p, us / 1000000, 8, 1);
	*p++ = '.';
	p = three(p, below / 1000);
	p = three(p, below % 1000);
	*p++ = ' ';
	*p++ = '[';
	p = number(p, (uint64_t)cpu, 0, 4);
	*p++ = ']';
	*p++ = ' ';
	return p;
}

/* Milliseconds with three decimals, cut. */
static char *time_cell(char *p, bool known, uint64_t ns)
{
	if (known) {
		p = number(p, ns / 1000000, 6, 1);
		*p++ = '.';
		p = three(p, (unsigned)(ns / 1000 % 1000));
	} else {
		p = spaces(p, 9);
		*p++ = '-';
	}
	*p++ = ' ';
	return p;
}

static char *name_cell(char *p, const struct timehist_task *d, size_t width)
{
	*p++ = ' ';
	memcpy(p, d->name, d->name_len);
	p += d->name_len;
	if (d->name_len < width)
		p = spaces(p, width - d->name_len);
	*p++ = ' ';
	return p;
}

/* A mark in the column of the CPU; '\0': none. */
static char *visual(const struct pt_timehist *h, char *p, int32_t cpu, char mark)
{
	unsigned nr = timehist_columns(h);

	if (!h->o.visual)
		return p;
	*p++ = ' ';
	memset(p, ' ', nr);
	if (mark && cpu >= 0 && (unsigned)cpu < nr)
		p[cpu] = mark;
	p += nr;
	*p++ = ' ';
	return p;
}

/* Room for a line, its names apart. */
static char *room(const struct pt_timehist *h, struct pt_buf *out, size_t names)
{
	pt_buf_grow(out, LINE_BYTES + names + 3 * h->width + (h->o.visual ? timehist_columns(h) : 0));
	return out->data + out->len;
}

static void written(struct pt_buf *out, const char *end)
{
	out->len = (size_t)(end - out->data);
	out->data[out->len] = '\0';
}

/* -- lines -------------------------------------------------------------------------------------------------------------------- */

struct times {				/* of the stay that ends */
	bool has_wait, has_delay, has_run;
	uint64_t wait_ns, delay_ns, run_ns;
};

/* perf's rules: from the first wake-up since it had left; none is no delay. */
static struct times times_of(const struct pt_timehist *h, const struct pt_sched_event *ev)
{
	const struct pt_sched_stay *s = &ev->task->stay;
	struct times t = { .has_wait = s->known & PT_SCHED_OFF, .has_run = s->known & PT_SCHED_RUN, .wait_ns = s->off_ns, .run_ns = s->run_ns };
	uint64_t from = PT_MAX(s->in_ns, h->o.from_ns), to = PT_MIN(ev->time_ns, h->o.to_ns);

	if (t.has_run && (from > s->in_ns || to < ev->time_ns))
		t.run_ns = to > from ? to - from : 0;
	if (s->why == PT_SCHED_BORN && !t.has_wait && (s->known & PT_SCHED_IN)) {
		t.has_wait = true;
		t.wait_ns = 0;
	}
	if (!ev->task->tid) {
		t.has_delay = true;
	} else if (s->why == PT_SCHED_PREEMPTED && !h->o.preempted) {
		t.has_delay = s->known & PT_SCHED_DELAY;
		t.delay_ns = s->woken_ns && s->woken_ns <= s->in_ns ? s->in_ns - s->woken_ns : 0;
	} else {
		t.has_delay = s->known & PT_SCHED_DELAY;
		t.delay_ns = s->delay_ns;
	}
	return t;
}

static void next_name(struct pt_timehist *h, const struct pt_sched_event *ev, const struct pt_record *rec, struct pt_buf *out)
{
	const void *comm = ev->next->comm;
	size_t from = out->len, len = strnlen(ev->next->comm, sizeof(ev->next->comm));

	if (rec->event != h->event) {
		h->event = rec->event;
		h->next_comm = rec->event && rec->event->tp ? pt_tp_field(rec->event->tp, "next_comm") : NULL;
	}
	if (h->next_comm && (rec->has & PERF_SAMPLE_RAW) && !pt_tp_data(h->next_comm, rec->sample.raw, rec->sample.raw_len, rec->swap, &comm, &len))
		len = 0;
	pt_buf_putc(out, ' ');
	from = out->len;
	pt_buf_puts(out, "next: ");
	pt_text_plain(out, comm, strnlen(comm, len));
	pt_buf_putc(out, '[');
	pt_buf_dec(out, ev->next->tid);
	pt_buf_putc(out, ']');
	pt_buf_pad_right(out, from, h->width);
}

static void line(struct pt_timehist *h, const struct pt_sched_event *ev, const struct pt_record *rec, const struct times *t, struct pt_buf *out)
{
	const struct timehist_task *d = timehist_name(h, ev->task);
	char *p = room(h, out, d->name_len);

	p = where(p, PT_MIN(ev->time_ns, h->o.to_ns), ev->cpu);
	p = visual(h, p, ev->cpu, ev->task->tid ? 's' : 'i');
	p = name_cell(p, d, h->width);
	p = time_cell(p, t->has_wait, t->wait_ns);
	p = time_cell(p, t->has_delay, t->delay_ns);
	p = time_cell(p, t->has_run, t->run_ns);
	if (h->o.state) {
		p = spaces(p, 5);
		*p++ = ev->task->tid ? ev->state : 'I';
		*p++ = ' ';
	}
	if (h->o.wakeups && !h->o.next)
		p = spaces(p, 2 + h->width);
	written(out, p);
	if (h->o.next)
		next_name(h, ev, rec, out);
	if (h->frames && ev->task->tid) {
		pt_buf_puts(out, "  ");
		timehist_chain(h, rec, out);
	}
	pt_buf_putc(out, '\n');
}

/* Lines that are about another task than the one that runs: woken, moved. */
static void side_line(struct pt_timehist *h, const struct pt_sched_event *ev, const struct pt_record *rec, char mark, const char *what, struct pt_buf *out)
{
	char swapper[] = "swapper", dash[] = "-";
	const struct timehist_task idle = { .name = swapper, .name_len = sizeof(swapper) - 1 }, nobody = { .name = dash, .name_len = 1 };
	struct pt_sched_task *by = rec->has & PERF_SAMPLE_TID && rec->tid ? pt_sched_find(h->sched, rec->tid) : NULL;
	const struct timehist_task *who = by ? timehist_name(h, by) : rec->has & PERF_SAMPLE_TID && !rec->tid ? &idle : &nobody, *whom = timehist_name(h, ev->task);
	char *p = room(h, out, (size_t)who->name_len + whom->name_len);

	p = where(p, ev->time_ns, ev->cpu);
	p = visual(h, p, ev->cpu, mark);
	p = name_cell(p, who, h->width);
	p = spaces(p, 3 * 11 + 1);
	p = mempcpy(p, what, strlen(what));
	p = mempcpy(p, whom->name, whom->name_len);
	written(out, p);
	if (mark == 'm')
		pt_buf_printf(out, " cpu %d => %d", ev->from_cpu, ev->to_cpu);
	pt_buf_putc(out, '\n');
}

static bool wanted(const struct pt_timehist *h, const struct pt_sched_task *t)
{
	return !h->o.task || h->o.task(h->o.arg, t);
}

static bool wanted_cpu(const struct pt_timehist *h, int32_t cpu)
{
	return cpu >= 0 && (!h->o.cpu || h->o.cpu(h->o.arg, cpu));
}

static bool wanted_side(const struct pt_timehist *h, const struct pt_sched_event *ev, const struct pt_record *rec)
{
	const struct pt_sched_task *by;

	if (h->o.no_lines || h->o.idle || ev->time_ns < h->o.from_ns || ev->time_ns > h->o.to_ns || !wanted_cpu(h, ev->cpu) || !ev->task->tid)
		return false;
	if (!h->o.task || wanted(h, ev->task))
		return true;
	by = rec->has & PERF_SAMPLE_TID ? pt_sched_find(h->sched, rec->tid) : NULL;
	return by && wanted(h, by);
}

static void add(struct timehist_stats *s, uint64_t ns)
{
	double v = (double)ns, delta;

	s->n++;
	delta = v - s->mean;
	s->mean += delta / s->n;
	s->m2 += delta * (v - s->mean);
	s->min = s->n == 1 ? ns : PT_MIN(s->min, ns);
	s->max = PT_MAX(s->max, ns);
}

static void sum_up(struct pt_timehist *h, const struct pt_sched_event *ev, const struct times *t)
{
	const struct pt_sched_stay *s = &ev->task->stay;
	struct timehist_task *d = task_of(h, ev->task);

	d->outs++;
	if (t->has_run) {
		add(&d->run, t->run_ns);
		d->run_ns += t->run_ns;
	}
	if (t->has_wait)
		*(s->why == PT_SCHED_PREEMPTED ? &d->preempt_ns : s->off_state == 'D' ? &d->iowait_ns : &d->sleep_ns) += t->wait_ns;
	if (t->has_delay)
		d->delay_ns += t->delay_ns;
}

/* A CPU's idle time is put to whom it was left by. */
static void idle_ends(struct pt_timehist *h, const struct pt_sched_event *ev, const struct times *t)
{
	struct timehist_cpu *c = cpu_of(h, ev->cpu);
	struct timehist_task *d;

	c->outs++;
	c->part |= !t->has_run && ev->last_ns;	/* what was before the CPU's first switch is not looked at */
	if (t->has_run)
		c->idle_ns += t->run_ns;
	if (!h->o.idle || !h->o.summary)
		return;
	if (c->last && t->has_run && wanted(h, c->last)) {
		d = task_of(h, c->last);
		d->outs++;
		add(&d->run, t->run_ns);
		d->run_ns += t->run_ns;
		timehist_idle_chain_ends(c, t->run_ns);
	}
	c->last = NULL;
}

static void on_switch(struct pt_timehist *h, const struct pt_sched_event *ev, const struct pt_record *rec, struct pt_buf *out)
{
	bool to_idle = !ev->next->tid;
	struct timehist_cpu *c;
	struct times t;

	if (!wanted_cpu(h, ev->cpu) || ev->time_ns < h->o.from_ns)
		return;
	/* What began within the window ends it, cut at its end. */
	if (ev->time_ns > h->o.to_ns && !((ev->task->stay.known & PT_SCHED_IN) && ev->task->stay.in_ns <= h->o.to_ns))
		return;
	t = times_of(h, ev);
	if (!h->first_ns)
		h->first_ns = ev->time_ns;
	h->last_ns = PT_MAX(h->last_ns, PT_MIN(ev->time_ns, h->o.to_ns));
	c = cpu_of(h, ev->cpu);
	if (!ev->task->tid)
		idle_ends(h, ev, &t);
	if (to_idle && h->o.idle && h->o.summary) {
		c->last = ev->task->tid ? ev->task : NULL;
		timehist_idle_chain(h, rec, c);
	}
	if (!wanted(h, ev->task))
		return;
	if (h->o.summary && !h->o.idle && ev->task->tid)
		sum_up(h, ev, &t);
	if (!h->o.no_lines && (!h->o.idle || to_idle || !ev->task->tid))
		line(h, ev, rec, &t, out);
}

static void on_migrate(struct pt_timehist *h, const struct pt_sched_event *ev, const struct pt_record *rec, struct pt_buf *out)
{
	if (h->o.summary)
		task_of(h, ev->task)->moves++;
	if (h->o.migrations && wanted_side(h, ev, rec))
		side_line(h, ev, rec, 'm', "migrated: ", out);
}

static void on_lost(struct pt_timehist *h, const struct pt_sched_event *ev, struct pt_buf *out)
{
	size_t from = out->len;

	if (h->o.no_lines)
		return;
	pt_buf_usec(out, ev->time_ns);
	pt_buf_pad_left(out, from, 15);
	pt_buf_printf(out, " lost %llu events", (unsigned long long)ev->nr_lost);
	if (ev->cpu >= 0)
		pt_buf_printf(out, " on cpu %d", ev->cpu);
	pt_buf_putc(out, '\n');
}

void pt_timehist_feed(struct pt_timehist *h, const struct pt_sched_event *ev, const struct pt_record *rec, struct pt_buf *out)
{
	switch (ev->kind) {
	case PT_SCHED_SWITCH:
		on_switch(h, ev, rec, out);
		break;
	case PT_SCHED_WAKEUP:		/* follows a waking, where those are recorded */
		if (pt_sched_counts(h->sched).has_waking)
			break;
		/* fall through */
	case PT_SCHED_WAKING:
	case PT_SCHED_WAKEUP_NEW:
		if (h->o.wakeups && wanted_side(h, ev, rec))
			side_line(h, ev, rec, '\0', "awakened: ", out);
		break;
	case PT_SCHED_MIGRATE:
		on_migrate(h, ev, rec, out);
		break;
	case PT_SCHED_LOST:
		on_lost(h, ev, out);
		break;
	default:
		break;
	}
}

/* -- head --------------------------------------------------------------------------------------------------------------------- */

void pt_timehist_header(struct pt_timehist *h, struct pt_buf *out)
{
	unsigned nr = timehist_columns(h), width = (unsigned)h->width;

	pt_buf_printf(out, "%15s %6s ", "time", "cpu");
	if (h->o.visual) {
		pt_buf_putc(out, ' ');
		for (unsigned i = 0; i < nr; i++)
			pt_buf_putc(out, "0123456789abcdef"[i % 16]);
		pt_buf_putc(out, ' ');
	}
	pt_buf_printf(out, " %-*s  %9s  %9s  %9s%s\n", width, "task name", "wait time", "sch delay", "run time", h->o.state ? "  state" : "");
	pt_buf_printf(out, "%15s %-6s ", "", "");
	if (h->o.visual)
		pt_buf_printf(out, " %*s ", (int)nr, "");
	pt_buf_printf(out, " %-*s  %9s  %9s  %9s%s\n", width, "[tid/pid]", "(msec)", "(msec)", "(msec)", h->o.state ? "       " : "");
	pt_buf_printf(out, "%.15s %.6s ", dashes, dashes);
	if (h->o.visual) {
		pt_buf_putc(out, ' ');
		for (unsigned i = 0; i < nr; i++)
			pt_buf_putc(out, '-');
		pt_buf_putc(out, ' ');
	}
	pt_buf_printf(out, " %.*s  %.9s  %.9s  %.9s%s\n", (int)width, dashes, dashes, dashes, dashes, h->o.state ? "  -----" : "");
}
