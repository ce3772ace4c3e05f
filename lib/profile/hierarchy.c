#include "profile/hierarchy.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/map.h"
#include "base/mem.h"
#include "profile/table_priv.h"

enum { INDENT = 2 };

struct node {				/* all rows that have its key and those above it */
	const struct pt_table_line *line;	/* the first of them */
	const char *text;		/* of its key, escaped */
	size_t first, next;		/* nodes; 0: none */
	uint64_t period, samples;
};

struct hierarchy {
	struct pt_table table;
	enum pt_table_field keys[PT_NR_KEYS];	/* by level */
	size_t nr_keys;
	struct pt_names *names;
	struct pt_map ids;		/* what its keys and those above it are in one text: node */
	struct node *nodes;		/* 0: all */
	size_t nr, cap;
	size_t nr_small;		/* nodes below the least percentage */
	const char *event;		/* of JSON; NULL: text */
};

static size_t hierarchy_node_below(struct hierarchy *h, size_t above, const char *path,
				   const struct node *new)
{
	uint64_t *id = pt_map_put(&h->ids, pt_word_of(path));

	if (!*id) {
		PT_GROW(h->nodes, h->nr, h->cap);
		h->nodes[h->nr] = *new;
		h->nodes[h->nr].next = h->nodes[above].first;
		h->nodes[above].first = h->nr;
		*id = h->nr++;
	}
	return *id;
}

static void hierarchy_add_row(struct hierarchy *h, const struct pt_table_line *x,
			      struct pt_buf *path)
{
	struct pt_buf text = PT_BUF_INIT;
	size_t at = 0;

	pt_buf_clear(path);
	for (size_t i = 0; i < h->nr_keys; i++) {
		struct node new = { .line = x };

		pt_buf_clear(&text);
		pt_table_key(x, h->keys[i], &text);
		new.text = pt_names_add(h->names, pt_buf_str(&text), text.len);
		pt_buf_printf(path, "%s\x1f", new.text);	/* escaped text has no such byte */
		at = hierarchy_node_below(h, at, pt_names_add(h->names, path->data, path->len),
					  &new);
		h->nodes[at].period += x->row->self;
		h->nodes[at].samples += x->row->samples;
	}
	pt_buf_deinit(&text);
}

static int hierarchy_by_period(const void *x, const void *y, void *nodes)
{
	const struct node *a = (struct node *)nodes + *(const size_t *)x,
			  *b = (struct node *)nodes + *(const size_t *)y;

	if (a->period != b->period)
		return a->period < b->period ? 1 : -1;
	return strcmp(a->text, b->text);
}

static void hierarchy_put_text(const struct hierarchy *h, const struct node *x, size_t level,
			       struct pt_buf *b)
{
	const struct pt_table_opts *o = h->table.o;
	size_t from = b->len;

	for (size_t i = 0; i < o->nr_fields; i++) {
		int width = (int)pt_table_fields[o->fields[i]].width;

		if (o->fields[i] == PT_FIELD_SELF)
			pt_buf_printf(b, "  %*.2f%%", width - 1,
				      pt_table_percent(h->table.p, x->period));
		else if (o->fields[i] < PT_FIELD_KEYS)
			pt_buf_printf(b, "  %*llu", width,
				      (unsigned long long)(o->fields[i] == PT_FIELD_SAMPLES
								   ? x->samples
								   : x->period));
	}
	pt_buf_printf(b, "  %*s%s", (int)(INDENT * level), "", x->text);
	if (o->columns)
		pt_table_cut(b, from, o->columns);
	pt_buf_putc(b, '\n');
	if (h->table.calls && level + 1 == h->nr_keys)
		pt_calltree_print(h->table.calls, x->line->index, b);
}

static void put_json(const struct hierarchy *h, const struct node *x, size_t level,
		     struct pt_buf *b)
{
	const struct pt_table_opts *o = h->table.o;
	struct pt_buf text = PT_BUF_INIT;

