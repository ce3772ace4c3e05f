#include "draw/flame.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/text.h"
#include "flame.css.h"
#include "flame-dark.css.h"
#include "flame.js.h"
#include "flame-light.css.h"

enum { SHADES = 10, FAMILIES = 9, MARGIN = 10, HEAD = 62, FOOT = 34, CHAR_PERCENT = 61 /* of the font's size: a character's width */ };

/* A family of colours: its hue goes from one end to the other with the shade, saturation and lightness as well. */
static const struct { double hue[2], saturation[2], light[2]; } families[FAMILIES] = {
	{ { 8, 48 }, { .78, .88 }, { .62, .66 } },	/* warm */
	{ { 190, 225 }, { .50, .62 }, { .66, .70 } },	/* cool */
	{ { 30, 30 }, { .02, .02 }, { .70, .82 } },	/* grey */
	{ { 24, 34 }, { .85, .90 }, { .58, .64 } },	/* orange: the kernel */
	{ { 100, 130 }, { .45, .55 }, { .60, .68 } },	/* green: JIT */
	{ { 172, 188 }, { .42, .52 }, { .62, .70 } },	/* aqua: inlined */
	{ { 0, 10 }, { .70, .80 }, { .62, .70 } },	/* red */
	{ { 46, 56 }, { .72, .80 }, { .58, .66 } },	/* yellow: C++, Rust */
	{ { 268, 300 }, { .42, .52 }, { .68, .74 } },	/* purple */
};
enum { WARM, COOL, GREY, ORANGE, GREEN, AQUA, RED, YELLOW, PURPLE };

struct shape {				/* a frame that is drawn */
	double x, width;
	uint32_t node;			/* 0: several narrow ones */
	uint32_t depth;
	double count, before, units;	/* units: count, or for what vanished what it was */
	uint16_t colour;
	bool root;
};

struct drawing {
	const struct pt_folded_node *nodes;
	const struct pt_flame_opts *o;
	struct pt_flame_opts set;	/* with defaults filled in */
	double scale;			/* pixels a count */
	double whole;			/* what the full width stands for */
	double most_change;		/* greatest |after - before| of a frame */
	bool two;
	struct shape *shapes;
	size_t nr, cap;
	uint32_t depth;
	struct pt_map name_ids;		/* interned name: id + 1 */
	struct pt_buf names, frames;	/* the script's data */
	uint32_t nr_names;
};

int pt_flame_colours_parse(const char *s)
{
	static const struct { const char *name; enum pt_flame_colours colours; } names[] = {
		{ "auto", PT_FLAME_AUTO }, { "hot", PT_FLAME_HOT }, { "cool", PT_FLAME_COOL }, { "grey", PT_FLAME_GREY }, { "orange", PT_FLAME_ORANGE },
		{ "green", PT_FLAME_GREEN }, { "aqua", PT_FLAME_AQUA }, { "red", PT_FLAME_RED }, { "yellow", PT_FLAME_YELLOW },
		{ "purple", PT_FLAME_PURPLE }, { "kind", PT_FLAME_KIND }, { "module", PT_FLAME_MODULE },
		{ "gray", PT_FLAME_GREY }, { "blue", PT_FLAME_COOL }, { "io", PT_FLAME_COOL }, { "mem", PT_FLAME_GREEN }, { "chain", PT_FLAME_AQUA },
		{ "wakeup", PT_FLAME_AQUA }, { "java", PT_FLAME_KIND }, { "js", PT_FLAME_KIND }, { "perl", PT_FLAME_KIND },
	};
	size_t i;

	for (i = 0; i < PT_NR(names); i++)
		if (!strcmp(s, names[i].name))
			return (int)names[i].colours;
	return -1;
}

