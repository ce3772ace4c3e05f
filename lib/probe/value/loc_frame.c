#include "probe/value/loc_priv.h"

#include <dwarf.h>

#include "unwind/cfi.h"

const struct pt_row *loc_row(const struct pt_var_scope *s, uint64_t vaddr)
{
	const struct pt_row *r = s->object ? pt_cfi_row(s->object, vaddr) : NULL;

	return !r && s->debug && s->debug != s->object ? pt_cfi_row(s->debug, vaddr) : r;
}

struct value loc_cfa(struct eval *v)
{
	const struct pt_row *r = loc_row(v->s, loc_pc(v));
	struct value x = loc_const(0);

	if (!r && !v->caller && loc_entry_cfa(v->s, &x.c))
		return x;
	if (!r)
		return loc_unknown(
			"it lies in the frame, and no call frame information tells where that is here");
	if (r->cfa_kind == PT_CFA_EXPR)
		return loc_unknown("it lies in the frame, whose place is computed here");
	if (!pt_loc_reg(v->s->machine, r->cfa_reg))
		return loc_unknown(
			"it lies in the frame, which hangs on a register that the kernel cannot fetch");
	x = loc_of_reg(v, r->cfa_reg, r->cfa_off);
	if (r->cfa_kind == PT_CFA_DEREF)
		loc_read(v, &x, 0);
	return x;
}

static bool same_cfa(const struct pt_row *a, const struct pt_row *b)
{
	return a->cfa_kind == b->cfa_kind && a->cfa_reg == b->cfa_reg && a->cfa_off == b->cfa_off;
}

/* A frame base that is a register (clang's) is valid only between prologue and epilogue, but no
 * list says so. Call frame information does: it is valid behind the prologue, and where the CFA is
 * relative to that register. */
static const char *base_not_set(const struct eval *v, unsigned reg)
{
	const struct pt_var_scope *s = v->s;
	const struct pt_row *r = loc_row(s, loc_pc(v)),
			    *body = s->body_vaddr && !v->caller ? loc_row(s, s->body_vaddr) : NULL;
	const char *why =
		"the function's frame is not set up here (in its first or last instructions)";

	/* calls are behind the prologue, but arguments may be on the stack */
	if (v->caller)
		return !r || r->cfa_reg != reg || reg == loc_sp(s->machine) ? why : NULL;
	if (s->entry)
		return why;
	if (!r)
		return s->body_vaddr && s->vaddr < s->body_vaddr ? why : NULL;
	if (reg == loc_sp(s->machine))
		return body && r->cfa_reg == reg && !same_cfa(r, body) ? why : NULL;
	return r->cfa_reg != reg ? why : NULL;
}

/* The out-of-line function of the frame. */
static bool frame_base(struct eval *v, Dwarf_Attribute *a)
{
	Dwarf_Die f;

	if (!v->s->nr_scopes)
		return false;
	f = v->caller ? v->caller->func : v->s->scopes[0];
	return dwarf_attr_integrate(&f, DW_AT_frame_base, a) != NULL;
}

int loc_fbreg(struct eval *v, int64_t off)
{
	Dwarf_Attribute a;
	struct eval sub = {
		.s = v->s, .caller = v->caller, .nested = v->nested + 1, .left = v->left, .e = v->e
	};
	struct value x;
	const char *why = NULL;

	if (v->nested == LOC_MAX_NESTED)	/* it needs itself */
		return loc_damaged(v);
	if (!frame_base(v, &a))
		return pt_err_set(v->e, "it lies in the frame, and the debug information does not "
					"tell where that is");
	if (loc_eval(&sub, &a) < 0)
		return -1;
	v->left = sub.left;
	if (sub.kind == PT_LOC_REGISTER) {
		why = base_not_set(v, sub.special.chain.reg);
		x = loc_of_reg(v, sub.special.chain.reg, 0);
	} else if (sub.kind == PT_LOC_MEMORY && sub.nr) { /* the expression's result is the base */
		x = sub.stack[sub.nr - 1];
		if (!v->caller && x.c.base == PT_BASE_REG && !x.c.nr_reads && !x.cfa)
			why = base_not_set(v, x.c.reg);
	} else {
		why = "it lies in the frame, whose place is computed here";
	}
	if (why)
		x = loc_unknown("%s", why);
	loc_add(v, &x, off);
	return loc_push(v, x);
}

/* The nearest address from here on for which a list has a location. */
static bool known_from(Dwarf_Attribute *attr, uint64_t vaddr, uint64_t *from)
{
	Dwarf_Addr base, start, end;
	Dwarf_Op *ops;
	size_t nr;
	ptrdiff_t off = 0;
	unsigned budget = 4096;
	bool found = false;

	while (budget-- &&
	       (off = dwarf_getlocations(attr, off, &base, &start, &end, &ops, &nr)) > 0)
		if (start > vaddr && nr && (!found || start < *from)) {
			*from = start;
			found = true;
		}
	return found;
}

int loc_nowhere(struct eval *v, Dwarf_Attribute *attr)
{
	uint64_t from = 0;

	if (known_from(attr, v->s->vaddr, &from) && from - v->s->vaddr < 1 << 20)
		return pt_err_set(v->e, "it has no value here (optimised out; it has one %llu "
					"bytes further on)",
				  (unsigned long long)(from - v->s->vaddr));
	return pt_err_set(v->e, "it is optimised out here");
}

/* The stack pointer moves within a frame. A list's entry relative to it is valid only where it has
 * the same value as at the entry's start. */
bool loc_moved_sp(const struct eval *v, Dwarf_Attribute *attr, const Dwarf_Op *ops, size_t nr)
{
	Dwarf_Addr base, start, end;
	Dwarf_Op *at;
	size_t n, i = 0;
	ptrdiff_t off = 0;
	unsigned budget = 4096, sp = loc_sp(v->s->machine);
	const struct pt_row *a, *b;

	while (i < nr && ops[i].atom != DW_OP_breg0 + sp)
		i++;
	if (i == nr)
		return false;
	while (budget-- && (off = dwarf_getlocations(attr, off, &base, &start, &end, &at, &n)) > 0)
		if (at == ops && start <= v->s->vaddr && v->s->vaddr < end &&
		    end - start < 1 << 30) {
			a = loc_row(v->s, start);
			b = loc_row(v->s, v->s->vaddr);
			return a && b && a->cfa_reg == sp && b->cfa_reg == sp && !same_cfa(a, b);
		}
	return false;
}
