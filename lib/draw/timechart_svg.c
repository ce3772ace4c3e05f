/* timechart_svg.c - the picture around the rows, with as many columns as its size allows */
#include <stdlib.h>

#include "base/mem.h"
#include "base/text.h"
#include "draw/axis.h"
#include "draw/timechart_priv.h"
#include "timechart.css.h"
#include "timechart.js.h"

enum { TOP = 68, FOOT = 64, CHAR_PX = 7, SWATCH_PX = 12, MAX_NOTES = 4 };

static void timechart_svg_counted(struct pt_buf *b, const char *before, uint64_t n, const char *one,
				  const char *many)
{
	pt_buf_puts(b, before);
	pt_buf_thousands(b, n);
	pt_buf_putc(b, ' ');
	pt_buf_puts(b, n == 1 ? one : many);
}

static void timechart_svg_summary(const struct tc_drawing *d, struct pt_buf *b)
{
	const struct pt_timechart *c = d->c;
	uint64_t run_ns = 0;
	size_t i;

	for (i = 0; i < c->nr_cpus; i++)
		run_ns += c->cpus[i].run_ns;
	tc_time(b, "", d->to_ns - d->from_ns);
	pt_buf_puts(b, " from ");
	pt_buf_scaled(b, d->from_ns, 9);
	timechart_svg_counted(b, " s, ", c->nr_cpus, "CPU", "CPUs");
	if (c->nr_cpus)
		pt_buf_printf(b, " %.0f %% busy",
			      (double)run_ns * 100 / (double)(d->to_ns - d->from_ns) /
				      (double)c->nr_cpus);
	timechart_svg_counted(b, ", ", c->nr_tasks + c->merged, "task", "tasks");
	if (d->o->switches)
		timechart_svg_counted(b, ", ", d->o->switches, "switch", "switches");
	if (c->max_wait_ns)
		tc_time(b, ", longest wait for a CPU ", c->max_wait_ns);
}

/* Some lines about what is missing; the tool prints all of it. */
static double notes(const struct tc_drawing *d, struct pt_buf *b, double y)
{
	size_t room = (size_t)((d->plot_px + TC_RIGHT) / CHAR_PX * 1.15), len, nr = 0;
	const char *s = d->o->note;
	struct pt_buf text = PT_BUF_INIT;

	for (; s && *s && nr < MAX_NOTES; s += len + (s[len] == '\n'), nr++, y += 18) {
		len = strcspn(s, "\n");
		pt_text_cut(&text, s, len, room);
		pt_svg_take_text(b, "warn", TC_LEFT, y, &text);
	}
	pt_buf_deinit(&text);
	return y;
}

/* Colours the commands that ran most, by name: other parts of the recording get the same if
 * possible. */
static size_t choose_colours(struct pt_timechart *c, uint32_t *with)
{
	bool taken[TC_COLOURS] = { false };
	size_t n, i, best;
	uint32_t class;

	for (i = 0; i < c->nr_comms; i++)
		c->comms[i].class = CLASS_OTHER;
	for (n = 0; n < TC_COLOURS; n++) {
		best = SIZE_MAX;
		for (i = 0; i < c->nr_comms; i++)
			if (c->comms[i].class == CLASS_OTHER && c->comms[i].run_ns &&
			    (best == SIZE_MAX || c->comms[i].run_ns > c->comms[best].run_ns))
				best = i;
		if (best == SIZE_MAX)
			break;
		class = (uint32_t)(pt_hash_bytes(c->comms[best].name, strlen(c->comms[best].name)) %
				   TC_COLOURS);
		while (taken[class])
			class = (class + 1) % TC_COLOURS;
		taken[class] = true;
		c->comms[best].class = (uint8_t)class;
		with[n] = (uint32_t)best;
	}
	return n;
}