static uint32_t rgb_of(double hue, double saturation, double light)
{
	double c = (1 - fabs(2 * light - 1)) * saturation, h = hue / 60, x = c * (1 - fabs(fmod(h, 2) - 1)), m = light - c / 2, r = 0, g = 0, b = 0;

	switch ((int)h % 6) {
	case 0: r = c, g = x; break;
	case 1: r = x, g = c; break;
	case 2: g = c, b = x; break;
	case 3: g = x, b = c; break;
	case 4: r = x, b = c; break;
	default: r = c, b = x;
	}
	return (uint32_t)lround((r + m) * 255) << 16 | (uint32_t)lround((g + m) * 255) << 8 | (uint32_t)lround((b + m) * 255);
}

/* Classes of colour: a family's shades, then the differences' (less 0..SHADES-1, more). */
static uint32_t colour_of(unsigned class)
{
	double at = (double)(class % SHADES) / (SHADES - 1);
	unsigned family = class / SHADES;

	if (family < FAMILIES)
		return rgb_of(families[family].hue[0] + at * (families[family].hue[1] - families[family].hue[0]),
			      families[family].saturation[0] + at * (families[family].saturation[1] - families[family].saturation[0]),
			      families[family].light[0] + at * (families[family].light[1] - families[family].light[0]));
	return rgb_of(family == FAMILIES ? 215 : 5, .75, .93 - .35 * at);
}

static bool ends(const char *s, size_t len, const char *with)
{
	size_t n = strlen(with);

	return len >= n && !memcmp(s + len - n, with, n);
}

static unsigned shade(const char *s, size_t len)
{
	return (unsigned)(pt_hash_bytes(s, len) % SHADES);
}

static unsigned class_by_kind(const char *s, size_t len)
{
	unsigned family = strstr(s, "::") ? YELLOW : RED;

	if (ends(s, len, "_[k]"))
		family = ORANGE;
	else if (ends(s, len, "_[j]"))
		family = GREEN;
	else if (ends(s, len, "_[i]"))
		family = AQUA;
	return family * SHADES + shade(s, len);
}

/* What stands in front of the last of :: / ` . - a name's place; names of one place have one colour. */
static unsigned class_by_module(const char *s, size_t len)
{
	size_t n = len, i;

	for (i = 0; i + 1 < len; i++)
		if (s[i] == '`' || s[i] == '/' || (s[i] == ':' && s[i + 1] == ':') || (i && s[i] == '.'))
			n = i;
	return (unsigned)(pt_hash_bytes(s, n) % (FAMILIES * SHADES));
}

static uint16_t class_of(const struct drawing *d, const struct pt_folded_node *n)
{
	size_t len = strlen(n->name);

	if (d->two) {
		double change = n->total - n->before;
		unsigned at = (unsigned)PT_MIN((double)(SHADES - 1), fabs(change) / d->most_change * SHADES);

		if (fabs(change) < 1e-9)
			return GREY * SHADES + SHADES - 1;
		return (uint16_t)((FAMILIES + ((change > 0) != d->set.negate)) * SHADES + at);
	}
	switch (d->set.colours) {
	case PT_FLAME_KIND: return (uint16_t)class_by_kind(n->name, len);
	case PT_FLAME_MODULE: return (uint16_t)class_by_module(n->name, len);
	default: return (uint16_t)((d->set.colours - PT_FLAME_HOT) * SHADES + shade(n->name, len));
	}
}

/* Frames that say what they are get colours by that. */
static enum pt_flame_colours colours_by_names(const struct drawing *d, size_t nr)
{
	size_t i, len;

	for (i = 1; i < nr; i++) {
		len = strlen(d->nodes[i].name);
		if (ends(d->nodes[i].name, len, "_[k]") || ends(d->nodes[i].name, len, "_[j]") || ends(d->nodes[i].name, len, "_[i]"))
			return PT_FLAME_KIND;
	}
	return PT_FLAME_HOT;
}

static void base36(struct pt_buf *b, uint64_t v)
{
	char text[16], *p = text + sizeof(text);

	do {
		*--p = "0123456789abcdefghijklmnopqrstuvwxyz"[v % 36];
		v /= 36;
	} while (v);
	pt_buf_add(b, p, (size_t)(text + sizeof(text) - p));
}

