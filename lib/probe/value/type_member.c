#include "probe/value/type_priv.h"

#include <dwarf.h>
#include <string.h>

enum { MAX_ENTRIES = 1 << 16, MAX_DEPTH = 24 };

struct search {
	const char *name;
	struct pt_type_names *list;	/* not NULL: none is searched, all names are added to it */
	unsigned left;			/* limit of entries to visit */
	struct pt_type_member *m;
};

/* The offset of a member or base in its structure. False: it is computed from the object (virtual
 * bases), or damaged. */
static bool type_member_place_of(Dwarf_Die *die, uint64_t *off)
{
	Dwarf_Attribute a;
	Dwarf_Op *ops;
	size_t nr;
	int64_t v;

	*off = 0;
	if (!dwarf_hasattr_integrate(die, DW_AT_data_member_location))
		return true;
	if (pt_type_const(die, DW_AT_data_member_location, &v)) {
		*off = (uint64_t)v;
		return v >= 0;
	}
	if (!dwarf_attr_integrate(die, DW_AT_data_member_location, &a) ||
	    dwarf_getlocation(&a, &ops, &nr))
		return false;
	*off = nr ? ops[0].number : 0;
	return nr == 1 && (ops[0].atom == DW_OP_plus_uconst || ops[0].atom == DW_OP_constu);
}

static bool is_big_endian(Dwarf_Die *die)
{
	const char *ident = elf_getident(dwarf_getelf(dwarf_cu_getdwarf(die->cu)), NULL);

	return ident && ident[EI_DATA] == ELFDATA2MSB;
}

/* The first bit: since DWARF 4 from the structure's start, before from the most significant bit of
 * a storage unit. */
static bool bits_of(Dwarf_Die *die, struct pt_type_member *m)
{
	int64_t bits, at, unit = 0;
	uint64_t first;

	if (!pt_type_const(die, DW_AT_bit_size, &bits))
		return true;
	if (bits <= 0 || bits > 64)
		return false;
	if (pt_type_const(die, DW_AT_data_bit_offset, &at)) {
		if (at < 0)
			return false;
		first = m->off * 8 + (uint64_t)at;
	} else {
		if (!pt_type_const(die, DW_AT_bit_offset, &at))
			at = 0;
		if (!pt_type_const(die, DW_AT_byte_size, &unit)) {
			struct pt_type_info i;

			pt_type_info(&m->type, &i);
			unit = i.size_bytes <= 8 ? (int64_t)i.size_bytes : 0;
		}
		if (unit <= 0 || unit > 16 || at < -1024 || at > 128)
			return false;
		first = m->off * 8 + (uint64_t)(is_big_endian(die) ? at : unit * 8 - at - bits);
	}
	if (first >> 48)
		return false;
	m->off = first / 8;
	m->bit_bytes_off = first % 8;
	m->bits = (uint32_t)bits;
	return true;
}

static enum pt_type_found type_member_look(Dwarf_Die *parent, uint64_t base, struct search *s,
					   unsigned depth);

/* Searches the structure that is the type of a base or of a member without name. */
static enum pt_type_found type_member_inside(Dwarf_Die *die, uint64_t base, struct search *s,
					     unsigned depth)
{
	struct pt_type t;
	struct pt_type_info i;
	uint64_t off;
	bool placed = type_member_place_of(die, &off);
	enum pt_type_found found;

	pt_type_of(die, &t);
	pt_type_info(&t, &i);
	if (i.kind != PT_TYPE_STRUCT)
		return PT_TYPE_NO_MEMBER;
	found = type_member_look(&i.bare.die, base + off, s, depth + 1);
	return found == PT_TYPE_FOUND && !placed && !s->m->is_static ? PT_TYPE_VIRTUAL_BASE : found;
}

static enum pt_type_found type_member_take(Dwarf_Die *die, uint64_t base, struct search *s)
{
	uint64_t off;

	*s->m = (struct pt_type_member){ .die = *die };
	pt_type_of(die, &s->m->type);
	if (dwarf_tag(die) == DW_TAG_variable ||
	    (dwarf_hasattr(die, DW_AT_external) && dwarf_hasattr(die, DW_AT_declaration))) {
		s->m->is_static = true;
		return PT_TYPE_FOUND;
	}
	if (!type_member_place_of(die, &off))
		return PT_TYPE_VIRTUAL_BASE;
	s->m->off = base + off;
	return bits_of(die, s->m) ? PT_TYPE_FOUND : PT_TYPE_NO_MEMBER;
}

