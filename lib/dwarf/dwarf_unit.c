#include "dwarf/dwarf.h"

#include <dwarf.h>

#include "base/mem.h"
#include "base/search.h"

enum { MAX_UNITS = 1 << 19, HEADER_MAX = 64, UNIT_COST = sizeof(struct pt_dw_unit) + 32 };

/* The unit header at `off`; NULL: none can be read. *end: the next one's offset, 0 if unknown. */
static struct pt_dw_unit *dwarf_unit_read_header(struct pt_dw_file *f, bool types, uint64_t off,
						 uint64_t *end)
{
	enum pt_dw_section_id id = types ? PT_DW_TYPES : PT_DW_INFO;
	struct pt_bytes b = pt_dw_bytes(f, id, off, HEADER_MAX);
	struct pt_dw_unit u = { .file = f, .off = off, .types = types, .offset_bytes = 4 };
	const uint8_t *from = b.at;
	uint64_t len = pt_bytes_u32(&b);

	*end = 0;
	if (len == 0xffffffff) {
		len = pt_bytes_u64(&b);
		u.offset_bytes = 8;
	} else if (len >= 0xfffffff0) {
		return NULL;
	}
	u.end = off + (uint64_t)(b.at - from) + len;
	if (b.bad || len > f->sections[id].len || u.end > f->sections[id].len || !len ||
	    !pt_dw_pay(f->dwarf, 64))
		return NULL;
	*end = u.end;
	u.version = pt_bytes_u16(&b);
	if (u.version >= 5) {
		u.type = pt_bytes_u8(&b);
		u.address_bytes = pt_bytes_u8(&b);
	}
	u.abbrev_off = pt_bytes_number(&b, u.offset_bytes);
	if (u.version < 5) {
		u.address_bytes = pt_bytes_u8(&b);
		u.type = types ? DW_UT_type : DW_UT_compile;
	}
	if (u.type == DW_UT_type || u.type == DW_UT_split_type) {
		u.id = pt_bytes_u64(&b);
		u.type_off = pt_bytes_number(&b, u.offset_bytes);
	} else if (u.type == DW_UT_skeleton || u.type == DW_UT_split_compile) {
		u.id = pt_bytes_u64(&b);
	}
	u.first = off + (uint64_t)(b.at - from);
	u.bad = b.bad || u.version < 2 || u.version > 5 || u.first > u.end ||
		(u.address_bytes != 8 && u.address_bytes != 4 && u.address_bytes != 2) ||
		u.abbrev_off >= 1ull << 50;
	return pt_dw_take(f, UNIT_COST) ? pt_memdup(&u, sizeof(u)) : NULL;
}

/* Reads the next unit's header. */
static bool dwarf_unit_walk(struct pt_dw_file *f, bool types)
{
	struct pt_dw_units *all = &f->units[types];
	struct pt_dw_unit *u;
	uint64_t end;

	if (all->walked >= f->sections[types ? PT_DW_TYPES : PT_DW_INFO].len ||
	    all->nr >= MAX_UNITS)
		return false;
	u = dwarf_unit_read_header(f, types, all->walked, &end);
	all->walked = end ? end : UINT64_MAX;
	if (!u)
		return false;
	PT_GROW(all->v, all->nr, all->cap);
	all->v[all->nr++] = u;
	return true;
}

static struct pt_dw_unit *unit_nr(struct pt_dw_file *f, bool types, size_t i)
{
	while (i >= f->units[types].nr)
		if (!dwarf_unit_walk(f, types))
			return NULL;
	return f->units[types].v[i];
}

struct pt_dw_unit *pt_dw_unit_nr(struct pt_dw_file *f, size_t i)
{
	return unit_nr(f, false, i);
}

struct pt_dw_unit *pt_dw_unit_at(struct pt_dw_file *f, bool types, uint64_t off)
{
	struct pt_dw_units *all = &f->units[types];
	size_t past;

	while (off >= all->walked)
		if (!dwarf_unit_walk(f, types))
			return NULL;
	past = PT_LEADING(all->nr, i, all->v[i]->off <= off);
	return past && off < all->v[past - 1]->end ? all->v[past - 1] : NULL;
}

struct pt_dw_unit *pt_dw_unit_of_signature(struct pt_dw_file *f, uint64_t signature)
{
	struct pt_dw_unit *u;
	size_t i;
	int types;

	/* its type units' parts of sections are in .debug_tu_index */
	if (f->dwarf->package == f)
		return NULL;
	if (!f->knows_signatures) {
		f->knows_signatures = true;
		for (types = 0; types < 2; types++)
			for (i = 0; (u = unit_nr(f, types, i)); i++)
				if (u->type == DW_UT_type || u->type == DW_UT_split_type)
					*pt_map_put(&f->signatures, u->id) = pt_word_of(u);
	}
	return pt_map_get_pointer(&f->signatures, signature);
}

/* A split unit of DWARF 5 has its own tables behind their headers. */
static void read_bases(struct pt_dw_unit *u, const struct pt_dw_die *d)
{
	if (u->file->dwo && u->version >= 5) {
		u->str_base = 2u * u->offset_bytes;
		u->rng_base = u->str_base + 4;
	}
	if (pt_dw_has(d, PT_DW_STR_BASE))
		u->str_base = d->v[PT_DW_STR_BASE];
	if (pt_dw_has(d, PT_DW_RNG_BASE))
		u->rng_base = d->v[PT_DW_RNG_BASE];
	u->addr_base = pt_dw_value(d, PT_DW_ADDR_BASE);
	u->gnu_ranges_base = pt_dw_value(d, PT_DW_GNU_RANGES_BASE);
	if (u->version < 5 && pt_dw_has(d, PT_DW_DWO_ID))
		u->id = d->v[PT_DW_DWO_ID];
}

bool pt_dw_unit_open(struct pt_dw_unit *u, struct pt_dw_die *root)
{
	struct pt_dw_die own, *d = root ? root : &own;

	if (u->bad || (u->opened && !root))
		return !u->bad;
	if (!u->opened)
		u->abbrevs = pt_dw_abbrevs_of(u);
	if (!pt_dw_die_at(u, u->first, d)) {
		u->bad = true;
		return false;
	}
	if (u->opened)
		return true;
	u->opened = true;
	read_bases(u, d);
	u->has_stmt_list = pt_dw_has(d, PT_DW_STMT_LIST);
	u->stmt_list = pt_dw_value(d, PT_DW_STMT_LIST);
	u->language = (uint16_t)pt_dw_value(d, PT_DW_LANGUAGE);
	u->comp_dir = pt_dw_string_of(d, PT_DW_COMP_DIR);
	u->dwo_name = pt_dw_string_of(d, PT_DW_DWO_NAME);
	u->name = pt_dw_string_of(d, PT_DW_NAME);
	u->has_low = pt_dw_address(d, PT_DW_LOW, &u->low_pc);
	return true;
}
