#include "dwarf/dwarf_priv.h"

#include <dwarf.h>
#include <stdlib.h>

#include "base/mem.h"

/* Codes are nearly always 1, 2, 3...; others go into a map. gcc's entries have up to 30 attributes.
 */
enum { MAX_ATTRS = 1024, MAX_ABBREVS = 1 << 24 };

static void skip_leb(struct pt_bytes *b)
{
	while (b->at < b->end)
		if (!(*b->at++ & 128))
			return;
	b->bad = true;
}

static const uint8_t slots[] = {
	[DW_AT_low_pc] = PT_DW_LOW,
	[DW_AT_high_pc] = PT_DW_HIGH,
	[DW_AT_ranges] = PT_DW_AT_RANGES,
	[DW_AT_abstract_origin] = PT_DW_ORIGIN,
	[DW_AT_specification] = PT_DW_SPEC,
	[DW_AT_signature] = PT_DW_SIGNATURE,
	[DW_AT_linkage_name] = PT_DW_LINKAGE,
	[DW_AT_name] = PT_DW_NAME,
	[DW_AT_sibling] = PT_DW_SIBLING,
	[DW_AT_call_file] = PT_DW_CALL_FILE,
	[DW_AT_call_line] = PT_DW_CALL_LINE,
	[DW_AT_declaration] = PT_DW_DECLARATION,
	[DW_AT_stmt_list] = PT_DW_STMT_LIST,
	[DW_AT_comp_dir] = PT_DW_COMP_DIR,
	[DW_AT_dwo_name] = PT_DW_DWO_NAME,
	[DW_AT_addr_base] = PT_DW_ADDR_BASE,
	[DW_AT_str_offsets_base] = PT_DW_STR_BASE,
	[DW_AT_rnglists_base] = PT_DW_RNG_BASE,
	[DW_AT_language] = PT_DW_LANGUAGE,
	[DW_AT_decl_file] = PT_DW_DECL_FILE,
	[DW_AT_decl_line] = PT_DW_DECL_LINE,
	[DW_AT_inline] = PT_DW_INLINE,
	[DW_AT_entry_pc] = PT_DW_ENTRY_PC,
	[DW_AT_producer] = PT_DW_PRODUCER,
	[DW_AT_location] = PT_DW_LOCATION,
};

static enum pt_dw_slot slot_of(uint64_t name)
{
	if (name < sizeof(slots))
		return (enum pt_dw_slot)slots[name];
	switch (name) {
	case DW_AT_MIPS_linkage_name: return PT_DW_LINKAGE;
	case DW_AT_GNU_dwo_name: return PT_DW_DWO_NAME;
	case DW_AT_GNU_dwo_id: return PT_DW_DWO_ID;
	case DW_AT_GNU_addr_base: return PT_DW_ADDR_BASE;
	case DW_AT_GNU_ranges_base: return PT_DW_GNU_RANGES_BASE;
	case DW_AT_GNU_entry_view: return PT_DW_ENTRY_VIEW;
	}
	return PT_DW_NONE;
}

