#include "draw/folded.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/foldline.h"
#include "base/lines.h"
#include "base/map.h"
#include "base/mem.h"

enum { DEFAULT_DEPTH = 2048, MAX_NODES = 1 << 30 };

struct pt_folded {
	struct pt_folded_opts opts;
	struct pt_folded_counts counts;
	struct pt_folded_node *nodes;
	size_t nr, cap;
	struct pt_map children;		/* hash of (parent, name): node */
	struct pt_names *names;
	struct pt_lines lines;
	struct pt_foldnote note;
	struct frame { const char *s; size_t len; } *frames;	/* of the current line */
	size_t nr_frames, cap_frames;
};

static uint32_t folded_add_node(struct pt_folded *t, uint32_t parent, const char *name)
{
	struct pt_folded_node *up;
	uint32_t i = (uint32_t)t->nr;

	PT_GROW(t->nodes, t->nr, t->cap);
	t->nodes[t->nr++] = (struct pt_folded_node){ .name = name, .parent = parent };
	if (i) {
		up = &t->nodes[parent];
		*(up->last ? &t->nodes[up->last].next : &up->first) = i;
		up->last = i;
		t->nodes[i].depth = up->depth + 1;
		t->counts.depth = PT_MAX(t->counts.depth, up->depth + 1);
	}
	return i;
}

static void folded_add_line(void *arg, const char *s, size_t len);

struct pt_folded *pt_folded_new(const struct pt_folded_opts *o)
{
	struct pt_folded *t = pt_alloc(sizeof(*t));

	t->opts = *o;
	if (!t->opts.max_depth)
		t->opts.max_depth = DEFAULT_DEPTH;
	t->lines = (struct pt_lines){ .line = folded_add_line, .arg = t };
	t->names = pt_names_new();
	folded_add_node(t, 0, "");
	return t;
}

void pt_folded_free(struct pt_folded *t)
{
	if (!t)
		return;
	pt_map_deinit(&t->children);
	pt_names_free(t->names);
	pt_lines_deinit(&t->lines);
	free(t->nodes);
	free(t->frames);
	free(t);
}

static bool folded_is_name(const char *interned, const char *s, size_t len)
{
	/* s may contain a NUL */
	return !strncmp(interned, s, len) && strnlen(interned, len) == len && !interned[len];
}

static uint32_t child(struct pt_folded *t, uint32_t parent, const char *s, size_t len)
{
	uint32_t last = t->nodes[parent].last;
	const char *name;
	uint64_t *slot, key;

	/* Lines usually come sorted: try the latest child first. */
	if (last && folded_is_name(t->nodes[last].name, s, len))
		return last;
	name = pt_names_add(t->names, s, len);
	if (t->opts.keep_order)
		return folded_add_node(t, parent, name);
	key = pt_hash64(pt_word_of(name)) + (uint64_t)parent * 0x9e3779b97f4a7c15u;
	slot = pt_map_put(&t->children, key);
	/* equal hashes: try the next one */
	while (*slot && (t->nodes[*slot].parent != parent || t->nodes[*slot].name != name))
		slot = pt_map_put(&t->children, key = pt_hash64(key + 1));
	if (!*slot)
		*slot = folded_add_node(t, parent, name);
	return (uint32_t)*slot;
}

static void folded_split(struct pt_folded *t, const char *s, const char *end)
{
	struct frame f;

	t->nr_frames = 0;
	while ((f.s = pt_foldline_frame(&s, end, &f.len))) {
		PT_GROW(t->frames, t->nr_frames, t->cap_frames);
		if (f.len)
			t->frames[t->nr_frames++] = f;
	}
}

static void folded_add_line(void *arg, const char *s, size_t len)
{
	struct pt_folded *t = arg;
	size_t stack_len = len, i, n;
	double v[2] = { 0, 0 }, count, before, width;
	const struct frame *f;
	uint32_t at = 0;
	int two;

	t->counts.lines++;
	two = pt_foldline(s, &stack_len, v);
	if (two < 0)
		t->counts.first_bad = t->counts.bad++ ? t->counts.first_bad : t->counts.lines;
	if (!two)
		pt_foldnote_add(&t->note, s, len);
	if (two <= 0)
		return;
	t->counts.good++;
	t->counts.two |= two == 2;
	count = two == 2 ? v[1] : v[0];
	before = two == 2 ? v[0] : 0;
	width = count > 0 || !t->opts.vanished ? count : before;
	folded_split(t, s, s + stack_len);
	n = PT_MIN(t->nr_frames, (size_t)t->opts.max_depth);
	t->counts.cut += n < t->nr_frames;
	for (i = 0; ; i++) {
		t->nodes[at].total += count;
		t->nodes[at].before += before;
		t->nodes[at].width += width;
		if (i == n || t->nr >= MAX_NODES)
			break;
		f = &t->frames[t->opts.reverse ? t->nr_frames - 1 - i : i];
		at = child(t, at, f->s, f->len);
	}
}

void pt_folded_feed(struct pt_folded *t, const char *p, size_t len)
{
	pt_lines_feed(&t->lines, p, len);
}

struct by_name { const char *name; uint32_t node; };

static int folded_compare(const void *a, const void *b)
{
	return strcmp(((const struct by_name *)a)->name, ((const struct by_name *)b)->name);
}

static void sort_children(struct pt_folded *t, uint32_t parent, struct by_name **list, size_t *cap)
{
	size_t n = 0, i;
	uint32_t c;
	bool sorted = true;

	for (c = t->nodes[parent].first; c; c = t->nodes[c].next) {
		PT_GROW(*list, n, *cap);
		(*list)[n++] = (struct by_name){ t->nodes[c].name, c };
		sorted &= n < 2 || strcmp((*list)[n - 2].name, (*list)[n - 1].name) <= 0;
	}
	if (sorted)
		return;
	qsort(*list, n, sizeof(**list), folded_compare);
	t->nodes[parent].first = (*list)[0].node;
	for (i = 0; i < n; i++)
		t->nodes[(*list)[i].node].next = i + 1 < n ? (*list)[i + 1].node : 0;
}

void pt_folded_end(struct pt_folded *t)
{
	struct by_name *list = NULL;
	size_t cap = 0, i;

	pt_lines_end(&t->lines);
	for (i = 0; i < t->nr && !t->opts.keep_order; i++)
		sort_children(t, (uint32_t)i, &list, &cap);
	free(list);
}

const struct pt_folded_node *pt_folded_nodes(const struct pt_folded *t, size_t *nr)
{
	*nr = t->nr;
	return t->nodes;
}

struct pt_folded_counts pt_folded_counts(const struct pt_folded *t)
{
	return t->counts;
}

const struct pt_foldnote *pt_folded_note(const struct pt_folded *t)
{
	return &t->note;
}