/* The line of a name in the data: its colour (not of differences, whose colours are those of single frames), a blank, the name. */
static uint32_t name_id(struct drawing *d, const char *name, uint16_t colour)
{
	uint64_t *slot = pt_map_put(&d->name_ids, (uint64_t)(uintptr_t)name);

	if (!*slot) {
		*slot = ++d->nr_names;
		base36(&d->names, d->two ? 0 : colour);
		pt_buf_putc(&d->names, ' ');
		pt_text_xml(&d->names, name, strlen(name));
		pt_buf_putc(&d->names, '\n');
	}
	return (uint32_t)*slot - 1;
}

static void add_count(struct pt_buf *b, double v)
{
	if (v < 9e15 && v == floor(v))
		base36(b, (uint64_t)v);
	else
		pt_buf_printf(b, "_%.0f_%.0f", floor(v), (v - floor(v)) * 1e6);	/* whole, millionths: the point parts the fields */
}

/* One frame into the data: DEPTH.NAME.COUNT[.BEFORE[.WIDTH]], numbers of base 36; of merged narrow ones the name is empty. */
static void add_data(struct drawing *d, const struct shape *s)
{
	d->depth = PT_MAX(d->depth, s->depth);		/* the script draws it when zoomed in */
	base36(&d->frames, s->depth);
	pt_buf_putc(&d->frames, '.');
	if (s->node)
		base36(&d->frames, name_id(d, d->nodes[s->node].name, s->colour));
	pt_buf_putc(&d->frames, '.');
	add_count(&d->frames, s->count);
	if (d->two) {
		pt_buf_putc(&d->frames, '.');
		add_count(&d->frames, s->before);
		if (s->units != s->count) {
			pt_buf_putc(&d->frames, '.');
			add_count(&d->frames, s->units);
		}
	}
	pt_buf_putc(&d->frames, ' ');
}

static void add_shape(struct drawing *d, const struct shape *s)
{
	PT_GROW(d->shapes, d->nr, d->cap);
	d->shapes[d->nr++] = *s;
	add_data(d, s);
}

/* Depth first, without recursion: children side by side from the parent's left edge; narrow neighbours merged. */
static void lay_out(struct drawing *d)
{
	struct frame { uint32_t next; double x; } *stack = NULL;
	size_t depth = 0, cap = 0;

	d->shapes = pt_realloc(NULL, d->cap = 1024, sizeof(*d->shapes));
	d->shapes[d->nr++] = (struct shape){ .width = d->set.width - 2 * MARGIN, .colour = GREY * SHADES + SHADES / 2, .root = true };
	PT_GROW(stack, depth, cap);
	stack[depth++] = (struct frame){ d->nodes[0].first, 0 };
	while (depth) {
		struct frame *f = &stack[depth - 1];
		uint32_t i = f->next;
		const struct pt_folded_node *n = &d->nodes[i];
		struct shape s = { .x = f->x, .depth = (uint32_t)depth };

		if (!i) {
			depth--;
			continue;
		}
		if (n->width * d->scale < d->set.min_width) {
			for (; i && d->nodes[i].width * d->scale < d->set.min_width; i = d->nodes[i].next) {
				s.count += d->nodes[i].total;
				s.before += d->nodes[i].before;
				s.units += d->nodes[i].width;
			}
			f->next = i;
			s.width = s.units * d->scale;
			f->x += s.width;
			s.colour = GREY * SHADES;
			if (s.width >= d->set.min_width)
				add_shape(d, &s);
			else if (s.units > 0)
				add_data(d, &s);
			continue;
		}
		s.node = i;
		s.count = n->total;
		s.before = n->before;
		s.units = n->width;
		s.width = n->width * d->scale;
		s.colour = class_of(d, n);
		f->next = n->next;
		f->x += s.width;
		add_shape(d, &s);
		if (n->first) {
			PT_GROW(stack, depth, cap);
			stack[depth++] = (struct frame){ n->first, s.x };
		}
	}
	free(stack);
}

static double top_of(const struct drawing *d, uint32_t depth)
{
	double row = d->set.row_height;

	return HEAD + (d->set.inverted ? depth * row : (d->depth - depth) * row);
}

