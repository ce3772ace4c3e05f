/* timechart_rows.c - the sections of a time chart from the top: CPUs, number of waiting tasks, the
 * heaviest tasks, devices, events */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/text.h"
#include "draw/axis.h"
#include "draw/timechart_priv.h"

enum { MAX_CPU_ROWS = 128, LABEL_CHARS = 25 };

static double span(const struct tc_drawing *d) { return (double)(d->to_ns - d->from_ns); }
static double column_ns(const struct tc_drawing *d) { return span(d) / (double)d->columns; }

void tc_number(struct pt_buf *b, const char *before, double v)
{
	pt_buf_puts(b, before);
	pt_svg_num(b, v);
}

static void label(struct tc_drawing *d, const char *class, double x, double y,
		  const struct pt_buf *text)
{
	pt_svg_text(&d->labels, class, x, y, pt_buf_str(text), text->len);
}

/* Cuts names that are too long for the margin. */
static void cut(struct pt_buf *text)
{
	size_t chars = 0, i = 0, n;

	while (i < text->len && chars < LABEL_CHARS) {
		n = pt_text_utf8(text->data + i, text->len - i);
		i += n ? n : 1;
		chars++;
	}
	if (i >= text->len)
		return;
	text->len = i;
	pt_buf_puts(text, "\342\200\246");
}

static void heading(struct tc_drawing *d, const char *text, const char *more)
{
	pt_svg_text(&d->labels, "strong", 10, d->y + 16, text, strlen(text));
	if (more && *more)
		pt_svg_text(&d->labels, NULL, TC_LEFT, d->y + 16, more, strlen(more));
	d->y += 24;
}

/* A row's start and end for the script; its data come in between. */
static void begin_row(struct tc_drawing *d, const char *kind, const struct pt_buf *name,
		      const struct pt_buf *about, double y, double height)
{
	pt_buf_puts(&d->rows, d->nr_rows++ ? ",{\"kind\":\"" : "{\"kind\":\"");
	pt_buf_puts(&d->rows, kind);
	pt_buf_puts(&d->rows, "\",\"name\":\"");
	pt_text_json(&d->rows, pt_buf_str(name), name->len);
	pt_buf_puts(&d->rows, "\",\"about\":\"");
	pt_text_json(&d->rows, pt_buf_str(about), about->len);
	tc_number(&d->rows, "\",\"y\":", y);
	tc_number(&d->rows, ",\"h\":", height);
	pt_buf_puts(&d->rows, ",\"d\":\"");
}

static void end_row(struct tc_drawing *d) { pt_buf_puts(&d->rows, "\"}"); }

static void percent(struct pt_buf *b, double share)
{
	double v = share * 100;

	if (v >= 9.95 || v <= 0)
		pt_buf_dec(b, (uint64_t)(v + .5));
	else if (v < .1)
		pt_buf_puts(b, "< 0.1");
	else
		pt_svg_num(b, floor(v * 10 + .5) / 10);
	pt_buf_puts(b, " %");
}

static void clear_cells(struct tc_drawing *d)
{
	size_t i;

	for (i = 0; i < d->columns; i++)
		d->cells[i].nr = 0;
}

static void clear_sums(struct tc_drawing *d, size_t nr)
{
	size_t k;

	for (k = 0; k < nr; k++)
		memset(d->sums[k], 0, d->columns * sizeof(double));
}

/* Hatches columns that are unknown, in pixels, since a pattern would be scaled with the cells. */
static void hatch(struct tc_drawing *d, double y, double height)
{
	size_t i, from = SIZE_MAX;
	unsigned k;

	for (i = 0; i <= d->columns; i++) {
		bool gap = false;

		for (k = 0; i < d->columns && k < d->cells[i].nr; k++)
			gap |= d->cells[i].v[k].key == KEY_GAP;
		if (gap && from == SIZE_MAX)
			from = i;
		if (gap || from == SIZE_MAX)
			continue;
		tc_number(&d->gaps, "M", (double)from * d->column_px);
		tc_number(&d->gaps, " ", y);
		tc_number(&d->gaps, "h", PT_MAX((double)(i - from) * d->column_px, 2));
		tc_number(&d->gaps, "v", height);
		tc_number(&d->gaps, "H", (double)from * d->column_px);
		pt_buf_putc(&d->gaps, 'z');
		from = SIZE_MAX;
	}
}

