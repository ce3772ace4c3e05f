#include "profile/profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/mem.h"
#include "stack/fold.h"

static const char end_of_key[] = "\x1f";	/* behind each key of a sample */

struct where {				/* what a frame adds to the keys of a row */
	const char *key;		/* for comparing */
	uint32_t frame;			/* one that has it */
};

/* A stack with names: ids[at] are the keys of the sample (of whos), then come the frames, the
 * outermost first. */
struct stack {
	size_t at, nr;
	struct pt_profile_sum sum;
	const void *place;		/* the innermost one */
};

struct pt_profile {
	struct pt_profile_opts opts;
	struct pt_fold *gathered;	/* stacks of places; NULL once they are named */
	struct stack *stacks;		/* named, until nodes are made of them */
	size_t nr_stacks, cap_stacks;
	uint32_t *ids;			/* of stacks */
	size_t nr_ids, cap_ids;
	struct pt_names *names;
	struct pt_arena arena;
	struct pt_profile_node *nodes;	/* the first one of each whos[] has no parent */
	size_t nr_nodes, cap_nodes;
	struct pt_map who_ids;		/* interned keys of samples: index into whos, from 1 */
	struct who { const char *keys; uint32_t root; } *whos;
	size_t nr_whos, cap_whos;
	struct pt_map frame_ids, where_ids;	/* frame_ids: hash: the first frame that has it */
	struct frame { struct pt_profile_frame x; uint32_t next; } *frames;
	size_t nr_frames, cap_frames;
	uint32_t *where_of;		/* by frame */
	size_t cap_where_of;
	struct where *wheres;
	size_t nr_wheres, cap_wheres;
	struct pt_map by_place;		/* place: its frames' ids, the first one is their number */
	struct pt_map row_ids;		/* who << 32 | where: index into rows, from 1 */
	struct pt_profile_row *rows;
	size_t nr_rows, cap_rows;
};

struct pt_profile *pt_profile_new(const struct pt_profile_opts *o)
{
	struct pt_profile *p = pt_alloc(sizeof(*p));

	p->opts = *o;
	p->names = pt_names_new();
	pt_profile_clear(p);
	return p;
}

void pt_profile_clear(struct pt_profile *p)
{
	struct pt_map_slot *slot;

	for (size_t i = 0; (slot = pt_map_each(&p->by_place, &i));) {
		const uint32_t *ids = pt_pointer(slot->value);

		if (ids && p->frames[ids[ids[0]]].x.nameless)
			slot->value = 0;
	}
	pt_fold_free(p->gathered);
	p->gathered = pt_fold_new();
	pt_map_clear(&p->who_ids);
	pt_map_clear(&p->row_ids);
	p->nr_nodes = p->nr_whos = p->nr_rows = 0;
	PT_GROW(p->nodes, p->nr_nodes, p->cap_nodes);
	p->nodes[p->nr_nodes++] = (struct pt_profile_node){ .row = PT_PROFILE_NO_ROW };
}

struct pt_profile *pt_profile_like(const struct pt_profile *p)
{
	return pt_profile_new(&p->opts);
}

void pt_profile_free(struct pt_profile *p)
{
	if (!p)
		return;
	pt_fold_free(p->gathered);
	pt_names_free(p->names);
	pt_arena_deinit(&p->arena);
	free(p->stacks);
	free(p->ids);
	free(p->nodes);
	free(p->whos);
	free(p->frames);
	free(p->where_of);
	free(p->wheres);
	free(p->rows);
	pt_map_deinit(&p->who_ids);
	pt_map_deinit(&p->frame_ids);
	pt_map_deinit(&p->where_ids);
	pt_map_deinit(&p->by_place);
	pt_map_deinit(&p->row_ids);
	free(p);
}

unsigned pt_profile_keys(const struct pt_profile *p)
{
	return p->opts.keys;
}

bool pt_profile_callers(const struct pt_profile *p)
{
	return p->opts.children;
}

/* -- samples -- */