/* All frames of one colour as one path: a box each. */
static void draw_boxes(const struct drawing *d, struct pt_buf *b)
{
	struct { size_t from, nr; } by_class[(FAMILIES + 2) * SHADES] = { { 0, 0 } };
	uint32_t *order = pt_alloc_array(d->nr, sizeof(*order));
	size_t i, at = 0, class;

	for (i = 0; i < d->nr; i++)
		by_class[d->shapes[i].colour].nr++;
	for (class = 0; class < PT_NR(by_class); class++) {
		by_class[class].from = at;
		at += by_class[class].nr;
		by_class[class].nr = 0;
	}
	for (i = 0; i < d->nr; i++) {
		class = d->shapes[i].colour;
		order[by_class[class].from + by_class[class].nr++] = (uint32_t)i;
	}
	pt_buf_puts(b, "<g class=\"boxes\">\n");
	for (class = 0; class < PT_NR(by_class); class++) {
		if (!by_class[class].nr)
			continue;
		pt_buf_printf(b, "<path fill=\"#%06x\" d=\"", colour_of((unsigned)class));
		for (i = by_class[class].from; i < by_class[class].from + by_class[class].nr; i++) {
			const struct shape *s = &d->shapes[order[i]];

			pt_buf_putc(b, 'M');
			pt_svg_num(b, MARGIN + s->x);
			pt_buf_putc(b, ' ');
			pt_svg_num(b, top_of(d, s->depth));
			pt_buf_putc(b, 'h');
			pt_svg_num(b, PT_MAX(s->width - (s->width > 1 ? .4 : 0), .1));
			pt_buf_putc(b, 'v');
			pt_svg_num(b, d->set.row_height - 1);
			pt_buf_putc(b, 'h');
			pt_svg_num(b, -PT_MAX(s->width - (s->width > 1 ? .4 : 0), .1));
			pt_buf_putc(b, 'z');
		}
		pt_buf_puts(b, "\"/>\n");
	}
	pt_buf_puts(b, "</g>\n");
	free(order);
}

/* As much of a name as fits, two dots behind one that is cut; 0: not even three characters do. */
static size_t fit(const char *name, size_t len, double width, double char_width, bool *cut)
{
	size_t room = (size_t)(PT_MAX(width - 6, 0) / char_width), n = 0, chars = 0;

	for (; n < len && chars < room; chars++) {
		size_t one = pt_text_utf8(name + n, len - n);

		n += one ? one : 1;
	}
	*cut = n < len;
	if (!*cut)
		return n;
	if (room < 3)
		return 0;
	for (chars = 0, n = 0; chars < room - 2; chars++) {
		size_t one = pt_text_utf8(name + n, len - n);

		n += one ? one : 1;
	}
	return n;
}

/* A name without what says its kind. */
static size_t shown_len(const char *name)
{
	size_t len = strlen(name);

	return len > 4 && name[len - 1] == ']' && name[len - 4] == '_' && name[len - 3] == '[' && strchr("ijkw", name[len - 2]) ? len - 4 : len;
}

static void draw_labels(const struct drawing *d, struct pt_buf *b)
{
	size_t i, n;
	bool cut;

	pt_buf_puts(b, "<g class=\"labels\">\n");
	for (i = 0; i < d->nr; i++) {
		const struct shape *s = &d->shapes[i];
		const char *name = s->node ? d->nodes[s->node].name : s->root ? "all" : "";

		n = fit(name, shown_len(name), s->width, d->set.font_size * CHAR_PERCENT / 100, &cut);
		if (!n)
			continue;
		pt_buf_puts(b, "<text x=\"");
		pt_svg_num(b, MARGIN + s->x + 3);
		pt_buf_puts(b, "\" y=\"");
		pt_svg_num(b, round(top_of(d, s->depth) + d->set.row_height / 2 + d->set.font_size * .33));
		pt_buf_puts(b, "\">");
		pt_text_xml(b, name, n);
		pt_buf_puts(b, cut ? "..</text>\n" : "</text>\n");
	}
	pt_buf_puts(b, "</g>\n");
}