static void draw_cells(struct tc_drawing *d, struct tc_paths *p, unsigned kind, double full_ns)
{
	size_t i;
	unsigned k, class;

	pt_lane_cells_sort(d->cells, d->columns);
	for (i = 0; i < d->columns; i++) {
		double shares[TC_CLASSES] = { 0 };
		unsigned first = TC_CLASSES;

		if (!d->cells[i].nr)
			continue;
		for (k = 0; k < d->cells[i].nr; k++) {
			class = tc_class_of(d, kind, d->cells[i].v[k].key);
			if (class >= TC_CLASSES)
				continue;
			if (d->detail < 3 && kind == TC_OF_CPU) {	/* one colour a cell */
				first = first < TC_CLASSES ? first : class;
				class = first;
			}
			shares[class] += d->cells[i].v[k].time_ns / full_ns;
		}
		tc_paths_cell(p, i, shares, kind == TC_OF_TASK ? 2 : 1);
	}
	tc_paths_end_row(p);
	tc_data_cells(d, kind, full_ns);
}

static void cpus(struct tc_drawing *d)
{
	struct pt_timechart *c = d->c;
	size_t group = (c->nr_cpus + MAX_CPU_ROWS - 1) / MAX_CPU_ROWS, i, k, n;
	double pitch = c->nr_cpus <= 16 ? 20 : c->nr_cpus <= 64 ? 13 : 10, y;
	struct pt_buf name = PT_BUF_INIT, about = PT_BUF_INIT;
	struct tc_paths p = { .row = 0 };

	if (!c->nr_cpus)
		return;
	heading(d, "CPUs",
		"what runs, by command; height: share of the column's time; blank: idle");
	for (i = 0; i < c->nr_cpus; i += n) {
		uint64_t run_ns = 0, gap_ns = 0;

		n = PT_MIN(group, c->nr_cpus - i);
		clear_cells(d);
		y = d->y + (double)p.row * pitch;
		for (k = i; k < i + n; k++) {
			pt_lane_read(&c->cpus[k].lane, &c->time, &c->cpu_rules, d->from_ns,
				     d->to_ns, d->cells, d->columns);
			run_ns += c->cpus[k].run_ns;
			gap_ns += c->cpus[k].gap_ns;
		}
		pt_buf_clear(&name);
		pt_buf_clear(&about);
		pt_buf_printf(&name, n > 1 ? "CPU %u\342\200\223%u" : "CPU %u", c->cpus[i].cpu,
			      c->cpus[i + n - 1].cpu);
		percent(&about, (double)run_ns / span(d) / (double)n);
		if (pitch >= 12 || p.row % 2 == 0) {
			label(d, "end small", TC_LEFT - 8, y + pitch / 2 + 4, &name);
			label(d, "small", TC_LEFT + d->plot_px + 8, y + pitch / 2 + 4, &about);
		}
		pt_buf_puts(&about, " busy");
		if (gap_ns) {
			pt_buf_puts(&about, ", not known for ");
			pt_axis_short(&about, gap_ns, 3, PT_UNIT_AUTO, false);
		}
		begin_row(d, "cpu", &name, &about, y, pitch);
		hatch(d, y + pitch * .1, pitch * .8);
		draw_cells(d, &p, TC_OF_CPU, column_ns(d) * (double)n);
		end_row(d);
	}
	tc_paths_svg(&p, &d->body, d->y + pitch * .9, d->column_px, pitch);
	d->y += (double)p.row * pitch + 6;
	pt_buf_deinit(&name);
	pt_buf_deinit(&about);
}

static double most_of(const struct tc_drawing *d, size_t nr)
{
	double most = 0, sum;
	size_t i, k;

	for (i = 0; i < d->columns; i++) {
		for (sum = 0, k = 0; k < nr; k++)
			sum += d->sums[k][i];
		most = PT_MAX(most, sum);
	}
	return most;
}

/* A bar's height as a share of the row. Counts of events are logarithmic: one event can be seen
 * beside thousands. */
