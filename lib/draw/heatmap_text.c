#include "draw/heatmap.h"

#include "base/mem.h"
#include "base/text.h"
#include "draw/ramp.h"

enum { LABEL = 10, LINES_AROUND = 6, NO_COLOUR = -1 };

/* A way to draw cells: signs from few to many, or colours. */
struct ink {
	const struct pt_terminal *t;
	unsigned nr;			/* shades */
	const char *const *signs;	/* without colours */
	bool half;			/* two rows a line, by half blocks of two colours */
	int fore, back;			/* the terminal's present colours: shades, or NO_COLOUR */
};

/* A grid as it is drawn: lines of characters. */
struct canvas {
	struct pt_buf *b;
	struct ink *k;
	const struct pt_grid *g;
	const struct pt_shades *s;
	const struct pt_heatmap_opts *o;
	size_t rows_a_line, lines;
	size_t width;			/* characters a column */
};

static const char *const blocks[] = { "\342\226\221", "\342\226\222", "\342\226\223",
				      "\342\226\210" };
static const char *const ascii[] = { ".", ":", "-", "=", "+", "*", "#", "%", "@" };

static struct ink ink_for(const struct pt_terminal *t)
{
	struct ink k = { .t = t, .fore = NO_COLOUR, .back = NO_COLOUR };

	if (t->colours) {
		k.nr = PT_RAMP_SHADES;
		k.half = !t->ascii;
	} else {
		k.nr = t->ascii ? PT_NR(ascii) : PT_NR(blocks);
		k.signs = t->ascii ? ascii : blocks;
	}
	return k;
}

void pt_heatmap_text_size(const struct pt_terminal *t, uint64_t *rows, uint64_t *columns)
{
	unsigned lines = PT_MAX(t->lines, LINES_AROUND + 6u) - LINES_AROUND;

	*rows = (ink_for(t).half ? lines * 2 : lines) - 2;	/* two of them for combined rows */
	*columns = PT_MAX(t->columns, LABEL + 10u) - LABEL - 1;
}

/* The cube of 6 x 6 x 6 colours in terminals of 256, from number 16 on. */
static unsigned cube(unsigned byte)
{
	return byte < 48 ? 0 : byte < 115 ? 1 : (byte - 35) / 40;
}

static void colour(struct pt_buf *b, const struct ink *k, int shade, bool back)
{
	uint32_t rgb;

	if (shade == NO_COLOUR) {
		pt_buf_puts(b, back ? "\033[49m" : "\033[39m");
		return;
	}
	rgb = (k->t->light ? pt_ramp_light : pt_ramp_dark)[shade];
	if (k->t->colours == PT_COLOURS_TRUE)
		pt_buf_printf(b, "\033[%d;2;%u;%u;%um", back ? 48 : 38, rgb >> 16, rgb >> 8 & 255,
			      rgb & 255);
	else
		pt_buf_printf(b, "\033[%d;5;%um", back ? 48 : 38,
			      16 + 36 * cube(rgb >> 16) + 6 * cube(rgb >> 8 & 255) +
				      cube(rgb & 255));
}

static void heatmap_text_set(struct pt_buf *b, struct ink *k, int fore, int back)
{
	if (k->fore != fore)
		colour(b, k, fore, false);
	if (k->back != back)
		colour(b, k, back, true);
	k->fore = fore;
	k->back = back;
}

static int shade_of(const struct canvas *c, size_t column, size_t row)
{
	uint64_t n = row < c->g->rows ? c->g->cells[column * c->g->rows + row] : 0;

	return n ? (int)pt_shade(c->s, n) : NO_COLOUR;
}

static void heatmap_text_cell(const struct canvas *c, size_t column, size_t line)
{
	struct ink *k = c->k;
	struct pt_buf *b = c->b;
	int top = shade_of(c, column, k->half ? 2 * line + 1 : line),
	    low = k->half ? shade_of(c, column, 2 * line) : NO_COLOUR;
	const char *sign = " ";

	if (!k->t->colours) {
		if (top != NO_COLOUR)
			sign = k->signs[top];
	} else if (!k->half) {
		heatmap_text_set(b, k, NO_COLOUR, top);
	} else if (top != NO_COLOUR) {
		heatmap_text_set(b, k, top, low);
		sign = "\342\226\200";
	} else if (low != NO_COLOUR) {
		heatmap_text_set(b, k, low, NO_COLOUR);
		sign = "\342\226\204";
	} else {
		heatmap_text_set(b, k, k->fore, NO_COLOUR);
	}
	for (size_t i = 0; i < c->width; i++)
		pt_buf_puts(b, sign);
}

static size_t characters(const struct pt_buf *text)
{
	return pt_text_width(pt_buf_str(text), text->len);
}

/* A line's label: the combined rows, or the tick in it; "" for none. */
static void line_label(const struct canvas *c, size_t line, const uint64_t *ticks, size_t nr_ticks,
		       struct pt_buf *text)
{
	const struct pt_grid *g = c->g;
	uint64_t latency_ns;

	if (g->above && line == c->lines - 1) {
		pt_buf_puts(text, ">= ");
		latency_ns = g->edges[g->rows - 1];
	} else if (g->below && !line) {
		pt_buf_puts(text, "< ");
		latency_ns = g->edges[1];
	} else {
		while (nr_ticks && (size_t)pt_grid_place(g, *ticks) / c->rows_a_line != line)
			ticks++, nr_ticks--;
		if (!nr_ticks)
			return;
		latency_ns = *ticks;
	}
	pt_axis_exact(text, latency_ns, c->o->unit, c->k->t->ascii);
}