/* Bytes of fixed forms; those beyond MOST_BYTES depend on the unit. */
enum { NONE = 1, MOST_BYTES = 16, OF_ADDRESS, OF_OFFSET, OF_REF_ADDR };
#define SIZED(n) { PT_DW_FIXED, (n) }
/* kind PT_DW_FIXED with no bytes: an unknown form */
static const struct { uint8_t kind, bytes;
} forms[] = {
	[DW_FORM_flag_present] = { PT_DW_LEB, NONE },
	[DW_FORM_implicit_const] = { PT_DW_LEB, NONE },
	[DW_FORM_data1] = SIZED(1),
	[DW_FORM_ref1] = SIZED(1),
	[DW_FORM_flag] = SIZED(1),
	[DW_FORM_strx1] = SIZED(1),
	[DW_FORM_addrx1] = SIZED(1),
	[DW_FORM_data2] = SIZED(2),
	[DW_FORM_ref2] = SIZED(2),
	[DW_FORM_strx2] = SIZED(2),
	[DW_FORM_addrx2] = SIZED(2),
	[DW_FORM_strx3] = SIZED(3),
	[DW_FORM_addrx3] = SIZED(3),
	[DW_FORM_data4] = SIZED(4),
	[DW_FORM_ref4] = SIZED(4),
	[DW_FORM_strx4] = SIZED(4),
	[DW_FORM_addrx4] = SIZED(4),
	[DW_FORM_ref_sup4] = SIZED(4),
	[DW_FORM_data8] = SIZED(8),
	[DW_FORM_ref8] = SIZED(8),
	[DW_FORM_ref_sig8] = SIZED(8),
	[DW_FORM_ref_sup8] = SIZED(8),
	[DW_FORM_data16] = SIZED(16),
	[DW_FORM_addr] = SIZED(OF_ADDRESS),
	[DW_FORM_strp] = SIZED(OF_OFFSET),
	[DW_FORM_line_strp] = SIZED(OF_OFFSET),
	[DW_FORM_sec_offset] = SIZED(OF_OFFSET),
	[DW_FORM_strp_sup] = SIZED(OF_OFFSET),
	[DW_FORM_ref_addr] = SIZED(OF_REF_ADDR),
	[DW_FORM_sdata] = { PT_DW_LEB, 0 },
	[DW_FORM_udata] = { PT_DW_LEB, 0 },
	[DW_FORM_ref_udata] = { PT_DW_LEB, 0 },
	[DW_FORM_strx] = { PT_DW_LEB, 0 },
	[DW_FORM_addrx] = { PT_DW_LEB, 0 },
	[DW_FORM_loclistx] = { PT_DW_LEB, 0 },
	[DW_FORM_rnglistx] = { PT_DW_LEB, 0 },
	[DW_FORM_string] = { PT_DW_STRING, 0 },
	[DW_FORM_block1] = { PT_DW_BLOCK1, 0 },
	[DW_FORM_block2] = { PT_DW_BLOCK2, 0 },
	[DW_FORM_block4] = { PT_DW_BLOCK4, 0 },
	[DW_FORM_block] = { PT_DW_BLOCK_LEB, 0 },
	[DW_FORM_exprloc] = { PT_DW_BLOCK_LEB, 0 },
	[DW_FORM_indirect] = { PT_DW_INDIRECT, 0 },
};

static inline enum pt_dw_kind kind_of(const struct pt_dw_unit *u, uint64_t form, uint32_t *bytes)
{
	*bytes = 0;
	if (form >= PT_NR(forms)) {
		if (form == DW_FORM_GNU_ref_alt || form == DW_FORM_GNU_strp_alt) {
			*bytes = u->offset_bytes;
			return PT_DW_FIXED;
		}
		return form == DW_FORM_GNU_addr_index || form == DW_FORM_GNU_str_index ? PT_DW_LEB
										       : PT_DW_BAD;
	}
	if (forms[form].kind != PT_DW_FIXED)
		return forms[form].bytes == NONE ? PT_DW_FIXED : (enum pt_dw_kind)forms[form].kind;
	*bytes = forms[form].bytes;
	if (*bytes > MOST_BYTES)
		*bytes = *bytes == OF_ADDRESS                       ? u->address_bytes
			 : *bytes == OF_REF_ADDR && u->version <= 2 ? u->address_bytes
								    : u->offset_bytes;
	return forms[form].bytes ? PT_DW_FIXED : PT_DW_BAD;
}

static void skip_kind(const struct pt_dw_unit *u, struct pt_bytes *b, enum pt_dw_kind kind)
{
	uint64_t form, n = 0;
	const void *nul;
	uint32_t bytes;

	switch (kind) {
	case PT_DW_LEB:
		skip_leb(b);
		return;
	case PT_DW_STRING:
		nul = pt_bytes_left(b) ? memchr(b->at, 0, pt_bytes_left(b)) : NULL;
		b->at = nul ? (const uint8_t *)nul + 1 : b->end;
		b->bad |= !nul;
		return;
	case PT_DW_BLOCK1: n = pt_bytes_u8(b); break;
	case PT_DW_BLOCK2: n = pt_bytes_u16(b); break;
	case PT_DW_BLOCK4: n = pt_bytes_u32(b); break;
	case PT_DW_BLOCK_LEB: n = pt_bytes_uleb(b); break;
	case PT_DW_INDIRECT:
		form = pt_bytes_uleb(b);
		kind = kind_of(u, form, &bytes);
		if (kind == PT_DW_INDIRECT || kind == PT_DW_BAD || form == DW_FORM_implicit_const) {
			b->bad = true;
			b->at = b->end;
			return;
		}
		if (kind != PT_DW_FIXED) {
			skip_kind(u, b, kind);
			return;
		}
		n = bytes;
		break;
	case PT_DW_FIXED:
	case PT_DW_BAD:
		break;
	}
	pt_bytes_take(b, n);
}

