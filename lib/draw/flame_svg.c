/* flame_svg.c - draws the layout of a flame graph: boxes, labels, legend, the script's data */
#include <math.h>
#include <string.h>

#include "base/foldline.h"
#include "base/mem.h"
#include "base/text.h"
#include "draw/flame_priv.h"
#include "flame.css.h"
#include "flame-colours.css.h"
#include "flame.js.h"

enum {
	CHAR_PERCENT = 61,		/* a character's width in percent of the font size */
	LEGEND_CHAR = 7,		/* a character's width in pixels */
	SHORT_NAME = 9,			/* columns; less room shows a name's start only */
};

static double top_of(const struct pt_flame_drawing *d, uint32_t depth)
{
	double row = d->set.row_height;

	return PT_FLAME_HEAD + (d->set.inverted ? depth * row : (d->depth - depth) * row);
}

static void draw_boxes(const struct pt_flame_drawing *d, struct pt_buf *b)
{
	struct pt_buf paths[PT_FAMILY_NR * PT_FLAME_SHADES] = { PT_BUF_INIT }, cuts = PT_BUF_INIT;
	const struct pt_flame_shape *s;
	unsigned class;

	for (s = d->shapes; s < d->shapes + d->nr; s++) {
		double width = PT_MAX(s->width - (s->width > 1 ? .4 : 0), .1);

		pt_svg_printf(&paths[s->colour], "M%f %fh%fv%fh%fz", PT_FLAME_MARGIN + s->x,
			      top_of(d, s->depth), width, d->set.row_height - 1, -width);
		if (s->cut)
			pt_svg_printf(&cuts, "M%f %fh%f", PT_FLAME_MARGIN + s->x,
				      top_of(d, s->depth) +
					      (d->set.inverted ? d->set.row_height - 2 : 1),
				      width);
	}
	pt_buf_puts(b, "<g class=\"boxes\">\n");
	for (class = 0; class < PT_NR(paths); class++) {
		if (!paths[class].len)
			continue;
		pt_buf_printf(b, "<path fill=\"#%06x\" d=\"", pt_flame_rgb(class));
		pt_buf_add(b, paths[class].data, paths[class].len);
		pt_buf_puts(b, "\"/>\n");
		pt_buf_deinit(&paths[class]);
	}
	pt_svg_path(b, "cut", &cuts);
	pt_buf_deinit(&cuts);
	pt_buf_puts(b, "</g>\n");
}

/* A character's length in bytes; *columns: 2 for East Asian ones and pictures, 0 for combining
 * ones. */
static size_t flame_svg_character(const char *s, size_t len, size_t *columns)
{
	const unsigned char *u = (const unsigned char *)s;
	size_t n = pt_text_utf8(s, len);

	*columns = 1;
	if (n == 2)		/* U+0300 to U+036F */
		*columns = !(u[0] == 0xcc || (u[0] == 0xcd && u[1] < 0xb0));
	else if (n == 3)	/* from U+2E80 */
		*columns = u[0] > 0xe2 || (u[0] == 0xe2 && u[1] >= 0xba) ? 2 : 1;
	else if (n == 4)
		*columns = 2;
	return n ? n : 1;
}

/* The bytes of a name's start that take at most `room` columns; *left: the columns behind them. */
static size_t start_within(const char *name, size_t len, size_t room, size_t *left)
{
	size_t n = 0, fits = 0, at = 0, within = 0, columns, one;

	for (; n < len; n += one) {
		one = flame_svg_character(name + n, len - n, &columns);
		at += columns;
		if (at <= room) {
			fits = n + one;
			within = at;
		}
	}
	*left = at - within;
	return fits;
}

/* Adds what fits of a name: start and end if its middle must go, since C++ and Rust names differ
 * behind long scopes; nothing if fewer than three characters fit. */
static void flame_svg_fit(struct pt_buf *b, const char *name, size_t len, size_t room)
{
	size_t left, columns, head, n = start_within(name, len, room, &left);

	if (!left) {
		pt_text_xml(b, name, len);
		return;
	}
	if (room < 3)
		return;
	head = room < SHORT_NAME ? room - 2 : (room - 1) / 2;
	n = start_within(name, len, head, &left);
	pt_text_xml(b, name, n);
	pt_buf_puts(b, "..");
	for (; n < len && left > room - 2 - head; left -= columns)
		n += flame_svg_character(name + n, len - n, &columns);
	pt_text_xml(b, name + n, len - n);
}

