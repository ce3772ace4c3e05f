#include "probe/value/var_priv.h"

#include <dwarf.h>
#include <inttypes.h>
#include <string.h>

#include "probe/value/btf.h"

enum { MAX_FOLLOWED = 8 };

void pt_obj_deinit(struct pt_obj *o)
{
	pt_loc_deinit(&o->loc);
}

static struct pt_loc_piece *only_piece(struct pt_loc *l, enum pt_loc_kind kind)
{
	l->nr = 1;
	l->v[0] = (struct pt_loc_piece){ .kind = kind, .chain = { .bits = 64 } };
	return &l->v[0];
}

static void set_type(struct pt_obj *o, const struct pt_type *t)
{
	struct pt_type_info i;

	pt_type_info(t, &i);
	o->type = *t;
	o->whole_bytes = i.size_bytes;
}

/* A constant without a location. */
static int of_const_value(struct pt_obj *o, Dwarf_Die *var, struct pt_err *e)
{
	struct pt_loc_piece *p;
	Dwarf_Attribute a;
	Dwarf_Block block;
	int64_t v;

	if (pt_type_const(var, DW_AT_const_value, &v)) {
		only_piece(&o->loc, PT_LOC_VALUE)->chain.off[0] = v;
		return 0;
	}
	if (dwarf_formblock(dwarf_attr_integrate(var, DW_AT_const_value, &a), &block))
		return pt_err_set(e, "it is a constant that cannot be read");
	p = only_piece(&o->loc, PT_LOC_BYTES);
	p->bytes = block.data;
	p->nr_bytes = block.length;
	return 0;
}

/* Unoptimised code has one location for the whole function. A parameter is not there until the
 * prologue has stored it. */
static bool too_early(const struct pt_obj *o, const struct pt_var_scope *s, Dwarf_Die *var,
		      Dwarf_Attribute *a)
{
	Dwarf_Block expression;

	if (!s->nr_scopes || dwarf_tag(var) != DW_TAG_formal_parameter ||
	    dwarf_tag((Dwarf_Die *)&s->scopes[0]) != DW_TAG_subprogram)
		return false;
	if (s->body_vaddr ? s->vaddr >= s->body_vaddr : !s->entry)
		return false;
	return !dwarf_formblock(a, &expression) && o->loc.nr == 1 && o->loc.v[0].on_frame;
}

int pt_obj_of_var(struct pt_obj *o, const struct pt_var_scope *s, Dwarf_Die *var, struct pt_err *e)
{
	Dwarf_Attribute a;
	Dwarf_Die def = *var;
	struct pt_type type, declared;
	uint64_t vaddr;

	*o = (struct pt_obj){ .off = 0 };
	pt_type_of(var, &declared);
	if (dwarf_hasattr_integrate(&def, DW_AT_declaration) &&
	    !dwarf_hasattr_integrate(&def, DW_AT_location) &&
	    !dwarf_hasattr_integrate(&def, DW_AT_const_value) && !pt_var_definition(s, var, &def)) {
		set_type(o, &declared);
		if (!pt_var_symbol(s, var, &vaddr))
			return pt_err_set(
				e,
				"it is declared only: optimised out, or defined elsewhere (in a library?)");
		only_piece(&o->loc, PT_LOC_MEMORY)->chain = (struct pt_chain){
			.base = PT_BASE_OBJECT, .bits = 64, .off = { (int64_t)vaddr }
		};
		return pt_obj_follow(o, s, e);
	}
	pt_type_of(&def, &type);
	set_type(o, type.none ? &declared : &type);
	if (dwarf_attr_integrate(&def, DW_AT_location, &a)) {
		if (pt_loc_of(&o->loc, s, &a, e) < 0)
			return -1;
		if (too_early(o, s, &def, &a))
			return pt_err_set(
				e,
				"it is not stored yet here, in the function's first instructions; take $argN, or a place after them");
		if (s->ret && o->loc.v[0].chain.base != PT_BASE_OBJECT)
			return pt_err_set(
				e,
				"it is gone when the function has returned: there are $retval and global variables");
	} else if (dwarf_hasattr_integrate(&def, DW_AT_const_value)) {
		if (of_const_value(o, &def, e) < 0)
			return -1;
	} else {
		return pt_err_set(e, "it is optimised out");
	}
	return pt_obj_follow(o, s, e);
}

