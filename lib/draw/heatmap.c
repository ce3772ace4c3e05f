#include "draw/heatmap.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/text.h"
#include "draw/ramp.h"
#include "heatmap.css.h"
#include "heatmap.js.h"

enum {
	SHADES = PT_RAMP_SHADES,
	LEFT = 74,
	RIGHT = 24,
	TOP = 72,
	BOTTOM = 34,
	HEADING = 28,			/* above each of several grids */
	LEGEND_WIDTH = 7 * SHADES,
	TITLE_CHAR_TENTHS = 103		/* a character's width */
};

/* Sizes and places in pixels. */
struct layout {
	double width, height;		/* of the picture */
	double plot_width, plot_height;	/* of the field of cells, whose corner is at LEFT, top */
	double top;
	double column, row;		/* of a cell */
};

/* The start of a recording whose times count from 1970: values of 2001 to 2096 are no uptime. */
static void heatmap_began(struct pt_buf *b, uint64_t start_ns)
{
	time_t t = (time_t)(start_ns / 1000000000);
	char text[64];
	struct tm tm;

	if (start_ns < 1000000000000000000u || start_ns > 4000000000000000000u ||
	    !gmtime_r(&t, &tm))
		return;
	strftime(text, sizeof(text), ", from %Y-%m-%d %H:%M:%S UTC on", &tm);
	pt_buf_puts(b, text);
}

void pt_heatmap_summary(struct pt_buf *b, const struct pt_grid *g, const struct pt_heatmap_opts *o,
			bool ascii)
{
	const struct pt_points_stats *st = &g->stats;

	pt_buf_thousands(b, st->total);
	pt_buf_puts(b, st->total == 1 ? " latency" : " latencies");
	if (st->last_ns > st->first_ns) {
		pt_buf_puts(b, " in ");
		pt_axis_short(b, st->last_ns - st->first_ns, PT_UNIT_AUTO, ascii);
	}
	heatmap_began(b, g->start_ns);
	pt_buf_puts(b, ", median ");
	pt_axis_short(b, st->p50_ns, o->unit, ascii);
	pt_buf_puts(b, ", 99 % within ");
	pt_axis_short(b, st->p99_ns, o->unit, ascii);
	pt_buf_puts(b, ", longest ");
	pt_axis_short(b, st->max_ns, o->unit, ascii);
}

/* A path for each shade, its strokes relative to each other. */
static void cells(struct pt_buf *b, const struct pt_grid *g, const struct pt_shades *s,
		  const struct layout *l)
{
	struct pt_buf paths[SHADES] = { 0 };
	struct { int64_t column, row; } at[SHADES] = { 0 };
	size_t row, c, from;
	char class[8];
	unsigned i;

	for (row = 0; row < g->rows; row++)
		for (c = 0; c < g->columns; ) {
			uint64_t n = g->cells[c * g->rows + row];

			from = c++;
			if (!n)
				continue;
			i = pt_shade(s, n);
			while (c < g->columns && (n = g->cells[c * g->rows + row]) &&
			       pt_shade(s, n) == i)
				c++;
			pt_buf_putc(&paths[i], 'm');
			pt_svg_step(&paths[i], (int64_t)from - at[i].column, true);
			pt_svg_step(&paths[i], (int64_t)row - at[i].row, false);
			pt_buf_putc(&paths[i], 'h');
			pt_buf_dec(&paths[i], c - from);
			at[i].column = (int64_t)c;
			at[i].row = (int64_t)row;
		}
	pt_svg_printf(b, "<g class=\"cells\" transform=\"translate(0 %f) scale(%F %F)\">\n",
		      l->plot_height - l->row / 2, l->column, -l->row);
	for (i = 0; i < SHADES; i++) {
		snprintf(class, sizeof(class), "s%u", i);
		pt_svg_path(b, class, &paths[i]);
		pt_buf_deinit(&paths[i]);
	}
	pt_buf_puts(b, "</g>\n");
}

/* For the script, a column: "first row:count,count,,count;" without zeros. */
static void counts(struct pt_buf *b, const struct pt_grid *g)
{
	const uint64_t *cell = g->cells;
	size_t c, row, first, end;

	for (c = 0; c < g->columns; c++, cell += g->rows) {
		for (first = 0; first < g->rows && !cell[first]; first++)
			;
		for (end = g->rows; end > first && !cell[end - 1]; end--)
			;
		for (row = first; row < end; row++) {
			if (row == first)
				pt_buf_dec(b, first);
			pt_buf_putc(b, row == first ? ':' : ',');
			if (cell[row])
				pt_buf_dec(b, cell[row]);
		}
		pt_buf_putc(b, ';');
	}
}

/* For the script in nanoseconds; data-start is in microseconds, which fit a double. */
static void data(struct pt_buf *b, const struct pt_grid *g, const struct layout *l,
		 enum pt_unit unit)
{
	size_t i;