bool pt_dw_form_read(const struct pt_dw_unit *u, struct pt_bytes *b, uint64_t form,
		     int64_t implicit, uint64_t *v)
{
	uint32_t bytes;
	enum pt_dw_kind kind = kind_of(u, form, &bytes);
	const uint8_t *p;

	*v = 0;
	switch (kind) {
	case PT_DW_FIXED:
		switch (bytes) {
		case 0: *v = form == DW_FORM_implicit_const ? (uint64_t)implicit : 1; break;
		case 1: *v = pt_bytes_u8(b); break;
		case 2: *v = pt_bytes_u16(b); break;
		case 3:
			p = pt_bytes_take(b, 3);
			if (p)
				*v = b->swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
					     ? (uint64_t)p[0] << 16 | p[1] << 8 | p[2]
					     : (uint64_t)p[2] << 16 | p[1] << 8 | p[0];
			break;
		case 4: *v = pt_bytes_u32(b); break;
		case 8: *v = pt_bytes_u64(b); break;
		default: pt_bytes_take(b, bytes); break;
		}
		return true;
	case PT_DW_LEB:
		*v = form == DW_FORM_sdata ? (uint64_t)pt_bytes_sleb(b) : pt_bytes_uleb(b);
		return true;
	case PT_DW_STRING:
		*v = (uint64_t)(b->at - u->file->sections[pt_dw_section_of(u)].data);
		break;
	default:
		break;
	}
	if (kind == PT_DW_BAD) {
		b->bad = true;
		b->at = b->end;
		return false;
	}
	skip_kind(u, b, kind);
	return true;
}

/* False: truncated, or unknown forms. */
static bool compile(struct pt_dw_abbrevs *t, const struct pt_dw_unit *u, struct pt_bytes *b,
		    struct pt_dw_abbrev *a)
{
	uint64_t tag = pt_bytes_uleb(b);

	*a = (struct pt_dw_abbrev){ .tag = tag > UINT16_MAX ? 0 : (uint16_t)tag,
				    .children = pt_bytes_u8(b),
				    .fixed = true,
				    .attrs = (uint32_t)t->nr_attrs };
	while (!b->bad) {
		uint64_t name = pt_bytes_uleb(b), form = pt_bytes_uleb(b);
		int64_t implicit = form == DW_FORM_implicit_const ? pt_bytes_sleb(b) : 0;
		enum pt_dw_slot slot = slot_of(name);
		uint32_t bytes;
		enum pt_dw_kind kind;

		if (!name && !form)
			break;
		kind = kind_of(u, form, &bytes);
		if (kind == PT_DW_BAD || a->nr_attrs >= MAX_ATTRS)
			return false;
		if (slot == PT_DW_SIBLING && a->fixed && kind == PT_DW_FIXED && bytes &&
		    bytes <= 8 && form != DW_FORM_ref_addr) {
			a->sibling_at = a->bytes;
			a->sibling_bytes = (uint8_t)bytes;
		}
		a->bytes += bytes;
		a->fixed &= kind == PT_DW_FIXED;
		PT_GROW(t->attrs, t->nr_attrs, t->cap_attrs);
		t->attrs[t->nr_attrs++] =
			(struct pt_dw_attr){ (uint16_t)form, (uint8_t)slot, (uint8_t)kind,
					     (uint8_t)bytes, implicit };
		a->nr_attrs++;
		a->slots |= 1u << slot;
	}
	a->cost = 8 + a->nr_attrs;
	return !b->bad;
}

/* Pays for what the table has grown by. */
static bool take_memory(struct pt_dw_abbrevs *t, struct pt_dw_file *f)
{
	uint64_t bytes = t->cap * (sizeof(*t->list) + 48) + t->cap_attrs * sizeof(*t->attrs),
		 more = bytes - t->taken;

	t->taken = bytes;
	return !more || pt_dw_take(f, more);
}

