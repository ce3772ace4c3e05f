/* loc_caller.c - values that only the callers know. Call frame information tells which of a
 * caller's registers are preserved. The callers are known if all references to a function are
 * direct calls (probe/where/call_sites.h). Their call sites in the debug information tell what they
 * pass. The value is known if all of them pass the same one. */
#include "probe/value/loc_priv.h"

#include <dwarf.h>
#include <elf.h>

#include "probe/value/type.h"
#include "probe/where/call_sites.h"
#include "unwind/cfi.h"

enum {
	MAX_ENTRIES = 1 << 20,
	MAX_DEPTH = 64,
	MAX_ORIGINS = 4,
	SEARCH_COST = LOC_MAX_OPS / 32,
	X86_64_SP = 7
};

/* x86-64 only: references to functions are not known for other CPUs. */
static bool kept_by_calls(uint16_t machine, unsigned reg)
{
	return machine == EM_X86_64 && (reg == 3 || reg == 6 || (reg >= 12 && reg <= 15));
}

static const struct pt_reg_rule *rule_of(const struct pt_row *r, unsigned reg)
{
	for (unsigned i = 0; i < r->nr_rules; i++)
		if (r->rules[i].reg == reg)
			return &r->rules[i];
	return NULL;
}

static struct value not_kept(const struct eval *v, unsigned reg)
{
	char text[64];

	pt_loc_reg_text(v->s->machine, reg, text, sizeof(text));
	return loc_unknown("it depends on what %s held in the caller, which is not kept", text);
}

struct value loc_caller_reg(struct eval *v, unsigned reg)
{
	struct eval in = { .s = v->s, .caller = v->caller->inner, .left = v->left };
	const struct pt_row *r = loc_row(v->s, loc_pc(&in));
	const struct pt_reg_rule *rule = r ? rule_of(r, reg) : NULL;
	struct value x;

	if (!r || r->signal)
		return loc_unknown(
			"it is its caller's, and no call frame information tells where that has its own");
	if (reg == X86_64_SP && !rule)	/* the caller's stack pointer before the call */
		return loc_cfa(&in);
	if (!kept_by_calls(v->s->machine, reg))
		return not_kept(v, reg);
	if (!rule || rule->rule == PT_RULE_SAME)
		return loc_of_reg(&in, reg, 0);
	if (rule->rule == PT_RULE_REGISTER)
		return loc_of_reg(&in, (uint64_t)rule->off, 0);
	if (rule->rule != PT_RULE_OFFSET && rule->rule != PT_RULE_VAL_OFFSET)
		return not_kept(v, reg);
	x = loc_cfa(&in);
	loc_add(&in, &x, rule->off);
	if (rule->rule == PT_RULE_OFFSET)
		loc_read(&in, &x, 0);
	return x;
}

bool pt_loc_entry_of(Dwarf_Die *func, Dwarf_Addr *entry)
{
	Dwarf_Addr base, end;

	return !dwarf_entrypc(func, entry) || dwarf_ranges(func, 0, &base, entry, &end) > 0;
}

static bool is_site(Dwarf_Die *d, uint64_t behind)
{
	int tag = dwarf_tag(d);
	Dwarf_Attribute a;
	Dwarf_Addr at;

	return (tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site) &&
	       (dwarf_attr(d, DW_AT_call_return_pc, &a) || dwarf_attr(d, DW_AT_low_pc, &a)) &&
	       !dwarf_formaddr(&a, &at) && at == behind;
}

struct search {
	uint64_t behind;		/* the call's return address */
	unsigned left;			/* limit of entries to visit */
	struct loc_caller *c;
};

/* Searches for the call site. `func`: the enclosing out-of-line function. */
static bool find_site(struct search *x, Dwarf_Die *parent, const Dwarf_Die *func, unsigned depth)
{
	for (Dwarf_Die d = { 0 }; depth <= MAX_DEPTH && pt_die_next(parent, &d, &x->left); ) {
		switch (dwarf_tag(&d)) {
		case DW_TAG_call_site: case DW_TAG_GNU_call_site:
			if (!func || !is_site(&d, x->behind))
				break;
			x->c->site = d;
			x->c->func = *func;
			return true;
		case DW_TAG_subprogram:
			if (dwarf_haspc(&d, x->behind - 1) > 0
				    ? find_site(x, &d, &d, depth + 1)
				    : !func && find_site(x, &d, NULL, depth + 1))
				return true;
			break;
		case DW_TAG_lexical_block:
		case DW_TAG_inlined_subroutine:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
			if (find_site(x, &d, func, depth + 1))
				return true;
			break;
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
		case DW_TAG_union_type:
			if (!func && find_site(x, &d, NULL, depth + 1))
				return true;
			break;
		}
	}
	return false;
}

/* Searches the place's unit, then the others (link-time optimisation). */
static bool site_in_units(const struct pt_var_scope *s, struct search *x)
{
	struct pt_loc_units u = { .cu = s->cu };

	if (find_site(x, &u.cu, NULL, 0))
		return true;
	while (pt_loc_next_unit(s, &u))
		if (u.cu.addr != s->cu.addr && dwarf_haspc(&u.skeleton, x->behind - 1) > 0 &&
		    find_site(x, &u.cu, NULL, 0))
			return true;
	return false;
}

/* The calls of the frame's function if nothing else refers to it. */
static unsigned calls_of(struct eval *v, uint64_t calls[PT_CALL_SITES_MAX])
{
	Dwarf_Die func;
	Dwarf_Addr entry;

	if (!v->s->nr_scopes || v->s->kernel || !v->s->object)
		return 0;
	func = v->caller ? v->caller->func : v->s->scopes[0];
	return pt_loc_entry_of(&func, &entry) ? pt_call_sites(v->s->object, entry, calls) : 0;
}