	pt_svg_printf(b,
		      " data-plot=\"%f %f\" data-columns=\"%lu\" data-start=\"%lu\" data-step=\"%lu\" "
		      "data-above=\"%u\" data-unit=\"%s\" data-name=\"%s\"\ndata-edges=\"",
		      l->plot_width, l->plot_height, g->columns, g->start_ns / 1000, g->step_ns,
		      (unsigned)g->above,
		      unit == PT_UNIT_AUTO ? "" : pt_unit_name(unit, false),
		      g->name ? g->name : "");
	for (i = 0; i < g->rows + !g->above; i++)
		pt_svg_printf(b, i ? " %lu" : "%lu", g->edges[i]);
	pt_buf_puts(b, "\"\ndata-counts=\"");
	counts(b, g);
	pt_buf_putc(b, '"');
}

/* Labels left of the field; `lines` in the field's coordinates. */
static void latency_axis(struct pt_buf *b, struct pt_buf *lines, const struct pt_grid *g,
			 const struct pt_heatmap_opts *o, const struct layout *l)
{
	uint64_t ticks[64];
	size_t n = pt_grid_ticks(g, 30 / l->row, ticks, PT_NR(ticks)), i;
	double top = g->above ? l->row / 2 : -100,
	       bottom = g->below ? l->plot_height - l->row / 2 : l->plot_height + 100, y;
	enum pt_unit unit = o->unit;
	struct pt_buf text = PT_BUF_INIT;

	/* on a straight axis all numbers have one unit */
	if (!unit && !g->log && n)
		unit = pt_axis_unit(ticks[n - 1]);
	for (i = 0; i < n; i++) {
		y = l->plot_height - pt_grid_place(g, ticks[i]) * l->row;
		if (y > 0.5 && y < l->plot_height - 0.5)
			pt_svg_printf(lines, "M0 %fh%f", y, l->plot_width);
		if (y - top < 14 || bottom - y < 14)
			continue;
		pt_axis_exact(&text, ticks[i], unit, false);
		pt_svg_take_text(b, "end", LEFT - 8, l->top + y + 4, &text);
	}
	if (g->above) {
		pt_buf_puts(&text, "\342\211\245 ");
		pt_axis_exact(&text, g->edges[g->rows - 1], o->unit, false);
		pt_svg_take_text(b, "end", LEFT - 8, l->top + top + 4, &text);
	}
	if (g->below) {
		pt_buf_puts(&text, "< ");
		pt_axis_exact(&text, g->edges[1], o->unit, false);
		pt_svg_take_text(b, "end", LEFT - 8, l->top + bottom + 4, &text);
	}
	pt_buf_deinit(&text);
}

static void heatmap_time_axis(struct pt_buf *b, struct pt_buf *lines, const struct pt_grid *g,
			      const struct layout *l)
{
	uint64_t span = g->columns * g->step_ns,
		 step = pt_axis_clock_step(span, PT_MAX((uint64_t)(l->plot_width / 90), 1u)), t;
	struct pt_buf text = PT_BUF_INIT;
	const char *class;
	double x;

	for (t = 0; t <= span && t + step > t; t += step) {
		x = l->column * (double)t / (double)g->step_ns;
		if (x > 0.5 && x < l->plot_width - 0.5)
			pt_svg_printf(lines, "M%f 0v%f", x, l->plot_height);
		pt_axis_clock(&text, t, step, false);
		class = x > l->plot_width - 12 ? "end" : "mid";
		pt_svg_take_text(b, x < 8 ? NULL : class, LEFT + x, l->top + l->plot_height + 19,
				 &text);
	}
	pt_buf_deinit(&text);
}

static void heatmap_legend(struct pt_buf *b, const struct pt_shades *s, const struct layout *l)
{
	double x = l->width - RIGHT - LEGEND_WIDTH;
	struct pt_buf text = PT_BUF_INIT;
	unsigned i, last = 0;

	pt_svg_printf(b, "<g class=\"cells\" transform=\"translate(%f 26) scale(7 10)\">\n", x);
	for (i = 0; i < SHADES; i++)
		pt_svg_printf(b, "<path class=\"s%u\" d=\"M%u 0h1\"/>\n", i, i);
	pt_buf_puts(b, "</g>\n");
	/* The shades' smallest counts where there is room, the largest at the end. */
	for (i = 0; i < SHADES - 5; i++) {
		if (s->from[i] == UINT64_MAX || s->from[i] >= s->max_count || (i && i < last + 6))
			continue;
		pt_buf_thousands(&text, s->from[i]);
		pt_svg_take_text(b, i ? "small mid" : "small", x + (i ? 7 * i + 3.5 : 0), 46,
				 &text);
		last = i;
	}
	pt_buf_thousands(&text, s->max_count);
	pt_svg_take_text(b, "small end", x + LEGEND_WIDTH, 46, &text);
	if (l->width >= 600)
		pt_svg_text(b, "small end", x - 10, 46, "in a cell");
	pt_buf_deinit(&text);
}