static void heatmap_text_time_axis(const struct canvas *c)
{
	struct pt_buf *b = c->b;
	const struct ink *k = c->k;
	size_t width = c->g->columns * c->width, x, at = 0, done = 0;
	uint64_t span = c->g->columns * c->g->step_ns,
		 step = pt_axis_clock_step(span, PT_MAX(width / 12, 1u)), t;
	struct pt_buf labels = PT_BUF_INIT, text = PT_BUF_INIT;
	const char *line = k->t->ascii ? "-" : "\342\224\200",
		   *mark = k->t->ascii ? "+" : "\342\224\264";

	pt_buf_fill(b, ' ', LABEL);
	for (t = 0; at < width; t += step) {
		x = (size_t)((double)t / (double)c->g->step_ns * (double)c->width);
		for (; at < width && at < x; at++)
			pt_buf_puts(b, line);
		if (at == width)
			break;
		pt_buf_puts(b, mark);
		at++;
		pt_axis_clock(&text, t, step, k->t->ascii);
		if (x >= done && x + text.len <= width + 1) {
			pt_buf_fill(&labels, ' ', x - done);
			pt_buf_join(&labels, &text);
			done = x + characters(&text) + 1;
			pt_buf_putc(&labels, ' ');
		}
		pt_buf_clear(&text);
	}
	pt_buf_putc(b, '\n');
	pt_buf_fill(b, ' ', LABEL);
	while (labels.len && labels.data[labels.len - 1] == ' ')
		labels.len--;
	pt_buf_join(b, &labels);
	pt_buf_putc(b, '\n');
	pt_buf_deinit(&labels);
	pt_buf_deinit(&text);
}

/* Shades and their smallest counts: all if few, else every fourth. */
static void heatmap_text_legend(struct pt_buf *b, struct ink *k, const struct pt_shades *s)
{
	unsigned i;

	pt_buf_fill(b, ' ', LABEL);
	for (i = 0; i < k->nr; i++) {
		bool last = i == k->nr - 1;

		if (k->t->colours) {
			if (k->half)
				heatmap_text_set(b, k, (int)i, NO_COLOUR);
			else
				heatmap_text_set(b, k, NO_COLOUR, (int)i);
			pt_buf_puts(b, k->half ? "\342\226\210" : " ");
		} else {
			pt_buf_puts(b, k->signs[i]);
		}
		if (s->from[i] == UINT64_MAX || (k->nr > 12 && i % 6 && !last) ||
		    (last && s->from[i] != s->max_count && k->nr <= 12))
			continue;
		heatmap_text_set(b, k, NO_COLOUR, NO_COLOUR);
		pt_buf_putc(b, ' ');
		pt_buf_dec(b, s->from[i]);
		pt_buf_putc(b, ' ');
	}
	heatmap_text_set(b, k, NO_COLOUR, NO_COLOUR);
	pt_buf_puts(b, " in a cell, at most ");
	pt_buf_dec(b, s->max_count);
	pt_buf_putc(b, '\n');
}

/* A grid with its axes below a line that names it. */
static void heatmap_text_put_grid(struct pt_buf *b, struct ink *k, const struct pt_grid *g,
				  const struct pt_shades *s, const struct pt_heatmap_opts *o)
{
	struct canvas c = { b, k, g, s, o, k->half ? 2 : 1, 0, 0 };
	size_t line, column, nr_ticks;
	const char *title = g->name ? g->name : o->title ? o->title : "Latency";
	struct pt_buf text = PT_BUF_INIT;
	uint64_t ticks[64], rows, columns;
	bool is_ascii = k->t->ascii;

	pt_heatmap_text_size(k->t, &rows, &columns);
	c.lines = (g->rows + c.rows_a_line - 1) / c.rows_a_line;
	c.width = PT_MAX(columns / g->columns, 1u);
	nr_ticks = pt_grid_ticks(g, 2.5 * (double)c.rows_a_line, ticks, PT_NR(ticks));
	pt_text_puts(b, title);
	pt_buf_puts(b, ": ");
	pt_heatmap_summary(b, g, o, is_ascii);
	pt_buf_putc(b, '\n');
	for (line = c.lines; line--; ) {
		line_label(&c, line, ticks, nr_ticks, &text);
		pt_buf_fill(b, ' ', LABEL - 2 - PT_MIN(characters(&text), LABEL - 2u));
		pt_buf_join(b, &text);
		pt_buf_puts(b, is_ascii ? " |" : text.len ? " \342\224\244" : " \342\224\202");
		pt_buf_clear(&text);
		for (column = 0; column < g->columns; column++)
			heatmap_text_cell(&c, column, line);
		heatmap_text_set(b, k, NO_COLOUR, NO_COLOUR);
		while (b->data[b->len - 1] == ' ')
			b->len--;
		pt_buf_putc(b, '\n');
	}
	heatmap_text_time_axis(&c);
	pt_buf_deinit(&text);
}

void pt_heatmap_text(struct pt_buf *b, const struct pt_grid *g, size_t nr,
		     const struct pt_heatmap_opts *o, const struct pt_terminal *t)
{
	struct ink k = ink_for(t);
	struct pt_shades s;

	pt_shades_make(&s, g, nr, k.nr, o->colour == PT_COLOUR_RANK);
	for (size_t i = 0; i < nr; i++)
		heatmap_text_put_grid(b, &k, &g[i], &s, o);
	heatmap_text_legend(b, &k, &s);
	pt_shades_deinit(&s);
}
