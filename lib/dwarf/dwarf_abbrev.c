#include "dwarf/dwarf_priv.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Codes are nearly always 1, 2, 3...; others go into a map. gcc's entries have up to 30 attributes.
 */
enum { MAX_ATTRS = 1024, MAX_ABBREVS = 1 << 24 };

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

/* Of what is looked at alone. */
static void note_place(struct pt_dw_abbrev *a, enum pt_dw_slot slot, uint64_t form, uint8_t len)
{
	struct pt_dw_place here = { a->bytes, len };

	if (slot == PT_DW_SIBLING && len <= 8 && form != DW_FORM_ref_addr)
		a->sibling = here;
	else if (slot == PT_DW_NAME && form == DW_FORM_strp)
		a->name = here;
	else if (slot == PT_DW_LINKAGE && form == DW_FORM_strp)
		a->linkage = here;
}

/* False: truncated, or unknown forms. */
static bool dwarf_abbrev_compile(struct pt_dw_abbrevs *t, const struct pt_dw_unit *u,
				 struct pt_bytes *b, struct pt_dw_abbrev *a)
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
		uint8_t len = pt_dw_form_len(u, form);

		if (!name && !form)
			break;
		if (len == PT_DW_NO_FORM || a->nr_attrs >= MAX_ATTRS)
			return false;
		a->fixed &= len <= PT_DW_MOST_BYTES;
		if (a->fixed)
			note_place(a, slot, form, len);
		if (!len && (!slot || a->have >> slot & 1))
			continue;	/* neither read nor stepped over */
		a->have |= 1u << slot;
		a->bytes += len;
		PT_GROW(t->attrs, t->nr_attrs, t->cap_attrs);
		t->attrs[t->nr_attrs++] =
			(struct pt_dw_attr){ (uint16_t)form, (uint8_t)slot, len, implicit };
		a->nr_attrs++;
	}
	a->cost = 8 + a->nr_attrs;
	return !b->bad;
}

/* Pays for what the table has grown by. */
static bool take_memory(struct pt_dw_abbrevs *t, struct pt_dw_file *f)
{
	uint64_t bytes = t->cap * (2 * sizeof(*t->list) + 48) + t->cap_attrs * sizeof(*t->attrs),
		 more = bytes - t->taken;

	t->taken = bytes;
	return !more || pt_dw_take(f, more);
}

static void grow_list(struct pt_dw_abbrevs *t)
{
	struct pt_dw_abbrev *list = pt_alloc_array(2 * t->cap, sizeof(*list));

	memcpy(list, t->list, t->nr * sizeof(*list));
	PT_GROW(t->former, t->nr_former, t->cap_former);
	t->former[t->nr_former++] = t->list;
	t->list = list;
	t->cap *= 2;
}

/* Compiles the next declaration. Returns its code, 0 at the end. */
static uint64_t next(struct pt_dw_abbrevs *t, struct pt_dw_unit *u)
{
	struct pt_dw_file *f = u->file;
	struct pt_bytes b = t->rest;
	struct pt_dw_abbrev a;
	uint64_t code, cost, *slot;

	if (!t->list) {
		t->list = pt_realloc(NULL, t->cap = 32, sizeof(*t->list));
		t->attrs = pt_realloc(NULL, t->cap_attrs = 128, sizeof(*t->attrs));
	}
	if (t->end || t->nr >= MAX_ABBREVS || t->nr_attrs >= UINT32_MAX / 2)
		return 0;
	code = pt_bytes_uleb(&b);
	t->end = !code || !dwarf_abbrev_compile(t, u, &b, &a);
	cost = (uint64_t)(b.at - t->rest.at);
	t->rest = b;
	t->end = t->end || !pt_dw_pay(f->dwarf, cost) || !take_memory(t, f);
	if (t->end)
		return 0;
	a.code = code;
	if (t->nr == t->cap)
		grow_list(t);
	t->list[t->nr++] = a;
	if (code != t->nr && !*(slot = pt_map_put(&t->codes, code)))
		*slot = t->nr;
	return code;
}

static void dwarf_abbrev_start(struct pt_dw_abbrevs *t, struct pt_dw_unit *u)
{
	*t = (struct pt_dw_abbrevs){
		.rest = pt_dw_bytes(u->file, PT_DW_ABBREV, u->abbrev_off, UINT64_MAX)
	};
}

static void dwarf_abbrev_clear(struct pt_dw_abbrevs *t)
{
	pt_map_deinit(&t->codes);
	for (size_t i = 0; i < t->nr_former; i++)
		free(t->former[i]);
	free(t->former);
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
	dwarf_abbrev_start(t, u);
	*slot = pt_word_of(t);
	return t;
}

void pt_dw_abbrevs_free(struct pt_dw_abbrevs *t)
{
	dwarf_abbrev_clear(t);
	free(t);
}

void pt_dw_abbrevs_drop(struct pt_dw_unit *u)
{
	if (u->abbrevs) {
		dwarf_abbrev_clear(u->abbrevs);
		dwarf_abbrev_start(u->abbrevs, u);
	}
}

const struct pt_dw_abbrev *pt_dw_abbrev_further(struct pt_dw_unit *u, uint64_t code)
{
	struct pt_dw_abbrevs *t = u->abbrevs;
	uint64_t *slot = pt_map_get(&t->codes, code), is;

	if (slot)
		return &t->list[*slot - 1];
	while ((is = next(t, u)))
		if (is == code)
			return &t->list[t->nr - 1];
	return NULL;
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

bool pt_dw_any_has(struct pt_dw_unit *u, uint16_t tag, enum pt_dw_slot slot,
		   bool (*is)(uint16_t form))
{
	struct pt_dw_abbrevs *t = u->abbrevs;
	size_t i = 0;
	uint32_t k;

	do {
		for (; t && i < t->nr; i++) {
			const struct pt_dw_abbrev *a = &t->list[i];
			const struct pt_dw_attr *attrs = &t->attrs[a->attrs];

			for (k = 0; (!tag || a->tag == tag) && k < a->nr_attrs; k++)
				if (attrs[k].slot == slot && (!is || is(attrs[k].form)))
					return true;
		}
	} while (t && next(t, u));
	return false;
}

bool pt_dw_refers_out(struct pt_dw_unit *u, uint16_t tag)
{
	return pt_dw_any_has(u, tag, PT_DW_ORIGIN, is_outward);
}

bool pt_dw_has_loclists(struct pt_dw_unit *u)
{
	return pt_dw_any_has(u, 0, PT_DW_LOCATION, is_list);
}
