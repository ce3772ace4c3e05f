#include "probe/value/loc_priv.h"

#include <dwarf.h>
#include <stdlib.h>

#include "base/mem.h"

bool pt_chain_read(struct pt_chain *c)
{
	if (c->nr_reads == PT_CHAIN_MAX)
		return false;
	c->off[++c->nr_reads] = 0;
	c->bits = 64;
	c->sign_extended = false;
	return true;
}

bool pt_loc_next_unit(const struct pt_var_scope *s, struct pt_loc_units *u)
{
	Dwarf *dw = s->dw ? s->dw : dwarf_cu_getdwarf(s->cu.cu);
	uint8_t type;

	/* Without a place for the split unit libdw does not look for its file. */
	if (!dw || dwarf_get_units(dw, u->at, &u->at, NULL, &type, &u->skeleton, NULL))
		return false;
	if (type != DW_UT_skeleton || !s->target ||
	    !pt_target_split_of(s->target, &u->skeleton, &u->cu))
		u->cu = u->skeleton;
	return true;
}

int loc_damaged(struct eval *v)
{
	return pt_err_set(v->e, "its location is damaged");
}

bool loc_names_reg(const Dwarf_Op *op, unsigned *reg)
{
	*reg = op->atom == DW_OP_regx ? (unsigned)PT_MIN(op->number, 256u)
				      : op->atom - (unsigned)DW_OP_reg0;
	return op->atom == DW_OP_regx || (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31);
}

/* Pushes what a register held when the function was entered. */
static int entry_value(struct eval *v, const Dwarf_Op *op)
{
	Dwarf_Attribute a;
	Dwarf_Op *ops;
	size_t nr;
	unsigned reg;

	if (dwarf_getlocation_attr(v->attr, op, &a) || dwarf_getlocation(&a, &ops, &nr) ||
	    nr != 1 || !loc_names_reg(ops, &reg))
		return loc_push(v, loc_unknown("it is what an expression gave when the function "
					       "was entered, which is gone by now"));
	return loc_push(v, v->s->entry && !v->caller ? loc_of_own_reg(v, reg, 0)
						     : loc_at_entry(v, reg, NULL));
}

static int push_address(struct eval *v, uint64_t vaddr)
{
	struct value x = loc_const((int64_t)vaddr);

	x.c.base = PT_BASE_OBJECT;
	return loc_push(v, x);
}

/* An address or a constant of the unit's table. */
static int indexed(struct eval *v, const Dwarf_Op *op)
{
	Dwarf_Attribute a;
	Dwarf_Addr addr;
	Dwarf_Word n;

	if (dwarf_getlocation_attr(v->attr, op, &a))
		return pt_err_set(v->e,
				  "its address is not in the debug information that is at hand");
	if (op->atom == DW_OP_constx || op->atom == DW_OP_GNU_const_index)
		return dwarf_formudata(&a, &n) && dwarf_formaddr(&a, &n)
			       ? loc_damaged(v)
			       : loc_push(v, loc_const((int64_t)n));
	return dwarf_formaddr(&a, &addr) ? loc_damaged(v) : push_address(v, addr);
}

/* What a probe cannot compute. */
static int unsupported(struct eval *v, const Dwarf_Op *op)
{
	switch (op->atom) {
	case DW_OP_form_tls_address: case DW_OP_GNU_push_tls_address:
		return pt_err_set(v->e, "it is thread-local, and the kernel cannot tell where a "
					"thread's variables are");
	case DW_OP_bra: case DW_OP_skip:
		return pt_err_set(v->e, "it is computed by a program of branches");
	default:
		return pt_err_set(v->e, "it is computed (DWARF operation 0x%x)", op->atom);
	}
}