static void add_attribute(struct pt_buf *b, const char *name, const char *text)
{
	pt_buf_printf(b, " data-%s=\"", name);
	pt_text_xml(b, text, strlen(text));
	pt_buf_putc(b, '"');
}

static void add_subtitle(const struct drawing *d, const struct pt_folded *t, struct pt_buf *b)
{
	struct pt_buf text = PT_BUF_INIT;
	const char *given = d->set.subtitle ? d->set.subtitle : pt_folded_note(t);

	if (given)
		pt_buf_puts(&text, given);
	else if (pt_folded_samples(t)->known)
		pt_foldnote_text(pt_folded_samples(t), &text);
	else
		pt_buf_printf(&text, "%.15g %s, %u frames deep", d->nodes[0].total, d->set.count_name, d->depth);
	pt_svg_text(b, "mid subtitle", d->set.width / 2, 46, pt_buf_str(&text), text.len);
	pt_buf_deinit(&text);
}

/* What the user chose of fonts and ground; characters that could leave the style sheet are left out. */
static void add_style(const struct drawing *d, struct pt_buf *b)
{
	struct pt_buf own = PT_BUF_INIT;
	const char *p;

	pt_buf_puts(&own, flame_css);
	if (d->set.font || d->o->font_size) {
		pt_buf_printf(&own, ".pt-flame { font-size: %gpx;", d->set.font_size);
		if (d->set.font) {
			pt_buf_puts(&own, " font-family: ");
			for (p = d->set.font; *p; p++)
				if (strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 ,-", *p))
					pt_buf_putc(&own, *p);
			pt_buf_puts(&own, ", monospace;");
		}
		pt_buf_puts(&own, " }\n");
	}
	pt_svg_style(b, d->set.theme, own.data, flame_light_css, flame_dark_css);
	pt_buf_deinit(&own);
	pt_buf_puts(b, "<rect class=\"back\" width=\"100%\" height=\"100%\"");
	if (d->set.background) {
		pt_buf_puts(b, " style=\"fill: ");
		pt_text_xml(b, d->set.background, strlen(d->set.background));
		pt_buf_putc(b, '"');
	}
	pt_buf_puts(b, "/>\n");
}

/* What the colours of kinds mean, at the right of the foot. */
static void add_legend(const struct drawing *d, struct pt_buf *b, double height)
{
	static const struct { unsigned family; const char *text; } rows[] = {
		{ RED, "user" }, { YELLOW, "C++, Rust" }, { ORANGE, "kernel" }, { GREEN, "JIT" }, { AQUA, "inlined" },
	};
	double x = d->set.width - MARGIN, wide;
	size_t i;

	if (d->two || d->set.colours != PT_FLAME_KIND)
		return;
	pt_buf_puts(b, "<g class=\"legend\">\n");
	for (i = PT_NR(rows); i-- > 0; ) {
		wide = (double)strlen(rows[i].text) * 7.3 + 28;
		x -= wide;
		pt_buf_printf(b, "<rect x=\"%g\" y=\"%g\" width=\"10\" height=\"10\" fill=\"#%06x\"/>", x + 10, height - 21, colour_of(rows[i].family * SHADES + 4));
		pt_svg_text(b, NULL, x + 24, height - 12, rows[i].text, strlen(rows[i].text));
	}
	pt_buf_puts(b, "</g>\n");
}

static void add_plot(struct drawing *d, struct pt_buf *b)
{
	const struct pt_flame_opts *o = &d->set;
	unsigned class;

	pt_buf_printf(b, "<g class=\"plot\" tabindex=\"0\" data-geometry=\"%g %g %g %g %u %g\" data-inverted=\"%d\" data-two=\"%d\" data-negate=\"%d\" data-families=\"%d\"",
		      (double)MARGIN, (double)HEAD, o->width - 2 * MARGIN, o->row_height, d->depth, o->font_size, o->inverted, d->two, o->negate, FAMILIES);
	pt_buf_printf(b, " data-total=\"%.15g\" data-width=\"%.15g\" data-before=\"%.15g\" data-most=\"%.6g\"", d->whole - d->nodes[0].width + d->nodes[0].total,
		      d->whole, d->nodes[0].before, d->most_change);
	add_attribute(b, "unit", o->count_name);
	add_attribute(b, "kind", o->name_type);
	pt_buf_puts(b, " data-palette=\"");
	for (class = 0; class < (FAMILIES + 2) * SHADES; class++)
		pt_buf_printf(b, "%06x", colour_of(class));
	pt_buf_puts(b, "\">\n");
	draw_boxes(d, b);
	draw_labels(d, b);
	pt_buf_puts(b, "</g>\n<metadata class=\"names\">");
	pt_buf_add(b, pt_buf_str(&d->names), d->names.len);
	pt_buf_puts(b, "</metadata>\n<metadata class=\"frames\">");
	pt_buf_add(b, pt_buf_str(&d->frames), d->frames.len);
	pt_buf_puts(b, "</metadata>\n");
}

static void add_all(struct drawing *d, const struct pt_folded *t, struct pt_buf *b)
{
	const struct pt_flame_opts *o = &d->set;
	double height = HEAD + (d->depth + 1) * o->row_height + FOOT;
	struct pt_buf desc = PT_BUF_INIT;

	pt_buf_printf(&desc, "%.15g %s in %llu stacks, %u frames deep", d->nodes[0].total, o->count_name,
		      (unsigned long long)pt_folded_counts(t).good, d->depth);
	if (o->notes)
		pt_buf_printf(&desc, ". %s", o->notes);
	pt_svg_open(b, "pt-flame", o->width, height, o->title, desc.data);
	pt_buf_deinit(&desc);
	add_style(d, b);
	pt_svg_text(b, "title mid", o->width / 2, 26, o->title, strlen(o->title));
	add_subtitle(d, t, b);
	add_legend(d, b, height);
	add_plot(d, b);
	pt_svg_script(b, flame_js);
	pt_svg_close(b);
}

/* Options with what is meant where nothing is said. */
static void fill_in(struct drawing *d, size_t nr)
{
	struct pt_flame_opts *o = &d->set;

	if (!o->title)
		o->title = d->two ? "Differential flame graph" : "Flame graph";
	if (!o->count_name)
		o->count_name = "samples";
	if (!o->name_type)
		o->name_type = "function";
	o->width = o->width > 0 ? o->width : 1200;
	o->font_size = o->font_size > 0 ? o->font_size : 12;
	o->row_height = o->row_height > 0 ? o->row_height : o->font_size + 5;
	if (o->background && o->theme == PT_THEME_AUTO)
		o->theme = PT_THEME_LIGHT;
	o->min_width = o->min_width > 0 ? o->min_width : .1;
	if (o->colours == PT_FLAME_AUTO)
		o->colours = colours_by_names(d, nr);
}

int pt_flame_svg(const struct pt_folded *t, const struct pt_flame_opts *o, struct pt_buf *out, struct pt_err *e)
{
	struct drawing d = { .o = o, .set = *o };
	size_t nr, i;

	d.nodes = pt_folded_nodes(t, &nr);
	d.two = pt_folded_counts(t).two;
	fill_in(&d, nr);
	d.whole = PT_MAX(o->total, d.nodes[0].width);
	if (!(d.nodes[0].width > 0))
		return pt_err_set(e, "no stacks: nothing to draw");
	d.scale = (d.set.width - 2 * MARGIN) / d.whole;
	for (i = 1; i < nr; i++)
		d.most_change = PT_MAX(d.most_change, fabs(d.nodes[i].total - d.nodes[i].before));
	if (!(d.most_change > 0))
		d.most_change = 1;
	lay_out(&d);
	add_all(&d, t, out);
	free(d.shapes);
	pt_map_deinit(&d.name_ids);
	pt_buf_deinit(&d.names);
	pt_buf_deinit(&d.frames);
	return 0;
}