static void draw_labels(const struct pt_flame_drawing *d, struct pt_buf *b)
{
	double char_width = d->set.font_size * CHAR_PERCENT / 100;
	struct pt_buf text = PT_BUF_INIT;
	size_t i, len;

	pt_buf_puts(b, "<g class=\"labels\">\n");
	for (i = 0; i < d->nr; i++) {
		const struct pt_flame_shape *s = &d->shapes[i];
		const char *name = s->node ? d->nodes[s->node].name : s->root ? "all" : "";

		len = strlen(name);
		len -= pt_foldline_mark(name, len) ? PT_FOLDLINE_MARK_LEN : 0;
		pt_buf_clear(&text);
		flame_svg_fit(&text, name, len, (size_t)(PT_MAX(s->width - 6, 0) / char_width));
		if (!text.len)
			continue;
		pt_svg_printf(b, "<text x=\"%f\" y=\"%f\">", PT_FLAME_MARGIN + s->x + 3,
			      round(top_of(d, s->depth) + d->set.row_height / 2 +
				    d->set.font_size * .33));
		pt_buf_join(b, &text);
		pt_buf_puts(b, "</text>\n");
	}
	pt_buf_puts(b, "</g>\n");
	pt_buf_deinit(&text);
}

static void add_subtitle(const struct pt_flame_drawing *d, const struct pt_folded *t,
			 struct pt_buf *b)
{
	const struct pt_foldnote *note = pt_folded_note(t);
	struct pt_buf text = PT_BUF_INIT;

	if (d->set.subtitle || *note->subtitle)
		pt_buf_puts(&text, d->set.subtitle ? d->set.subtitle : note->subtitle);
	else if (note->known)
		pt_foldnote_text(note, &text);
	else
		pt_buf_printf(&text, "%.15g %s, %u frames deep", d->nodes[0].total,
			      d->set.count_name, pt_folded_counts(t).depth);
	pt_svg_text(b, "mid subtitle", d->set.width / 2, 46, pt_buf_str(&text));
	pt_buf_deinit(&text);
}

/* The user's fonts and background, without characters that leave the style sheet. */
static void add_style(const struct pt_flame_drawing *d, struct pt_buf *b)
{
	struct pt_buf own = PT_BUF_INIT;
	const char *p;

	pt_buf_puts(&own, flame_css);
	if (d->set.font || d->o->font_size) {
		pt_buf_printf(&own, ".pt-flame { font-size: %gpx;", d->set.font_size);
		if (d->set.font) {
			pt_buf_puts(&own, " font-family: ");
			for (p = d->set.font; *p; p++)
				if (strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 ,-",
					   *p))
					pt_buf_putc(&own, *p);
			pt_buf_puts(&own, ", monospace;");
		}
		pt_buf_puts(&own, " }\n");
	}
	pt_svg_style(b, d->set.theme, own.data, flame_colours_css);
	pt_buf_deinit(&own);
	pt_buf_puts(b, "<rect class=\"back\" width=\"100%\" height=\"100%\"");
	if (d->set.background)
		pt_svg_printf(b, " style=\"fill: %s\"", d->set.background);
	pt_buf_puts(b, "/>\n");
}

static double legend_box(struct pt_buf *b, double x, double height, unsigned class)
{
	pt_buf_printf(b, "<rect x=\"%g\" y=\"%g\" width=\"10\" height=\"10\" fill=\"#%06x\"/>", x,
		      height - 21, pt_flame_rgb(class));
	return x + 10;
}

/* The greatest change, of the strongest colours. */
static void put_change(struct pt_buf *b, const char *before, double change, const char *behind)
{
	pt_buf_puts(b, before);
	if (change >= 100)
		pt_buf_thousands(b, (uint64_t)(change + .5));
	else
		pt_svg_num(b, change);
	pt_buf_puts(b, behind);
}

