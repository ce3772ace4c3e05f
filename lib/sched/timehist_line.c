/* timehist_line.c - the lines and their header, in the columns of perf sched timehist */
#include "sched/timehist_priv.h"

#include <linux/perf_event.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

/* Seconds and microseconds in 15 places, and the CPU. */
static void where(struct pt_buf *out, uint64_t time_ns, int32_t cpu)
{
	pt_buf_scaled_wide(out, time_ns / 1000, 6, 15);
	pt_buf_add(out, " [", 2);
	pt_buf_dec_zero(out, (uint64_t)cpu, 4);
	pt_buf_add(out, "] ", 2);
}

static void timehist_line_time_cell(struct pt_buf *out, bool known, uint64_t ns)
{
	if (known)
		pt_buf_scaled_wide(out, ns / 1000, 3, 10);
	else
		pt_buf_add(out, "         -", 10);
	pt_buf_putc(out, ' ');
}

static void name_cell(struct pt_buf *out, const struct timehist_task *d, size_t width)
{
	size_t from;

	pt_buf_putc(out, ' ');
	from = out->len;
	pt_buf_add(out, d->name, d->name_len);
	pt_buf_pad_right(out, from, width);
	pt_buf_putc(out, ' ');
}

/* A mark in the column of the CPU; '\0': none. */
static void visual(const struct pt_timehist *h, struct pt_buf *out, int32_t cpu, char mark)
{
	unsigned nr = timehist_columns(h);

	if (!h->o.visual)
		return;
	pt_buf_fill(out, ' ', nr + 2);
	if (mark && cpu >= 0 && (unsigned)cpu < nr)
		out->data[out->len - nr - 1 + (unsigned)cpu] = mark;
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

	where(out, PT_MIN(ev->time_ns, h->o.choose->to_ns), ev->cpu);
	visual(h, out, ev->cpu, ev->task->tid ? 's' : 'i');
	name_cell(out, d, h->width);
	timehist_line_time_cell(out, t->has_wait, t->wait_ns);
	timehist_line_time_cell(out, t->has_delay, t->delay_ns);
	timehist_line_time_cell(out, t->has_run, t->run_ns);
	if (h->o.state)
		pt_buf_printf(out, "     %c ", ev->task->tid ? ev->state : 'I');
	if (h->o.wakeups && !h->o.next)
		pt_buf_fill(out, ' ', 2 + h->width);
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

	where(out, ev->time_ns, ev->cpu);
	visual(h, out, ev->cpu, mark);
	name_cell(out, who, h->width);
	pt_buf_fill(out, ' ', 3 * 11 + 1);
	pt_buf_puts(out, what);
	pt_buf_add(out, whom->name, whom->name_len);
	if (mark == 'm')
		pt_buf_printf(out, " cpu %d => %d", ev->from_cpu, ev->to_cpu);
	pt_buf_putc(out, '\n');
}

void timehist_lost_line(const struct pt_sched_event *ev, struct pt_buf *out)
{
	pt_buf_scaled_wide(out, ev->time_ns / 1000, 6, 15);
	pt_buf_printf(out, " lost %llu events", (unsigned long long)ev->nr_lost);
	if (ev->cpu >= 0)
		pt_buf_printf(out, " on cpu %d", ev->cpu);
	pt_buf_putc(out, '\n');
}

/* A line of the header: its cells, and a character for each CPU. */
static void timehist_line_head(const struct pt_timehist *h, const char *time, const char *cpu,
			       const char *marks, const char *task, const char *times,
			       const char *state, struct pt_buf *out)
{
	pt_buf_printf(out, "%15s %6s ", time, cpu);
	if (h->o.visual) {
		pt_buf_putc(out, ' ');
		for (unsigned i = 0; i < timehist_columns(h); i++)
			pt_buf_putc(out, marks[i % strlen(marks)]);
		pt_buf_putc(out, ' ');
	}
	pt_buf_printf(out, " %-*.*s  %s%s\n", (int)h->width, (int)h->width, task, times,
		      h->o.state ? state : "");
}

void pt_timehist_header(struct pt_timehist *h, struct pt_buf *out)
{
	struct pt_buf dashes = PT_BUF_INIT;

	pt_buf_fill(&dashes, '-', h->width);
	timehist_line_head(h, "time", "cpu", "0123456789abcdef", "task name",
			   "wait time  sch delay   run time", "  state", out);
	timehist_line_head(h, "", "", " ", "[tid/pid]", "   (msec)     (msec)     (msec)",
			   "       ", out);
	timehist_line_head(h, "---------------", "------", "-", pt_buf_str(&dashes),
			   "---------  ---------  ---------", "  -----", out);
	pt_buf_deinit(&dashes);
}
