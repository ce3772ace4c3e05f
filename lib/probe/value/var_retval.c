/* var_retval.c - where a function's result is when it returns. Source: x86-64 psABI 3.2.3 */
#include "probe/value/var_priv.h"

#include <dwarf.h>
#include <elf.h>
#include <inttypes.h>

#include "base/mem.h"
#include "probe/value/btf.h"

enum { EIGHT = 8, MAX_DEPTH = 16, MAX_MEMBERS = 1 << 12, RAX = 0, RDX = 1 };

enum class { NOTHING, INTEGER, SSE, MEMORY };

/* Merges a class into the classes of the two eightbytes. */
static void var_retval_merge(enum class v[2], uint64_t off, uint64_t bytes, enum class c)
{
	uint64_t i;

	for (i = off / EIGHT; bytes && i <= (off + bytes - 1) / EIGHT && i < 2; i++)
		v[i] = c == MEMORY || v[i] == MEMORY     ? MEMORY
		       : c == INTEGER || v[i] == INTEGER ? INTEGER
							 : c;
	if (c == MEMORY || off + bytes > 2 * EIGHT)
		v[0] = MEMORY;
}

static void classify(const struct pt_type *t, uint64_t off, enum class v[2], unsigned depth,
		     unsigned *left);

static void of_members(Dwarf_Die *die, uint64_t off, enum class v[2], unsigned depth,
		       unsigned *left)
{
	struct pt_type_member m;

	for (Dwarf_Die d = { 0 }; pt_die_next(die, &d, left); ) {
		int tag = dwarf_tag(&d);

		if (tag != DW_TAG_member && tag != DW_TAG_inheritance)
			continue;
		if (pt_type_member_entry(&d, &m) != PT_TYPE_FOUND ||
		    (!m.is_static && m.off > 2 * EIGHT)) {
			var_retval_merge(v, off, 1, MEMORY);
			return;
		}
		if (m.bits)
			var_retval_merge(v, off + m.off, (m.bit_bytes_off + m.bits + 7) / 8,
					 INTEGER);
		else if (!m.is_static)
			classify(&m.type, off + m.off, v, depth + 1, left);
	}
}

/* MEMORY: returned in memory, or not handled here. */
static void classify(const struct pt_type *t, uint64_t off, enum class v[2], unsigned depth,
		     unsigned *left)
{
	struct pt_type_info i;
	int64_t enc = 0;
	uint64_t k;

	pt_type_info(t, &i);
	if (depth > MAX_DEPTH || !*left || !--*left) {
		var_retval_merge(v, off, 1, MEMORY);
		return;
	}
	switch (i.kind) {
	case PT_TYPE_INTEGER: case PT_TYPE_POINTER: case PT_TYPE_REFERENCE:
		var_retval_merge(v, off, i.size_bytes,
				 !i.size_bytes || off % i.size_bytes ? MEMORY : INTEGER);
		return;
	/* complex numbers are two numbers; long double is not handled */
	case PT_TYPE_FLOAT:
		pt_type_const(&i.bare.die, DW_AT_encoding, &enc);
		var_retval_merge(v, off, i.size_bytes,
				 i.size_bytes > 8 || !i.size_bytes ||
				      off % (enc == DW_ATE_complex_float ? 4 : i.size_bytes)
			      ? MEMORY
			      : SSE);
		return;
	case PT_TYPE_STRUCT:
		if (i.incomplete)
			break;
		of_members(&i.bare.die, off, v, depth, left);
		return;
	case PT_TYPE_ARRAY: {
		struct pt_type_info e;

		pt_type_info(&i.target, &e);
		if (!i.nr || !e.size_bytes || i.odd)
			break;
		for (k = 0; k < i.nr && off + k * e.size_bytes < 2 * EIGHT; k++)
			classify(&i.target, off + k * e.size_bytes, v, depth + 1, left);
		return;
	}
	default:
		break;
	}
	var_retval_merge(v, off, 1, MEMORY);
}