/* Compiles the next declaration. Returns its code, 0 at the end. */
static uint64_t next(struct pt_dw_abbrevs *t, struct pt_dw_unit *u)
{
	struct pt_dw_file *f = u->file;
	const uint8_t *from = t->rest.at;
	struct pt_dw_abbrev a;
	uint64_t code;

	if (!t->list) {
		t->list = pt_realloc(NULL, t->cap = 32, sizeof(*t->list));
		t->attrs = pt_realloc(NULL, t->cap_attrs = 128, sizeof(*t->attrs));
	}
	if (t->end || t->nr >= MAX_ABBREVS || t->nr_attrs >= UINT32_MAX / 2)
		return 0;
	code = pt_bytes_uleb(&t->rest);
	t->end = !code || !compile(t, u, &t->rest, &a) ||
		 !pt_dw_pay(f->dwarf, (uint64_t)(t->rest.at - from)) || !take_memory(t, f);
	if (t->end)
		return 0;
	if (t->dense && code != t->nr + 1) {
		size_t i;

		t->dense = false;
		for (i = 0; i < t->nr; i++)
			*pt_map_put(&t->codes, i + 1) = i + 1;
	}
	a.code = code;
	PT_GROW(t->list, t->nr, t->cap);
	t->list[t->nr++] = a;
	if (!t->dense) {
		uint64_t *slot = pt_map_put(&t->codes, code);

		if (!*slot)
			*slot = t->nr;
	}
	return code;
}

static void start(struct pt_dw_abbrevs *t, struct pt_dw_unit *u)
{
	*t = (struct pt_dw_abbrevs){ .dense = true };
	t->rest = pt_dw_bytes(u->file, PT_DW_ABBREV, u->abbrev_off, UINT64_MAX);
}

static void clear(struct pt_dw_abbrevs *t)
{
	pt_map_deinit(&t->codes);
	free(t->list);
	free(t->attrs);
}

struct pt_dw_abbrevs *pt_dw_abbrevs_of(struct pt_dw_unit *u)
{
	uint64_t key = u->abbrev_off << 6 | (u->offset_bytes == 8 ? 32u : 0) |
		       (u->version <= 2 ? 16u : 0) | u->address_bytes;
	uint64_t *slot = pt_map_put(&u->file->abbrevs, key);
	struct pt_dw_abbrevs *t = pt_pointer(*slot);

	if (t)
		return t;
	t = pt_alloc(sizeof(*t));
	start(t, u);
	*slot = pt_word_of(t);
	return t;
}

void pt_dw_abbrevs_free(struct pt_dw_abbrevs *t)
{
	clear(t);
	free(t);
}

void pt_dw_abbrevs_drop(struct pt_dw_unit *u)
{
	if (u->abbrevs) {
		clear(u->abbrevs);
		start(u->abbrevs, u);
	}
}

static const struct pt_dw_abbrev *further(struct pt_dw_unit *u, struct pt_dw_abbrevs *t,
					  uint64_t code)
{
	uint64_t *slot, is;

	if (!t->dense && (slot = pt_map_get(&t->codes, code)))
		return &t->list[*slot - 1];
	while ((is = next(t, u)))
		if (is == code)
			return &t->list[t->nr - 1];
	return NULL;
}

const struct pt_dw_abbrev *pt_dw_abbrev(struct pt_dw_unit *u, uint64_t code)
{
	struct pt_dw_abbrevs *t = u->abbrevs;

	return t->dense && code - 1 < t->nr ? &t->list[code - 1] : further(u, t, code);
}

static bool is_outward(uint16_t form)
{
	return form == DW_FORM_ref_addr || form == DW_FORM_ref_sup4 || form == DW_FORM_ref_sup8 ||
	       form == DW_FORM_GNU_ref_alt || form == DW_FORM_indirect;
}

static bool is_list(uint16_t form)
{
	return form == DW_FORM_sec_offset || form == DW_FORM_loclistx || form == DW_FORM_data4 ||
	       form == DW_FORM_data8;
}

/* Do some entries of that tag (0: any) have the attribute in such a form? */
static bool any_form(struct pt_dw_unit *u, uint16_t tag, enum pt_dw_slot slot,
		     bool (*is)(uint16_t form))
{
	struct pt_dw_abbrevs *t = u->abbrevs;
	size_t i;
	uint32_t k;

	while (t && next(t, u))
		;
	for (i = 0; t && i < t->nr; i++)
		for (k = 0; (!tag || t->list[i].tag == tag) && k < t->list[i].nr_attrs; k++) {
			const struct pt_dw_attr *a = &t->attrs[t->list[i].attrs + k];

			if (a->slot == slot && is(a->form))
				return true;
		}
	return false;
}

bool pt_dw_refers_out(struct pt_dw_unit *u, uint16_t tag)
{
	return any_form(u, tag, PT_DW_ORIGIN, is_outward);
}

bool pt_dw_has_loclists(struct pt_dw_unit *u)
{
	return any_form(u, 0, PT_DW_LOCATION, is_list);
}

