#include "sched/schedlat_priv.h"

#include "base/json.h"
#include "base/text.h"

static void schedlat_print_name(struct pt_buf *out, enum pt_schedlat_by by,
				const struct pt_schedlat_row *r)
{
	if (by == PT_SCHEDLAT_CPU) {
		pt_buf_printf(out, "cpu %u", r->id);
		return;
	}
	pt_text_puts(out, r->name);
	if (by == PT_SCHEDLAT_CGROUP)
		return;
	if (by == PT_SCHEDLAT_COMM && r->nr_tasks > 1)
		pt_buf_printf(out, ":(%u)", r->nr_tasks);
	else
		pt_buf_printf(out, ":%u", r->id);
}

static void holders(struct pt_buf *out, const struct pt_schedlat_worst *w)
{
	for (size_t i = 0; i < w->nr_holders; i++) {
		const struct pt_schedlat_holder *h = &w->holders[i];

		pt_buf_puts(out, i ? ", " : "");
		if (h->tid == PT_SCHEDLAT_OTHERS)
			pt_buf_puts(out, "others");
		else if (h->tid == PT_SCHEDLAT_NOBODY)
			pt_buf_puts(out, "not known");
		else if (!h->tid)
			pt_buf_puts(out, "idle");
		else
			pt_text_puts(out, h->comm);
		if (h->nr_tasks > 1)
			pt_buf_printf(out, ":(%u)", h->nr_tasks);
		else if (h->tid && h->nr_tasks)
			pt_buf_printf(out, ":%u", h->tid);
		pt_buf_printf(out, " %.1f%%", 100.0 * (double)h->ns / (double)w->delay_ns);
	}
}

static void worst_table(const struct pt_schedlat *l, struct pt_buf *out)
{
	const struct pt_schedlat_worst *w;
	size_t nr, from;

	w = pt_schedlat_worst(l, &nr);
	if (!w)
		return;
	pt_buf_printf(out, "\n%14s %10s %5s  %-24s %s\n", "max_at", "delay_ms", "cpu", "task",
		      "who had the CPU");
	for (size_t i = 0; i < nr; i++, w++) {
		from = out->len;
		pt_buf_usec(out, w->end_ns);
		pt_buf_pad_left(out, from, 14);
		pt_buf_printf(out, " %10.3f ", (double)w->delay_ns / 1e6);
		from = out->len;
		if (w->from_cpu >= 0)
			pt_buf_printf(out, "%d>", w->from_cpu);
		pt_buf_printf(out, "%d", w->cpu);
		pt_buf_pad_left(out, from, 5);
		pt_buf_puts(out, "  ");
		from = out->len;
		pt_text_puts(out, w->comm);
		pt_buf_printf(out, ":%u", w->tid);
		pt_buf_pad_right(out, from, 24);
		pt_buf_putc(out, ' ');
		holders(out, w);
		pt_buf_puts(out, w->preempted ? " (preempted)\n" : "\n");
	}
}

void pt_schedlat_table(struct pt_schedlat *l, struct pt_buf *out)
{
	static const char *const heads[] = { "task", "task", "process", "cpu", "cgroup" };
	struct pt_schedlat_row total;
	const struct pt_schedlat_row *const *rows;
	enum pt_schedlat_by by = l->o.by;
	size_t nr;

	rows = pt_schedlat_rows(l, &nr, &total);
	schedlat_heads(out);
	pt_buf_printf(out, "%s\n", heads[by]);
	for (size_t i = 0; i < nr; i++) {
		schedlat_cells(out, &rows[i]->f, false);
		schedlat_print_name(out, by, rows[i]);
		pt_buf_putc(out, '\n');
	}
	schedlat_cells(out, &total.f, true);
	pt_buf_puts(out, "TOTAL\n");
	worst_table(l, out);
}

static void schedlat_print_json_row(struct pt_buf *out, enum pt_schedlat_by by,
				    const struct pt_schedlat_row *r)
{
	static const char *const ids[] = { "tid", "tid", "pid", "cpu", "tid" };

	pt_json_open(out, NULL, '{');
	if (by != PT_SCHEDLAT_CPU) {
		pt_json_str(out, by == PT_SCHEDLAT_CGROUP ? "cgroup" : "comm", r->name);
		pt_json_u64(out, "tasks", r->nr_tasks);
	}
	if (by == PT_SCHEDLAT_TID || by == PT_SCHEDLAT_PID || by == PT_SCHEDLAT_CPU ||
	    r->nr_tasks == 1)
		pt_json_u64(out, ids[by], r->id);
	schedlat_members(out, &r->f);
	pt_json_end_line(out);
}

static void json_holder(struct pt_buf *out, const struct pt_schedlat_holder *h)
{
	pt_json_open(out, NULL, '{');
	if (h->tid == PT_SCHEDLAT_OTHERS || h->tid == PT_SCHEDLAT_NOBODY) {
		pt_json_str(out, "who",
			    h->tid == PT_SCHEDLAT_OTHERS ? "others" : "not known");
	} else {
		pt_json_str(out, "comm", h->tid ? h->comm : "idle");
		if (h->nr_tasks > 1)
			pt_json_u64(out, "tasks", h->nr_tasks);
		else
			pt_json_u64(out, "tid", h->tid);
	}
	pt_json_ms(out, "ms", h->ns);
	pt_json_close(out, '}');
}

static void json_worst(struct pt_buf *out, const struct pt_schedlat_worst *w)
{
	pt_json_open(out, NULL, '{');
	pt_json_open(out, "worst", '{');
	pt_json_str(out, "comm", w->comm);
	pt_json_u64(out, "tid", w->tid);
	pt_json_s64(out, "cpu", w->cpu);
	if (w->from_cpu >= 0)
		pt_json_s64(out, "from_cpu", w->from_cpu);
	pt_json_ms(out, "delay_ms", w->delay_ns);
	pt_json_seconds(out, "end_s", w->end_ns);
	pt_json_bool(out, "preempted", w->preempted);
	pt_json_open(out, "holders", '[');
	for (size_t i = 0; i < w->nr_holders; i++)
		json_holder(out, &w->holders[i]);
	pt_json_close(out, ']');
	pt_json_close(out, '}');
	pt_json_end_line(out);
}

void pt_schedlat_json(struct pt_schedlat *l, struct pt_buf *out)
{
	struct pt_schedlat_row total;
	const struct pt_schedlat_row *const *rows;
	const struct pt_schedlat_worst *w;
	size_t nr;

	rows = pt_schedlat_rows(l, &nr, &total);
	for (size_t i = 0; i < nr; i++)
		schedlat_print_json_row(out, l->o.by, rows[i]);
	w = pt_schedlat_worst(l, &nr);
	for (size_t i = 0; i < nr; i++)
		json_worst(out, w + i);
}
