#include "profile/profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/mem.h"
#include "stack/fold.h"

enum { FRAME_KEYS = ~0u << PT_KEY_DSO };

static const char end_of_key[] = "\x1f";	/* behind each key of a sample */

struct stack {
	uint32_t who, nr;
	uint64_t period, samples;
	const void *innermost;		/* place; NULL: none */
	uint32_t frames[];		/* innermost first */
};

struct where {				/* what a frame adds to the keys of a row */
	const char *key;		/* for comparing */
	uint32_t frame;			/* one that has it */
};

struct pt_profile {
	struct pt_profile_opts opts;
	struct pt_fold *gathered;	/* stacks of places; NULL once they are named */
	struct pt_names *names;
	struct pt_arena arena;
	struct stack **stacks;
	size_t nr_stacks, cap_stacks;
	struct pt_map who_ids;		/* interned keys of samples: index into whos, from 1 */
	const char **whos;
	size_t nr_whos, cap_whos;
	struct pt_map frame_ids, where_ids;
	struct pt_profile_frame *frames;
	size_t nr_frames, cap_frames;
	uint32_t *where_of;		/* by frame */
	size_t cap_where_of;
	struct where *wheres;
	size_t nr_wheres, cap_wheres;
	struct pt_map by_place;		/* place: its frames' ids, the first one is their number */
	struct pt_map row_ids;		/* who << 32 | where: index into rows, from 1 */
	struct pt_profile_row *rows;
	uint64_t *stamps;		/* by row: the last stack that it counted, from 1 */
	size_t nr_rows, cap_rows, cap_stamps;
	uint64_t samples, total;
};

struct pt_profile *pt_profile_new(const struct pt_profile_opts *o)
{
	struct pt_profile *p = pt_alloc(sizeof(*p));