	pt_json_open(b, NULL, '{');
	pt_json_str(b, "event", h->event);
	pt_json_u64(b, "level", level);
	if (pt_table_has(o, PT_FIELD_SELF))
		pt_json_double(b, pt_table_fields[PT_FIELD_SELF].json,
			       pt_table_percent(h->table.p, x->period), 4);
	if (pt_table_has(o, PT_FIELD_SAMPLES))
		pt_json_u64(b, pt_table_fields[PT_FIELD_SAMPLES].json, x->samples);
	if (pt_table_has(o, PT_FIELD_PERIOD))
		pt_json_u64(b, pt_table_fields[PT_FIELD_PERIOD].json, x->period);
	pt_profile_cell(h->table.p, x->line->keys,
			(enum pt_profile_key)(h->keys[level] - PT_FIELD_KEYS), &text);
	pt_json_strn(b, pt_table_fields[h->keys[level]].json, pt_buf_str(&text), text.len);
	pt_json_close(b, '}');
	pt_buf_putc(b, '\n');
	pt_buf_deinit(&text);
}

/* Prints what is below a node, the greatest first. There are as many levels as keys. */
static void hierarchy_put_below(struct hierarchy *h, size_t above, size_t level, struct pt_buf *b)
{
	size_t *v = NULL, nr = 0, cap = 0;

	for (size_t i = h->nodes[above].first; i; i = h->nodes[i].next) {
		PT_GROW(v, nr, cap);
		v[nr++] = i;
	}
	if (nr)
		qsort_r(v, nr, sizeof(*v), hierarchy_by_period, h->nodes);
	for (size_t i = 0; i < nr; i++) {
		const struct node *x = &h->nodes[v[i]];

		if (pt_table_percent(h->table.p, x->period) < h->table.o->min_percent) {
			h->nr_small++;
			continue;
		}
		(h->event ? put_json : hierarchy_put_text)(h, x, level, b);
		hierarchy_put_below(h, v[i], level + 1, b);
	}
	free(v);
}

static void put_heading(const struct hierarchy *h, struct pt_buf *b)
{
	const struct pt_table_opts *o = h->table.o;

	pt_buf_puts(b, "#");
	for (size_t i = 0; i < o->nr_fields; i++)
		if (o->fields[i] < PT_FIELD_KEYS)
			pt_buf_printf(b, "%s%*s", i ? "  " : " ",
				      (int)pt_table_fields[o->fields[i]].width,
				      o->fields[i] == PT_FIELD_SELF
					      ? "Overhead"
					      : pt_table_fields[o->fields[i]].heading);
	for (size_t i = 0; i < h->nr_keys; i++)
		pt_buf_printf(b, "%s%s", i ? " / " : "  ", pt_table_fields[h->keys[i]].heading);
	pt_buf_puts(b, "\n#\n");
}

/* Rows are chosen whatever their share: it is that of their sum which counts. */
static void build(struct hierarchy *h, const struct pt_table_opts *o, struct pt_profile *p)
{
	struct pt_table_opts all = *o;
	struct pt_buf path = PT_BUF_INIT;

	for (size_t i = 0; i < o->nr_fields; i++)
		if (o->fields[i] >= PT_FIELD_KEYS)
			h->keys[h->nr_keys++] = o->fields[i];
	all.min_percent = 0;
	h->table = (struct pt_table){ .o = &all, .p = p };
	pt_table_choose(&h->table);
	h->table.o = o;
	h->names = pt_names_new();
	PT_GROW(h->nodes, h->nr, h->cap);
	h->nodes[h->nr++] = (struct node){ .text = "" };
	for (size_t i = 0; i < h->table.nr; i++)
		hierarchy_add_row(h, &h->table.lines[i], &path);
	pt_buf_deinit(&path);
}

static void hierarchy_deinit(struct hierarchy *h)
{
	pt_calltree_free(h->table.calls);
	pt_names_free(h->names);
	pt_map_deinit(&h->ids);
	free(h->nodes);
	free(h->table.lines);
}

void pt_hierarchy_print(const struct pt_table_opts *o, struct pt_profile *p,
			const struct pt_calltree_opts *calls, struct pt_buf *b)
{
	struct hierarchy h = { .event = NULL };

	build(&h, o, p);
	h.table.calls = calls ? pt_calltree_new(calls, p) : NULL;
	put_heading(&h, b);
	hierarchy_put_below(&h, 0, 0, b);
	if (h.nr_small)
		pt_buf_printf(b, "# %zu more, below %g %%\n", h.nr_small, o->min_percent);
	hierarchy_deinit(&h);
}

void pt_hierarchy_json(const struct pt_table_opts *o, struct pt_profile *p, const char *event,
		       struct pt_buf *b)
{
	struct hierarchy h = { .event = event };

	build(&h, o, p);
	hierarchy_put_below(&h, 0, 0, b);
	hierarchy_deinit(&h);
}
