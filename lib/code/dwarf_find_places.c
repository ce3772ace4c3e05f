#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/search.h"
#include "code/dwarf_find_priv.h"

enum { MAX_ROUNDS = 16 };

static const enum pt_dw_slot of_names[] = { PT_DW_NAME, PT_DW_LINKAGE }, of_refs[] = { PT_DW_ORIGIN, PT_DW_SPEC, PT_DW_SIGNATURE };

/* Entries that are known by an attribute: one stands so many bytes before it, and begins with these. */
struct shape { uint8_t code[10]; unsigned code_bytes; struct pt_dw_where w; bool subprogram; };

struct shapes { struct shape *v; size_t nr, cap; };

/* Of the entries of functions that have such an attribute. False: some have it where it cannot be told, or in a form that is not looked for. */
static bool add_shape(struct shapes *s, struct pt_dw_unit *u, const struct pt_dw_abbrev *a, enum pt_dw_slot slot, bool ref)
{
	struct shape x = { .subprogram = a->tag == DW_TAG_subprogram };
	uint64_t code = a->code;

	if (!pt_dw_abbrev_attr(u, a, slot, &x.w))
		return true;
	if (!x.w.fixed || (ref ? x.w.form != DW_FORM_ref4 : x.w.form != DW_FORM_strp && x.w.form != DW_FORM_string))
		return false;
	do {
		x.code[x.code_bytes++] = (uint8_t)((code & 0x7f) | (code > 0x7f ? 0x80 : 0));
		code >>= 7;
	} while (code);
	PT_GROW(s->v, s->nr, s->cap);
	s->v[s->nr++] = x;
	return true;
}

static bool shapes_of(struct pt_dw_unit *u, struct shapes *names, struct shapes *refs)
{
	const struct pt_dw_abbrev *a;
	bool all = true;
	size_t i, k;

	for (i = 0; all && (a = pt_dw_abbrev_nr(u, i)); i++) {
		if (!pt_find_is_function(a->tag))
			continue;
		for (k = 0; k < PT_NR(of_names); k++)
			all = all && add_shape(names, u, a, of_names[k], false);
		for (k = 0; k < PT_NR(of_refs); k++)
			all = all && add_shape(refs, u, a, of_refs[k], true);
	}
	return all;
}

struct narrow {
	struct pt_dw_unit *u;
	const uint8_t *data;		/* of the unit's header on: what follows counts from there */
	struct find_values next;		/* entries of functions, to be looked for in references */
	struct pt_map seen;		/* the same: 1 */
	struct find_hits *places;
};

/* What stands so many bytes in front of `at` may be the entry's code. */
static void entry_at(struct narrow *n, const struct shape *x, uint64_t at, uint64_t back)
{
	back += x->code_bytes;
	if (at < back + (n->u->first - n->u->off) || memcmp(n->data + at - back, x->code, x->code_bytes) || *pt_map_put(&n->seen, at - back))
		return;
	*pt_map_put(&n->seen, at - back) = 1;
	PT_GROW(n->places->v, n->places->nr, n->places->cap);
	n->places->v[n->places->nr++] = n->u->off + at - back;
	if (x->subprogram)
		pt_find_add(&n->next, at - back);
}

/* An attribute stands at `at`: the entries that it may be of. */
static void entries_at(struct narrow *n, const struct shapes *s, uint64_t at)
{
	uint64_t low = n->u->first - n->u->off;
	size_t i;

	for (i = 0; i < s->nr; i++) {
		const struct pt_dw_where *w = &s->v[i].w;
		uint64_t from;

		if (!w->string) {
			entry_at(n, &s->v[i], at, w->at);
			continue;
		}
		if (at < low + w->at + 1 || n->data[at - w->at - 1])
			continue;
		/* Behind a string, which may begin anywhere behind another NUL. */
		for (from = at - w->at - 1; from > low; from--) {
			entry_at(n, &s->v[i], from, w->string_at);
			if (!n->data[from - 1])
				break;
		}
	}
}

/* To try them all takes no longer than to read the unit's entries. */
static bool is_worth_it(const struct narrow *n, size_t nr, const struct shapes *s)
{
	return !s->nr || nr <= (n->u->end - n->u->off) / s->nr;
}

/* Entries that stem from those that are known, and those that stem from these. */
static bool follow(struct narrow *n, const struct shapes *refs)
{
	uint64_t len = n->u->end - n->u->off;
	bool good = true;
	unsigned round;
	size_t i;

	for (round = 0; n->next.nr && good; round++) {
		struct find_values now = n->next;
		struct find_hits hits = { .v = NULL };

		n->next = (struct find_values){ .v = NULL };
		pt_find_ready(&now);
		good = round < MAX_ROUNDS && pt_dw_pay(n->u->file->dwarf, len / 8) && pt_find_search(&now, n->data, len, n->u->file->swap, &hits) && is_worth_it(n, hits.nr, refs);
		for (i = 0; i < hits.nr && good; i++)
			entries_at(n, refs, hits.v[i]);
		free(hits.v);
		pt_find_drop(&now);
	}
	return good;
}

bool pt_dw_find_places(struct pt_dw_find *f, struct pt_dw_unit *u, uint64_t **v, size_t *nr)
{
	struct find_file *of = pt_find_file(f, u->file);
	struct shapes names = { .v = NULL }, refs = { .v = NULL };
	struct find_hits places = { .v = NULL };
	struct narrow n = { .u = u, .data = u->file->sections[PT_DW_INFO].data + u->off, .places = &places };
	struct find_values inner = { .v = NULL };
	bool good = false;
	size_t first, last, i;
	unsigned table;

	*v = NULL;
	*nr = 0;
	if (u->bad || u->types || u->offset_bytes != 4 || !pt_dw_unit_open(u, NULL) || u->end - u->off > UINT32_MAX)
		return false;
	table = pt_find_table(of, u);
	if (table & (FIND_OUTWARD | FIND_BY_INDEX))
		return false;
	pt_find_look(f, of);
	if (!of->blind && (!(table & FIND_IN_PLACE) || pt_find_in_place(f, u, &inner)) && shapes_of(u, &names, &refs)) {
		first = PT_LEADING(of->hits.nr, k, of->hits.v[k] < u->off);
		last = PT_LEADING(of->hits.nr, k, of->hits.v[k] < u->end);
		good = is_worth_it(&n, last - first + inner.nr, &names);
		for (i = first; good && i < last; i++)
			entries_at(&n, &names, of->hits.v[i] - u->off);
		for (i = 0; good && i < inner.nr; i++)
			entries_at(&n, &names, inner.v[i]);
		good = good && follow(&n, &refs);
	}
	pt_find_sort(&places);
	pt_map_deinit(&n.seen);
	pt_find_drop(&n.next);
	pt_find_drop(&inner);
	free(names.v);
	free(refs.v);
	if (!good)
		free(places.v);
	else {
		*v = places.v;
		*nr = places.nr;
	}
	return good;
}