	p->opts = *o;
	p->gathered = pt_fold_new();
	p->names = pt_names_new();
	return p;
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
	free(p->whos);
	free(p->frames);
	free(p->where_of);
	free(p->wheres);
	free(p->rows);
	free(p->stamps);
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

static uint32_t who_id(struct pt_profile *p, const char *keys)
{
	const char *text = pt_names_add(p->names, keys, SIZE_MAX);
	uint64_t *id = pt_map_put(&p->who_ids, (uint64_t)(uintptr_t)text);

	if (!*id) {
		PT_GROW(p->whos, p->nr_whos, p->cap_whos);
		p->whos[p->nr_whos++] = text;
		*id = p->nr_whos;
	}
	return (uint32_t)*id - 1;
}

/* The keys of a frame in one text, as they tell rows (or frames) apart. */
static const char *frame_text(struct pt_profile *p, const struct pt_profile_frame *x, unsigned keys)
{
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
	const char *key = frame_text(p, &p->frames[frame], p->opts.keys & FRAME_KEYS);
	uint64_t *id = pt_map_put(&p->where_ids, (uint64_t)(uintptr_t)key);

	if (!*id) {
		PT_GROW(p->wheres, p->nr_wheres, p->cap_wheres);
		p->wheres[p->nr_wheres++] = (struct where){ key, frame };
		*id = p->nr_wheres;
	}
	return (uint32_t)*id - 1;
}

static uint32_t frame_id(struct pt_profile *p, const struct pt_profile_frame *x)
{
	const char *key = frame_text(p, x, FRAME_KEYS & ~(1u << PT_KEY_SRCFILE));
	uint64_t *id = pt_map_put(&p->frame_ids, (uint64_t)(uintptr_t)key);
	uint32_t new;

	if (*id)
		return (uint32_t)*id - 1;
	PT_GROW(p->frames, p->nr_frames, p->cap_frames);
	new = (uint32_t)p->nr_frames;
	p->frames[p->nr_frames++] = *x;
	*id = p->nr_frames;
	PT_GROW(p->where_of, (size_t)new, p->cap_where_of);
	p->where_of[new] = where_id(p, new);
	return new;
}

struct naming {
	pt_profile_namer *name;
	void *ctx;
	uint32_t *ids;			/* of the stack */
	size_t nr, cap;
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

/* The sample's keys, with that of its parent. */
static uint32_t stack_who(struct pt_profile *p, const struct naming *n, const char *keys)
{
	struct pt_buf b = PT_BUF_INIT;
	const char *parent = "[other]";
	uint32_t who;

	if (!(p->opts.keys & 1u << PT_KEY_PARENT))
		return who_id(p, keys);
	for (size_t i = 0; i < n->nr; i++)
		if (!regexec(p->opts.parent, p->frames[n->ids[i]].sym, 0, NULL, 0)) {
			parent = p->frames[n->ids[i]].sym;
			break;
		}
	pt_buf_puts(&b, keys);
	pt_profile_who(&b, parent);
	who = who_id(p, b.data);
	pt_buf_deinit(&b);
	return who;
}

static void name_stack(struct pt_profile *p, struct naming *n, const struct pt_fold_entry *x)
{
	struct stack *s;

	n->nr = 0;
	for (size_t i = 0; i < x->nr; i++) {
		const uint32_t *ids = ids_of(p, n, x->frames[i]);

		if (n->nr + ids[0] > n->cap)
			n->ids = pt_realloc(n->ids, n->cap = 2 * (n->nr + ids[0]),
					    sizeof(*n->ids));
		memcpy(n->ids + n->nr, ids + 1, ids[0] * sizeof(*ids));
		n->nr += ids[0];
	}
	if (!n->nr) {			/* a sample without an address */
		struct pt_profile_frame none = { .dso = "[unknown]", .sym = "[unknown]" };

		n->ids = pt_realloc(n->ids, n->cap = PT_MAX(n->cap, (size_t)1), sizeof(*n->ids));
		n->ids[n->nr++] = frame_id(p, &none);
	}
	s = pt_arena_alloc(&p->arena, sizeof(*s) + n->nr * sizeof(*s->frames));
	*s = (struct stack){ .who = stack_who(p, n, x->comm),
			     .nr = (uint32_t)n->nr,
			     .period = x->count,
			     .samples = p->opts.counted ? x->count : x->times,
			     .innermost = x->nr ? x->frames[0] : NULL };
	memcpy(s->frames, n->ids, n->nr * sizeof(*s->frames));
	PT_GROW(p->stacks, p->nr_stacks, p->cap_stacks);
	p->stacks[p->nr_stacks++] = s;
}

/* -- rows -- */

static size_t row_of(struct pt_profile *p, const struct stack *s, size_t frame)
{
	uint32_t where = p->where_of[s->frames[frame]];
	uint64_t *id = pt_map_put(&p->row_ids, (uint64_t)s->who << 32 | where);

	if (!*id) {
		PT_GROW(p->rows, p->nr_rows, p->cap_rows);
		PT_GROW(p->stamps, p->nr_rows, p->cap_stamps);
		p->stamps[p->nr_rows] = 0;
		p->rows[p->nr_rows++] = (struct pt_profile_row){ .who = s->who, .where = where };
		*id = p->nr_rows;
	}
	return *id - 1;
}

static void count(struct pt_profile *p, size_t number)
{
	const struct stack *s = p->stacks[number];
	size_t row = row_of(p, s, 0);

	p->samples += s->samples;
	p->total += s->period;
	p->rows[row].self += s->period;
	p->rows[row].samples += s->samples;
	for (size_t i = 0; i < (p->opts.children ? s->nr : 1); i++) {
		row = row_of(p, s, i);
		if (p->stamps[row] != number + 1)
			p->rows[row].total += s->period;
		p->stamps[row] = number + 1;
	}
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
	rc = strcmp(p->whos[a->who], p->whos[b->who]);
	return rc ? rc : strcmp(p->wheres[a->where].key, p->wheres[b->where].key);
}

void pt_profile_add_named(struct pt_profile *p, const struct pt_fold_entry *x,
			  pt_profile_namer *name, void *ctx)
{
	struct naming n = { .name = name, .ctx = ctx };

	name_stack(p, &n, x);
	free(n.ids);
}

void pt_profile_name(struct pt_profile *p, pt_profile_namer *name, void *ctx)
{
	struct naming n = { .name = name, .ctx = ctx };
	struct pt_fold_entry x;

	while (pt_fold_take(p->gathered, &x))
		name_stack(p, &n, &x);
	free(n.ids);
	pt_fold_free(p->gathered);
	p->gathered = NULL;
	for (size_t i = 0; i < p->nr_stacks; i++)
		count(p, i);
	if (p->nr_rows)
		qsort_r(p->rows, p->nr_rows, sizeof(*p->rows), by_size, p);
	for (size_t i = 0; i < p->nr_rows; i++)
		*pt_map_put(&p->row_ids, (uint64_t)p->rows[i].who << 32 | p->rows[i].where) = i + 1;
}

uint64_t pt_profile_samples(const struct pt_profile *p)
{
	return p->samples;
}

uint64_t pt_profile_total(const struct pt_profile *p)
{
	return p->total;
}

const struct pt_profile_row *pt_profile_row(struct pt_profile *p, size_t i)
{
	return i < p->nr_rows ? &p->rows[i] : NULL;
}

const struct pt_profile_row *pt_profile_same_row(const struct pt_profile *p,
						 const struct pt_profile *other,
						 const struct pt_profile_row *row)
{
	const char *keys = pt_names_find(p->names, other->whos[row->who], SIZE_MAX),
		   *key = pt_names_find(p->names, other->wheres[row->where].key, SIZE_MAX);
	const uint64_t *who = keys ? pt_map_get(&p->who_ids, (uint64_t)(uintptr_t)keys) : NULL,
		       *where = key ? pt_map_get(&p->where_ids, (uint64_t)(uintptr_t)key) : NULL,
		       *id = who && where ? pt_map_get(&p->row_ids, (*who - 1) << 32 | (*where - 1))
					  : NULL;

	return id ? &p->rows[*id - 1] : NULL;
}

const struct pt_profile_frame *pt_profile_frame(const struct pt_profile *p, uint32_t id)
{
	return &p->frames[id];
}

static void sample_cell(const struct pt_profile *p, const struct pt_profile_row *row,
			enum pt_profile_key key, struct pt_buf *b)
{
	const char *at = p->whos[row->who];

