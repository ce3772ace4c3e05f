#include "code/dwarf_find.h"

#include <dwarf.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/scan.h"
#include "base/search.h"

enum { MAX_STRING = 1 << 16, SHORT_STRING = 256, FEW_VALUES = 12, BLOCK = 32 << 10, THREAD_BYTES = 2 << 20, MAX_HITS = 1 << 22 };

/* What an abbreviation table says of its units. */
enum {
	LOOKED = 1,
	OUTWARD = 2,			/* functions stem from entries elsewhere, or may be named in ways that are not looked for */
	SPLIT = 4,			/* there may be a split unit */
	IN_PLACE = 8,			/* names of functions in the entries themselves */
	BY_INDEX = 16,			/* through .debug_str_offsets */
};

struct values {
	uint32_t *v;			/* sorted once complete */
	size_t nr, cap;
	uint64_t *bits;			/* of the same, where they are many */
};

struct hits { uint64_t *v; size_t nr, cap; };	/* offsets */

struct of_file {
	struct pt_dw_file *file;
	bool known, blind;		/* blind: nothing can be told of it */
	struct values values;		/* offsets in .debug_str */
	struct hits hits;		/* in .debug_info, by place */
	struct hits indexed;		/* in .debug_str_offsets */
	struct pt_map tables;		/* by offset in .debug_abbrev */
};

struct pt_dw_find {
	const struct pt_dw_find_opts *o;
	size_t want_len;
	struct pt_scan word;
	struct of_file **files;		/* by index */
	size_t nr, cap;
};

struct pt_dw_find *pt_dw_find_new(const struct pt_dw_find_opts *o)
{
	struct pt_dw_find *f = pt_alloc(sizeof(*f));

	f->o = o;
	f->want_len = strlen(o->want);
	f->word = pt_scan(o->word, strlen(o->word));
	return f;
}

void pt_dw_find_free(struct pt_dw_find *f)
{
	size_t i;

	if (!f)
		return;
	for (i = 0; i < f->nr; i++)
		if (f->files[i]) {
			free(f->files[i]->values.v);
			free(f->files[i]->values.bits);
			free(f->files[i]->hits.v);
			free(f->files[i]->indexed.v);
			pt_map_deinit(&f->files[i]->tables);
			free(f->files[i]);
		}
	free(f->files);
	free(f);
}

/* ---- abbreviations ---- */

static bool is_function(uint64_t tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_entry_point;
}

/* What a reference, or a name, of such a form means; not of the forms that stay in the unit, or in .debug_str. */
static unsigned of_reference(uint64_t form)
{
	switch (form) {
	case DW_FORM_ref1: case DW_FORM_ref2: case DW_FORM_ref4: case DW_FORM_ref8: case DW_FORM_ref_udata:
		return 0;
	}
	return OUTWARD;
}

static unsigned of_name(uint64_t form)
{
	switch (form) {
	case DW_FORM_strp:
		return 0;
	case DW_FORM_string:
		return IN_PLACE;
	case DW_FORM_strx: case DW_FORM_strx1: case DW_FORM_strx2: case DW_FORM_strx3: case DW_FORM_strx4: case DW_FORM_GNU_str_index:
		return BY_INDEX;
	}
	return OUTWARD;
}

static inline uint64_t uleb(struct pt_bytes *b)
{
	if (b->at < b->end && !(*b->at & 0x80))
		return *b->at++;
	return pt_bytes_uleb(b);
}

/* What an attribute of a tag says. */
static unsigned of_attribute(uint64_t tag, uint64_t name, uint64_t form)
{
	switch (name) {
	case DW_AT_abstract_origin:
	case DW_AT_specification:
		return of_reference(form);
	case DW_AT_signature:
		return is_function(tag) ? of_reference(form) : 0;
	case DW_AT_name:
	case DW_AT_linkage_name:
	case DW_AT_MIPS_linkage_name:
		return is_function(tag) ? of_name(form) : 0;
	case DW_AT_dwo_name:
	case DW_AT_GNU_dwo_name:
		return SPLIT;
	}
	return 0;
}

