#include "code/dwarf_find.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/search.h"
#include "code/dwarf_find_priv.h"

enum { MAX_STRING = 1 << 16, SHORT_STRING = 256, MAX_ASKED = 256 };

struct pt_dw_find *pt_dw_find_new(const struct pt_dw_find_opts *o)
{
	struct pt_dw_find *f = pt_alloc(sizeof(*f));

	f->o = o;
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
			pt_find_drop(&f->files[i]->values);
			free(f->files[i]->hits.v);
			free(f->files[i]->indexed.v);
			pt_map_deinit(&f->files[i]->tables);
			free(f->files[i]);
		}
	free(f->files);
	free(f);
}

/* ---- abbreviations ---- */

bool pt_find_is_function(uint64_t tag)
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
	return FIND_OUTWARD;
}

static unsigned of_name(uint64_t form)
{
	switch (form) {
	case DW_FORM_strp:
		return 0;
	case DW_FORM_string:
		return FIND_IN_PLACE;
	case DW_FORM_strx: case DW_FORM_strx1: case DW_FORM_strx2: case DW_FORM_strx3: case DW_FORM_strx4: case DW_FORM_GNU_str_index:
		return FIND_BY_INDEX;
	}
	return FIND_OUTWARD;
}

/* What an attribute of a tag says. */
static unsigned of_attribute(uint64_t tag, uint64_t name, uint64_t form)
{
	switch (name) {
	case DW_AT_abstract_origin:
	case DW_AT_specification:
		return of_reference(form);
	case DW_AT_signature:
		return pt_find_is_function(tag) ? of_reference(form) : 0;
	case DW_AT_name:
	case DW_AT_linkage_name:
	case DW_AT_MIPS_linkage_name:
		return pt_find_is_function(tag) ? of_name(form) : 0;
	case DW_AT_dwo_name:
	case DW_AT_GNU_dwo_name:
		return FIND_SPLIT;
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
	unsigned flags = FIND_LOOKED;

	while (!b->bad && pt_bytes_uleb(b)) {
		uint64_t tag = pt_bytes_uleb(b), name, form;

		pt_bytes_u8(b);
		for (;;) {
			const uint8_t *at = b->at;

			while (b->end - at > 2 && !is_told[at[0]] && at[1] < DW_FORM_implicit_const)	/* nearly all: a byte each */
				at += 2;
			b->at = at;
			name = pt_bytes_uleb(b);
			form = pt_bytes_uleb(b);
			if (b->bad || (!name && !form))
				break;
			if (form == DW_FORM_implicit_const)
				pt_bytes_sleb(b);
			flags |= of_attribute(tag, name, form);
		}
	}
	return b->bad ? flags | FIND_OUTWARD : flags;
}

unsigned pt_find_table(struct find_file *of, const struct pt_dw_unit *u)
{
	uint64_t *slot = pt_map_put(&of->tables, u->abbrev_off);

	if (!*slot) {
		struct pt_bytes b = pt_dw_bytes(u->file, PT_DW_ABBREV, u->abbrev_off, UINT64_MAX / 2);
		const uint8_t *from = b.at;

		*slot = read_table(&b);
		if (!pt_dw_pay(u->file->dwarf, (uint64_t)(b.at - from)))
			*slot |= FIND_OUTWARD;
	}
	return (unsigned)*slot;
}

/* ---- strings ---- */

static bool is_mangled(const uint8_t *s)
{
	return s[0] == '_' && (s[1] == 'Z' || s[1] == 'R' || s[1] == '_' || s[1] == 'D');
}

static bool has(const uint8_t *from, const uint8_t *to, char c)
{
	return memchr(from, c, (size_t)(to - from)) != NULL;
}

struct strings { struct pt_dw_find *f; struct pt_dwarf *dwarf; const uint8_t *data, *low; struct find_values *to; };

/* A string whose last word is at `at`: a name may begin anywhere in it up to there. Those beginnings are added that may be a name that is looked for. */
static void add_beginnings(struct strings *s, const uint8_t *at, const uint8_t *nul)
{
	const struct pt_dw_find_opts *o = s->f->o;
	const uint8_t *from, *name;
	unsigned asked = 0;
	bool special;

	for (from = at; from > s->low && from[-1] && at - from < MAX_STRING; from--)
		;
	special = has(from, nul, '<') || has(from, nul, ':') || has(from, nul, ' ');
	for (name = from; name <= at; name++) {
		bool ask = special || is_mangled(name);

		/* What all of its ends are would take longer than it is worth. */
		if (ask && ((special && nul - from > SHORT_STRING) || ++asked > MAX_ASKED || !pt_dw_pay(s->dwarf, (uint64_t)(nul - name) / 8)))
			pt_find_add(s->to, (uint64_t)(name - s->data));
		else if (!strcmp((const char *)name, o->want) || (o->also && !strcmp((const char *)name, o->also)) || (ask && o->is(o->arg, (const char *)name)))
			pt_find_add(s->to, (uint64_t)(name - s->data));
	}
}

/* All strings with the word, from s->low to `end`. False: one is too long. */
static bool each_string(struct strings *s, const uint8_t *end)
{
	const uint8_t *at = s->low, *next, *last, *nul;

	while ((at = pt_scan_next(&s->f->word, at, end))) {
		nul = memchr(at, 0, (size_t)(end - at));
		if (!nul)
			return true;		/* no string */
		for (last = at; (next = pt_scan_next(&s->f->word, last + 1, nul)); )
			last = next;
		if (nul - at > MAX_STRING)
			return false;
		add_beginnings(s, last, nul);
		at = nul;
	}
	return true;
}

/* All offsets at which a name begins that may be one. */
static void find_strings(struct pt_dw_find *f, struct find_file *of)
{
	struct pt_bytes b = pt_dw_bytes(of->file, PT_DW_STR, 0, UINT64_MAX / 2);
	struct strings s = { f, of->file->dwarf, b.at, b.at, &of->values };

	if (b.bad)
		return;
	of->blind = pt_bytes_left(&b) > UINT32_MAX || !pt_dw_pay(of->file->dwarf, pt_bytes_left(&b) / 8) || !each_string(&s, b.end);
	pt_find_ready(&of->values);
}

/* ---- files ---- */

static void search_section(struct find_file *of, enum pt_dw_section_id id, struct find_hits *hits)
{
	struct pt_bytes b = pt_dw_bytes(of->file, id, 0, UINT64_MAX / 2);
	uint64_t len = b.bad ? 0 : pt_bytes_left(&b);

	of->blind |= !pt_dw_pay(of->file->dwarf, len / 8) || !pt_find_search(&of->values, b.at, len, of->file->swap, hits);
}

void pt_find_look(struct pt_dw_find *f, struct find_file *of)
{
	if (of->known)
		return;
	of->known = true;
	find_strings(f, of);
	if (!of->values.nr || of->blind)
		return;
	search_section(of, PT_DW_INFO, &of->hits);
	search_section(of, PT_DW_STR_OFFSETS, &of->indexed);
}

struct find_file *pt_find_file(struct pt_dw_find *f, struct pt_dw_file *file)
{
	while (f->nr <= file->index) {
		PT_GROW(f->files, f->nr, f->cap);
		f->files[f->nr++] = NULL;
	}
	if (!f->files[file->index]) {
		f->files[file->index] = pt_alloc(sizeof(struct find_file));
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

static bool any_within(const struct find_hits *h, uint64_t from, uint64_t to)
{
	size_t past = PT_LEADING(h->nr, i, h->v[i] < from);

	return past < h->nr && h->v[past] < to;
}

static bool by_index(struct find_file *of, struct pt_dw_unit *u)
{
	uint64_t from, to;

	return of->indexed.nr && (!pt_dw_unit_open(u, NULL) || !offsets_of(u, &from, &to) || any_within(&of->indexed, from, to));
}

bool pt_find_in_place(struct pt_dw_find *f, struct pt_dw_unit *u, struct find_values *to)
{
	struct pt_bytes b = pt_dw_unit_bytes(u, u->first);
	struct strings s = { f, u->file->dwarf, b.at - (u->first - u->off), b.at, to };

	return pt_dw_pay(u->file->dwarf, pt_bytes_left(&b) / 8) && each_string(&s, b.end);
}

static bool any_in_place(struct pt_dw_find *f, struct pt_dw_unit *u)
{
	struct find_values v = { .v = NULL };
	bool any = !pt_find_in_place(f, u, &v) || v.nr;

	pt_find_drop(&v);
	return any;
}

bool pt_dw_find_may(struct pt_dw_find *f, struct pt_dw_unit *u)
{
	struct find_file *of = pt_find_file(f, u->file);
	unsigned table;

	if (u->bad || u->types || u->offset_bytes != 4)
		return true;
	table = pt_find_table(of, u);
	if (table & FIND_OUTWARD || (!u->skeleton && (table & FIND_SPLIT || u->type == DW_UT_skeleton)))
		return true;
	pt_find_look(f, of);
	return of->blind || any_within(&of->hits, u->off, u->end) || (table & FIND_BY_INDEX && by_index(of, u)) || (table & FIND_IN_PLACE && any_in_place(f, u));
}