/* By the calling convention each parameter before this one takes one register or word. */
static int place_by_convention(const struct pt_var_scope *s, unsigned nr, struct pt_loc_piece *p,
			       struct pt_err *e)
{
	const struct pt_btf_func *f = s->func;

	for (unsigned k = 0; k <= nr; k++) {
		struct pt_type_info i;
		bool whole;

		pt_type_info(&f->params[k].type, &i);
		whole = i.kind == PT_TYPE_STRUCT || i.kind == PT_TYPE_ARRAY;
		if (i.size_bytes && i.size_bytes <= 8 && i.kind != PT_TYPE_FLOAT &&
		    !(whole && k == nr))
			continue;
		return pt_err_set(
			e,
			"parameter %s is %s, so the place of %s by the calling convention is not known; $argN or %%REG name one",
			*f->params[k].name ? f->params[k].name : "...",
			whole ? "a structure by value" : "of no plain type", f->params[nr].name);
	}
	if (!pt_loc_argument(s, nr + 1, p))
		return pt_err_set(
			e,
			"the calling convention of this CPU is not known; name registers: %%REG");
	return 0;
}

static int no_parameter(const struct pt_btf_func *f, const char *why, struct pt_err *e)
{
	struct pt_buf text = PT_BUF_INIT;

	for (unsigned i = 0; i < f->nr_params; i++) {
		pt_buf_puts(&text, i ? ", " : "");
		pt_type_name(&f->params[i].type, -1, &text);
		pt_buf_printf(&text, " %s", f->params[i].name);
	}
	pt_err_set(e, "it is no parameter of %s(%s)%s%s", f->name, pt_buf_str(&text),
		   why ? "; other variables need debug information: " : "", why ? why : "");
	pt_buf_deinit(&text);
	return -1;
}

int pt_obj_of_param(struct pt_obj *o, const struct pt_var_scope *s, const char *name,
		    struct pt_err *e)
{
	unsigned nr = 0;

	*o = (struct pt_obj){ .off = 0 };
	while (nr < s->func->nr_params && strcmp(s->func->params[nr].name, name))
		nr++;
	if (nr == s->func->nr_params)
		return no_parameter(s->func, s->why_no_types, e);
	set_type(o, &s->func->params[nr].type);
	if (s->ret)
		return pt_err_set(e, "parameters are gone at the return; $retval is there");
	if (!s->entry)
		return pt_err_set(
			e,
			"parameters are where the calling convention has them at the function's first instruction only");
	o->loc.nr = 1;
	return place_by_convention(s, nr, &o->loc.v[0], e);
}

const struct pt_loc_piece *pt_obj_piece(const struct pt_obj *o, uint64_t len, uint64_t *off,
					struct pt_err *e)
{
	uint64_t at = 0;

	*off = o->off;
	if (o->loc.nr == 1 && !o->loc.v[0].size_bytes)
		return &o->loc.v[0];
	for (unsigned i = 0; i < o->loc.nr; i++) {
		const struct pt_loc_piece *p = &o->loc.v[i];

		if (o->off >= at && o->off - at < p->size_bytes) {
			*off = o->off - at;
			if (len <= p->size_bytes - *off)
				return p;
			pt_err_set(e, "it is in pieces");
			return NULL;
		}
		at += p->size_bytes;
	}
	pt_err_set(e, "it is optimised out here");
	return NULL;
}

uint64_t pt_obj_number(const struct pt_var_scope *s, const uint8_t *p, unsigned len)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < len; i++)
		v |= (uint64_t)p[i] << 8 * (s->big_endian ? len - 1 - i : i);
	return v;
}

int pt_obj_no_value(const struct pt_loc_piece *p, struct pt_err *e)
{
	switch (p->kind) {
	case PT_LOC_NOWHERE: return pt_err_set(e, "it is optimised out here");
	case PT_LOC_COMPUTED: return pt_err_set(e, "%s", p->why);
	case PT_LOC_POINTER:
		return pt_err_set(
			e,
			"it points to something that is optimised out of memory; what that holds may be had through it");
	default: return pt_err_set(e, "it is computed");
	}
}

int pt_obj_pointer(const struct pt_obj *o, const struct pt_var_scope *s, struct pt_chain *c,
		   struct pt_err *e)
{
	uint64_t off;
	unsigned word_bits = s->word_bytes * 8u;
	const struct pt_loc_piece *p = pt_obj_piece(o, s->word_bytes, &off, e);

