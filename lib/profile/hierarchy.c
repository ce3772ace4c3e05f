#include "profile/hierarchy.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "profile/table_priv.h"

enum { INDENT = 2 };

struct node {				/* all rows that have its keys and those above it */
	const char *text;		/* of its key */
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
};

static size_t node_below(struct hierarchy *h, size_t above, const char *path, const char *text)
{
	uint64_t *id = pt_map_put(&h->ids, (uint64_t)(uintptr_t)path);

	if (!*id) {
		PT_GROW(h->nodes, h->nr, h->cap);
		h->nodes[h->nr] = (struct node){ .text = text, .next = h->nodes[above].first };
		h->nodes[above].first = h->nr;
		*id = h->nr++;
	}
	return *id;
}

static void add_row(struct hierarchy *h, const struct pt_table_line *x, struct pt_buf *path)
{
	struct pt_buf text = PT_BUF_INIT;
	size_t at = 0;

	pt_buf_clear(path);
	for (size_t i = 0; i < h->nr_keys; i++) {
		pt_buf_clear(&text);
		pt_table_key(x, h->keys[i], &text);
		pt_buf_printf(path, "%s\x1f", pt_buf_str(&text));	/* escaped: never in it */
		at = node_below(h, at, pt_names_add(h->names, path->data, path->len),
				pt_names_add(h->names, pt_buf_str(&text), text.len));
		h->nodes[at].period += x->row->self;
		h->nodes[at].samples += x->row->samples;
	}
	pt_buf_deinit(&text);
}

static int by_period(const void *x, const void *y, void *nodes)
{
	const struct node *a = (struct node *)nodes + *(const size_t *)x,
			  *b = (struct node *)nodes + *(const size_t *)y;

	if (a->period != b->period)
		return a->period < b->period ? 1 : -1;
	return strcmp(a->text, b->text);
}

static void print_node(const struct hierarchy *h, const struct node *x, size_t level,
		       struct pt_buf *b)
{
	const struct pt_table_opts *o = h->table.o;
	size_t from = b->len;

	for (size_t i = 0; i < o->nr_fields; i++) {
		int width = (int)pt_table_fields[o->fields[i]].width;

		if (o->fields[i] >= PT_FIELD_KEYS)
			continue;
		if (o->fields[i] == PT_FIELD_SAMPLES)
			pt_buf_printf(b, "  %*llu", width, (unsigned long long)x->samples);
		else if (o->fields[i] == PT_FIELD_PERIOD)
			pt_buf_printf(b, "  %*llu", width, (unsigned long long)x->period);
		else
			pt_buf_printf(b, "  %*.2f%%", width - 1,
				      pt_table_percent(h->table.p, x->period));
	}
	pt_buf_printf(b, "  %*s%s", (int)(INDENT * level), "", x->text);
	if (o->columns)
		pt_table_cut(b, from, o->columns);
	pt_buf_putc(b, '\n');
}

/* Prints what is below a node, the greatest first. */
static void print_below(struct hierarchy *h, size_t above, size_t level, struct pt_buf *b)
{
	size_t *v = NULL, nr = 0, cap = 0;

	for (size_t i = h->nodes[above].first; i; i = h->nodes[i].next) {
		PT_GROW(v, nr, cap);
		v[nr++] = i;
	}
	if (nr)
		qsort_r(v, nr, sizeof(*v), by_period, h->nodes);
	for (size_t i = 0; i < nr; i++) {
		const struct node *x = &h->nodes[v[i]];

		if (pt_table_percent(h->table.p, x->period) < h->table.o->min_percent) {
			h->nr_small++;
			continue;
		}
		print_node(h, x, level, b);
		print_below(h, v[i], level + 1, b);
	}
	free(v);
}

static void print_heading(const struct hierarchy *h, struct pt_buf *b)
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

void pt_hierarchy_print(const struct pt_table_opts *o, struct pt_profile *p, struct pt_buf *b)
{
	struct pt_table_opts all = *o;
	struct hierarchy h = { .table = { .o = &all, .p = p }, .names = pt_names_new() };
	struct pt_buf path = PT_BUF_INIT;

	for (size_t i = 0; i < o->nr_fields; i++)
		if (o->fields[i] >= PT_FIELD_KEYS)
			h.keys[h.nr_keys++] = o->fields[i];
	all.min_percent = 0;
	pt_table_choose(&h.table);
	all.min_percent = o->min_percent;
	PT_GROW(h.nodes, h.nr, h.cap);
	h.nodes[h.nr++] = (struct node){ .text = "" };
	for (size_t i = 0; i < h.table.nr; i++)
		add_row(&h, &h.table.lines[i], &path);
	print_heading(&h, b);
	print_below(&h, 0, 0, b);
	if (h.nr_small)
		pt_buf_printf(b, "# %zu more, below %g %%\n", h.nr_small, o->min_percent);
	pt_buf_deinit(&path);
	pt_names_free(h.names);
	pt_map_deinit(&h.ids);
	free(h.nodes);
	free(h.table.lines);
}