/* A swatch with its text; wraps at the right edge. */
static void swatch(struct tc_drawing *d, struct pt_buf *b, double *x, double *y, unsigned class,
		   const char *name)
{
	struct pt_buf text = PT_BUF_INIT;
	double width;
	size_t len = strlen(name), chars = pt_text_width(name, PT_MIN(len, (size_t)40));

	width = SWATCH_PX + 6 + (double)(chars * CHAR_PX) + 14;
	if (*x + width > TC_LEFT + d->plot_px + TC_RIGHT && *x > TC_LEFT) {
		*x = TC_LEFT;
		*y += 18;
	}
	tc_class_text(&text, class);
	if (class == TC_CLASSES)
		pt_buf_puts(b, "<g class=\"key\"><rect class=\"hatch\"");
	else
		pt_buf_printf(b, "<g class=\"key\" data-class=\"%s\"><rect class=\"%s\"",
			      pt_buf_str(&text), pt_buf_str(&text));
	pt_buf_clear(&text);
	pt_svg_printf(b, " x=\"%f\" y=\"%f\" width=\"%u\" height=\"%u\"/>", *x, *y - 10,
		      SWATCH_PX, SWATCH_PX);
	pt_buf_add(&text, name, PT_MIN(len, (size_t)40));
	pt_svg_take_text(b, NULL, *x + SWATCH_PX + 6, *y, &text);
	pt_buf_puts(b, "</g>\n");
	*x += width;
	pt_buf_deinit(&text);
}

static double timechart_svg_legend(struct tc_drawing *d, struct pt_buf *b, double y)
{
	const struct pt_timechart *c = d->c;
	uint32_t with[TC_COLOURS];
	size_t nr = choose_colours(d->c, with), i, ran = 0;
	bool gaps = false;
	double x = TC_LEFT;

	for (i = 0; i < nr; i++)
		swatch(d, b, &x, &y, c->comms[with[i]].class, c->comms[with[i]].name);
	for (i = 0; i < c->nr_comms; i++)
		ran += c->comms[i].run_ns != 0;
	if (ran > nr || c->has_others)
		swatch(d, b, &x, &y, CLASS_OTHER, c->has_others ? "other tasks" : "other commands");
	for (i = 0; i < c->nr_cpus; i++)
		gaps |= c->cpus[i].gap_ns != 0;
	if (x > TC_LEFT) {
		x = TC_LEFT;
		y += 18;
	}
	swatch(d, b, &x, &y, CLASS_WAIT, "waits for a CPU");
	if (!d->o->no_tasks)
		swatch(d, b, &x, &y, CLASS_BLOCKED, "blocked (uninterruptible)");
	if (c->nr_devices) {
		swatch(d, b, &x, &y, CLASS_READ, "reads");
		swatch(d, b, &x, &y, CLASS_WRITE, "writes");
	}
	if (gaps)
		swatch(d, b, &x, &y, TC_CLASSES, "not known");
	return y + 8;
}

static void axes(struct tc_drawing *d, struct pt_buf *lines, struct pt_buf *texts, double top,
		 double bottom)
{
	uint64_t span = d->to_ns - d->from_ns,
		 step = pt_axis_clock_step(span, PT_MAX((uint64_t)(d->plot_px / 90), 1u)), t;
	struct pt_buf text = PT_BUF_INIT;
	const char *class;
	double x;

	pt_buf_puts(texts, "<g class=\"times\">\n");
	for (t = 0; t <= span && t + step > t; t += step) {
		x = d->plot_px * (double)t / (double)span;
		pt_svg_printf(lines, "M%f %fV%f", x, top, bottom);
		class = x < 8 ? "small" : x > d->plot_px - 12 ? "small end" : "small mid";
		pt_axis_clock(&text, t, step, false);
		pt_svg_text(texts, class, TC_LEFT + x, top - 5, pt_buf_str(&text));
		pt_svg_take_text(texts, class, TC_LEFT + x, bottom + 14, &text);
	}
	pt_buf_puts(texts, "</g>\n");
	pt_buf_deinit(&text);
}

