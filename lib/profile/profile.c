#include "profile/profile_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const char end_of_key[] = "\x1f";	/* behind each key of a sample */

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
	free(p->known);
	p->known = NULL;
	p->nr_known = 0;
	pt_fold_free(p->gathered);
	p->gathered = pt_fold_new();
	pt_map_clear(&p->who_ids);
	pt_map_clear(&p->row_ids);
	p->nr_nodes = p->nr_ends = p->nr_whos = p->nr_rows = p->nr_stacks = p->nr_ids = 0;
	PT_GROW(p->nodes, p->nr_nodes, p->cap_nodes);
	p->nodes[p->nr_nodes++] = (struct pt_profile_node){ .row = PT_PROFILE_NO_ROW };
	PT_GROW(p->ends, p->nr_ends, p->cap_ends);
	p->ends[p->nr_ends++] = (struct pt_profile_end){ .place = NULL };
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
	free(p->known);
	free(p->nodes);
	free(p->ends);
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
		const struct pt_profile_end *end = &p->ends[p->nodes[i].end];

		if (p->nodes[i].row == row->number && end->own.period > most) {
			most = end->own.period;
			place = end->place;
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
		uint64_t samples = p->ends[p->nodes[i].end].own.samples;

		if (!samples)
			continue;
		for (nr = 0, at = (uint32_t)i; p->nodes[at].parent; at = p->nodes[at].parent) {
			PT_GROW(frames, nr, cap);
			frames[nr++] = fold_name(p, p->nodes[at].frame, names, &name);
		}
		fold_keys(p->whos[p->nodes[at].frame].keys, &who);
		pt_fold_add(f, who.data, frames, nr, samples);
	}
	free(frames);
	pt_buf_deinit(&who);
	pt_buf_deinit(&name);
}

struct pt_profile_tree pt_profile_tree(const struct pt_profile *p)
{
	return (struct pt_profile_tree){ p->nodes, p->nr_nodes, p->ends, p->nr_ends };
}