/* Of Rust's enumerations: the members of all variants, whichever is active. */
static enum pt_type_found type_member_own(Dwarf_Die *parent, uint64_t base, struct search *s,
					  unsigned depth)
{
	enum pt_type_found found = PT_TYPE_NO_MEMBER;

	if (depth > MAX_DEPTH)
		return found;
	for (Dwarf_Die d = { 0 };
	     found == PT_TYPE_NO_MEMBER && pt_die_next(parent, &d, &s->left); ) {
		int tag = dwarf_tag(&d);
		const char *name;

		if (tag == DW_TAG_variant_part || tag == DW_TAG_variant)
			found = type_member_own(&d, base, s, depth + 1);
		if (tag != DW_TAG_member && tag != DW_TAG_variable)
			continue;
		name = pt_type_die_name(&d);
		if (!name || !*name)
			found = type_member_inside(&d, base, s, depth);
		else if (s->list && tag == DW_TAG_member && !pt_type_list_name(s->list, name))
			s->left = 0;
		else if (!s->list && !strcmp(name, s->name))
			return type_member_take(&d, base, s);
	}
	return found;
}

static enum pt_type_found bases(Dwarf_Die *parent, uint64_t base, struct search *s, unsigned depth)
{
	enum pt_type_found found = PT_TYPE_NO_MEMBER, f;
	struct pt_type_member first = { .off = 0 };

	for (Dwarf_Die d = { 0 }; pt_die_next(parent, &d, &s->left); ) {
		if (dwarf_tag(&d) != DW_TAG_inheritance)
			continue;
		f = type_member_inside(&d, base, s, depth);
		if (f == PT_TYPE_NO_MEMBER)
			continue;
		if (f == PT_TYPE_FOUND && dwarf_hasattr(&d, DW_AT_virtuality) && !s->m->is_static)
			f = PT_TYPE_VIRTUAL_BASE;
		if (found != PT_TYPE_NO_MEMBER &&
		    (f != found || (f == PT_TYPE_FOUND && first.off != s->m->off)))
			return PT_TYPE_TWICE;
		found = f;
		first = *s->m;
	}
	return found;
}

static enum pt_type_found type_member_look(Dwarf_Die *parent, uint64_t base, struct search *s,
					   unsigned depth)
{
	enum pt_type_found found;

	if (depth > MAX_DEPTH)
		return PT_TYPE_NO_MEMBER;
	found = type_member_own(parent, base, s, depth);
	return found == PT_TYPE_NO_MEMBER ? bases(parent, base, s, depth) : found;
}

enum pt_type_found pt_type_member(const struct pt_type_info *i, const char *name,
				  struct pt_type_member *m)
{
	struct search s = { .name = name, .left = MAX_ENTRIES, .m = m };
	Dwarf_Die die = i->bare.die;

	if (i->kind != PT_TYPE_STRUCT)
		return PT_TYPE_NO_MEMBER;
	if (i->bare.btf)
		return pt_type_btf_member(&i->bare, name, NULL, m) ? PT_TYPE_FOUND
								   : PT_TYPE_NO_MEMBER;
	return type_member_look(&die, 0, &s, 0);
}

enum pt_type_found pt_type_member_entry(Dwarf_Die *die, struct pt_type_member *m)
{
	return type_member_take(die, 0, &(struct search){ .m = m });
}

bool pt_type_list_name(struct pt_type_names *l, const char *name)
{
	bool is_tuple = !strncmp(name, "__", 2) && name[2] >= '0' && name[2] <= '9';	/* Rust */

	pt_buf_puts(l->b, l->nr ? ", " : "");
	pt_buf_puts(l->b, l->nr == l->max ? "..." : is_tuple ? name + 2 : name);
	return l->nr++ < l->max;
}

void pt_type_members(const struct pt_type_info *i, struct pt_buf *b, unsigned max_names)
{
	struct pt_type_names l = { .b = b, .max = max_names };
	struct pt_type_member m;
	Dwarf_Die die = i->bare.die;

	if (i->kind == PT_TYPE_STRUCT && i->bare.btf)
		pt_type_btf_member(&i->bare, NULL, &l, &m);
	else if (i->kind == PT_TYPE_STRUCT)
		type_member_look(&die, 0,
				 &(struct search){ .list = &l, .left = MAX_ENTRIES, .m = &m }, 0);
}
