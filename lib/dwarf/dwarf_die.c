/* dwarf_die.c - entries: the values of their attributes, by form */
#include <dwarf.h>

#include "base/mem.h"
#include "dwarf/dwarf_priv.h"

/* Lengths of values in bytes; those above PT_DW_MOST_BYTES depend on the unit or the value. */
enum {
	NONE = PT_DW_MOST_BYTES + 1,
	OF_ADDRESS,
	OF_OFFSET,
	OF_REF_ADDR,
	LEB,
	STRING,
	BLOCK1,
	BLOCK2,
	BLOCK4,
	BLOCK_LEB,
	INDIRECT
};
static const uint8_t lengths[] = {
	[DW_FORM_flag_present] = NONE,
	[DW_FORM_implicit_const] = NONE,
	[DW_FORM_data1] = 1,
	[DW_FORM_ref1] = 1,
	[DW_FORM_flag] = 1,
	[DW_FORM_strx1] = 1,
	[DW_FORM_addrx1] = 1,
	[DW_FORM_data2] = 2,
	[DW_FORM_ref2] = 2,
	[DW_FORM_strx2] = 2,
	[DW_FORM_addrx2] = 2,
	[DW_FORM_strx3] = 3,
	[DW_FORM_addrx3] = 3,
	[DW_FORM_data4] = 4,
	[DW_FORM_ref4] = 4,
	[DW_FORM_strx4] = 4,
	[DW_FORM_addrx4] = 4,
	[DW_FORM_ref_sup4] = 4,
	[DW_FORM_data8] = 8,
	[DW_FORM_ref8] = 8,
	[DW_FORM_ref_sig8] = 8,
	[DW_FORM_ref_sup8] = 8,
	[DW_FORM_data16] = 16,
	[DW_FORM_addr] = OF_ADDRESS,
	[DW_FORM_strp] = OF_OFFSET,
	[DW_FORM_line_strp] = OF_OFFSET,
	[DW_FORM_sec_offset] = OF_OFFSET,
	[DW_FORM_strp_sup] = OF_OFFSET,
	[DW_FORM_ref_addr] = OF_REF_ADDR,
	[DW_FORM_sdata] = LEB,
	[DW_FORM_udata] = LEB,
	[DW_FORM_ref_udata] = LEB,
	[DW_FORM_strx] = LEB,
	[DW_FORM_addrx] = LEB,
	[DW_FORM_loclistx] = LEB,
	[DW_FORM_rnglistx] = LEB,
	[DW_FORM_string] = STRING,
	[DW_FORM_block1] = BLOCK1,
	[DW_FORM_block2] = BLOCK2,
	[DW_FORM_block4] = BLOCK4,
	[DW_FORM_block] = BLOCK_LEB,
	[DW_FORM_exprloc] = BLOCK_LEB,
	[DW_FORM_indirect] = INDIRECT,
};

uint8_t pt_dw_form_len(const struct pt_dw_unit *u, uint64_t form)
{
	uint8_t len = form < PT_NR(lengths) ? lengths[form] : 0;

	if (form == DW_FORM_GNU_ref_alt || form == DW_FORM_GNU_strp_alt)
		len = OF_OFFSET;
	else if (form == DW_FORM_GNU_addr_index || form == DW_FORM_GNU_str_index)
		len = LEB;
	if (len == OF_REF_ADDR)
		len = u->version <= 2 ? OF_ADDRESS : OF_OFFSET;
	switch (len) {
	case 0: return PT_DW_NO_FORM;
	case NONE: return 0;
	case OF_ADDRESS: return u->address_bytes <= 8 ? u->address_bytes : PT_DW_NO_FORM;
	case OF_OFFSET: return u->offset_bytes;
	}
	return len;
}

static void skip_leb(struct pt_bytes *b)
{
	while (b->at < b->end)
		if (!(*b->at++ & 128))
			return;
	b->bad = true;
}

/* The form of an indirect value, which precedes it, and its length. */
static uint8_t read_form(const struct pt_dw_unit *u, struct pt_bytes *b, uint64_t *form)
{
	uint8_t len;

	*form = pt_bytes_uleb(b);
	len = pt_dw_form_len(u, *form);
	return len == INDIRECT || *form == DW_FORM_implicit_const ? PT_DW_NO_FORM : len;
}