/* Attributes whose number is a byte and of which of_attribute() may say something; the end; the first byte of longer numbers. */
static const bool is_told[256] = {
	[0] = true, [DW_AT_abstract_origin] = true, [DW_AT_specification] = true, [DW_AT_signature] = true, [DW_AT_name] = true, [DW_AT_linkage_name] = true, [DW_AT_dwo_name] = true,
	[0x80 ... 0xff] = true,
};

static unsigned read_table(struct pt_bytes *b)
{
	unsigned flags = LOOKED;

	while (!b->bad && uleb(b)) {
		uint64_t tag = uleb(b), name, form;

		pt_bytes_u8(b);
		for (;;) {
			const uint8_t *at = b->at;

			while (b->end - at > 2 && !is_told[at[0]] && at[1] < DW_FORM_implicit_const)	/* nearly all: a byte each */
				at += 2;
			b->at = at;
			name = uleb(b);
			form = uleb(b);
			if (b->bad || (!name && !form))
				break;
			if (form == DW_FORM_implicit_const)
				pt_bytes_sleb(b);
			flags |= of_attribute(tag, name, form);
		}
	}
	return b->bad ? flags | OUTWARD : flags;
}

static unsigned table_of(struct of_file *of, const struct pt_dw_unit *u)
{
	uint64_t *slot = pt_map_put(&of->tables, u->abbrev_off);

	if (!*slot) {
		struct pt_bytes b = pt_dw_bytes(u->file, PT_DW_ABBREV, u->abbrev_off, UINT64_MAX / 2);
		const uint8_t *from = b.at;

		*slot = read_table(&b);
		if (!pt_dw_pay(u->file->dwarf, (uint64_t)(b.at - from)))
			*slot |= OUTWARD;
	}
	return (unsigned)*slot;
}

/* ---- strings ---- */

static void add_value(struct values *v, uint64_t x)
{
	PT_GROW(v->v, v->nr, v->cap);
	v->v[v->nr++] = (uint32_t)x;
}

static bool is_mangled(const uint8_t *s)
{
	return s[0] == '_' && (s[1] == 'Z' || s[1] == 'R' || s[1] == '_' || s[1] == 'D');
}

/* The name that the word is found in, at `at`: it may begin anywhere from `low` on, if only there is no NUL between. Gives those beginnings that may be a name that is looked for to add();
 * returns the name's end, NULL when it has none. */
static const uint8_t *beginnings(const struct pt_dw_find *f, const uint8_t *low, const uint8_t *at, const uint8_t *end, void (*add)(void *arg, const uint8_t *from), void *arg)
{
	const uint8_t *nul = memchr(at, 0, PT_MIN((size_t)(end - at), (size_t)MAX_STRING)), *from, *o;
	bool special;

	if (!nul)
		return NULL;
	for (from = at; from > low && from[-1] && at - from < MAX_STRING; from--)
		;
	special = strpbrk((const char *)at, "<: ") || memchr(from, '<', (size_t)(at - from)) || memchr(from, ':', (size_t)(at - from)) || memchr(from, ' ', (size_t)(at - from));
	if (special && nul - from > SHORT_STRING) {	/* what all its ends are would take longer than it is worth */
		for (o = from; o <= at; o++)
			add(arg, o);
		return nul;
	}
	for (o = from; o <= at; o++)
		if (!strcmp((const char *)o, f->o->want) || ((special || is_mangled(o)) && f->o->is(f->o->arg, (const char *)o)))
			add(arg, o);
	return nul;
}

struct in_strings { struct values *values; const uint8_t *data; };

static void add_offset(void *arg, const uint8_t *from)
{
	struct in_strings *in = arg;

	add_value(in->values, (uint64_t)(from - in->data));
}

