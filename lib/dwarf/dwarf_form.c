#include "dwarf/dwarf.h"

#include <dwarf.h>

#include "base/mem.h"

enum { MAX_STEPS = 32 };

#define MAX_CODE 0x7fffffffu	/* of a range; no compiler makes a larger one */

/* Entry i of a table of offsets or addresses. */
static bool entry(struct pt_dw_file *f, enum pt_dw_section_id id, uint64_t base, uint64_t i,
		  unsigned bytes, uint64_t *v)
{
	struct pt_bytes b;

	if (i >= f->sections[id].len || base > f->sections[id].len)
		return false;
	b = pt_dw_bytes(f, id, base + i * bytes, bytes);
	*v = pt_bytes_number(&b, bytes);
	return !b.bad;
}

const char *pt_dw_string(struct pt_dw_unit *u, uint16_t form, uint64_t v)
{
	struct pt_dw_file *f = u->file;

	switch (form) {
	case DW_FORM_string:
		/* its end was found when it was read */
		return (const char *)f->sections[pt_dw_section_of(u)].data + v;
	case DW_FORM_strp:
		return pt_dw_string_at(f, PT_DW_STR, v);
	case DW_FORM_line_strp:
		return pt_dw_string_at(f, PT_DW_LINE_STR, v);
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
		f = pt_dw_alt(f);
		return f ? pt_dw_string_at(f, PT_DW_STR, v) : NULL;
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
	case DW_FORM_GNU_str_index:
		return entry(f, PT_DW_STR_OFFSETS, u->in_str_offsets + u->str_base, v,
			     u->offset_bytes, &v)
			       ? pt_dw_string_at(f, PT_DW_STR, v)
			       : NULL;
	}
	return NULL;
}

/* False: the form is none of an address. */
static bool address_of(struct pt_dw_unit *u, uint16_t form, uint64_t v, uint64_t *address)
{
	struct pt_dw_unit *of = u->skeleton ? u->skeleton : u;

	switch (form) {
	case DW_FORM_addr:
		*address = v;
		return true;
	case DW_FORM_addrx:
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
	case DW_FORM_GNU_addr_index:
		return entry(of->file, PT_DW_ADDR, of->addr_base, v, u->address_bytes, address);
	}
	return false;
}

bool pt_dw_address(const struct pt_dw_die *die, enum pt_dw_slot s, uint64_t *address)
{
	return pt_dw_has(die, s) && address_of(die->unit, die->form[s], die->v[s], address);
}

/* A reference within the unit. */
static bool is_local(uint16_t form)
{
	return form == DW_FORM_ref1 || form == DW_FORM_ref2 || form == DW_FORM_ref4 ||
	       form == DW_FORM_ref8 || form == DW_FORM_ref_udata;
}

bool pt_dw_reference(const struct pt_dw_die *die, enum pt_dw_slot s, struct pt_dw_unit **to,
		     uint64_t *off)
{
	struct pt_dw_unit *u = die->unit;
	struct pt_dw_file *f = u->file;
	uint64_t v = die->v[s];

	*to = NULL;
	if (!pt_dw_has(die, s))
		return false;
	if (is_local(die->form[s])) {
		*to = v < u->end - u->off ? u : NULL;
		*off = u->off + v;
		return *to;
	}
	switch (die->form[s]) {
	case DW_FORM_ref_addr:
		*off = v;
		*to = pt_dw_unit_at(f, false, v);
		break;
	case DW_FORM_ref_sup4: case DW_FORM_ref_sup8: case DW_FORM_GNU_ref_alt:
		f = pt_dw_alt(f);
		*off = v;
		*to = f ? pt_dw_unit_at(f, false, v) : NULL;
		break;
	case DW_FORM_ref_sig8:
		*to = pt_dw_unit_of_signature(f, v);
		if (*to)
			*off = (*to)->off + (*to)->type_off;
		break;
	}
	if (*to && !pt_dw_unit_open(*to, NULL))
		*to = NULL;
	return *to;
}