static double bar_height(double v, double most, unsigned class)
{
	if (class < CLASS_EVENT)
		return v / most;
	if (v <= 0)
		return 0;
	return most <= 1 ? 1 : .3 + .7 * log1p(v) / log1p(most);
}

/* Draws sums[] of a row as bars of classes first, first + 1, ...; `most` is the full height. */
static void draw_sums(const struct tc_drawing *d, struct tc_paths *p, size_t nr, unsigned first,
		      double most)
{
	size_t i, k;

	for (i = 0; i < d->columns && most > 0; i++) {
		double shares[TC_CLASSES] = { 0 }, sum = 0;

		for (k = 0; k < nr; k++)
			sum += shares[first + k] =
				bar_height(d->sums[k][i], most, first + k);
		if (sum > 0)
			tc_paths_cell(p, i, shares, 1);
	}
	tc_paths_end_row(p);
}

static void one_row(struct tc_drawing *d, const char *kind, const char *text,
		    const struct pt_buf *right, const struct pt_buf *about, double height,
		    size_t nr, unsigned first, double most, double factor)
{
	struct pt_buf name = PT_BUF_INIT;
	struct tc_paths p = { .row = 0 };

	pt_buf_puts(&name, text);
	begin_row(d, kind, &name, about, d->y, height);
	tc_data_sums(d, nr, factor);
	end_row(d);
	cut(&name);
	label(d, "end small", TC_LEFT - 8, d->y + height / 2 + 4, &name);
	label(d, "small", TC_LEFT + d->plot_px + 8, d->y + height / 2 + 4, right);
	draw_sums(d, &p, nr, first, most);
	tc_paths_svg(&p, &d->body, d->y + height * .9, d->column_px, height);
	d->y += height;
	pt_buf_deinit(&name);
}

static void waiting(struct tc_drawing *d)
{
	struct pt_buf right = PT_BUF_INIT, about = PT_BUF_INIT;
	double most;

	if (!d->c->all_wait.part_ns)
		return;
	clear_sums(d, 1);
	pt_heap_read(&d->c->all_wait, &d->c->time, d->from_ns, d->to_ns, d->sums[0], d->columns);
	most = most_of(d, 1);
	tc_number(&right, "\342\211\244 ", ceil(most / column_ns(d) * 10) / 10);
	pt_axis_short(&about, d->c->all_wait_ns, 3, PT_UNIT_AUTO, false);
	pt_buf_puts(&about, " waited in all, longest ");
	pt_axis_short(&about, d->c->max_wait_ns, 3, PT_UNIT_AUTO, false);
	one_row(d, "wait", "tasks waiting for a CPU", &right, &about, 36, 1, CLASS_WAIT,
		PT_MAX(most, column_ns(d)), 1 / column_ns(d));
	d->y += 6;
	pt_buf_deinit(&right);
	pt_buf_deinit(&about);
}

/* Drops the CPUs of a row, but keeps its states. */
static void states_only(struct tc_drawing *d)
{
	size_t i;
	unsigned k, j, to;

	for (i = 0; i < d->columns; i++) {
		struct pt_lane_cell *c = &d->cells[i];

		for (k = to = 0; k < c->nr; k++) {
			uint32_t key = c->v[k].key < KEY_SPECIAL ? c->v[k].key | KEY_MANY_CPUS
								 : c->v[k].key;

			for (j = 0; j < to && c->v[j].key != key; j++)
				;
			if (j < to) {
				c->v[j].time_ns += c->v[k].time_ns;
			} else {
				c->v[to] = c->v[k];
				c->v[to++].key = key;
			}
		}
		c->nr = to;
	}
}

static void about_task(const struct tc_drawing *d, const struct tc_task *t, struct pt_buf *b)
{
	pt_buf_puts(b, "ran ");
	pt_axis_short(b, t->run_ns, 3, PT_UNIT_AUTO, false);
	pt_buf_puts(b, " (");
	percent(b, (double)t->run_ns / span(d));
	pt_buf_putc(b, ')');
	if (t->waits) {
		pt_buf_puts(b, ", waited ");
		pt_axis_short(b, t->wait_ns, 3, PT_UNIT_AUTO, false);
		pt_buf_printf(b, " in %llu wait%s, longest ", (unsigned long long)t->waits,
			      t->waits == 1 ? "" : "s");
		pt_axis_short(b, t->max_wait_ns, 3, PT_UNIT_AUTO, false);
	}
	if (t->blocked_ns) {
		pt_buf_puts(b, ", blocked ");
		pt_axis_short(b, t->blocked_ns, 3, PT_UNIT_AUTO, false);
	}
}