/* DEEP: how far the script may zoom before it lacks wake-ups. */
enum { MAX_ARROWS = 200, MAX_WAKES = 1000, FEW = 400, APART_PX = 6, WIDE_PX = 2, STUB_PX = 13,
       DEEP = 16 };

/* The waker's row, or nearby if it has none (an interrupt, a task without a row): lines across the
 * whole picture would hide it. */
static double source(const struct tc_drawing *d, const struct tc_wake *w, double to)
{
	const uint64_t *at = w->waker == UINT32_MAX ? NULL : pt_map_get(&d->task_y, w->waker);

	return at ? (double)*at - 1 : to - STUB_PX;
}

static void arrow(struct tc_drawing *d, double x, double from, double to)
{
	double tip = to + (to > from ? -6 : 6), wing = to > from ? -4 : 4;

	pt_svg_printf(&d->arrows, "M%f %fV%fm-2.5 %fl2.5 %fl2.5 %f", x, from, tip, wing, -wing,
		      wing);
	d->nr_arrows++;
}

/* For the script. */
static void wake_data(struct pt_buf *b, const struct tc_wake *w, double x, double from, double to)
{
	pt_svg_printf(b, b->len ? ",[%f,%f" : "[%f,%f", x, to);
	pt_buf_printf(b, ",%lld,%lld,%llu",
		      w->waker_tid == UINT32_MAX ? -1LL : (long long)w->waker_tid,
		      w->cpu == UINT32_MAX ? -1LL : (long long)w->cpu,
		      (unsigned long long)w->wait_ns);
	pt_svg_printf(b, ",%f]", from);
}

/* Across a whole recording arrows would only hide it: they are drawn for a part that was asked for,
 * and by the script where it zooms. */
static void arrows(struct tc_drawing *d)
{
	struct pt_timechart *c = d->c;
	bool part = c->from_ns || c->to_ns != UINT64_MAX;
	double span = (double)(d->to_ns - d->from_ns), wide_ns = span / d->plot_px * WIDE_PX;
	size_t slots = (size_t)(d->plot_px / APART_PX) + 1, nr = 0, i;
	uint8_t *taken = pt_alloc(slots);

	if (c->nr_wakes)
		qsort(c->wakes, c->nr_wakes, sizeof(*c->wakes), tc_longest_wait);
	for (i = 0; i < c->nr_wakes && nr < MAX_WAKES; i++) {
		const struct tc_wake *w = &c->wakes[i];
		const uint64_t *to = pt_map_get(&d->task_y, w->wakee);
		double x = ((double)w->time_ns - (double)d->from_ns) / span * d->plot_px, from;
		uint8_t *used;

		if ((double)w->wait_ns < wide_ns / DEEP && c->all_wakes > FEW)
			break;
		if (!to || w->time_ns < d->from_ns || w->time_ns > d->to_ns)
			continue;
		from = source(d, w, (double)*to - 1);
		if (from == (double)*to - 1)
			continue;
		wake_data(&d->wakes, w, x, from, (double)*to - 1);
		nr++;
		used = &taken[(size_t)(x / APART_PX)];
		if (part && d->nr_arrows < MAX_ARROWS && !(*used)++ &&
		    ((double)w->wait_ns >= wide_ns || c->all_wakes <= FEW))
			arrow(d, x, from, (double)*to - 1);
	}
	free(taken);
}

/* Frees the buffers of the rows. */
static void drawing_reset(struct tc_drawing *d)
{
	struct pt_buf *all[] = { &d->body,  &d->labels, &d->gaps, &d->lives, &d->arrows, &d->rows,
				 &d->names, &d->wakes,  &d->name, &d->about, &d->right };
	size_t i;

	for (i = 0; i < PT_NR(all); i++)
		pt_buf_deinit(all[i]);
	pt_map_deinit(&d->name_index);
	pt_map_deinit(&d->task_y);
	d->nr_names = d->nr_rows = 0;
	d->nr_arrows = 0;
}

static void drawing_deinit(struct tc_drawing *d)
{
	size_t i;

	drawing_reset(d);
	free(d->cells);
	for (i = 0; i < PT_NR(d->sums); i++)
		free(d->sums[i]);
}