static void skip_value(const struct pt_dw_unit *u, struct pt_bytes *b, uint8_t len)
{
	uint64_t form, n = len;

	switch (len) {
	case LEB: skip_leb(b); return;
	case STRING: pt_bytes_str(b, SIZE_MAX); return;
	case INDIRECT: skip_value(u, b, read_form(u, b, &form)); return;
	case BLOCK1: n = pt_bytes_u8(b); break;
	case BLOCK2: n = pt_bytes_u16(b); break;
	case BLOCK4: n = pt_bytes_u32(b); break;
	case BLOCK_LEB: n = pt_bytes_uleb(b); break;
	case PT_DW_NO_FORM: n = SIZE_MAX; break;	/* ends the reading */
	}
	pt_bytes_take(b, n);
}

static uint64_t dwarf_die_read_value(const struct pt_dw_unit *u, struct pt_bytes *b, uint64_t form,
				     uint8_t len, int64_t implicit)
{
	const uint8_t *p = b->at;

	switch (len) {
	case 0: return form == DW_FORM_implicit_const ? (uint64_t)implicit : 1;
	case 1: return pt_bytes_u8(b);
	case 2: return pt_bytes_u16(b);
	case 3:
		if (!pt_bytes_take(b, 3))
			return 0;
		return b->swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
			       ? (uint64_t)p[0] << 16 | p[1] << 8 | p[2]
			       : (uint64_t)p[2] << 16 | p[1] << 8 | p[0];
	case 4: return pt_bytes_u32(b);
	case 8: return pt_bytes_u64(b);
	case LEB:
		return form == DW_FORM_sdata ? (uint64_t)pt_bytes_sleb(b) : pt_bytes_uleb(b);
	}
	skip_value(u, b, len);
	return len == STRING ? (uint64_t)(p - u->file->sections[pt_dw_section_of(u)].data) : 0;
}

uint64_t pt_dw_form_read(const struct pt_dw_unit *u, struct pt_bytes *b, uint64_t form)
{
	return dwarf_die_read_value(u, b, form, pt_dw_form_len(u, form), 0);
}

struct pt_bytes pt_dw_unit_bytes(struct pt_dw_unit *u, uint64_t off)
{
	return pt_dw_bytes(u->file, pt_dw_section_of(u), off, off < u->end ? u->end - off : 0);
}

static inline void skip_attr(const struct pt_dw_unit *u, const struct pt_dw_attr *at,
			     struct pt_bytes *b)
{
	if (at->len <= PT_DW_MOST_BYTES)
		pt_bytes_take(b, at->len);
	else
		skip_value(u, b, at->len);
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
		uint8_t len = attrs[i].len;

		if (!attrs[i].slot) {
			skip_attr(u, &attrs[i], b);
			continue;
		}
		if (len == INDIRECT)
			len = read_form(u, b, &form);
		v = dwarf_die_read_value(u, b, form, len, attrs[i].implicit);
		if (!b->bad && !(die->have >> attrs[i].slot & 1)) {
			die->have |= 1u << attrs[i].slot;
			die->form[attrs[i].slot] = (uint16_t)form;
			die->v[attrs[i].slot] = v;
		}
	}
}

void pt_dw_attrs_skip(struct pt_dw_unit *u, const struct pt_dw_abbrev *a, struct pt_bytes *b)
{
	const struct pt_dw_attr *at = &u->abbrevs->attrs[a->attrs], *end = at + a->nr_attrs;

	/* many of them may have no bytes */
	b->bad |= !pt_dw_pay(u->file->dwarf, a->cost);
	for (; at < end && !b->bad; at++)
		skip_attr(u, at, b);
}

bool pt_dw_die_at(struct pt_dw_unit *u, uint64_t off, struct pt_dw_die *die)
{
	const struct pt_dw_abbrev *a;
	struct pt_bytes b;
	uint64_t code;

	if (u->bad || off < u->first || off >= u->end || (!u->abbrevs && !pt_dw_unit_open(u, NULL)))
		return false;
	b = pt_dw_unit_bytes(u, off);
	code = pt_bytes_uleb(&b);
	a = code ? pt_dw_abbrev(u, code) : NULL;
	if (!a)
		return false;
	die->off = off;
	pt_dw_die_read(u, a, &b, die);
	return !b.bad;
}

/* Moves to the sibling that the entry names, if that is further on. */
static bool to_sibling(struct pt_dw_unit *u, const struct pt_dw_abbrev *a, struct pt_bytes *b)
{
	const uint8_t *data = u->file->sections[pt_dw_section_of(u)].data, *to;
	uint64_t v;

	if (!pt_dw_value_at(b, a->sibling, &v) || v >= u->end - u->off)
		return false;
	to = data + u->off + v;
	if (to < b->at + a->sibling.at + a->sibling.bytes || to > b->end)
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