/* Only languages that follow the psABI, and types that can be copied bytewise. */
static bool by_psabi(const struct pt_var_scope *s, Dwarf_Die *type)
{
	Dwarf_Die cu = s->cu;
	int64_t cc = 0;

	if (s->kernel || s->machine != EM_X86_64 || s->word_bytes != 8)
		return false;
	switch (pt_type_language(&cu)) {
	case DW_LANG_C: case DW_LANG_C89: case DW_LANG_C99: case DW_LANG_C11:
		return true;
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
		return pt_type_const(type, DW_AT_calling_convention, &cc) &&
		       cc == DW_CC_pass_by_value;
	default:
		return false;
	}
}

/* A structure of up to 16 bytes is in one register of its class for each eightbyte. False: unknown.
 */
static bool in_registers(struct pt_obj *o, const struct pt_var_scope *s, struct pt_type_info *i)
{
	enum class v[2] = { NOTHING, NOTHING };
	unsigned left = MAX_MEMBERS, k, nr = i->size_bytes > EIGHT ? 2 : 1, integers = 0,
		 vectors = 0;

	if (!by_psabi(s, &i->bare.die) || !i->size_bytes)
		return false;
	classify(&o->type, 0, v, 0, &left);
	if (v[0] == MEMORY || v[1] == MEMORY || !left)
		return false;
	for (k = 0; k < nr; k++) {
		struct pt_loc_piece *p = &o->loc.v[k];

		*p = (struct pt_loc_piece){ .kind = PT_LOC_NOWHERE,
					    .chain = { .base = PT_BASE_REG, .bits = 64 },
					    .size_bytes = nr == 1 ? 0
							  : k     ? i->size_bytes - EIGHT
								  : EIGHT };
		if (v[k] == INTEGER) {
			p->kind = PT_LOC_REGISTER;
			p->chain.reg = integers++ ? RDX : RAX;
		} else if (v[k] == SSE) {
			p->kind = PT_LOC_COMPUTED;
			p->why = pt_asprintf("it is in %%xmm%u, which the kernel cannot fetch",
					     vectors++);
		}
	}
	o->loc.nr = nr;
	return true;
}

/* x86-64 returns what is larger than two words, or not trivial to copy, in memory, and its address
 * as the value. */
int pt_obj_of_retval(struct pt_obj *o, const struct pt_var_scope *s, struct pt_err *e)
{
	struct pt_type_info i;
	struct pt_loc_piece *p = &o->loc.v[0];
	Dwarf_Die f;
	int64_t cc = 0;

	*o = (struct pt_obj){ .off = 0 };
	if (!s->ret)
		return pt_err_set(e,
				  "there is a return value at a return probe only (FUNC%%return)");
	*p = (struct pt_loc_piece){ .kind = PT_LOC_REGISTER,
				    .chain = { .base = PT_BASE_RETVAL, .bits = 64 } };
	o->loc.nr = 1;
	if (s->func) {
		o->type = s->func->result;
	} else if (s->has_cu && s->nr_scopes) {
		f = s->scopes[0];
		pt_type_of(&f, &o->type);
	} else {
		return pt_err_set(
			e,
			"the function's type is not known without debug information; say one: $retval:s64");
	}
	pt_type_info(&o->type, &i);
	o->whole_bytes = i.size_bytes;
	switch (i.kind) {
	case PT_TYPE_VOID:
		return pt_err_set(e, "the function returns nothing");
	case PT_TYPE_FLOAT:
		return pt_err_set(
			e,
			"it is a floating-point number, in a register that the kernel cannot fetch");
	case PT_TYPE_STRUCT:
		if (!i.bare.btf)
			pt_type_const(&i.bare.die, DW_AT_calling_convention, &cc);
		if (s->machine == EM_X86_64 && s->word_bytes == 8 &&
		    (i.size_bytes > 16 || cc == DW_CC_pass_by_reference))
			p->kind = PT_LOC_MEMORY;
		else if (i.size_bytes > 16 || !in_registers(o, s, &i))
			return pt_err_set(
				e,
				"it is a structure, and which registers it is returned in is not known here");
		break;
	case PT_TYPE_INTEGER: case PT_TYPE_POINTER: case PT_TYPE_REFERENCE:
		if (i.size_bytes > s->word_bytes)
			return pt_err_set(e, "it is %" PRIu64 " bytes wide, more than one register",
					  i.size_bytes);
		break;
	default:
		return pt_err_set(e, "its type is none that the kernel can fetch");
	}
	return pt_obj_follow(o, s, e);
}
