/* timechart_rows.c - the sections from the top: CPUs, waiting tasks, heaviest tasks, devices,
 * events */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/text.h"
#include "draw/axis.h"
#include "draw/timechart_priv.h"

enum { MAX_CPU_ROWS = 128, LABEL_CHARS = 25 };

static double span(const struct tc_drawing *d) { return (double)(d->to_ns - d->from_ns); }
static double column_ns(const struct tc_drawing *d) { return span(d) / (double)d->columns; }

void tc_time(struct pt_buf *b, const char *before, uint64_t time_ns)
{
	pt_buf_puts(b, before);
	pt_axis_short(b, time_ns, PT_UNIT_AUTO, false);
}

/* A row's name, cut at the margin, and its figure. */
static void labels(struct tc_drawing *d, double y)
{
	size_t fits = pt_text_fit(pt_buf_str(&d->name), d->name.len, LABEL_CHARS);

	if (fits < d->name.len) {
		d->name.len = fits;
		pt_buf_puts(&d->name, "\342\200\246");
	}
	pt_svg_text(&d->labels, "end small", TC_LEFT - 8, y + 4, pt_buf_str(&d->name));
	pt_svg_text(&d->labels, "small", TC_LEFT + d->plot_px + 8, y + 4, pt_buf_str(&d->right));
}

static void timechart_rows_heading(struct tc_drawing *d, const char *text, const char *more)
{
	pt_svg_text(&d->labels, "strong", 10, d->y + 16, text);
	if (more)
		pt_svg_text(&d->labels, NULL, TC_LEFT, d->y + 16, more);
	d->y += 24;
}

/* Forgets the texts of the row before. */
static void timechart_rows_new_row(struct tc_drawing *d)
{
	pt_buf_clear(&d->name);
	pt_buf_clear(&d->about);
	pt_buf_clear(&d->right);
}

/* A row's start and end for the script; its data come in between. */
static void begin_row(struct tc_drawing *d, const char *kind, double y, double height)
{
	pt_buf_puts(&d->rows, d->nr_rows++ ? ",{\"kind\":\"" : "{\"kind\":\"");
	pt_buf_puts(&d->rows, kind);
	pt_buf_puts(&d->rows, "\",\"name\":\"");
	pt_text_json(&d->rows, pt_buf_str(&d->name), d->name.len);
	pt_buf_puts(&d->rows, "\",\"about\":\"");
	pt_text_json(&d->rows, pt_buf_str(&d->about), d->about.len);
	pt_svg_printf(&d->rows, "\",\"y\":%f,\"h\":%f,\"d\":\"", y, height);
}

static void end_row(struct tc_drawing *d) { pt_buf_puts(&d->rows, "\"}"); }

static void timechart_rows_percent(struct pt_buf *b, double share)
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

/* Adds a lane to the cells. `coarse`: by the high halves of keys. */
static void read_lane(struct tc_drawing *d, const struct pt_lane *lane, bool coarse)
{
	pt_lane_read(lane, &d->c->time, d->from_ns, d->to_ns, coarse, d->cells, d->columns);
}

/* Hatches unknown columns, in pixels: a pattern would be scaled with the cells. */
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
		pt_svg_printf(&d->gaps, "M%f %fh%fv%fH%fz", (double)from * d->column_px, y,
			      PT_MAX((double)(i - from) * d->column_px, 2), height,
			      (double)from * d->column_px);
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
			class = tc_class_of(d, d->cells[i].v[k].key);
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
	struct tc_paths p = { .row = 0 };

	if (!c->nr_cpus)
		return;
	timechart_rows_heading(
		d, "CPUs",
		"what runs, by command; height: share of the column's time; blank: idle");
	for (i = 0; i < c->nr_cpus; i += n) {
		uint64_t run_ns = 0, gap_ns = 0;

		n = PT_MIN(group, c->nr_cpus - i);
		clear_cells(d);
		y = d->y + (double)p.row * pitch;
		for (k = i; k < i + n; k++) {
			read_lane(d, &c->cpus[k].lane, false);
			run_ns += c->cpus[k].run_ns;
			gap_ns += c->cpus[k].gap_ns;
		}
		timechart_rows_new_row(d);
		pt_buf_printf(&d->name, n > 1 ? "CPU %u\342\200\223%u" : "CPU %u", c->cpus[i].cpu,
			      c->cpus[i + n - 1].cpu);
		timechart_rows_percent(&d->right, (double)run_ns / span(d) / (double)n);
		pt_buf_printf(&d->about, "%s busy", d->right.data);
		if (gap_ns)
			tc_time(&d->about, ", not known for ", gap_ns);
		begin_row(d, "cpu", y, pitch);
		if (pitch >= 12 || p.row % 2 == 0)
			labels(d, y + pitch / 2);
		hatch(d, y + pitch * .1, pitch * .8);
		draw_cells(d, &p, TC_OF_CPU, column_ns(d) * (double)n);
		end_row(d);
	}
	tc_paths_svg(&p, &d->body, d->y + pitch * .9, d->column_px, pitch);
	d->y += (double)p.row * pitch + 6;
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

