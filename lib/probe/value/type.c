#include "probe/value/type_priv.h"

#include <dwarf.h>
#include <string.h>

enum { MAX_CHAIN = 64, MAX_CHILDREN = 1 << 16, MAX_DEPTH = 16, MAX_ARRAYS = 8 };

static void info(const struct pt_type *t, struct pt_type_info *i, unsigned depth);
static uint64_t byte_size(Dwarf_Die *die);

const char *pt_type_die_name(Dwarf_Die *die)
{
	Dwarf_Attribute a;

	return dwarf_attr_integrate(die, DW_AT_name, &a) ? dwarf_formstring(&a) : NULL;
}

bool pt_die_next(Dwarf_Die *parent, Dwarf_Die *d, unsigned *left)
{
	if (!*left || !--*left)
		return false;
	return d->addr ? !dwarf_siblingof(d, d) : !dwarf_child(parent, d);
}

bool pt_die_ref(Dwarf_Die *die, unsigned attr, Dwarf_Die *to)
{
	Dwarf_Attribute a;

	return dwarf_attr(die, attr, &a) && dwarf_formref_die(&a, to);
}

bool pt_type_const(Dwarf_Die *die, unsigned attr, int64_t *v)
{
	Dwarf_Attribute a;
	Dwarf_Word u = 0;
	Dwarf_Sword s;
	unsigned form;
	bool good;

	if (!dwarf_attr_integrate(die, attr, &a))
		return false;
	form = dwarf_whatform(&a);
	if (form == DW_FORM_sdata || form == DW_FORM_implicit_const) {
		good = !dwarf_formsdata(&a, &s);
	} else {
		good = form != DW_FORM_sec_offset && !dwarf_formudata(&a, &u);
		s = (Dwarf_Sword)u;
	}
	if (good)
		*v = s;
	return good;
}

int pt_type_language(Dwarf_Die *die)
{
	Dwarf_Die cu;

	if (!die->cu || !dwarf_cu_die(die->cu, &cu, NULL, NULL, NULL, NULL, NULL, NULL))
		return -1;
	return dwarf_srclang(&cu);
}