void pt_profile_who(struct pt_buf *b, const char *text)
{
	for (; *text; text++)
		pt_buf_putc(b, *text == *end_of_key ? '?' : *text);
	pt_buf_puts(b, end_of_key);
}

void pt_profile_add(struct pt_profile *p, const char *keys, const void *const *places, size_t nr,
		    uint64_t period)
{
	pt_fold_add(p->gathered, keys, (const char *const *)places, nr, period);
}

/* -- names -- */

/* Index into whos. */
static uint32_t who_id(struct pt_profile *p, const char *keys)
{
	const char *text = pt_names_add(p->names, keys, SIZE_MAX);
	uint64_t *id = pt_map_put(&p->who_ids, (uint64_t)(uintptr_t)text);

	if (!*id) {
		PT_GROW(p->whos, p->nr_whos, p->cap_whos);
		p->whos[p->nr_whos++] = (struct who){ .keys = text };
		*id = p->nr_whos;
	}
	return (uint32_t)*id - 1;
}

/* What a frame adds to the keys of a row, in one text. */
static const char *row_text(struct pt_profile *p, const struct pt_profile_frame *x)
{
	unsigned keys = p->opts.keys;
	const char *text;
	struct pt_buf b = PT_BUF_INIT;

	if (keys & 1u << PT_KEY_SYM)
		pt_buf_printf(&b, "%s\x1f%c", x->sym, x->level ? x->level : ' ');
	if (keys & 1u << PT_KEY_DSO)
		pt_buf_printf(&b, "\x1f%s", x->dso);
	if (keys & (1u << PT_KEY_SRCLINE | 1u << PT_KEY_SRCFILE))
		pt_buf_printf(&b, "\x1f%s", x->file ? x->file : "");
	if (keys & 1u << PT_KEY_SRCLINE)
		pt_buf_printf(&b, "\x1f%u", x->line);
	text = pt_names_add(p->names, pt_buf_str(&b), SIZE_MAX);
	pt_buf_deinit(&b);
	return text;
}

static uint32_t where_id(struct pt_profile *p, uint32_t frame)
{
	const char *key = row_text(p, &p->frames[frame].x);
	uint64_t *id = pt_map_put(&p->where_ids, (uint64_t)(uintptr_t)key);

	if (!*id) {
		PT_GROW(p->wheres, p->nr_wheres, p->cap_wheres);
		p->wheres[p->nr_wheres++] = (struct where){ key, frame };
		*id = p->nr_wheres;
	}
	return (uint32_t)*id - 1;
}

/* Equal names are equal pointers. */
static uint64_t frame_hash(const struct pt_profile_frame *x)
{
	const uint64_t words[] = { (uintptr_t)x->dso, (uintptr_t)x->sym, (uintptr_t)x->file,
				   (uint64_t)x->line << 8 | (unsigned char)x->level };

	return pt_hash_quick(words, sizeof(words));
}

static bool is_same(const struct pt_profile_frame *a, const struct pt_profile_frame *b)
{
	return a->sym == b->sym && a->dso == b->dso && a->file == b->file && a->line == b->line &&
	       a->level == b->level;
}

static uint32_t frame_id(struct pt_profile *p, const struct pt_profile_frame *x)
{
	uint64_t *first = pt_map_put(&p->frame_ids, frame_hash(x));	/* from 1 */
	uint32_t new = (uint32_t)p->nr_frames, i;

	for (i = (uint32_t)*first; i; i = p->frames[i - 1].next)
		if (is_same(&p->frames[i - 1].x, x))
			return i - 1;
	PT_GROW(p->frames, p->nr_frames, p->cap_frames);
	p->frames[p->nr_frames++] = (struct frame){ *x, (uint32_t)*first };
	*first = p->nr_frames;
	PT_GROW(p->where_of, (size_t)new, p->cap_where_of);
	p->where_of[new] = where_id(p, new);
	return new;
}

/* Who names places. */
struct naming {
	pt_profile_namer *name;
	void *ctx;
};