static int by_value(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Sorts them, and makes them ready to be looked for. */
static void complete(struct values *v)
{
	size_t i, nr = 0;

	if (v->nr)
		qsort(v->v, v->nr, sizeof(*v->v), by_value);
	for (i = 0; i < v->nr; i++)
		if (!nr || v->v[i] != v->v[nr - 1])
			v->v[nr++] = v->v[i];
	v->nr = nr;
	if (nr <= FEW_VALUES)
		return;
	v->bits = pt_alloc_array(v->v[nr - 1] / 64 + 1, sizeof(*v->bits));
	for (i = 0; i < nr; i++)
		v->bits[v->v[i] / 64] |= 1ull << v->v[i] % 64;
}

/* All offsets at which a name begins that may be one. A string is looked at once, at the first of its words. */
static void find_strings(struct pt_dw_find *f, struct of_file *of)
{
	struct pt_bytes b = pt_dw_bytes(of->file, PT_DW_STR, 0, UINT64_MAX / 2);
	struct in_strings in = { &of->values, b.at };
	const uint8_t *at = b.at, *nul;

	if (b.bad)
		return;
	if (pt_bytes_left(&b) > UINT32_MAX || !pt_dw_pay(of->file->dwarf, pt_bytes_left(&b) / 8)) {
		of->blind = true;
		return;
	}
	while ((at = pt_scan_next(&f->word, at, b.end))) {
		const uint8_t *next, *last = at;

		/* The last one of the string: any name that begins behind the others holds it. */
		nul = memchr(at, 0, (size_t)(b.end - at));
		while (nul && (next = pt_scan_next(&f->word, last + 1, nul)))
			last = next;
		nul = beginnings(f, b.at, last, b.end, add_offset, &in);
		if (!nul) {
			of->blind |= memchr(at, 0, (size_t)(b.end - at)) != NULL;
			break;
		}
		at = nul;
	}
	complete(&of->values);
}

/* ---- places of offsets ---- */

static void put32(uint8_t out[4], uint32_t v, bool swap)
{
	v = swap ? bswap_32(v) : v;
	memcpy(out, &v, 4);
}

struct job { const struct values *values; bool swap; const uint8_t *data; uint64_t from, to, end; struct hits hits; bool full; };

static void add_hit(struct job *j, uint64_t off)
{
	if (j->hits.nr >= MAX_HITS) {
		j->full = true;
		return;
	}
	PT_GROW(j->hits.v, j->hits.nr, j->hits.cap);
	j->hits.v[j->hits.nr++] = off;
}

static void search_many(struct job *j)
{
	const uint64_t *bits = j->values->bits;
	uint32_t top = j->values->v[j->values->nr - 1];
	uint64_t i;

	for (i = j->from; i < j->to && i + 4 <= j->end; i++) {
		uint32_t v = pt_load32(j->data + i, j->swap);

		if (v <= top && bits[v / 64] >> v % 64 & 1)
			add_hit(j, i);
	}
}

static int by_off(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void *search(void *arg)
{
	struct job *j = arg;
	const struct values *v = j->values;
	struct pt_scan scans[FEW_VALUES];
	uint8_t what[FEW_VALUES][4];
	uint64_t block;
	size_t i;

	if (v->nr > FEW_VALUES) {
		search_many(j);
		return NULL;
	}
	for (i = 0; i < v->nr; i++) {
		put32(what[i], v->v[i], j->swap);
		scans[i] = pt_scan(what[i], 4);
	}
	/* A block for all of them, while it is at hand. */
	for (block = j->from; block < j->to; block += BLOCK) {
		const uint8_t *end = j->data + PT_MIN(PT_MIN(block + BLOCK, j->to) + 3, j->end), *at;

		for (i = 0; i < v->nr; i++)
			for (at = j->data + block; (at = pt_scan_next(&scans[i], at, end)); at++)
				add_hit(j, (uint64_t)(at - j->data));
	}
	if (j->hits.nr)
		qsort(j->hits.v, j->hits.nr, sizeof(*j->hits.v), by_off);
	return NULL;
}

/* In all of a section; one half by a thread where it is large. */
static void search_section(struct of_file *of, enum pt_dw_section_id id, struct hits *hits)
{
	struct pt_bytes b = pt_dw_bytes(of->file, id, 0, UINT64_MAX / 2);
	uint64_t len = b.bad ? 0 : pt_bytes_left(&b), half = len > THREAD_BYTES ? len / 2 : len;
	struct job lower = { .values = &of->values, .swap = of->file->swap, .data = b.at, .to = half, .end = len }, upper = { .values = &of->values, .swap = of->file->swap, .data = b.at, .from = half, .to = len, .end = len };
	pthread_t thread;
	bool second = half < len && !pthread_create(&thread, NULL, search, &upper);
	size_t i;

	if (!pt_dw_pay(of->file->dwarf, len / 8))
		of->blind = true;
	search(&lower);
	if (second)
		pthread_join(thread, NULL);
	else if (half < len)
		search(&upper);
	for (i = 0; i < upper.hits.nr; i++)
		add_hit(&lower, upper.hits.v[i]);
	free(upper.hits.v);
	of->blind |= lower.full || upper.full;
	*hits = lower.hits;
}

/* ---- files ---- */

static void look(struct pt_dw_find *f, struct of_file *of)
{
	of->known = true;
	find_strings(f, of);
	if (!of->values.nr || of->blind)
		return;
	search_section(of, PT_DW_INFO, &of->hits);
	search_section(of, PT_DW_STR_OFFSETS, &of->indexed);
}

static struct of_file *file_of(struct pt_dw_find *f, struct pt_dw_file *file)
{
	while (f->nr <= file->index) {
		PT_GROW(f->files, f->nr, f->cap);
		f->files[f->nr++] = NULL;
	}
	if (!f->files[file->index]) {
		f->files[file->index] = pt_alloc(sizeof(struct of_file));
		f->files[file->index]->file = file;
	}
	return f->files[file->index];
}

/* ---- units ---- */

/* The unit's part of .debug_str_offsets. False: it cannot be told. */
static bool offsets_of(struct pt_dw_unit *u, uint64_t *from, uint64_t *to)
{
	struct pt_dw_part parts[PT_DW_PARTS];
	struct pt_bytes b;
	uint16_t version;

	*from = u->in_str_offsets + u->str_base;
	if (u->version >= 5) {
		if (u->str_base < 8)
			return false;
		b = pt_dw_bytes(u->file, PT_DW_STR_OFFSETS, *from - 8, 4);
		*to = *from - 4 + pt_bytes_u32(&b);
		return !b.bad && *to >= *from && *to <= u->file->sections[PT_DW_STR_OFFSETS].len;
	}
	*to = u->file->sections[PT_DW_STR_OFFSETS].len;
	if (u->file != u->file->dwarf->package)
		return u->file->dwo;
	if (!pt_dw_parts(u->file, PT_DW_CU_INDEX, u->id, &version, parts) || version > 2 || !parts[DW_SECT_STR_OFFSETS].there)
		return false;
	*to = *from + parts[DW_SECT_STR_OFFSETS].len;
	return true;
}

static bool any_within(const struct hits *h, uint64_t from, uint64_t to)
{
	size_t past = PT_LEADING(h->nr, i, h->v[i] < from);

	return past < h->nr && h->v[past] < to;
}

static bool by_index(struct of_file *of, struct pt_dw_unit *u)
{
	uint64_t from, to;

	return of->indexed.nr && (!pt_dw_unit_open(u, NULL) || !offsets_of(u, &from, &to) || any_within(&of->indexed, from, to));
}

/* Names that stand in the entries, added to `to`. False: they cannot be told. */
static bool in_place(struct pt_dw_find *f, struct pt_dw_unit *u, struct values *to)
{
	struct pt_bytes b = pt_dw_unit_bytes(u, u->first);
	struct in_strings in = { to, b.at - (u->first - u->off) };
	const uint8_t *at = b.at;

	while ((at = pt_scan_next(&f->word, at, b.end))) {
		if (!beginnings(f, b.at, at, b.end, add_offset, &in) && b.end - at >= MAX_STRING)
			return false;
		at++;
	}
	return pt_dw_pay(u->file->dwarf, pt_bytes_left(&b) / 8);
}

static bool any_in_place(struct pt_dw_find *f, struct pt_dw_unit *u)
{
	struct values v = { .v = NULL };
	bool any = !in_place(f, u, &v) || v.nr;

	free(v.v);
	return any;
}

bool pt_dw_find_may(struct pt_dw_find *f, struct pt_dw_unit *u)
{
	struct of_file *of = file_of(f, u->file);
	unsigned table;

	if (u->bad || u->types || u->offset_bytes != 4)
		return true;
	table = table_of(of, u);
	if (table & OUTWARD || (!u->skeleton && (table & SPLIT || u->type == DW_UT_skeleton)))
		return true;
	if (!of->known)
		look(f, of);
	return of->blind || any_within(&of->hits, u->off, u->end) || (table & BY_INDEX && by_index(of, u)) || (table & IN_PLACE && any_in_place(f, u));
}

/* ---- entries ---- */

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
		if (!is_function(a->tag))
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
	struct values next;		/* entries of functions, to be looked for in references */
	struct pt_map seen;		/* the same: 1 */
	struct hits *places;
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
		add_value(&n->next, at - back);
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

/* Entries that stem from those that are known, and those that stem from these. */
static bool follow(struct narrow *n, const struct shapes *refs)
{
	uint64_t len = n->u->end - n->u->off;
	unsigned round;
	size_t i;

	for (round = 0; n->next.nr; round++) {
		struct values now = n->next;
		struct job j = { .values = &now, .swap = n->u->file->swap, .data = n->data, .to = len, .end = len };

		complete(&now);
		n->next = (struct values){ .v = NULL };
		if (round < MAX_ROUNDS && pt_dw_pay(n->u->file->dwarf, len / 8))
			search(&j);
		else
			j.full = true;
		for (i = 0; i < j.hits.nr && !j.full; i++)
			entries_at(n, refs, j.hits.v[i]);
		free(j.hits.v);
		free(now.v);
		free(now.bits);
		if (j.full)
			return false;
	}
	return true;
}

bool pt_dw_find_places(struct pt_dw_find *f, struct pt_dw_unit *u, uint64_t **v, size_t *nr)
{
	struct of_file *of = file_of(f, u->file);
	struct shapes names = { .v = NULL }, refs = { .v = NULL };
	struct hits places = { .v = NULL };
	struct narrow n = { .u = u, .data = u->file->sections[PT_DW_INFO].data + u->off, .places = &places };
	struct values inner = { .v = NULL };
	bool good = false;
	unsigned table;
	size_t i;

	*v = NULL;
	*nr = 0;
	if (u->bad || u->types || u->offset_bytes != 4 || !pt_dw_unit_open(u, NULL) || u->end - u->off > UINT32_MAX)
		return false;
	table = table_of(of, u);
	if (table & (OUTWARD | BY_INDEX))
		return false;
	if (!of->known)
		look(f, of);
	if (!of->blind && (!(table & IN_PLACE) || in_place(f, u, &inner)) && shapes_of(u, &names, &refs)) {
		for (i = PT_LEADING(of->hits.nr, k, of->hits.v[k] < u->off); i < of->hits.nr && of->hits.v[i] < u->end; i++)
			entries_at(&n, &names, of->hits.v[i] - u->off);
		for (i = 0; i < inner.nr; i++)
			entries_at(&n, &names, inner.v[i]);
		good = follow(&n, &refs);
	}
	if (places.nr)
		qsort(places.v, places.nr, sizeof(*places.v), by_off);
	pt_map_deinit(&n.seen);
	free(n.next.v);
	free(inner.v);
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