bool pt_dw_any_has(struct pt_dw_unit *u, uint16_t tag, enum pt_dw_slot slot)
{
	struct pt_dw_abbrevs *t = u->abbrevs;
	size_t i = 0;

	do {
		for (; t && i < t->nr; i++)
			if (t->list[i].tag == tag && t->list[i].slots >> slot & 1)
				return true;
	} while (t && next(t, u));
	return false;
}

struct pt_bytes pt_dw_unit_bytes(struct pt_dw_unit *u, uint64_t off)
{
	return pt_dw_bytes(u->file, pt_dw_section_of(u), off, off < u->end ? u->end - off : 0);
}

static inline void skip_attr(const struct pt_dw_unit *u, const struct pt_dw_attr *at,
			     struct pt_bytes *b)
{
	if (at->kind == PT_DW_FIXED)
		pt_bytes_take(b, at->bytes);
	else
		skip_kind(u, b, (enum pt_dw_kind)at->kind);
}

void pt_dw_die_read(struct pt_dw_unit *u, const struct pt_dw_abbrev *a, struct pt_bytes *b,
		    struct pt_dw_die *die)
{
	const struct pt_dw_attr *attrs = &u->abbrevs->attrs[a->attrs];
	uint32_t i;

	die->unit = u;
	die->tag = a->tag;
	die->children = a->children;
	die->have = 0;
	if (!pt_dw_pay(u->file->dwarf, a->cost)) {
		b->bad = true;
		return;
	}
	for (i = 0; i < a->nr_attrs && !b->bad; i++) {
		uint64_t form = attrs[i].form, v;

		if (!attrs[i].slot) {
			skip_attr(u, &attrs[i], b);
			continue;
		}
		if (form == DW_FORM_indirect) {
			form = pt_bytes_uleb(b);
			if (form == DW_FORM_indirect || form == DW_FORM_implicit_const)
				b->bad = true;
		}
		if (pt_dw_form_read(u, b, form, attrs[i].implicit, &v) && !b->bad &&
		    !(die->have >> attrs[i].slot & 1)) {
			die->have |= 1u << attrs[i].slot;
			die->form[attrs[i].slot] = (uint16_t)form;
			die->v[attrs[i].slot] = v;
		}
	}
}

void pt_dw_die_skip(struct pt_dw_unit *u, const struct pt_dw_abbrev *a, struct pt_bytes *b)
{
	const struct pt_dw_attr *at = &u->abbrevs->attrs[a->attrs], *end = at + a->nr_attrs;

	if (a->fixed)
		pt_bytes_take(b, a->bytes);
	else
		for (; at < end && !b->bad; at++)
			skip_attr(u, at, b);
}

/* Moves to the sibling that the entry names, if that is further on. */
static bool to_sibling(struct pt_dw_unit *u, const struct pt_dw_abbrev *a, struct pt_bytes *b)
{
	const uint8_t *data = u->file->sections[pt_dw_section_of(u)].data, *to;
	struct pt_bytes c = *b;
	uint64_t v = 0;

	if (!a->sibling_bytes || pt_bytes_left(b) < a->sibling_at)
		return false;
	c.at += a->sibling_at;
	switch (a->sibling_bytes) {
	case 1: v = pt_bytes_u8(&c); break;
	case 2: v = pt_bytes_u16(&c); break;
	case 4: v = pt_bytes_u32(&c); break;
	case 8: v = pt_bytes_u64(&c); break;
	}
	if (c.bad || v >= u->end - u->off)
		return false;
	to = data + u->off + v;
	if (to < c.at || to > b->end)
		return false;
	b->at = to;
	return true;
}

void pt_dw_die_skip_tree(struct pt_dw_unit *u, const struct pt_dw_abbrev *a, struct pt_bytes *b)
{
	uint64_t depth = 0, cost = 8;

	for (;;) {
		cost += a->cost;
		if (!a->children || !to_sibling(u, a, b)) {
			pt_dw_die_skip(u, a, b);
			depth += a->children;
		}
		for (;;) {
			uint64_t code;

			if (!depth || b->bad)
				goto done;
			code = pt_bytes_uleb(b);
			a = code ? pt_dw_abbrev(u, code) : NULL;
			if (a)
				break;
			if (code) {
				b->bad = true;
				b->at = b->end;
				goto done;
			}
			depth--;
		}
	}
done:
	if (!pt_dw_pay(u->file->dwarf, cost)) {
		b->bad = true;
		b->at = b->end;
	}
}