uint64_t pt_dw_key(const struct pt_dw_unit *u, uint64_t off)
{
	return (uint64_t)(u->file->index * 2u + u->types) << 48 | (off & 0xffffffffffff);
}

struct adding { void (*add)(void *ctx, uint64_t lo, uint64_t hi); void *ctx; uint64_t max; };

static void dwarf_form_add(const struct adding *a, uint64_t lo, uint64_t hi)
{
	if (lo > 1 && lo < hi && hi <= a->max && lo < a->max - 1 && hi - lo <= MAX_CODE)
		a->add(a->ctx, lo, hi);
}

/* .debug_ranges, before DWARF 5. */
static void old_list(struct pt_dw_unit *u, uint64_t off, uint64_t base, const struct adding *a)
{
	struct pt_dw_file *f = u->skeleton ? u->skeleton->file : u->file;
	struct pt_bytes b = pt_dw_bytes(f, PT_DW_RANGES, off, UINT64_MAX);

	while (pt_bytes_left(&b) >= 2u * u->address_bytes) {
		uint64_t lo = pt_bytes_number(&b, u->address_bytes),
			 hi = pt_bytes_number(&b, u->address_bytes);

		if ((!lo && !hi) || !pt_dw_pay(f->dwarf, 8))
			return;
		if (lo == a->max)
			base = hi;
		else if (base + hi >= base)
			dwarf_form_add(a, base + lo, base + hi);
	}
}

/* An entry of .debug_rnglists. False: the last one. */
static bool list_entry(struct pt_dw_unit *u, struct pt_bytes *b, uint64_t *base,
		       const struct adding *a)
{
	uint64_t lo = 0, hi = 0;
	uint8_t kind = pt_bytes_u8(b);
	bool good = true;

	switch (kind) {
	case DW_RLE_base_addressx:
		good = address_of(u, DW_FORM_addrx, pt_bytes_uleb(b), &lo);
		*base = lo;
		return good && !b->bad;
	case DW_RLE_base_address:
		*base = pt_bytes_number(b, u->address_bytes);
		return !b->bad;
	case DW_RLE_startx_endx:
		good = address_of(u, DW_FORM_addrx, pt_bytes_uleb(b), &lo);
		good = address_of(u, DW_FORM_addrx, pt_bytes_uleb(b), &hi) && good;
		break;
	case DW_RLE_startx_length:
		good = address_of(u, DW_FORM_addrx, pt_bytes_uleb(b), &lo);
		hi = lo + pt_bytes_uleb(b);
		break;
	case DW_RLE_offset_pair:
		lo = *base + pt_bytes_uleb(b);
		hi = *base + pt_bytes_uleb(b);
		good = *base < a->max - 1;
		break;
	case DW_RLE_start_end:
		lo = pt_bytes_number(b, u->address_bytes);
		hi = pt_bytes_number(b, u->address_bytes);
		break;
	case DW_RLE_start_length:
		lo = pt_bytes_number(b, u->address_bytes);
		hi = lo + pt_bytes_uleb(b);
		break;
	default:
		return false;
	}
	if (good && !b->bad)
		dwarf_form_add(a, lo, hi);
	return !b->bad;
}

static void new_list(struct pt_dw_unit *u, uint64_t off, uint64_t base, const struct adding *a)
{
	struct pt_bytes b = pt_dw_bytes(u->file, PT_DW_RNGLISTS, off, UINT64_MAX);

	while (pt_bytes_left(&b) && pt_dw_pay(u->file->dwarf, 8) && list_entry(u, &b, &base, a))
		;
}