static void task_row(struct tc_drawing *d, const struct tc_task *t, struct tc_paths *p, double y,
		     double pitch)
{
	struct pt_buf name = PT_BUF_INIT, about = PT_BUF_INIT;
	double from = (double)PT_MAX(t->first_ns, d->from_ns) - (double)d->from_ns,
	       to = (double)PT_MIN(t->last_ns, d->to_ns) - (double)d->from_ns;
	unsigned detail = d->detail;

	pt_buf_printf(&name, "%s %u", d->c->comms[t->comm].name, t->tid);
	about_task(d, t, &about);
	if (t->pid != t->tid && t->pid != UINT32_MAX)
		pt_buf_printf(&about, ", of process %u", t->pid);
	begin_row(d, "task", &name, &about, y, pitch);
	clear_cells(d);
	pt_lane_read(&t->lane, &d->c->time, &d->c->task_rules, d->from_ns, d->to_ns, d->cells,
		     d->columns);
	if (detail < 3)
		states_only(d);
	d->detail = 4;
	hatch(d, y + pitch * .1, pitch * .8);
	draw_cells(d, p, TC_OF_TASK, column_ns(d));
	d->detail = detail;
	end_row(d);
	if (to > from) {		/* the line of its life, below the bars */
		tc_number(&d->lives, "M", from / span(d) * d->plot_px);
		tc_number(&d->lives, " ", y + pitch * .9 - .5);
		tc_number(&d->lives, "H",
			  PT_MAX(to, from + span(d) / d->plot_px) / span(d) * d->plot_px);
	}
	cut(&name);
	label(d, "end small", TC_LEFT - 8, y + pitch / 2 + 4, &name);
	pt_buf_clear(&about);
	pt_axis_short(&about, t->run_ns, 3, PT_UNIT_AUTO, false);
	label(d, "small", TC_LEFT + d->plot_px + 8, y + pitch / 2 + 4, &about);
	*pt_map_put(&d->task_y, t->id) = (uint64_t)(y + pitch / 2) + 1;
	pt_buf_deinit(&name);
	pt_buf_deinit(&about);
}

/* All that ran without the tasks that have a row. */
static void other_tasks(struct tc_drawing *d, size_t nr_shown)
{
	struct pt_timechart *c = d->c;
	uint64_t nr = c->nr_tasks - nr_shown + c->merged;
	struct pt_buf name = PT_BUF_INIT, about = PT_BUF_INIT, right = PT_BUF_INIT;
	size_t i, k;
	double left = 0;

	if (!nr || !c->all_run.part_ns)
		return;
	clear_sums(d, 1);
	pt_heap_read(&c->all_run, &c->time, d->from_ns, d->to_ns, d->sums[0], d->columns);
	for (i = 0; i < nr_shown; i++) {
		const struct tc_task *t = &c->tasks[i];
		unsigned n;

		clear_cells(d);
		pt_lane_read(&t->lane, &c->time, &c->task_rules, d->from_ns, d->to_ns, d->cells,
			     d->columns);
		for (k = 0; k < d->columns; k++)
			for (n = 0; n < d->cells[k].nr; n++)
				if (d->cells[k].v[n].key < KEY_SPECIAL ||
				    d->cells[k].v[n].key == KEY_REST)
					d->sums[0][k] -= d->cells[k].v[n].time_ns;
	}
	for (k = 0; k < d->columns; k++) {
		if (d->sums[0][k] < column_ns(d) * 1e-6)
			d->sums[0][k] = 0;
		left += d->sums[0][k];
	}
	pt_buf_printf(&name, "%llu other task%s", (unsigned long long)nr, nr == 1 ? "" : "s");
	pt_axis_short(&right, (uint64_t)left, 3, PT_UNIT_AUTO, false);
	pt_buf_printf(&about, "ran %s", pt_buf_str(&right));
	one_row(d, "others", pt_buf_str(&name), &right, &about, 16, 1, CLASS_OTHER,
		PT_MAX(column_ns(d) * (double)c->nr_cpus, 1), 1 / column_ns(d));
	pt_buf_deinit(&name);
	pt_buf_deinit(&about);
	pt_buf_deinit(&right);
}