/* Counts of events are logarithmic, so that one can be seen beside thousands. */
static double bar_height(double v, double most, unsigned class)
{
	if (class < CLASS_EVENT)
		return v / most;
	if (v <= 0)
		return 0;
	return most <= 1 ? 1 : .3 + .7 * log1p(v) / log1p(most);
}

/* Bars of sums[], of classes from `first` on; `most` is the full height. */
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

/* A row of sums[], named by the texts of `d`. */
static void one_row(struct tc_drawing *d, const char *kind, double height, size_t nr,
		    unsigned first, double most, double factor)
{
	struct tc_paths p = { .row = 0 };

	begin_row(d, kind, d->y, height);
	tc_data_sums(d, nr, factor);
	end_row(d);
	labels(d, d->y + height / 2);
	draw_sums(d, &p, nr, first, most);
	tc_paths_svg(&p, &d->body, d->y + height * .9, d->column_px, height);
	d->y += height;
}

/* The sums of a heap, as those of column `k`. */
static void read_heap(struct tc_drawing *d, const struct pt_heap *heap, size_t k)
{
	memset(d->sums[k], 0, d->columns * sizeof(double));
	pt_heap_read(heap, &d->c->time, d->from_ns, d->to_ns, d->sums[k], d->columns);
}

static void at_most(struct tc_drawing *d, double most)
{
	pt_svg_printf(&d->right, "\342\211\244 %f", ceil(most / column_ns(d) * 10) / 10);
}

static void waiting(struct tc_drawing *d)
{
	const struct tc_row *r = &d->c->rows[TC_WAIT];
	double most;

	if (!r->heap[0].part_ns)
		return;
	read_heap(d, &r->heap[0], 0);
	most = most_of(d, 1);
	timechart_rows_new_row(d);
	pt_buf_puts(&d->name, "tasks waiting for a CPU");
	at_most(d, most);
	tc_time(&d->about, "", r->time_ns);
	tc_time(&d->about, " waited in all, longest ", d->c->max_wait_ns);
	one_row(d, "wait", 36, 1, CLASS_WAIT, PT_MAX(most, column_ns(d)), 1 / column_ns(d));
	d->y += 6;
}

static void about_task(const struct tc_drawing *d, const struct tc_task *t, struct pt_buf *b)
{
	tc_time(b, "ran ", t->run_ns);
	pt_buf_puts(b, " (");
	timechart_rows_percent(b, (double)t->run_ns / span(d));
	pt_buf_putc(b, ')');
	if (t->waits) {
		tc_time(b, ", waited ", t->wait_ns);
		pt_buf_printf(b, " in %llu wait%s", (unsigned long long)t->waits,
			      t->waits == 1 ? "" : "s");
		tc_time(b, ", longest ", t->max_wait_ns);
	}
	if (t->blocked_ns)
		tc_time(b, ", blocked ", t->blocked_ns);
	if (t->pid != t->tid && t->pid != UINT32_MAX)
		pt_buf_printf(b, ", of process %u", t->pid);
}

static void task_row(struct tc_drawing *d, const struct tc_task *t, struct tc_paths *p, double y,
		     double pitch)
{
	double from = (double)PT_MAX(t->first_ns, d->from_ns) - (double)d->from_ns,
	       to = (double)PT_MIN(t->last_ns, d->to_ns) - (double)d->from_ns;
	unsigned detail = d->detail;

	timechart_rows_new_row(d);
	pt_buf_printf(&d->name, "%s %u", d->c->comms[t->comm].name, t->tid);
	about_task(d, t, &d->about);
	tc_time(&d->right, "", t->run_ns);
	begin_row(d, "task", y, pitch);
	clear_cells(d);
	read_lane(d, &t->lane, detail < 3);	/* without its CPUs */
	d->detail = 4;
	hatch(d, y + pitch * .1, pitch * .8);
	draw_cells(d, p, TC_OF_TASK, column_ns(d));
	d->detail = detail;
	end_row(d);
	if (to > from)			/* the line of its life, below the bars */
		pt_svg_printf(&d->lives, "M%f %fH%f", from / span(d) * d->plot_px,
			      y + pitch * .9 - .5,
			      PT_MAX(to, from + span(d) / d->plot_px) / span(d) * d->plot_px);
	labels(d, y + pitch / 2);
	*pt_map_put(&d->task_y, t->id) = (uint64_t)(y + pitch / 2) + 1;
}