	if (!p)
		return -1;
	if (o->bits)
		return pt_err_set(e, "it is a bit field");
	*c = p->chain;
	switch (p->kind) {
	case PT_LOC_MEMORY:
		if (c->bits < word_bits)
			return pt_err_set(e, "it is at an address that is computed");
		c->off[c->nr_reads] = (int64_t)((uint64_t)c->off[c->nr_reads] + off);
		return pt_chain_read(c) ? 0 : pt_err_set(e, "it lies behind too many pointers");
	case PT_LOC_REGISTER:
	case PT_LOC_VALUE:
		if (off || c->bits < word_bits)
			return pt_err_set(e, "it is in a part of a register");
		return 0;
	case PT_LOC_BYTES:
		if (off > p->nr_bytes || p->nr_bytes - off < s->word_bytes)
			return pt_err_set(e, "it is optimised out here");
		*c = (struct pt_chain){ .bits = 64 };
		c->off[0] = (int64_t)pt_obj_number(s, p->bytes + off, s->word_bytes);
		return 0;
	default:
		return pt_obj_no_value(p, e);
	}
}

/* Follows a pointer to something without an address: goes on at that variable. */
static int through(struct pt_obj *o, const struct pt_var_scope *s, const struct pt_loc_piece *p,
		   const struct pt_type *t, struct pt_err *e)
{
	Dwarf_Die var = p->target;
	int64_t off = p->target_off;
	struct pt_obj to;

	if (pt_obj_of_var(&to, s, &var, e) < 0) {
		pt_obj_deinit(&to);
		return -1;
	}
	if (off < 0 || (to.whole_bytes && (uint64_t)off >= to.whole_bytes)) {
		pt_obj_deinit(&to);
		return pt_err_set(e, "it points outside of what it is known to point to");
	}
	pt_obj_deinit(o);
	*o = to;
	o->type = *t;
	o->off = (uint64_t)off;
	return 0;
}

int pt_obj_deref(struct pt_obj *o, const struct pt_var_scope *s, struct pt_err *e)
{
	struct pt_type_info i;
	struct pt_chain c;
	const struct pt_loc_piece *p;
	uint64_t off;

	pt_type_info(&o->type, &i);
	if (i.kind == PT_TYPE_ARRAY)
		return pt_obj_index(o, s, i.lower, e);
	if ((i.kind != PT_TYPE_POINTER && i.kind != PT_TYPE_REFERENCE) || i.is_member)
		return pt_err_set(e, "it is no pointer");
	if (i.size_bytes != s->word_bytes)
		return pt_err_set(e, "it is a pointer of %" PRIu64 " bytes", i.size_bytes);
	if (o->loc.nr == 1 && o->loc.v[0].kind == PT_LOC_POINTER && !o->off)
		return through(o, s, &o->loc.v[0], &i.target, e);
	p = pt_obj_piece(o, s->word_bytes, &off, e);
	if (p && p->kind == PT_LOC_POINTER && !off)
		return through(o, s, p, &i.target, e);
	if (pt_obj_pointer(o, s, &c, e) < 0)
		return -1;
	pt_obj_deinit(o);
	set_type(o, &i.target);
	o->off = 0;
	o->bits = 0;
	if (i.to_user)
		c.user_reads |= (uint16_t)(1u << c.nr_reads);
	only_piece(&o->loc, PT_LOC_MEMORY)->chain = c;
	return 0;
}

int pt_obj_follow(struct pt_obj *o, const struct pt_var_scope *s, struct pt_err *e)
{
	struct pt_type_info i;
	unsigned steps;

	for (steps = 0; steps < MAX_FOLLOWED; steps++) {
		pt_type_info(&o->type, &i);
		if (i.kind != PT_TYPE_REFERENCE)
			return 0;
		if (pt_obj_deref(o, s, e) < 0)
			return -1;
	}
	return pt_err_set(e, "it is a reference to itself");
}

int pt_obj_member(struct pt_obj *o, const struct pt_var_scope *s, const char *name,
		  struct pt_err *e)
{
	struct pt_type_info i;
	struct pt_type_member m;
	struct pt_buf b = PT_BUF_INIT;
	Dwarf_Die var, cu = s->cu;