static void tasks(struct tc_drawing *d)
{
	struct pt_timechart *c = d->c;
	size_t nr = PT_MIN(d->o->tasks, c->nr_tasks), i;
	struct tc_paths p = { .row = 0 };
	struct pt_buf more = PT_BUF_INIT;
	const double pitch = 16;

	if (!nr)
		return;
	if (c->nr_tasks + c->merged > nr)
		pt_buf_printf(&more, "the %zu of %llu that ran most", nr,
			      (unsigned long long)(c->nr_tasks + c->merged));
	else
		pt_buf_puts(&more, "those that ran most first");
	heading(d, "Tasks", pt_buf_str(&more));
	for (i = 0; i < nr; i++)
		task_row(d, &c->tasks[i], &p, d->y + (double)i * pitch, pitch);
	tc_paths_svg(&p, &d->body, d->y + pitch * .9, d->column_px, pitch);
	d->y += (double)nr * pitch;
	other_tasks(d, nr);
	d->y += 6;
	pt_buf_deinit(&more);
}

static void devices(struct tc_drawing *d)
{
	struct pt_timechart *c = d->c;
	struct pt_buf right = PT_BUF_INIT, about = PT_BUF_INIT;
	size_t i, k;
	double most;

	if (!c->nr_devices)
		return;
	heading(d, "Devices", "requests in flight: reads, writes, others");
	for (i = 0; i < c->nr_devices; i++) {
		clear_sums(d, 3);
		for (k = 0; k < 3; k++)
			pt_heap_read(&c->devices[i].heap[k], &c->time, d->from_ns, d->to_ns,
				     d->sums[k], d->columns);
		most = most_of(d, 3);
		pt_buf_clear(&right);
		pt_buf_clear(&about);
		tc_number(&right, "\342\211\244 ", ceil(most / column_ns(d) * 10) / 10);
		pt_buf_thousands(&about, c->devices[i].nr);
		pt_buf_puts(&about, c->devices[i].nr == 1 ? " request of " : " requests of ");
		pt_axis_short(&about,
			      c->devices[i].nr ? c->devices[i].time_ns / c->devices[i].nr : 0, 3,
			      PT_UNIT_AUTO, false);
		if (c->devices[i].nr > 1)
			pt_buf_puts(&about, " on average");
		one_row(d, "device", c->devices[i].name, &right, &about, 22, 3, CLASS_READ, most,
			1 / column_ns(d));
	}
	d->y += 6;
	pt_buf_deinit(&right);
	pt_buf_deinit(&about);
}

static void counts_row(struct tc_drawing *d, const char *kind, const char *name,
		       const struct pt_heap *heap, uint64_t nr, unsigned class)
{
	struct pt_buf right = PT_BUF_INIT, about = PT_BUF_INIT;

	clear_sums(d, 1);
	pt_heap_read(heap, &d->c->time, d->from_ns, d->to_ns, d->sums[0], d->columns);
	pt_buf_thousands(&right, nr);
	pt_buf_printf(&about, "%s in all", pt_buf_str(&right));
	one_row(d, kind, name, &right, &about, 16, 1, class, most_of(d, 1), 1);
	pt_buf_deinit(&right);
	pt_buf_deinit(&about);
}

static void events(struct tc_drawing *d)
{
	struct pt_timechart *c = d->c;
	size_t i;

	if (!c->nr_events && !c->nr_lost)
		return;
	heading(d, "Events", NULL);
	if (c->nr_lost)
		counts_row(d, "lost", "lost records", &c->lost, c->nr_lost, CLASS_LOST);
	for (i = 0; i < c->nr_events; i++)
		counts_row(d, "event", c->events[i].name, &c->events[i].heap[0], c->events[i].nr,
			   CLASS_EVENT);
	d->y += 6;
}

void tc_rows(struct tc_drawing *d)
{
	if (!d->o->no_cpus) {
		cpus(d);
		waiting(d);
	}
	if (!d->o->no_tasks)
		tasks(d);
	devices(d);
	events(d);
	tc_arrows(d);
}