	for (unsigned k = 0; k < key; k++)
		if (p->opts.keys & 1u << k)
			at += strcspn(at, end_of_key) + 1;
	pt_buf_add(b, at, strcspn(at, end_of_key));
}

void pt_profile_cell(const struct pt_profile *p, const struct pt_profile_row *row,
		     enum pt_profile_key key, struct pt_buf *b)
{
	const struct pt_profile_frame *x = &p->frames[p->wheres[row->where].frame];

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
	return p->frames[p->wheres[row->where].frame].level;
}

const void *pt_profile_hottest(const struct pt_profile *p, const struct pt_profile_row *row)
{
	uint64_t most = 0;
	const void *place = NULL;

	for (size_t i = 0; i < p->nr_stacks; i++) {
		const struct stack *s = p->stacks[i];

		if (s->who == row->who && p->where_of[s->frames[0]] == row->where &&
		    s->period > most) {
			most = s->period;
			place = s->innermost;
		}
	}
	return place;
}

void pt_profile_fold(const struct pt_profile *p, struct pt_fold *f, struct pt_names *names)
{
	struct pt_buf who = PT_BUF_INIT, name = PT_BUF_INIT;
	const char **frames = NULL;
	size_t cap = 0;

	for (size_t i = 0; i < p->nr_stacks; i++) {
		const struct stack *s = p->stacks[i];

		pt_buf_clear(&who);
		for (const char *at = p->whos[s->who]; *at; at += strcspn(at, end_of_key) + 1) {
			pt_buf_puts(&who, who.len ? " " : "");
			pt_buf_add(&who, at, strcspn(at, end_of_key));
		}
		if (s->nr > cap)
			frames = pt_realloc(frames, cap = s->nr, sizeof(*frames));
		for (size_t k = 0; k < s->nr; k++) {
			const struct pt_profile_frame *x = &p->frames[s->frames[k]];

			pt_buf_clear(&name);
			pt_buf_printf(&name, "%s%s", x->sym, x->level == 'k' ? "_[k]" : "");
			frames[k] = pt_names_add(names, name.data, name.len);
		}
		pt_fold_add(f, who.len ? who.data : "all", frames, s->nr, s->samples);
	}
	free(frames);
	pt_buf_deinit(&who);
	pt_buf_deinit(&name);
}

/* -- paths -- */

void pt_profile_paths(struct pt_profile *p, bool callers, bool (*wanted)(void *ctx, size_t row),
		      void (*each)(void *ctx, size_t row, const struct pt_profile_path *path),
		      void *ctx)
{
	memset(p->stamps, 0, p->nr_rows * sizeof(*p->stamps));
	for (size_t k = 0; k < p->nr_stacks; k++) {
		const struct stack *s = p->stacks[k];
		size_t nr = p->opts.children ? s->nr : 1;
		struct pt_profile_path path = { .frames = s->frames,
						.step = callers ? 1 : -1,
						.period = s->period,
						.samples = s->samples };

		for (size_t n = 0; n < nr; n++) {
			/* of a function that is there several times, the outermost one has all that
			 * it calls, the innermost one all of its callers */
			size_t i = callers || !n ? n : nr - n, row = row_of(p, s, i);

			if (p->stamps[row] == k + 1)
				continue;
			p->stamps[row] = k + 1;
			if (!wanted(ctx, row))
				continue;
			path.first = !n && !callers ? s->nr - 1u : i;
			path.nr = !n ? s->nr : callers ? s->nr - i : i + 1;
			each(ctx, row, &path);
		}
	}
}
