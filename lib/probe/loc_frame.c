#include "probe/loc_priv.h"

#include <dwarf.h>
#include <elf.h>

#include "base/mem.h"
#include "code/cfi.h"

/* The row of call frame information at an address, of whichever file has it. */
static const struct pt_row *row_at(const struct pt_var_scope *s, uint64_t vaddr, struct pt_object **of)
{
	const struct pt_row *r = s->object ? pt_cfi_row(s->object, vaddr) : NULL;

	*of = s->object;
	if (!r && s->debug && s->debug != s->object) {
		r = pt_cfi_row(s->debug, vaddr);
		*of = s->debug;
	}
	return r;
}

/* Without call frame information: what the CPU's calls leave is known at a function's first instruction. */
static bool entry_cfa(const struct pt_var_scope *s, struct pt_chain *c)
{
	static const struct { uint16_t machine; uint8_t reg; int64_t off; } at_entry[] = {
		{ EM_X86_64, 7, 8 }, { EM_386, 4, 4 }, { EM_AARCH64, 31, 0 }, { EM_S390, 15, 160 },
	};
	size_t i;

	for (i = 0; s->entry && i < PT_NR(at_entry); i++)
		if (at_entry[i].machine == s->machine) {
			c->reg = at_entry[i].reg;
			c->off[0] = at_entry[i].off;
			return true;
		}
	return false;
}

static int cfa(const struct pt_var_scope *s, struct pt_chain *c, struct pt_err *e)
{
	struct pt_object *o;
	const struct pt_row *r = row_at(s, s->vaddr, &o);

	*c = (struct pt_chain){ .base = PT_BASE_REG, .bits = 64 };
	if (!r)
		return entry_cfa(s, c) ? 0 : pt_err_set(e, "it lies in the frame, and no call frame information tells where that is here");
	if (r->cfa_kind == PT_CFA_EXPR)
		return pt_err_set(e, "it lies in the frame, whose place is computed here");
	c->reg = r->cfa_reg;
	if (!pt_loc_reg(s->machine, c->reg))
		return pt_err_set(e, "it lies in the frame, which hangs on a register that the kernel cannot fetch");
	c->off[0] = r->cfa_off;
	if (r->cfa_kind == PT_CFA_DEREF)
		pt_chain_read(c);
	return 0;
}

int loc_push_cfa(struct eval *v)
{
	struct value x = loc_const(0);
	struct pt_err e = PT_ERR_INIT;

	if (cfa(v->s, &x.c, &e) < 0)
		x = loc_unknown(e.msg);
	x.cfa = true;
	return loc_push(v, &x);
}

static unsigned cpu_sp(uint16_t machine) { return machine == EM_X86_64 ? 7 : machine == EM_386 ? 4 : machine == EM_AARCH64 ? 31 : 15; }

static bool same_cfa(const struct pt_row *a, const struct pt_row *b)
{
	return a->cfa_kind == b->cfa_kind && a->cfa_reg == b->cfa_reg && a->cfa_off == b->cfa_off;
}

/* A frame base that is a register (clang's) holds from the end of the prologue to the start of the epilogue only; no list says so. Call frame
 * information does: behind the prologue, and where the CFA hangs on that register as it does there. */
static const char *base_not_set(const struct pt_var_scope *s, unsigned reg)
{
	struct pt_object *o;
	const struct pt_row *r = row_at(s, s->vaddr, &o), *body = s->body_vaddr ? row_at(s, s->body_vaddr, &o) : NULL;
	const char *why = "the function's frame is not set up here (in its first or last instructions)";

	if (s->entry)
		return why;
	if (!r)
		return s->body_vaddr && s->vaddr < s->body_vaddr ? why : NULL;
	if (reg == cpu_sp(s->machine))
		return body && r->cfa_reg == reg && !same_cfa(r, body) ? why : NULL;
	return r->cfa_reg != reg ? why : NULL;
}

/* The scope's function out of line. */
static bool frame_base(struct eval *v, Dwarf_Attribute *a)
{
	Dwarf_Die f;

	if (!v->s->nr_scopes)
		return false;
	f = v->s->scopes[0];
	return dwarf_attr_integrate(&f, DW_AT_frame_base, a) != NULL;
}

int loc_fbreg(struct eval *v, int64_t off)
{
	Dwarf_Attribute a;
	struct eval sub = { .s = v->s, .l = NULL, .nested = v->nested + 1, .left = v->left, .e = v->e };
	struct value x;
	const char *why;

	if (v->nested == LOC_MAX_NESTED)
		return loc_fail(v, "its location is damaged: it needs itself");
	if (!frame_base(v, &a))
		return loc_fail(v, "it lies in the frame, and the debug information does not tell where that is");
	if (loc_eval(&sub, &a) < 0)
		return -1;
	v->left = sub.left;
	if (sub.kind == PT_LOC_REGISTER) {
		why = base_not_set(v->s, sub.special.chain.reg);
		x = why ? loc_unknown(why) : loc_of_reg(v, sub.special.chain.reg, 0);
	} else if (sub.kind == PT_LOC_MEMORY && sub.nr) {	/* the expression's result is the base */
		x = sub.stack[sub.nr - 1];
		if (x.c.base == PT_BASE_REG && !x.c.nr_reads && !x.cfa) {
			why = base_not_set(v->s, x.c.reg);
			if (why)
				x = loc_unknown(why);
		}
	} else {
		x = loc_unknown("it lies in the frame, whose place is computed here");
	}
	loc_add(v, &x, off);
	return loc_push(v, &x);
}

/* The nearest address from here on where a list has something. */
static bool known_from(Dwarf_Attribute *attr, uint64_t vaddr, uint64_t *from)
{
	Dwarf_Addr base, start, end;
	Dwarf_Op *ops;
	size_t nr;
	ptrdiff_t off = 0;
	unsigned budget = 4096;
	bool found = false;

	while (budget-- && (off = dwarf_getlocations(attr, off, &base, &start, &end, &ops, &nr)) > 0)
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
		return loc_fail(v, "it has no value here (optimised out; it has one %llu bytes further on)", (unsigned long long)(from - v->s->vaddr));
	return loc_fail(v, "it is optimised out here");
}

/* The stack pointer moves within a frame; a list's entry that counts from it is good only where it stands as it did where the entry begins. */
bool loc_moved_sp(const struct eval *v, Dwarf_Attribute *attr, const Dwarf_Op *ops, size_t nr)
{
	Dwarf_Addr base, start, end;
	Dwarf_Op *at;
	size_t n, i;
	ptrdiff_t off = 0;
	unsigned budget = 4096, sp = cpu_sp(v->s->machine);
	struct pt_object *o;
	const struct pt_row *a, *b;

	for (i = 0; i < nr && ops[i].atom != DW_OP_breg0 + sp; i++)
		;
	if (i == nr)
		return false;
	while (budget-- && (off = dwarf_getlocations(attr, off, &base, &start, &end, &at, &n)) > 0)
		if (at == ops && start <= v->s->vaddr && v->s->vaddr < end && end - start < 1 << 30) {
			a = row_at(v->s, start, &o);
			b = row_at(v->s, v->s->vaddr, &o);
			return a && b && a->cfa_reg == sp && b->cfa_reg == sp && !same_cfa(a, b);
		}
	return false;
}