/* All that ran without the tasks that have a row. */
static void other_tasks(struct tc_drawing *d, size_t nr_shown)
{
	struct pt_timechart *c = d->c;
	uint64_t nr = c->nr_tasks - nr_shown + c->merged;
	size_t i, k;
	double left = 0;

	if (!nr || !c->rows[TC_RUN].heap[0].part_ns)
		return;
	read_heap(d, &c->rows[TC_RUN].heap[0], 0);
	for (i = 0; i < nr_shown; i++) {
		const struct tc_task *t = &c->tasks[i];
		unsigned n;

		clear_cells(d);
		read_lane(d, &t->lane, false);
		for (k = 0; k < d->columns; k++)
			for (n = 0; n < d->cells[k].nr; n++)
				if (!(d->cells[k].v[n].key & PT_LANE_SPECIAL) ||
				    d->cells[k].v[n].key == KEY_REST)
					d->sums[0][k] -= d->cells[k].v[n].time_ns;
	}
	for (k = 0; k < d->columns; k++) {
		if (d->sums[0][k] < column_ns(d) * 1e-6)
			d->sums[0][k] = 0;
		left += d->sums[0][k];
	}
	timechart_rows_new_row(d);
	if (c->has_others)		/* tasks that were not chosen are in the sum, too */
		pt_buf_puts(&d->name, "everything else");
	else
		pt_buf_printf(&d->name, "%llu other task%s", (unsigned long long)nr,
			      nr == 1 ? "" : "s");
	tc_time(&d->right, "", (uint64_t)left);
	tc_time(&d->about, "ran ", (uint64_t)left);
	one_row(d, "others", 16, 1, CLASS_OTHER,
		PT_MAX(column_ns(d) * (double)c->nr_cpus, 1), 1 / column_ns(d));
}

static int compare_start(const void *a, const void *b)
{
	const struct tc_task *x = a, *y = b;

	if (x->first_ns != y->first_ns)
		return x->first_ns < y->first_ns ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
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
		pt_buf_printf(&more, "the %zu of %llu that ran most%s", nr,
			      (unsigned long long)(c->nr_tasks + c->merged),
			      d->o->by_start ? ", by their start" : "");
	else
		pt_buf_puts(&more, d->o->by_start ? "by their start" : "those that ran most first");
	if (d->o->by_start)
		qsort(c->tasks, nr, sizeof(*c->tasks), compare_start);
	timechart_rows_heading(d, "Tasks", pt_buf_str(&more));
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
	size_t i, k;
	double most;

	if (!c->nr_devices)
		return;
	timechart_rows_heading(d, "Devices", "requests in flight: reads, writes, others");
	for (i = 0; i < c->nr_devices; i++) {
		const struct tc_row *r = &c->rows[TC_DEVICES + i];

		for (k = 0; k < 3; k++)
			read_heap(d, &r->heap[k], k);
		most = most_of(d, 3);
		timechart_rows_new_row(d);
		pt_buf_puts(&d->name, r->name);
		at_most(d, most);
		pt_buf_thousands(&d->about, r->nr);
		tc_time(&d->about, r->nr == 1 ? " request of " : " requests of ",
			r->nr ? r->time_ns / r->nr : 0);
		if (r->nr > 1)
			pt_buf_puts(&d->about, " on average");
		one_row(d, "device", 22, 3, CLASS_READ, most, 1 / column_ns(d));
	}
	d->y += 6;
}

static void counts_row(struct tc_drawing *d, const char *kind, const char *name,
		       const struct tc_row *r, unsigned class)
{
	read_heap(d, &r->heap[0], 0);
	timechart_rows_new_row(d);
	pt_buf_puts(&d->name, name);
	pt_buf_thousands(&d->right, r->nr);
	pt_buf_printf(&d->about, "%s in all", d->right.data);
	one_row(d, kind, 16, 1, class, most_of(d, 1), 1);
}

static void events(struct tc_drawing *d)
{
	const struct tc_row *lost = &d->c->rows[TC_LOST], *r = &d->c->rows[TC_EVENTS];
	size_t nr = d->c->nr_events;

	if (!nr && !lost->nr)
		return;
	timechart_rows_heading(d, "Events", NULL);
	if (lost->nr)
		counts_row(d, "lost", "lost records", lost, CLASS_LOST);
	for (; nr--; r++)
		counts_row(d, "event", r->name, r, CLASS_EVENT);
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
}