	pt_type_info(&o->type, &i);
	if (i.kind != PT_TYPE_STRUCT) {
		pt_type_name(&o->type, pt_type_language(&cu), &b);
		pt_err_set(e, "it is no structure (%s)", pt_buf_str(&b));
		pt_buf_deinit(&b);
		return -1;
	}
	pt_var_complete(s, &i);
	if (i.incomplete)
		return pt_err_set(
			e,
			"its structure is declared only: the debug information does not tell its members");
	switch (pt_type_member(&i, name, &m)) {
	case PT_TYPE_FOUND:
		break;
	case PT_TYPE_VIRTUAL_BASE:
		return pt_err_set(
			e, "%s is in a virtual base class, whose place is computed from the object",
			name);
	case PT_TYPE_TWICE:
		return pt_err_set(e, "%s is in several of its base classes", name);
	default:
		pt_type_members(&i, &b, 12);
		pt_err_set(e, b.len ? "it has no member %s; there are %s" : "it has no member %s",
			   name, pt_buf_str(&b));
		pt_buf_deinit(&b);
		return -1;
	}
	if (m.is_static) {
		var = m.die;
		pt_obj_deinit(o);
		return pt_obj_of_var(o, s, &var, e);
	}
	if (m.off > INT64_MAX / 4)
		return pt_err_set(e, "its place is damaged");
	o->off += m.off;
	o->type = m.type;
	o->bits = m.bits;
	o->bit_bytes_off = m.bit_bytes_off;
	return pt_obj_follow(o, s, e);
}

int pt_obj_index(struct pt_obj *o, const struct pt_var_scope *s, int64_t index, struct pt_err *e)
{
	struct pt_type_info i, t;
	struct pt_type elem;
	struct pt_buf members = PT_BUF_INIT;
	bool pointer;

	pt_type_info(&o->type, &i);
	pointer = i.kind == PT_TYPE_POINTER && !i.is_member;
	if (i.kind != PT_TYPE_ARRAY && !pointer) {
		pt_type_members(&i, &members, 8);
		pt_err_set(e,
			   members.len ? "it is neither array nor pointer, but has members: %s"
				       : "it is neither array nor pointer",
			   pt_buf_str(&members));
		pt_buf_deinit(&members);
		return -1;
	}
	elem = i.target;
	pt_type_info(&elem, &t);
	pt_var_complete(s, &t);
	if (!t.size_bytes || t.size_bytes > INT32_MAX)
		return pt_err_set(e, "the size of its elements is not known");
	if (i.odd)
		return pt_err_set(e, "its elements are not in a row, or are told by a descriptor");
	if (i.kind == PT_TYPE_ARRAY) {
		if (index < i.lower || (i.nr && (uint64_t)index - (uint64_t)i.lower >= i.nr))
			return i.nr ? pt_err_set(e, "it has elements %" PRId64 " to %" PRId64,
						 i.lower, (int64_t)((uint64_t)i.lower + i.nr - 1))
				    : pt_err_set(e, "its first element is %" PRId64, i.lower);
		index = (int64_t)((uint64_t)index - (uint64_t)i.lower);
	}
	if (pointer && pt_obj_deref(o, s, e) < 0)
		return -1;
	if (pointer && (o->loc.nr != 1 || o->loc.v[0].kind != PT_LOC_MEMORY) &&
	    (index < 0 || o->off + (uint64_t)index * t.size_bytes >= o->whole_bytes))
		return pt_err_set(
			e,
			"it points to something that is optimised out of memory, and has no such element");
	o->type = elem;
	o->off += (uint64_t)index * t.size_bytes;
	return pt_obj_follow(o, s, e);
}

int pt_obj_address(struct pt_obj *o, struct pt_err *e)
{
	struct pt_loc_piece p;

	if (o->bits)
		return pt_err_set(e, "a bit field has no address");
	if (o->loc.nr != 1 || o->loc.v[0].kind != PT_LOC_MEMORY)
		return o->loc.nr == 1 && o->loc.v[0].kind == PT_LOC_COMPUTED
			       ? pt_obj_no_value(&o->loc.v[0], e)
			       : pt_err_set(e, "it is not in memory here, and has no address");
	if (o->type.address_of == UINT8_MAX)
		return pt_err_set(e, "too many &");
	p = o->loc.v[0];
	p.kind = PT_LOC_VALUE;
	p.size_bytes = 0;
	p.chain.off[p.chain.nr_reads] = (int64_t)((uint64_t)p.chain.off[p.chain.nr_reads] + o->off);
	o->loc.v[0] = p;
	o->off = 0;
	o->type.address_of++;
	o->whole_bytes = 0;
	return 0;
}