static bool is_reg(Dwarf_Attribute *a, unsigned reg)
{
	Dwarf_Op *ops;
	size_t nr;
	unsigned named;

	return !dwarf_getlocation(a, &ops, &nr) && nr == 1 && loc_names_reg(ops, &named) &&
	       named == reg;
}

/* Are these two entries of one parameter (of the function and of its abstract origin)? */
static bool same_param(Dwarf_Die a, const Dwarf_Die *b)
{
	unsigned i = 0, k;

	do {
		Dwarf_Die y = *b;

		k = 0;
		do
			if (a.addr == y.addr)
				return true;
		while (++k < MAX_ORIGINS && pt_die_ref(&y, DW_AT_abstract_origin, &y));
	} while (++i < MAX_ORIGINS && pt_die_ref(&a, DW_AT_abstract_origin, &a));
	return false;
}

static bool passed(Dwarf_Die *site, unsigned reg, Dwarf_Die *param, Dwarf_Attribute *value)
{
	Dwarf_Die of;
	Dwarf_Attribute a;
	unsigned left = 4096;

	for (Dwarf_Die d = { 0 }; pt_die_next(site, &d, &left); ) {
		int tag = dwarf_tag(&d);

		if ((tag == DW_TAG_call_site_parameter || tag == DW_TAG_GNU_call_site_parameter) &&
		    (param ? (pt_die_ref(&d, DW_AT_call_parameter, &of) ||
			      pt_die_ref(&d, DW_AT_abstract_origin, &of)) &&
				     same_param(of, param)
			   : dwarf_attr(&d, DW_AT_location, &a) && is_reg(&a, reg)))
			return dwarf_attr(&d, DW_AT_call_value, value) ||
			       dwarf_attr(&d, DW_AT_GNU_call_site_value, value);
	}
	return false;
}

/* The value of the call site's expression in the caller's frame. */
static struct value call_value(struct eval *v, const struct loc_caller *c, Dwarf_Attribute *value)
{
	struct pt_err e = PT_ERR_INIT;
	struct eval out = {
		.s = v->s, .caller = c, .nested = v->nested + 1, .left = v->left, .e = &e
	};
	struct value x;

	if (out.nested == LOC_MAX_NESTED || loc_eval(&out, value) < 0)
		return loc_unknown("%s", out.nested == LOC_MAX_NESTED
						 ? "it is what its callers' callers passed"
						 : e.msg);
	v->left = out.left;
	if (out.kind == PT_LOC_REGISTER)
		return loc_of_reg(&out, out.special.chain.reg, 0);
	if ((out.kind != PT_LOC_MEMORY && out.kind != PT_LOC_VALUE) || !out.nr)
		return loc_unknown("it is computed by its caller");
	x = out.stack[out.nr - 1];
	x.cfa = x.fresh = false;
	return x;
}

static bool same_value(const struct value *a, const struct value *b)
{
	if (a->c.base != b->c.base || (a->c.base == PT_BASE_REG && a->c.reg != b->c.reg) ||
	    a->c.nr_reads != b->c.nr_reads || a->c.bits != b->c.bits ||
	    a->c.sign_extended != b->c.sign_extended || a->shift != b->shift)
		return false;
	for (unsigned i = 0; i <= a->c.nr_reads; i++)
		if (a->c.off[i] != b->c.off[i])
			return false;
	return true;
}

/* The value that all calls pass, or an unknown one with the reason. */
static struct value from_calls(struct eval *v, unsigned reg, Dwarf_Die *param,
			       const uint64_t *calls, unsigned nr)
{
	struct value x = { .unknown = true }, first = x;
	Dwarf_Attribute value;

	for (unsigned i = 0; i < nr; i++) {
		struct loc_caller c = { .inner = v->caller,
					.pc = calls[i],
					.depth = v->caller ? v->caller->depth + 1 : 1 };
		struct search s = { .behind = calls[i] + PT_CALL_SITES_BYTES,
				    .left = MAX_ENTRIES,
				    .c = &c };

		if (v->left < SEARCH_COST)
			return loc_unknown("its callers have it from many others");
		v->left -= SEARCH_COST;
		if (!site_in_units(v->s, &s) || !passed(&c.site, reg, param, &value))
			return loc_unknown(
				"the debug information does not tell what its caller passes");
		x = call_value(v, &c, &value);
		if (x.unknown)
			return x;
		if (i && !same_value(&first, &x))
			return loc_unknown("its callers pass this and that");
		first = x;
	}
	return x;
}

struct value loc_at_entry(struct eval *v, unsigned reg, Dwarf_Die *param)
{
	char what[64] = "a parameter that is optimised out";
	uint64_t calls[PT_CALL_SITES_MAX];
	struct value x;
	unsigned nr;

	if (!param) {
		pt_loc_reg_text(v->s->machine, reg, what, sizeof(what));
		if (kept_by_calls(v->s->machine, reg)) {
			struct loc_caller c = { .inner = v->caller };
			struct eval out = { .s = v->s, .caller = &c, .left = v->left };

			return loc_caller_reg(&out, reg);
		}
	}
	if (v->caller && v->caller->depth == LOC_MAX_CALLERS)
		return loc_unknown("its callers have it from theirs");
	nr = calls_of(v, calls);
	x = nr ? from_calls(v, reg, param, calls, nr)
	       : loc_unknown(
			 "its callers could tell, if a few calls were all that refers to the function");
	if (!x.unknown || v->caller)
		return x;
	return loc_unknown(
		"it is what %s held when the function was entered, which is gone by now; %s", what,
		x.why);
}