/* Operations on the stack. */
static int simple(struct eval *v, const Dwarf_Op *op)
{
	Dwarf_Die param;
	struct value x;

	switch (op->atom) {
	case DW_OP_lit0 ... DW_OP_lit31:
		return loc_push(v, loc_const(op->atom - DW_OP_lit0));
	case DW_OP_const1u ... DW_OP_consts:
		return loc_push(v, loc_const((int64_t)op->number));
	case DW_OP_breg0 ... DW_OP_breg31:
		return loc_push(v, loc_of_reg(v, op->atom - DW_OP_breg0, (int64_t)op->number));
	case DW_OP_bregx:
		return loc_push(v, loc_of_reg(v, op->number, (int64_t)op->number2));
	case DW_OP_fbreg:
		return loc_fbreg(v, (int64_t)op->number);
	case DW_OP_call_frame_cfa:
		x = loc_cfa(v);
		x.cfa = !v->caller;
		return loc_push(v, x);
	case DW_OP_addr:
		return push_address(v, op->number);
	case DW_OP_addrx: case DW_OP_GNU_addr_index: case DW_OP_constx: case DW_OP_GNU_const_index:
		return indexed(v, op);
	case DW_OP_plus_uconst:
		if (loc_pop(v, &x) < 0)
			return -1;
		loc_add(v, &x, (int64_t)op->number);
		return loc_push(v, x);
	case DW_OP_deref: case DW_OP_deref_size:
		if (loc_pop(v, &x) < 0)
			return -1;
		loc_read(v, &x, op->atom == DW_OP_deref_size ? (unsigned)op->number : 0);
		return loc_push(v, x);
	case DW_OP_neg: case DW_OP_not: case DW_OP_abs:
		return loc_unary(v, op->atom);
	case DW_OP_and: case DW_OP_div: case DW_OP_minus: case DW_OP_mod: case DW_OP_mul:
	case DW_OP_or: case DW_OP_plus: case DW_OP_shl: case DW_OP_shr: case DW_OP_shra:
	case DW_OP_xor:
	case DW_OP_eq ... DW_OP_ne:
		return loc_binary(v, op->atom);
	case DW_OP_dup ... DW_OP_rot:
		return loc_shuffle(v, op);
	case DW_OP_nop:
		return 0;
	case DW_OP_entry_value: case DW_OP_GNU_entry_value:
		return entry_value(v, op);
	case DW_OP_convert: case DW_OP_const_type: case DW_OP_regval_type: case DW_OP_deref_type:
	case DW_OP_GNU_convert: case DW_OP_GNU_const_type: case DW_OP_GNU_regval_type:
	case DW_OP_GNU_deref_type:
		return loc_typed(v, op);
	case DW_OP_GNU_parameter_ref:	/* a parameter that is no longer passed */
		return dwarf_getlocation_die(v->attr, op, &param)
			       ? loc_damaged(v)
			       : loc_push(v, loc_at_entry(v, 0, &param));
	default:
		return unsupported(v, op);
	}
}

/* Operations that name a kind of location. 1: done, 0: another operation. */
static int loc_place(struct eval *v, const Dwarf_Op *op)
{
	Dwarf_Block block;
	unsigned reg;

	switch (op->atom) {
	case DW_OP_reg0 ... DW_OP_reg31:
	case DW_OP_regx:
		loc_names_reg(op, &reg);
		v->kind = PT_LOC_REGISTER;
		v->special = (struct pt_loc_piece){ .chain = { .base = PT_BASE_REG,
							       .reg = (uint8_t)PT_MIN(reg, 255u),
							       .bits = 64 } };
		return 1;
	case DW_OP_stack_value:
		v->kind = PT_LOC_VALUE;
		return v->nr ? 1 : loc_damaged(v);
	case DW_OP_implicit_value:
		if (dwarf_getlocation_implicit_value(v->attr, op, &block))
			return loc_damaged(v);
		v->kind = PT_LOC_BYTES;
		v->special = (struct pt_loc_piece){ .bytes = block.data, .nr_bytes = block.length };
		return 1;
	case DW_OP_implicit_pointer: case DW_OP_GNU_implicit_pointer:
		v->kind = PT_LOC_POINTER;
		v->special = (struct pt_loc_piece){ .target_off = (int64_t)op->number2 };
		return dwarf_getlocation_die(v->attr, op, &v->special.target) ? loc_damaged(v) : 1;
	default:
		return 0;
	}
}

