#include "draw/flame.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/text.h"
#include "draw/flame_priv.h"

static void base36(struct pt_buf *b, uint64_t v)
{
	char text[16], *p = text + sizeof(text);

	do {
		*--p = "0123456789abcdefghijklmnopqrstuvwxyz"[v % 36];
		v /= 36;
	} while (v);
	pt_buf_add(b, p, (size_t)(text + sizeof(text) - p));
}

/* Adds a line of the data: colour (none for differences, whose frames have their own), blank, name.
 */
static uint32_t name_id(struct pt_flame_drawing *d, const char *name, uint16_t colour)
{
	uint64_t *slot = pt_map_put(&d->name_ids, pt_word_of(name));

	if (!*slot) {
		*slot = ++d->nr_names;
		base36(&d->names, d->two ? 0 : colour);
		pt_buf_putc(&d->names, ' ');
		pt_text_xml(&d->names, name, strlen(name));
		pt_buf_putc(&d->names, '\n');
	}
	return (uint32_t)*slot - 1;
}

static void flame_add_count(struct pt_buf *b, double v)
{
	if (v < 9e15 && v == floor(v))
		base36(b, (uint64_t)v);
	else
		/* whole part and millionths: the point separates fields */
		pt_buf_printf(b, "_%.0f_%.0f", floor(v), (v - floor(v)) * 1e6);
}

/* Adds a frame to the data: DEPTH.NAME.COUNT[.BEFORE.COLOUR[.WIDTH]] in base 36; merged frames have
 * no name. */
static void flame_add_data(struct pt_flame_drawing *d, const struct pt_flame_shape *s)
{
	base36(&d->frames, s->depth);
	pt_buf_putc(&d->frames, '.');
	if (s->node)
		base36(&d->frames, name_id(d, d->nodes[s->node].name, s->colour));
	pt_buf_putc(&d->frames, '.');
	flame_add_count(&d->frames, s->count);
	if (d->two) {
		pt_buf_putc(&d->frames, '.');
		flame_add_count(&d->frames, s->before);
		pt_buf_putc(&d->frames, '.');
		base36(&d->frames, s->colour);
		if (s->units != s->count) {
			pt_buf_putc(&d->frames, '.');
			flame_add_count(&d->frames, s->units);
		}
	}
	pt_buf_putc(&d->frames, ' ');
}

static void add_shape(struct pt_flame_drawing *d, const struct pt_flame_shape *s)
{
	PT_GROW(d->shapes, d->nr, d->cap);
	d->shapes[d->nr++] = *s;
	d->depth = PT_MAX(d->depth, s->depth);
}

/* Children lie side by side from the parent's left edge; narrow neighbours are merged. Frames on
 * top of a narrow tower are only in the data. */
static void flame_lay_out(struct pt_flame_drawing *d)
{
	struct frame { uint32_t next; double x; bool hidden; } *stack = NULL;
	size_t depth = 0, cap = 0;

	d->shapes = pt_realloc(NULL, d->cap = 1024, sizeof(*d->shapes));
	d->shapes[d->nr++] = (struct pt_flame_shape){ .width = d->set.width - 2 * PT_FLAME_MARGIN,
						      .colour = PT_FAMILY_GREY * PT_FLAME_SHADES +
								PT_FLAME_SHADES / 2,
						      .root = true };
	PT_GROW(stack, depth, cap);
	stack[depth++] = (struct frame){ d->nodes[0].first, 0, false };
	while (depth) {
		struct frame *f = &stack[depth - 1];
		uint32_t i = f->next;
		const struct pt_folded_node *n = &d->nodes[i];
		struct pt_flame_shape s = { .x = f->x, .depth = (uint32_t)depth };

		if (!i) {
			depth--;
			continue;
		}
		if (n->width * d->scale < d->set.min_width) {
			for (; i && d->nodes[i].width * d->scale < d->set.min_width;
			     i = d->nodes[i].next) {
				s.count += d->nodes[i].total;
				s.before += d->nodes[i].before;
				s.units += d->nodes[i].width;
			}
			f->next = i;
			s.width = s.units * d->scale;
			f->x += s.width;
			s.colour = PT_FAMILY_GREY * PT_FLAME_SHADES;
			if (s.width >= d->set.min_width || s.units > 0)
				flame_add_data(d, &s);
			if (s.width >= d->set.min_width && !f->hidden)
				add_shape(d, &s);
			continue;
		}
		s.node = i;
		s.count = n->total;
		s.before = n->before;
		s.units = n->width;
		s.width = n->width * d->scale;
		s.colour = pt_flame_class(d, n);
		s.cut = n->first && s.width < PT_FLAME_TOWER;
		f->next = n->next;
		f->x += s.width;
		flame_add_data(d, &s);
		if (!f->hidden)
			add_shape(d, &s);
		if (n->first) {
			PT_GROW(stack, depth, cap);
			s.cut |= stack[depth - 1].hidden;
			stack[depth++] = (struct frame){ n->first, s.x, s.cut };
		}
	}
	free(stack);
}

/* Fills in defaults. */
static void fill_in(struct pt_flame_drawing *d, const struct pt_folded *t, size_t nr)
{
	const struct pt_foldnote *note = pt_folded_note(t);
	struct pt_flame_opts *o = &d->set;

	if (!o->title) {
		pt_buf_puts(&d->title, d->two ? "Differential flame graph" : "Flame graph");
		if (*note->recorded)
			pt_buf_printf(&d->title, ": %s", note->recorded);
		o->title = d->title.data;
	}
	if (!o->count_name)
		o->count_name = d->microseconds ? "microseconds"
				: *note->unit	? note->unit
						: "samples";
	if (!o->name_type)
		o->name_type = "function";
	o->width = o->width > 0 ? o->width : 1200;
	o->font_size = o->font_size > 0 ? o->font_size : 12;
	o->row_height = o->row_height > 0 ? o->row_height : o->font_size + 5;
	if (o->background && o->theme == PT_THEME_AUTO)
		o->theme = PT_THEME_LIGHT;
	o->min_width = o->min_width > 0 ? o->min_width : .1;
	if (o->colours == PT_FLAME_AUTO)
		o->colours = pt_flame_colours_by_names(d, nr);
}

int pt_flame_svg(const struct pt_folded *t, const struct pt_flame_opts *o, struct pt_buf *out,
		 struct pt_err *e)
{
	struct pt_flame_drawing d = { .o = o, .set = *o };
	size_t nr, i;

	d.nodes = pt_folded_nodes(t, &nr);
	d.two = pt_folded_counts(t).two;
	d.microseconds = pt_folded_note(t)->microseconds;
	if (!(d.nodes[0].width > 0))
		return pt_err_set(e, "no stacks: nothing to draw");
	fill_in(&d, t, nr);
	d.whole = PT_MAX(o->total, d.nodes[0].width);
	d.scale = (d.set.width - 2 * PT_FLAME_MARGIN) / d.whole;
	for (i = 1; i < nr; i++)
		d.most_change = PT_MAX(d.most_change, fabs(d.nodes[i].total - d.nodes[i].before));
	if (!(d.most_change > 0))
		d.most_change = 1;
	flame_lay_out(&d);
	pt_flame_draw(&d, t, out);
	free(d.shapes);
	pt_map_deinit(&d.name_ids);
	pt_buf_deinit(&d.title);
	pt_buf_deinit(&d.names);
	pt_buf_deinit(&d.frames);
	return 0;
}
