/* profile_names.c - gathered stacks of places become stacks of named frames. */
#include "profile/profile_priv.h"

#include <string.h>

#include "base/mem.h"

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
static const char *profile_names_row_text(struct pt_profile *p, const struct pt_profile_frame *x)
{
	unsigned keys = p->opts.keys;
	const char *text;
	struct pt_buf b = PT_BUF_INIT;

	if (keys & 1u << PT_KEY_SYM) {
		pt_buf_puts(&b, x->sym);
		pt_buf_putc(&b, '\x1f');
		pt_buf_putc(&b, x->level ? x->level : ' ');
	}
	if (keys & 1u << PT_KEY_DSO) {
		pt_buf_putc(&b, '\x1f');
		pt_buf_puts(&b, x->dso);
	}
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
	const char *key = profile_names_row_text(p, &p->frames[frame].x);
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

/* The next stack mostly begins like the one before it. */
static const uint32_t *ids_at(struct pt_profile *p, const struct naming *n, size_t depth,
			      const void *place)
{
	struct known *x;

	PT_GROW_TO(p->known, p->nr_known, depth);
	x = &p->known[depth];
	if (x->place != place)
		*x = (struct known){ place, ids_of(p, n, place) };
	return x->ids;
}

static void name_stack(struct pt_profile *p, const struct naming *n, const struct pt_fold_entry *x)
{
	const struct pt_profile_frame none = { .dso = "[unknown]", .sym = "[unknown]" };
	struct stack new = { .at = p->nr_ids,
			     .sum = { x->count, p->opts.counted ? x->count : x->times },
			     .place = x->nr ? x->frames[0] : NULL };

	add_id(p, stack_who(p, n, x));
	for (size_t i = x->nr; i-- > 0; ) {
		const uint32_t *ids = ids_at(p, n, x->nr - 1 - i, x->frames[i]);

		for (uint32_t k = ids[0]; k > 0; k--)
			add_id(p, ids[k]);
	}
	if (!x->nr)			/* a sample without an address */
		add_id(p, frame_id(p, &none));
	new.nr = p->nr_ids - new.at;
	PT_GROW(p->stacks, p->nr_stacks, p->cap_stacks);
	p->stacks[p->nr_stacks++] = new;
}

void pt_profile_add_named(struct pt_profile *p, const struct pt_fold_entry *x,
			  pt_profile_namer *name, void *ctx)
{
	struct naming n = { .name = name, .ctx = ctx };

	name_stack(p, &n, x);
}

/* Inlined frames may need more. */
static void profile_names_make_room(struct pt_profile *p, size_t nr, size_t frames)
{
	if (p->nr_stacks + nr > p->cap_stacks)
		p->stacks = pt_realloc(p->stacks, p->cap_stacks = p->nr_stacks + nr,
				       sizeof(*p->stacks));
	if (p->nr_ids + nr + frames > p->cap_ids)
		p->ids = pt_realloc(p->ids, p->cap_ids = p->nr_ids + nr + frames, sizeof(*p->ids));
}

void pt_profile_name(struct pt_profile *p, pt_profile_namer *name, void *ctx)
{
	struct naming n = { .name = name, .ctx = ctx };
	struct pt_fold_entry x;

	profile_names_make_room(p, pt_fold_nr(p->gathered), pt_fold_frames(p->gathered));
	for (size_t i = 0; pt_fold_each(p->gathered, &i, &x); )
		name_stack(p, &n, &x);
	pt_fold_free(p->gathered);
	p->gathered = NULL;
	profile_make_rows(p);
}