/* The ids of a place's frames, behind their number. */
static const uint32_t *ids_of(struct pt_profile *p, const struct naming *n, const void *place)
{
	uint64_t *slot = pt_map_put(&p->by_place, (uint64_t)(uintptr_t)place);
	const struct pt_profile_frame *frames;
	uint32_t *ids;
	size_t nr;

	if (*slot)
		return (const uint32_t *)(uintptr_t)*slot;
	nr = n->name(n->ctx, place, &frames);
	ids = pt_arena_alloc(&p->arena, (nr + 1) * sizeof(*ids));
	ids[0] = (uint32_t)nr;
	for (size_t i = 0; i < nr; i++)
		ids[i + 1] = frame_id(p, &frames[i]);
	*slot = (uint64_t)(uintptr_t)ids;
	return ids;
}

/* The innermost function that opts.parent matches. */
static const char *parent_of(struct pt_profile *p, const struct naming *n,
			     const struct pt_fold_entry *x)
{
	for (size_t i = 0; i < x->nr; i++) {
		const uint32_t *ids = ids_of(p, n, x->frames[i]);

		for (uint32_t k = 1; k <= ids[0]; k++) {
			const char *name = p->frames[ids[k]].x.sym;

			if (!regexec(p->opts.parent, name, 0, NULL, 0))
				return name;
		}
	}
	return "[other]";
}

static uint32_t stack_who(struct pt_profile *p, const struct naming *n,
			  const struct pt_fold_entry *x)
{
	struct pt_buf b = PT_BUF_INIT;
	uint32_t who;

	if (!(p->opts.keys & 1u << PT_KEY_PARENT))
		return who_id(p, x->comm);
	pt_buf_puts(&b, x->comm);
	pt_profile_who(&b, parent_of(p, n, x));
	who = who_id(p, b.data);
	pt_buf_deinit(&b);
	return who;
}

static void add_id(struct pt_profile *p, uint32_t id)
{
	PT_GROW(p->ids, p->nr_ids, p->cap_ids);
	p->ids[p->nr_ids++] = id;
}

static void name_stack(struct pt_profile *p, const struct naming *n, const struct pt_fold_entry *x)
{
	const struct pt_profile_frame none = { .dso = "[unknown]", .sym = "[unknown]" };
	struct stack new = { .at = p->nr_ids,
			     .sum = { x->count, p->opts.counted ? x->count : x->times },
			     .place = x->nr ? x->frames[0] : NULL };

	add_id(p, stack_who(p, n, x));
	for (size_t i = x->nr; i-- > 0; ) {
		const uint32_t *ids = ids_of(p, n, x->frames[i]);

		for (uint32_t k = ids[0]; k > 0; k--)
			add_id(p, ids[k]);
	}
	if (!x->nr)			/* a sample without an address */
		add_id(p, frame_id(p, &none));
	new.nr = p->nr_ids - new.at;
	PT_GROW(p->stacks, p->nr_stacks, p->cap_stacks);
	p->stacks[p->nr_stacks++] = new;
}

/* -- nodes -- */

/* Any order will do in which stacks that begin alike are neighbours. */
static int by_ids(const void *x, const void *y, void *ids)
{
	const struct stack *a = x, *b = y;
	const uint32_t *of = ids;
	int rc = memcmp(of + a->at, of + b->at, PT_MIN(a->nr, b->nr) * sizeof(*of));

	if (!rc && a->nr != b->nr)
		rc = a->nr < b->nr ? -1 : 1;
	return rc ? rc : (a->at > b->at) - (a->at < b->at);
}

static uint32_t new_node(struct pt_profile *p, uint32_t parent, uint32_t frame)
{
	uint32_t new = (uint32_t)p->nr_nodes;

	PT_GROW(p->nodes, p->nr_nodes, p->cap_nodes);
	p->nodes[p->nr_nodes++] = (struct pt_profile_node){
		.frame = frame, .parent = parent, .row = PT_PROFILE_NO_ROW };
	if (parent) {
		p->nodes[new].next = p->nodes[parent].first;
		p->nodes[parent].first = new;
	} else {
		p->whos[frame].root = new;
	}
	return new;
}