void pt_dw_ranges(const struct pt_dw_die *die, void (*add_one)(void *ctx, uint64_t lo, uint64_t hi),
		  void *ctx)
{
	struct pt_dw_unit *u = die->unit, *skeleton = u->skeleton ? u->skeleton : u;
	struct adding a = { add_one, ctx,
			    u->address_bytes == 8   ? UINT64_MAX
			    : u->address_bytes == 4 ? UINT32_MAX
						    : UINT16_MAX };
	uint64_t lo, hi, off, base = u->has_low ? u->low_pc : skeleton->low_pc;

	if (pt_dw_has(die, PT_DW_AT_RANGES)) {
		off = die->v[PT_DW_AT_RANGES];
		if (u->version < 5) {
			/* Offsets in a skeleton count from the section's start, those in the split
			 * unit from the skeleton's base. */
			old_list(u, off + (u->skeleton ? skeleton->gnu_ranges_base : 0), base, &a);
			return;
		}
		if (die->form[PT_DW_AT_RANGES] == DW_FORM_rnglistx) {
			uint64_t from = u->in_rnglists + u->rng_base;

			if (!entry(u->file, PT_DW_RNGLISTS, from, off, u->offset_bytes, &off))
				return;
			off += from;
		} else {
			off += u->in_rnglists;
		}
		new_list(u, off, base, &a);
		return;
	}
	if (!pt_dw_has_code(die) || !pt_dw_address(die, PT_DW_LOW, &lo))
		return;
	if (!pt_dw_address(die, PT_DW_HIGH, &hi)) {
		hi = lo + die->v[PT_DW_HIGH];
		if (die->form[PT_DW_HIGH] == DW_FORM_GNU_addr_index ||
		    die->form[PT_DW_HIGH] == DW_FORM_addrx)
			return;
	}
	dwarf_form_add(&a, lo, hi);
}

const char *pt_dw_string_of(const struct pt_dw_die *die, enum pt_dw_slot s)
{
	return pt_dw_has(die, s) ? pt_dw_string(die->unit, die->form[s], die->v[s]) : NULL;
}

bool pt_dw_origin(const struct pt_dw_die *die, struct pt_dw_die *of)
{
	static const enum pt_dw_slot ways[] = { PT_DW_ORIGIN, PT_DW_SPEC, PT_DW_SIGNATURE };
	struct pt_dw_unit *u;
	uint64_t off;
	size_t i;

	for (i = 0; i < PT_NR(ways); i++)
		if (pt_dw_reference(die, ways[i], &u, &off))
			return pt_dw_die_at(u, off, of);
	return false;
}

/* The first such string of an entry and its origins. */
static const char *first_string(const struct pt_dw_die *die, enum pt_dw_slot slot)
{
	struct pt_dw_die other;
	const char *s;

	for (int step = 0; step < MAX_STEPS; step++, die = &other)
		if ((s = pt_dw_string_of(die, slot)) || !pt_dw_origin(die, &other))
			return s;
	return NULL;
}

const char *pt_dw_plain_name(const struct pt_dw_die *die)
{
	return first_string(die, PT_DW_NAME);
}

struct pt_dw_name pt_dw_name(const struct pt_dw_die *die)
{
	const char *linkage = first_string(die, PT_DW_LINKAGE);

	return (struct pt_dw_name){ linkage ? linkage : pt_dw_plain_name(die), linkage };
}

bool pt_dw_near_origin(const struct pt_dw_die *die, uint64_t *off)
{
	struct pt_dw_unit *u;

	return !pt_dw_has(die, PT_DW_LINKAGE) && !pt_dw_has(die, PT_DW_NAME) &&
	       pt_dw_has(die, PT_DW_ORIGIN) && is_local(die->form[PT_DW_ORIGIN]) &&
	       pt_dw_reference(die, PT_DW_ORIGIN, &u, off);
}

/* Many inlined calls share an origin: its name is looked up once. */
struct pt_dw_name pt_dw_name_at(struct pt_dw_unit *u, uint64_t off)
{
	struct pt_dwarf *d = u->file->dwarf;
	struct pt_dw_die from;
	uint64_t *slot = pt_map_put(&d->names, pt_dw_key(u, off));

	if (!*slot) {
		struct pt_dw_name n = { NULL, false };

		if (pt_dw_die_at(u, off, &from))
			n = pt_dw_name(&from);
		PT_GROW(d->name_list, d->nr_names, d->cap_names);
		d->name_list[d->nr_names++] = n;
		*slot = d->nr_names;	/* looking it up adds nothing to the map */
	}
	return d->name_list[*slot - 1];
}