bool pt_type_is_scope(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_structure_type ||
	       tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

/* Entries are in order of address: the last child that begins before an address contains it. */
unsigned pt_type_around(const Dwarf_Die *die, Dwarf_Die *path, unsigned max)
{
	Dwarf_Die at, next;
	unsigned nr = 0, left = 4 << 20;

	if (!dwarf_cu_die(die->cu, &at, NULL, NULL, NULL, NULL, NULL, NULL))
		return 0;
	while (nr < max && !dwarf_child(&at, &next)) {
		do {
			at = next;
			if (at.addr == die->addr) {
				path[nr++] = at;
				return nr;
			}
		} while (--left && !dwarf_siblingof(&at, &next) &&
			 (const char *)next.addr <= (const char *)die->addr &&
			 (const char *)next.addr > (const char *)at.addr);
		if (!left)
			return 0;
		path[nr++] = at;
	}
	return 0;
}

/* The entry of DW_AT_type. A declaration that refers to a type unit (-fdebug-types-section) gives
 * that unit's type. */
static bool refers(Dwarf_Die *die, Dwarf_Die *to)
{
	Dwarf_Attribute a;
	Dwarf_Die unit;

	if (!dwarf_attr_integrate(die, DW_AT_type, &a) || !dwarf_formref_die(&a, to))
		return false;
	if (pt_die_ref(to, DW_AT_signature, &unit))
		*to = unit;
	return true;
}

void pt_type_of(Dwarf_Die *die, struct pt_type *t)
{
	*t = (struct pt_type){ .none = false };
	t->none = !refers(die, &t->die);
}

static bool qualifies(int tag)
{
	switch (tag) {
	case DW_TAG_typedef:
	case DW_TAG_const_type:
	case DW_TAG_volatile_type:
	case DW_TAG_restrict_type:
	case DW_TAG_atomic_type:
	case DW_TAG_immutable_type:
	case DW_TAG_packed_type: case DW_TAG_shared_type: case DW_TAG_template_alias:
	case DW_TAG_subrange_type:
		return true;
	default:
		return false;
	}
}

/* The definition of a structure that is only declared: an entry of the same kind and name at the
 * top level of another unit, or in the same namespaces and classes. */
struct wanted {
	const char *names[MAX_DEPTH];	/* outermost first */
	unsigned nr;
	int tag;
	unsigned left;			/* limit of entries to visit */
};

/* What to look for; false: it has no name. */
static bool wanted_of(Dwarf_Die *die, struct wanted *w)
{
	Dwarf_Die path[MAX_DEPTH];

	*w = (struct wanted){ .tag = dwarf_tag(die), .left = 4 << 20 };
	for (unsigned nr = pt_type_around(die, path, MAX_DEPTH); w->nr < nr; w->nr++) {
		w->names[w->nr] = dwarf_diename(&path[w->nr]);
		if (!w->names[w->nr])
			return false;
	}
	return w->nr;
}

/* A type unit's type is outside its namespaces; it refers to its declaration. */
static bool declared_there(Dwarf_Die *die, const struct wanted *w)
{
	Dwarf_Die declaration;
	struct wanted there;

	if (!pt_die_ref(die, DW_AT_specification, &declaration) ||
	    !wanted_of(&declaration, &there) || there.nr != w->nr)
		return false;
	for (unsigned i = 0; i < w->nr; i++)
		if (strcmp(there.names[i], w->names[i]))
			return false;
	return true;
}

static bool find_in(Dwarf_Die *parent, unsigned level, struct wanted *w, Dwarf_Die *out)
{
	bool last = level + 1 == w->nr, may_be_class = w->tag != DW_TAG_union_type;

	for (Dwarf_Die d = { 0 }; pt_die_next(parent, &d, &w->left); ) {
		int tag = dwarf_tag(&d);
		bool is_class = tag == DW_TAG_structure_type || tag == DW_TAG_class_type,
		     same_kind = tag == w->tag || (is_class && may_be_class);
		const char *name;

		*out = d;
		if (!level && !last && tag == w->tag && !dwarf_hasattr(&d, DW_AT_declaration) &&
		    declared_there(&d, w))
			return true;
		if (last ? !same_kind : !is_class && tag != DW_TAG_namespace)
			continue;
		name = dwarf_diename(&d);
		if (name && !strcmp(name, w->names[level]) &&
		    (last ? !dwarf_hasattr(&d, DW_AT_declaration) : find_in(&d, level + 1, w, out)))
			return true;
	}
	return false;
}

static bool defined(Dwarf_Die *die, Dwarf *dw, Dwarf_Die *out)
{
	struct wanted w;
	Dwarf_Die cu;
	Dwarf_CU *c = NULL;
	bool named = wanted_of(die, &w);

	while (named && dw && !dwarf_get_units(dw, c, &c, NULL, NULL, &cu, NULL))
		if (find_in(&cu, 0, &w, out))
			return true;
	return false;
}

bool pt_type_complete(struct pt_type_info *i, Dwarf *dw)
{
	Dwarf_Die def;

	if (!i->incomplete || i->bare.btf || !defined(&i->bare.die, dw, &def))
		return false;
	i->bare.die = def;
	i->size_bytes = byte_size(&def);
	i->incomplete = false;
	return true;
}

static bool has_stride(Dwarf_Die *die)
{
	return dwarf_hasattr(die, DW_AT_byte_stride) || dwarf_hasattr(die, DW_AT_bit_stride);
}

/* Sets size and number of elements from dimension `dims` on. */
static void array_info(const struct pt_type *t, Dwarf_Die *die, struct pt_type_info *i,
		       unsigned depth)
{
	struct pt_type_info e;
	struct pt_type whole;
	unsigned dim = 0, left = MAX_CHILDREN;
	uint64_t rest = 1;
	int64_t v, lower;

	i->kind = PT_TYPE_ARRAY;
	i->odd = dwarf_hasattr(die, DW_AT_data_location) || has_stride(die);
	for (Dwarf_Die d = { 0 }; pt_die_next(die, &d, &left); ) {
		int tag = dwarf_tag(&d);
		uint64_t n = 0;

		if ((tag != DW_TAG_subrange_type && tag != DW_TAG_enumeration_type) ||
		    dim++ < t->dims)
			continue;
		if (!pt_type_const(&d, DW_AT_lower_bound, &lower) &&
		    dwarf_default_lower_bound(pt_type_language(&d), &lower))
			lower = 0;
		if (pt_type_const(&d, DW_AT_count, &v))
			n = v > 0 ? (uint64_t)v : 0;
		else if (pt_type_const(&d, DW_AT_upper_bound, &v) && v >= lower)
			n = (uint64_t)v - (uint64_t)lower + 1;
		if (n > UINT32_MAX)
			n = 0;
		i->odd |= has_stride(&d);
		if (dim == t->dims + 1u) {
			i->nr = n;
			i->lower = lower;
		} else {
			rest = n && rest < UINT32_MAX ? rest * n : 0;
		}
	}
	if (dim > 1 && pt_type_const(die, DW_AT_ordering, &v) && v == DW_ORD_col_major)
		i->odd = true;
	pt_type_of(die, &whole);
	i->target = whole;
	if (dim > t->dims + 1u) {	/* an element is an array itself */
		i->target = *t;
		i->target.dims++;
	}
	info(&whole, &e, depth + 1);
	if (e.size_bytes && e.size_bytes < UINT32_MAX && rest &&
	    i->nr < UINT64_MAX / e.size_bytes / rest)
		i->size_bytes = e.size_bytes * rest * i->nr;
}

static void base_info(Dwarf_Die *die, struct pt_type_info *i)
{
	int64_t enc = 0, v;

	/* of the other byte order, or with padding bits */
	if (!pt_type_const(die, DW_AT_encoding, &enc) ||
	    (pt_type_const(die, DW_AT_endianity, &v) && v != DW_END_default) ||
	    (pt_type_const(die, DW_AT_bit_size, &v) && (uint64_t)v != i->size_bytes * 8 &&
	     enc != DW_ATE_boolean))
		return;
	i->is_bool = enc == DW_ATE_boolean;
	i->is_signed = enc == DW_ATE_signed || enc == DW_ATE_signed_char;
	switch (enc) {
	case DW_ATE_signed_char:
	case DW_ATE_unsigned_char: case DW_ATE_UTF: case DW_ATE_ASCII: case DW_ATE_UCS:
		i->is_char = true;
		/* fall through */
	case DW_ATE_boolean: case DW_ATE_signed: case DW_ATE_unsigned: case DW_ATE_address:
		i->kind = PT_TYPE_INTEGER;
		break;
	case DW_ATE_float:
		i->is_real = true;
		/* fall through */
	case DW_ATE_complex_float:
	case DW_ATE_imaginary_float:
	case DW_ATE_decimal_float:
		i->kind = PT_TYPE_FLOAT;
		break;
	}
}

/* An enumeration is signed if its underlying type is, or if it has a negative value. */
static bool enum_signed(Dwarf_Die *die, unsigned depth)
{
	struct pt_type under;
	struct pt_type_info u;
	unsigned left = MAX_CHILDREN;
	int64_t v;

	pt_type_of(die, &under);
	if (!under.none && dwarf_tag(&under.die) != DW_TAG_enumeration_type) {
		info(&under, &u, depth + 1);
		return u.is_signed;
	}
	for (Dwarf_Die d = { 0 }; pt_die_next(die, &d, &left); )
		if (dwarf_tag(&d) == DW_TAG_enumerator &&
		    pt_type_const(&d, DW_AT_const_value, &v) && v < 0)
			return true;
	return false;
}

static uint64_t byte_size(Dwarf_Die *die)
{
	int64_t v;

	return pt_type_const(die, DW_AT_byte_size, &v) && v > 0 && v < INT64_MAX / 64 ? (uint64_t)v
										      : 0;
}

static uint8_t address_bytes(Dwarf_Die *die)
{
	uint8_t n = 0;

	return dwarf_cu_die(die->cu, &(Dwarf_Die){ 0 }, NULL, NULL, &n, NULL, NULL, NULL) ? n : 8;
}

/* Leaves out typedefs and qualifiers. False: there is no type below them, or they are too many. */
static bool type_strip(Dwarf_Die *die, enum pt_type_kind *kind)
{
	for (int steps = 0; qualifies(dwarf_tag(die)); steps++) {
		if (steps == MAX_CHAIN)
			return false;
		if (!refers(die, die)) {
			*kind = PT_TYPE_VOID;
			return false;
		}
	}
	return true;
}

/* Of i->bare, which is no typedef and no qualifier. */
static void bare_info(const struct pt_type *t, struct pt_type_info *i, unsigned depth)
{
	Dwarf_Die *die = &i->bare.die;
	int tag = dwarf_tag(die);

	i->size_bytes = byte_size(die);
	switch (tag) {
	case DW_TAG_base_type:
		base_info(die, i);
		return;
	case DW_TAG_enumeration_type:
		i->kind = PT_TYPE_INTEGER;
		i->is_signed = enum_signed(die, depth);
		return;
	case DW_TAG_ptr_to_member_type:
		i->is_member = true;
		/* fall through */
	case DW_TAG_pointer_type: case DW_TAG_reference_type: case DW_TAG_rvalue_reference_type:
		i->kind = tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type
				  ? PT_TYPE_REFERENCE
				  : PT_TYPE_POINTER;
		pt_type_of(die, &i->target);
		if (!i->size_bytes)
			i->size_bytes = address_bytes(die);
		return;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_interface_type:
		i->kind = PT_TYPE_STRUCT;
		i->is_union = tag == DW_TAG_union_type;
		i->incomplete = dwarf_hasattr(die, DW_AT_declaration);
		pt_type_complete(i, dwarf_cu_getdwarf(die->cu));
		return;
	case DW_TAG_array_type:
		if (!dwarf_hasattr(die, DW_AT_GNU_vector))
			array_info(t, die, i, depth);
		return;
	case DW_TAG_subroutine_type:
		i->kind = PT_TYPE_FUNCTION;
		return;
	case DW_TAG_unspecified_type:	/* decltype(nullptr) */
		i->kind = i->size_bytes ? PT_TYPE_UNKNOWN : PT_TYPE_VOID;
		return;
	}
}

static void info(const struct pt_type *t, struct pt_type_info *i, unsigned depth)
{
	*i = (struct pt_type_info){ .kind = PT_TYPE_UNKNOWN };
	if (depth > MAX_ARRAYS)
		return;
	if (t->address_of) {
		i->kind = PT_TYPE_POINTER;
		i->target = *t;
		i->target.address_of--;
		i->bare.die = t->die;
		i->size_bytes = t->none || t->btf ? 8 : address_bytes(&i->bare.die);
		return;
	}
	if (t->none) {
		i->kind = PT_TYPE_VOID;
		return;
	}
	if (t->btf) {
		pt_type_btf_info(t, i);
		return;
	}
	i->bare.die = t->die;
	if (type_strip(&i->bare.die, &i->kind))
		bare_info(t, i, depth);
}

void pt_type_info(const struct pt_type *t, struct pt_type_info *i)
{
	info(t, i, 0);
}