/* From narrow columns with all keys to wide ones, until the picture is small enough. */
static void draw_rows(struct tc_drawing *d, double top)
{
	static const struct {
		unsigned px, detail;
	} levels[] = { { 1, 4 }, { 1, 2 },  { 2, 2 },  { 3, 1 }, { 4, 1 },
		       { 6, 1 }, { 10, 1 }, { 16, 1 }, { 32, 1 } };
	size_t most = (size_t)d->plot_px, i;

	d->cells = pt_alloc_array(most + 1, sizeof(*d->cells));
	for (i = 0; i < PT_NR(d->sums); i++)
		d->sums[i] = pt_alloc_array(most + 1, sizeof(double));
	for (i = 0; i < PT_NR(levels); i++) {
		drawing_reset(d);
		d->columns = PT_MAX(most / levels[i].px, (size_t)10);
		d->columns = (size_t)PT_MAX(PT_MIN(d->columns, d->to_ns - d->from_ns), 1u);
		d->column_px = d->plot_px / (double)d->columns;
		d->detail = levels[i].detail;
		d->y = top;
		pt_buf_printf(&d->names, "[%u,\"other tasks\"]", (unsigned)CLASS_OTHER);
		d->nr_names = 1;
		tc_rows(d);
		arrows(d);
		if (d->body.len + d->labels.len + d->gaps.len + d->arrows.len + d->rows.len +
			    d->names.len + d->wakes.len <
		    PT_TIMECHART_BYTES)
			break;
	}
}

static const uint32_t light[TC_CLASSES] = {
	0x3b6fd4, 0x1f9e89, 0x8b5cd6, 0x6aa51e, 0x17a2c4, 0x8f6b3d, 0x5f7388, 0xb07aa1, 0x2c6e49,
	0x4a4fb8, 0xa9a9b4, 0xffc978, 0xef9ab9, 0x1c4e80, 0xe8590c, 0x868e96, 0x5d5d68, 0xd00000,
};
static const uint32_t dark[TC_CLASSES] = {
	0x6c9bff, 0x3cc9b0, 0xb18cff, 0x94cf3f, 0x45c8e8, 0xc29a63, 0x92a8be, 0xd3a1c6, 0x5aa87c,
	0x8488f0, 0x6e6e7c, 0x7d5716, 0x8f3f62, 0xa5d8ff, 0xff8a4c, 0xadb5bd, 0xa3a3b1, 0xff5c5c,
};

/* Patterns in the units of rows, whose columns differ in width: stripes along the time. */
static void style(struct pt_buf *b, enum pt_theme theme)
{
	pt_svg_chart_style(b, theme, timechart_css,
			   &(struct pt_svg_colours){ ".pt-timechart .c", "fill", light, dark,
						     TC_CLASSES });
	pt_buf_puts(
		b,
		"<defs><pattern id=\"pt-hatch\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
		"<rect class=\"hatched\" width=\"5\" height=\"5\"/><rect class=\"hatching\" width=\"2\" height=\"5\"/></pattern>\n"
		"<pattern id=\"pt-waits\" width=\"4\" height=\"4\" patternUnits=\"userSpaceOnUse\">");
	pt_buf_printf(b, "<rect class=\"c%u\" width=\"4\" height=\"4\"/>", CLASS_WAIT);
	pt_buf_puts(
		b,
		"<rect class=\"stripe\" width=\"4\" height=\"1\"/></pattern>\n"
		"<pattern id=\"pt-blocks\" width=\"4\" height=\"8\" patternUnits=\"userSpaceOnUse\">");
	pt_buf_printf(b, "<rect class=\"c%u\" width=\"4\" height=\"8\"/>", CLASS_BLOCKED);
	pt_buf_puts(b, "<rect class=\"stripe\" width=\"4\" height=\"3\"/></pattern></defs>\n");
}