/* Background, axis lines, cells, borders of the combined rows. */
static void heatmap_field(struct pt_buf *b, const struct pt_grid *g, const struct pt_shades *s,
			  const struct pt_buf *lines, const struct layout *l, enum pt_unit unit)
{
	struct pt_buf borders = PT_BUF_INIT;

	pt_svg_printf(b, "<g class=\"plot\" transform=\"translate(%u %f)\" tabindex=\"0\"", LEFT,
		      l->top);
	data(b, g, l, unit);
	pt_buf_puts(b, ">\n");
	pt_svg_rect(b, "field", 0, 0, l->plot_width, l->plot_height);
	pt_svg_path(b, "lines", lines);
	cells(b, g, s, l);
	if (g->above)
		pt_svg_printf(&borders, "M0 %fh%f", l->row, l->plot_width);
	if (g->below)
		pt_svg_printf(&borders, "M0 %fh%f", l->plot_height - l->row, l->plot_width);
	pt_svg_path(b, "gather", &borders);
	pt_svg_printf(b, "<path class=\"lines axis\" d=\"M0 %fh%f\"/>\n</g>\n", l->plot_height,
		      l->plot_width);
	pt_buf_deinit(&borders);
}

/* Cut where the legend begins. */
static void put_title(struct pt_buf *b, const char *title, const struct layout *l)
{
	double room = l->width - RIGHT - LEGEND_WIDTH - LEFT;
	struct pt_buf text = PT_BUF_INIT;

	pt_text_cut(&text, title, strlen(title), (size_t)(10 * room / TITLE_CHAR_TENTHS));
	pt_svg_take_text(b, "title", LEFT, 32, &text);
	pt_buf_deinit(&text);
}

/* One of several grids has a heading. */
static void heatmap_put_grid(struct pt_buf *b, const struct pt_grid *g, const struct pt_shades *s,
			     const struct pt_heatmap_opts *o, const struct layout *l)
{
	struct pt_buf text = PT_BUF_INIT, lines = PT_BUF_INIT;

	if (g->name) {
		pt_buf_puts(&text, g->name);
		pt_buf_puts(&text, ": ");
		pt_heatmap_summary(&text, g, o, false);
		pt_svg_take_text(b, "strong", LEFT, l->top - 7, &text);
	}
	latency_axis(b, &lines, g, o, l);
	heatmap_time_axis(b, &lines, g, l);
	heatmap_field(b, g, s, &lines, l, o->unit);
	pt_buf_deinit(&text);
	pt_buf_deinit(&lines);
}

void pt_heatmap_svg(struct pt_buf *b, const struct pt_grid *g, size_t nr,
		    const struct pt_heatmap_opts *o)
{
	struct layout l = { .width = PT_MAX(o->width, (unsigned)PT_HEATMAP_MIN_WIDTH),
			    .height = PT_MAX(o->height, (unsigned)PT_HEATMAP_MIN_HEIGHT) };
	double heading = g->name ? HEADING : 0;
	const char *title = o->title ? o->title : "Latency";
	struct pt_buf text = PT_BUF_INIT;
	struct pt_svg_colours colours = { ".pt-heatmap .s", "stroke", pt_ramp_light, pt_ramp_dark,
					  SHADES };
	struct pt_shades s;

	l.plot_width = l.width - LEFT - RIGHT;
	l.plot_height = (l.height - TOP) / (double)nr - BOTTOM - heading;
	if (nr > 1)
		l.plot_height = PT_MAX(l.plot_height, (double)PT_HEATMAP_PART);
	l.height = TOP + (double)nr * (heading + l.plot_height + BOTTOM);
	l.column = l.plot_width / (double)g->columns;
	l.row = l.plot_height / (double)g->rows;
	pt_shades_make(&s, g, nr, SHADES, o->colour == PT_COLOUR_RANK);
	if (o->subtitle)
		pt_buf_puts(&text, o->subtitle);
	else
		pt_heatmap_summary(&text, g, o, false);
	pt_svg_open(b, "pt-chart pt-heatmap", l.width, l.height, title, pt_buf_str(&text));
	pt_svg_chart_style(b, o->theme, heatmap_css, &colours);
	pt_svg_rect(b, "ground", 0, 0, l.width, l.height);
	put_title(b, title, &l);
	pt_svg_take_text(b, NULL, LEFT, 54, &text);
	heatmap_legend(b, &s, &l);
	for (size_t i = 0; i < nr; i++) {
		l.top = TOP + heading + (double)i * (heading + l.plot_height + BOTTOM);
		heatmap_put_grid(b, &g[i], &s, o, &l);
	}
	pt_svg_close(b, heatmap_js);
	pt_shades_deinit(&s);
	pt_buf_deinit(&text);
}
