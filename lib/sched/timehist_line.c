/* timehist_line.c - the lines and their header, in the columns of perf sched timehist */
#include "sched/timehist_priv.h"

#include <linux/perf_event.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

enum { LINE_BYTES = 160 };
static const char dashes[] =
	"------------------------------------------------------------------------------------------------------------------------------------------------";


static char *spaces(char *p, size_t n)
{
	memset(p, ' ', n);
	return p + n;
}

/* Prints at least `digits` digits, right-aligned in `width`. */
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

/* Prints seconds and microseconds in 15 places, and the CPU. */
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

/* Prints milliseconds with three decimals, truncated. */
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

/* Prints a mark in the column of the CPU; '\0': none. */
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

/* Makes room for a line without its names. */
static char *room(const struct pt_timehist *h, struct pt_buf *out, size_t names)
{
	pt_buf_grow(out,
		    LINE_BYTES + names + 3 * h->width + (h->o.visual ? timehist_columns(h) : 0));
	return out->data + out->len;
}

static void written(struct pt_buf *out, const char *end)
{
	out->len = (size_t)(end - out->data);
	out->data[out->len] = '\0';
}


static void next_name(struct pt_timehist *h, const struct pt_sched_event *ev,
		      const struct pt_record *rec, struct pt_buf *out)
{
	const void *comm = ev->next->comm;
	size_t from = out->len, len = strnlen(ev->next->comm, sizeof(ev->next->comm));

	if (rec->event != h->event) {
		h->event = rec->event;
		h->next_comm = rec->event && rec->event->tp
				       ? pt_tp_field(rec->event->tp, "next_comm")
				       : NULL;
	}
	if (h->next_comm && (rec->has & PERF_SAMPLE_RAW) &&
	    !pt_tp_data(h->next_comm, rec->sample.raw, rec->sample.raw_len, rec->swap, &comm, &len))
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

void timehist_line(struct pt_timehist *h, const struct pt_sched_event *ev,
		   const struct pt_record *rec, const struct timehist_times *t, struct pt_buf *out)
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

void timehist_side_line(struct pt_timehist *h, const struct pt_sched_event *ev,
			const struct pt_record *rec, char mark, const char *what,
			struct pt_buf *out)
{
	char swapper[] = "swapper", dash[] = "-";
	const struct timehist_task idle = { .name = swapper, .name_len = sizeof(swapper) - 1 },
				   nobody = { .name = dash, .name_len = 1 };
	struct pt_sched_task *by =
		rec->has & PERF_SAMPLE_TID && rec->tid ? pt_sched_find(h->sched, rec->tid) : NULL;
	const struct timehist_task *who = by ? timehist_name(h, by)
					  : rec->has & PERF_SAMPLE_TID && !rec->tid ? &idle
										    : &nobody,
				   *whom = timehist_name(h, ev->task);
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

void timehist_lost_line(const struct pt_sched_event *ev, struct pt_buf *out)
{
	size_t from = out->len;

	pt_buf_usec(out, ev->time_ns);
	pt_buf_pad_left(out, from, 15);
	pt_buf_printf(out, " lost %llu events", (unsigned long long)ev->nr_lost);
	if (ev->cpu >= 0)
		pt_buf_printf(out, " on cpu %d", ev->cpu);
	pt_buf_putc(out, '\n');
}


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
	pt_buf_printf(out, " %-*s  %9s  %9s  %9s%s\n", width, "task name", "wait time", "sch delay",
		      "run time", h->o.state ? "  state" : "");
	pt_buf_printf(out, "%15s %-6s ", "", "");
	if (h->o.visual)
		pt_buf_printf(out, " %*s ", (int)nr, "");
	pt_buf_printf(out, " %-*s  %9s  %9s  %9s%s\n", width, "[tid/pid]", "(msec)", "(msec)",
		      "(msec)", h->o.state ? "       " : "");
	pt_buf_printf(out, "%.15s %.6s ", dashes, dashes);
	if (h->o.visual) {
		pt_buf_putc(out, ' ');
		for (unsigned i = 0; i < nr; i++)
			pt_buf_putc(out, '-');
		pt_buf_putc(out, ' ');
	}
	pt_buf_printf(out, " %.*s  %.9s  %.9s  %.9s%s\n", (int)width, dashes, dashes, dashes,
		      dashes, h->o.state ? "  -----" : "");
}