/* Each stack shares the nodes of what it has in common with the one before it. */
static void make_nodes(struct pt_profile *p)
{
	uint32_t *path = NULL;		/* nodes of the stack before */
	size_t nr = 0, cap = 0;

	if (p->nr_stacks)
		qsort_r(p->stacks, p->nr_stacks, sizeof(*p->stacks), by_ids, p->ids);
	for (size_t i = 0; i < p->nr_stacks; i++) {
		const struct stack *s = &p->stacks[i];
		const uint32_t *ids = p->ids + s->at;
		struct pt_profile_node *node;
		size_t same = 0;

		while (same < nr && same < s->nr && p->nodes[path[same]].frame == ids[same])
			same++;
		for (nr = same; nr < s->nr; nr++) {
			PT_GROW(path, nr, cap);
			path[nr] = new_node(p, nr ? path[nr - 1] : 0, ids[nr]);
		}
		node = &p->nodes[path[nr - 1]];
		node->own.period += s->sum.period;
		node->own.samples += s->sum.samples;
		if (!node->place)
			node->place = s->place;
	}
	free(path);
	p->nr_stacks = p->nr_ids = 0;
}

/* -- rows -- */

/* Adds up what is below each node: callees come behind their callers. */
static void add_up(struct pt_profile *p)
{
	for (size_t i = p->nr_nodes - 1; i > 0; i--) {
		struct pt_profile_node *x = &p->nodes[i], *caller = &p->nodes[x->parent];

		x->all.period += x->own.period;
		x->all.samples += x->own.samples;
		if (!x->parent)
			caller = &p->nodes[0];	/* node 0 has the sum of all */
		caller->all.period += x->all.period;
		caller->all.samples += x->all.samples;
	}
}

struct counting {
	uint32_t who;
	uint32_t *rows;			/* by what a frame adds: its row, from 1 on */
	uint32_t *around;		/* by row: the node of the function that is being entered */
	size_t cap;
};

static uint32_t row_of(struct pt_profile *p, struct counting *c, uint32_t frame)
{
	uint32_t where = p->where_of[frame], row = c->rows[where];

	/* rows of the same `who` are made one after another */
	if (row && p->rows[row - 1].who == c->who)
		return row - 1;
	row = (uint32_t)p->nr_rows;
	PT_GROW(p->rows, p->nr_rows, p->cap_rows);
	p->rows[p->nr_rows++] = (struct pt_profile_row){ .who = c->who, .where = where };
	c->rows[where] = (uint32_t)p->nr_rows;
	PT_GROW(c->around, (size_t)row, c->cap);
	c->around[row] = 0;
	return row;
}

static void enter(struct pt_profile *p, struct counting *c, uint32_t at)
{
	struct pt_profile_node *x = &p->nodes[at];
	struct pt_profile_row *row;

	if (!p->opts.children && !x->own.samples && !x->own.period)
		return;
	x->row = row_of(p, c, x->frame);
	row = &p->rows[x->row];
	row->self += x->own.period;
	row->samples += x->own.samples;
	if (!p->opts.children) {
		row->total += x->own.period;
		return;
	}
	x->outer = c->around[x->row];
	c->around[x->row] = at;
	if (!x->outer)
		row->total += x->all.period;
}

static void leave(struct pt_profile *p, struct counting *c, uint32_t at)
{
	const struct pt_profile_node *x = &p->nodes[at];

	if (p->opts.children)
		c->around[x->row] = x->outer;
}

/* Enters and leaves each function below `root`, in the order of calls. */
static void walk(struct pt_profile *p, struct counting *c, uint32_t root)
{
	uint32_t at = p->nodes[root].first;

	while (at) {
		enter(p, c, at);
		if (p->nodes[at].first) {
			at = p->nodes[at].first;
			continue;
		}
		while (at != root && !p->nodes[at].next) {
			leave(p, c, at);
			at = p->nodes[at].parent;
		}
		if (at == root)
			break;
		leave(p, c, at);
		at = p->nodes[at].next;
	}
}