/* The legend of kinds or differences, at the lower right. */
static void add_legend(const struct pt_flame_drawing *d, struct pt_buf *b, double height)
{
	static const struct { unsigned family; const char *text; } rows[] = {
		{ PT_FAMILY_RED, "user" }, { PT_FAMILY_YELLOW, "C++, Rust" },
		{ PT_FAMILY_ORANGE, "kernel" }, { PT_FAMILY_GREEN, "JIT" },
		{ PT_FAMILY_AQUA, "inlined" },
	};
	unsigned less = d->set.negate ? PT_FAMILY_MORE : PT_FAMILY_LESS,
		 more = d->set.negate ? PT_FAMILY_LESS : PT_FAMILY_MORE, shade;
	double x = d->set.width - PT_FLAME_MARGIN;
	struct pt_buf text = PT_BUF_INIT;
	size_t i, chars;

	if (!d->two && d->set.colours != PT_FLAME_KIND)
		return;
	pt_buf_puts(b, "<g class=\"legend\">\n");
	for (i = PT_NR(rows); !d->two && i-- > 0; ) {
		x -= (double)strlen(rows[i].text) * 7.3 + 28;
		legend_box(b, x + 10, height, rows[i].family * PT_FLAME_SHADES + 4);
		pt_svg_text(b, NULL, x + 24, height - 12, rows[i].text);
	}
	if (d->two) {
		put_change(&text, "+", d->most_change, " more");
		chars = text.len;
		pt_svg_take_text(b, "end", x, height - 12, &text);
		x -= 110 + 8 + (double)chars * LEGEND_CHAR;
		for (shade = PT_FLAME_SHADES; shade > 1; shade -= 2)
			x = legend_box(b, x, height, less * PT_FLAME_SHADES + shade - 1);
		x = legend_box(b, x, height,
			       PT_FAMILY_GREY * PT_FLAME_SHADES + PT_FLAME_SHADES - 1);
		for (shade = 1; shade < PT_FLAME_SHADES; shade += 2)
			x = legend_box(b, x, height, more * PT_FLAME_SHADES + shade);
		put_change(&text, "less, \342\210\222", d->most_change, "");
		pt_svg_take_text(b, "end", x - 114, height - 12, &text);
	}
	pt_buf_puts(b, "</g>\n");
	pt_buf_deinit(&text);
}

static void add_plot(struct pt_flame_drawing *d, struct pt_buf *b)
{
	const struct pt_flame_opts *o = &d->set;
	unsigned class;

	pt_buf_printf(
		b,
		"<g class=\"plot\" tabindex=\"0\" data-geometry=\"%d %d %g %g %d %d\" data-fit=\"%d\" data-inverted=\"%d\" data-two=\"%d\" data-change=\"%.15g %d\"",
		PT_FLAME_MARGIN, PT_FLAME_HEAD, o->row_height, o->font_size, PT_FLAME_TOWER,
		PT_FLAME_FOOT, !(d->o->width > 0), o->inverted, d->two, d->most_change, o->negate);
	pt_buf_printf(b, " data-total=\"%.15g\" data-width=\"%.15g\" data-before=\"%.15g\"",
		      d->whole - d->nodes[0].width + d->nodes[0].total, d->whole,
		      d->nodes[0].before);
	pt_svg_printf(b, " data-unit=\"%s\" data-kind=\"%s\" data-palette=\"", o->count_name,
		      o->name_type);
	for (class = 0; class < (PT_FLAME_FAMILIES + 2) * PT_FLAME_SHADES; class++)
		pt_buf_printf(b, "%06x", pt_flame_rgb(class));
	pt_buf_puts(b, "\">\n");
	draw_boxes(d, b);
	draw_labels(d, b);
	pt_buf_puts(b, "</g>\n<metadata class=\"names\">");
	pt_buf_join(b, &d->names);
	pt_buf_puts(b, "</metadata>\n<metadata class=\"frames\">");
	pt_buf_join(b, &d->frames);
	pt_buf_puts(b, "</metadata>\n");
}

void pt_flame_draw(struct pt_flame_drawing *d, const struct pt_folded *t, struct pt_buf *b)
{
	const struct pt_flame_opts *o = &d->set;
	double height = PT_FLAME_HEAD + (d->depth + 1) * o->row_height + PT_FLAME_FOOT;
	struct pt_buf desc = PT_BUF_INIT;

	pt_buf_printf(&desc, "%.15g %s in %llu stacks, %u frames deep", d->nodes[0].total,
		      o->count_name, (unsigned long long)pt_folded_counts(t).good,
		      pt_folded_counts(t).depth);
	if (o->notes)
		pt_buf_printf(&desc, ". %s", o->notes);
	pt_svg_open(b, "pt-flame", o->width, height, o->title, desc.data);
	pt_buf_deinit(&desc);
	add_style(d, b);
	pt_svg_text(b, "title mid", o->width / 2, 26, o->title);
	add_subtitle(d, t, b);
	add_legend(d, b, height);
	add_plot(d, b);
	pt_svg_close(b, flame_js);
}