/* Makes a piece of the result of the operations so far. */
static int loc_add_piece(struct eval *v, uint64_t size_bytes)
{
	struct pt_loc_piece *p;
	char reg[64];

	if (v->l->nr == PT_LOC_PIECES)
		return pt_err_set(v->e, "it is in too many pieces");
	p = &v->l->v[v->l->nr++];
	*p = v->special;
	p->kind = v->kind;
	if (v->kind == PT_LOC_MEMORY && !v->nr) {
		p->kind = PT_LOC_NOWHERE;
	} else if (v->kind == PT_LOC_MEMORY || v->kind == PT_LOC_VALUE) {
		struct value *x = &v->stack[v->nr - 1];

		p->chain = x->c;
		p->on_frame = v->kind == PT_LOC_MEMORY && x->cfa && *loc_last(x) < 0;
		if (x->unknown || x->shift) {
			p->kind = PT_LOC_COMPUTED;
			p->why = pt_strdup(x->unknown ? x->why : "it is computed");
		}
	} else if (v->kind == PT_LOC_REGISTER && !pt_loc_reg(v->s->machine, p->chain.reg)) {
		pt_loc_reg_text(v->s->machine, p->chain.reg, reg, sizeof(reg));
		p->kind = PT_LOC_COMPUTED;
		p->why = pt_asprintf("it is in %s, which the kernel cannot fetch", reg);
	}
	p->size_bytes = size_bytes;
	v->nr = 0;
	v->kind = PT_LOC_MEMORY;
	v->special = (struct pt_loc_piece){ .kind = PT_LOC_NOWHERE };
	return 0;
}

static int loc_run(struct eval *v, const Dwarf_Op *ops, size_t nr)
{
	v->kind = PT_LOC_MEMORY;
	v->special = (struct pt_loc_piece){ .kind = PT_LOC_NOWHERE };
	for (size_t i = 0; i < nr; i++) {
		const Dwarf_Op *op = &ops[i];
		bool in_bits = op->atom == DW_OP_bit_piece;
		unsigned bits;
		int r;

		if (!v->left || !v->left--)
			return loc_damaged(v);
		if (v->l && (in_bits || op->atom == DW_OP_piece)) {
			if (!op->number)
				return loc_damaged(v);
			if (in_bits && (op->number % 8 || op->number2))
				return pt_err_set(v->e, "it is in pieces of bits");
			if (loc_add_piece(v, op->number / (in_bits ? 8 : 1)) < 0)
				return -1;
			continue;
		}
		if (v->kind != PT_LOC_MEMORY)
			return loc_damaged(v);	/* it goes on behind its end */
		bits = loc_sign_idiom(op, nr - i);
		if (bits && v->nr) {
			loc_narrow(v, &v->stack[v->nr - 1], bits, true);
			i += 8;
			continue;
		}
		r = loc_place(v, op);
		if (r < 0 || (!r && simple(v, op) < 0))
			return -1;
	}
	return 0;
}

int loc_eval(struct eval *v, Dwarf_Attribute *attr)
{
	Dwarf_Op *ops[4];
	size_t lens[4];
	int n = dwarf_getlocation_addr(attr, loc_pc(v), ops, lens, 4);

	v->attr = attr;
	if (n < 0)
		return loc_damaged(v);
	if (!n || !lens[0])
		return loc_nowhere(v, attr);
	if (!v->caller && loc_moved_sp(v, attr, ops[0], lens[0]))
		return pt_err_set(v->e, "it lies at a distance from the stack pointer, which has "
					"moved since");
	return loc_run(v, ops[0], lens[0]);
}

int pt_loc_of(struct pt_loc *l, const struct pt_var_scope *s, Dwarf_Attribute *attr,
	      struct pt_err *e)
{
	struct eval v = { .s = s, .l = l, .left = LOC_MAX_OPS, .e = e };
	int rc;

	l->nr = 0;
	rc = loc_eval(&v, attr);
	if (rc == 0 && (v.nr || v.kind != PT_LOC_MEMORY || !l->nr))
		rc = l->nr ? loc_damaged(&v) : loc_add_piece(&v, 0);
	if (rc < 0)
		pt_loc_deinit(l);
	return rc;
}

void pt_loc_deinit(struct pt_loc *l)
{
	for (unsigned i = 0; i < l->nr; i++)
		free(l->v[i].why);
	l->nr = 0;
}