static void make_rows(struct pt_profile *p)
{
	struct counting c = { .rows = pt_alloc_array(p->nr_wheres, sizeof(*c.rows)) };

	for (c.who = 0; c.who < p->nr_whos; c.who++)
		walk(p, &c, p->whos[c.who].root);
	free(c.rows);
	free(c.around);
}

static int by_size(const void *x, const void *y, void *arg)
{
	const struct pt_profile_row *a = x, *b = y;
	const struct pt_profile *p = arg;
	int rc;

	if (a->total != b->total)
		return a->total < b->total ? 1 : -1;
	if (a->self != b->self)
		return a->self < b->self ? 1 : -1;
	rc = strcmp(p->whos[a->who].keys, p->whos[b->who].keys);
	return rc ? rc : strcmp(p->wheres[a->where].key, p->wheres[b->where].key);
}

void pt_profile_add_named(struct pt_profile *p, const struct pt_fold_entry *x,
			  pt_profile_namer *name, void *ctx)
{
	struct naming n = { .name = name, .ctx = ctx };

	name_stack(p, &n, x);
}

static void sort_rows(struct pt_profile *p)
{
	uint32_t *places = pt_alloc_array(p->nr_rows, sizeof(*places));

	for (uint32_t i = 0; i < p->nr_rows; i++)
		p->rows[i].number = i;
	if (p->nr_rows)
		qsort_r(p->rows, p->nr_rows, sizeof(*p->rows), by_size, p);
	for (uint32_t i = 0; i < p->nr_rows; i++) {
		places[p->rows[i].number] = i;
		p->rows[i].number = i;
		*pt_map_put(&p->row_ids, (uint64_t)p->rows[i].who << 32 | p->rows[i].where) = i + 1;
	}
	for (size_t i = 1; i < p->nr_nodes; i++)
		if (p->nodes[i].row != PT_PROFILE_NO_ROW)
			p->nodes[i].row = places[p->nodes[i].row];
	free(places);
}

void pt_profile_name(struct pt_profile *p, pt_profile_namer *name, void *ctx)
{
	struct naming n = { .name = name, .ctx = ctx };
	struct pt_fold_entry x;

	while (pt_fold_take(p->gathered, &x))
		name_stack(p, &n, &x);
	pt_fold_free(p->gathered);
	p->gathered = NULL;
	make_nodes(p);
	add_up(p);
	make_rows(p);
	sort_rows(p);
}

uint64_t pt_profile_samples(const struct pt_profile *p)
{
	return p->nodes[0].all.samples;
}

uint64_t pt_profile_total(const struct pt_profile *p)
{
	return p->nodes[0].all.period;
}

uint64_t pt_profile_periods(const struct pt_profile *p, uint64_t weight)
{
	return weight / PT_MAX(p->opts.parts, (uint64_t)1);
}

const struct pt_profile_row *pt_profile_row(struct pt_profile *p, size_t i)
{
	return i < p->nr_rows ? &p->rows[i] : NULL;
}

const struct pt_profile_row *pt_profile_same_row(const struct pt_profile *p,
						 const struct pt_profile *other,
						 const struct pt_profile_row *row)
{
	const char *keys = pt_names_find(p->names, other->whos[row->who].keys, SIZE_MAX),
		   *key = pt_names_find(p->names, other->wheres[row->where].key, SIZE_MAX);
	const uint64_t *who = keys ? pt_map_get(&p->who_ids, (uint64_t)(uintptr_t)keys) : NULL,
		       *where = key ? pt_map_get(&p->where_ids, (uint64_t)(uintptr_t)key) : NULL,
		       *id = who && where ? pt_map_get(&p->row_ids, (*who - 1) << 32 | (*where - 1))
					  : NULL;

	return id ? &p->rows[*id - 1] : NULL;
}