/* A list of the script's. */
static void metadata(struct pt_buf *b, const char *class, const struct pt_buf *json)
{
	pt_buf_printf(b, "<metadata class=\"%s\">[", class);
	pt_text_xml(b, pt_buf_str(json), json->len);
	pt_buf_puts(b, "]</metadata>\n");
}

/* Times as seconds and nanoseconds: each fits a double, the sum would not. */
static void plot(struct tc_drawing *d, struct pt_buf *b, const struct pt_buf *lines, double top,
		 double bottom)
{
	pt_svg_printf(b,
		      "<g class=\"plot\" transform=\"translate(%u 0)\" tabindex=\"0\" "
		      "data-columns=\"%lu\" data-start=\"%lu %lu\" data-span=\"%lu\" "
		      "data-plot=\"%f %f %f\"",
		      TC_LEFT, d->columns, d->from_ns / 1000000000, d->from_ns % 1000000000,
		      d->to_ns - d->from_ns, d->plot_px, top, bottom);
	if (d->o->command)
		pt_svg_printf(b, " data-command=\"%s\" data-behind=\"%s\"", d->o->command,
			      d->o->behind ? d->o->behind : "");
	pt_buf_puts(b, ">\n");
	metadata(b, "names", &d->names);
	metadata(b, "rows", &d->rows);
	metadata(b, "wakes", &d->wakes);
	pt_svg_rect(b, "field", 0, top, d->plot_px, bottom - top);
	pt_svg_path(b, "lines", lines);
	pt_svg_path(b, "gap", &d->gaps);
	pt_svg_path(b, "lives", &d->lives);
	pt_buf_puts(b, "<g class=\"bars\">\n");
	pt_buf_join(b, &d->body);
	pt_buf_puts(b, "</g>\n");
	pt_svg_path(b, "arrows", &d->arrows);
	pt_buf_puts(b, "</g>\n");
}

int pt_timechart_svg(struct pt_timechart *c, struct pt_buf *b, const struct pt_timechart_opts *o)
{
	struct tc_drawing d = { .c = c, .o = o };
	const char *title = o->title ? o->title : "CPUs and tasks over time";
	struct pt_buf head = PT_BUF_INIT, lines = PT_BUF_INIT, text = PT_BUF_INIT;
	double width = PT_MAX(o->width, (unsigned)PT_TIMECHART_MIN_WIDTH), top, height;

	if (!c->started || c->last_ns <= c->time.start_ns)
		return -1;
	d.from_ns = c->time.start_ns;
	d.to_ns = c->last_ns;
	d.plot_px = width - TC_LEFT - TC_RIGHT;
	tc_sort(c);
	timechart_svg_summary(&d, &text);
	pt_svg_text(&head, "title", TC_LEFT, 30, title);
	pt_svg_text(&head, NULL, TC_LEFT, 50, pt_buf_str(&text));
	top = notes(&d, &head, TOP);
	top = timechart_svg_legend(&d, &head, top + 4) + 22;
	draw_rows(&d, top);
	height = d.y + FOOT;
	axes(&d, &lines, &head, top, d.y);
	pt_svg_open(b, "pt-chart pt-timechart", width, height, title, pt_buf_str(&text));
	style(b, o->theme);
	pt_svg_rect(b, "ground", 0, 0, width, height);
	pt_buf_join(b, &head);
	pt_buf_join(b, &d.labels);
	pt_buf_clear(&text);
	if (d.nr_arrows) {
		timechart_svg_counted(&text, "", d.nr_arrows, "wake-up", "wake-ups");
		if (d.nr_arrows < c->all_wakes) {
			pt_buf_puts(&text, " drawn of ");
			pt_buf_thousands(&text, c->all_wakes);
		}
		pt_svg_take_text(b, "small end", width - 12, d.y + 30, &text);
	}
	plot(&d, b, &lines, top, d.y);
	pt_svg_close(b, timechart_js);
	drawing_deinit(&d);
	pt_buf_deinit(&head);
	pt_buf_deinit(&lines);
	pt_buf_deinit(&text);
	return 0;
}