const struct pt_profile_frame *pt_profile_frame(const struct pt_profile *p, uint32_t id)
{
	return &p->frames[id].x;
}

static void sample_cell(const struct pt_profile *p, const struct pt_profile_row *row,
			enum pt_profile_key key, struct pt_buf *b)
{
	const char *at = p->whos[row->who].keys;

	for (unsigned k = 0; k < key; k++)
		if (p->opts.keys & 1u << k)
			at += strcspn(at, end_of_key) + 1;
	pt_buf_add(b, at, strcspn(at, end_of_key));
}

void pt_profile_cell(const struct pt_profile *p, const struct pt_profile_row *row,
		     enum pt_profile_key key, struct pt_buf *b)
{
	const struct pt_profile_frame *x = &p->frames[p->wheres[row->where].frame].x;

	switch (key) {
	case PT_KEY_DSO:
		pt_buf_puts(b, x->dso);
		break;
	case PT_KEY_SYM:
		pt_buf_puts(b, x->sym);
		break;
	case PT_KEY_SRCLINE:
		pt_buf_puts(b, x->file ? x->file : "??");
		pt_buf_printf(b, ":%u", x->line);
		break;
	case PT_KEY_SRCFILE:
		pt_buf_puts(b, x->file ? x->file : "??");
		break;
	default:
		sample_cell(p, row, key, b);
		break;
	}
}

char pt_profile_level(const struct pt_profile *p, const struct pt_profile_row *row)
{
	return p->frames[p->wheres[row->where].frame].x.level;
}

const void *pt_profile_hottest(const struct pt_profile *p, const struct pt_profile_row *row)
{
	uint64_t most = 0;
	const void *place = NULL;

	for (size_t i = 1; i < p->nr_nodes; i++) {
		const struct pt_profile_node *x = &p->nodes[i];

		if (x->row == row->number && x->own.period > most) {
			most = x->own.period;
			place = x->place;
		}
	}
	return place;
}

/* The keys of a sample as the first frame of a folded line. */
static void fold_keys(const char *keys, struct pt_buf *out)
{
	pt_buf_clear(out);
	for (const char *at = keys; *at; at += strcspn(at, end_of_key) + 1) {
		pt_buf_puts(out, out->len ? " " : "");
		pt_buf_add(out, at, strcspn(at, end_of_key));
	}
	if (!out->len)
		pt_buf_puts(out, "all");
}

static const char *fold_name(const struct pt_profile *p, uint32_t frame, struct pt_names *names,
			     struct pt_buf *text)
{
	const struct pt_profile_frame *x = &p->frames[frame].x;

	pt_buf_clear(text);
	pt_buf_printf(text, "%s%s", x->sym, x->level == 'k' ? "_[k]" : "");
	return pt_names_add(names, text->data, text->len);
}

void pt_profile_fold(const struct pt_profile *p, struct pt_fold *f, struct pt_names *names)
{
	struct pt_buf who = PT_BUF_INIT, name = PT_BUF_INIT;
	const char **frames = NULL;
	size_t nr, cap = 0;
	uint32_t at;

	for (size_t i = 1; i < p->nr_nodes; i++) {
		if (!p->nodes[i].own.samples)
			continue;
		for (nr = 0, at = (uint32_t)i; p->nodes[at].parent; at = p->nodes[at].parent) {
			PT_GROW(frames, nr, cap);
			frames[nr++] = fold_name(p, p->nodes[at].frame, names, &name);
		}
		fold_keys(p->whos[p->nodes[at].frame].keys, &who);
		pt_fold_add(f, who.data, frames, nr, p->nodes[i].own.samples);
	}
	free(frames);
	pt_buf_deinit(&who);
	pt_buf_deinit(&name);
}

const struct pt_profile_node *pt_profile_nodes(const struct pt_profile *p, size_t *nr)
{
	*nr = p->nr_nodes;
	return p->nodes;
}
