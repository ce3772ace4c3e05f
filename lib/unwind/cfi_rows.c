/* Runs the instructions of an FDE up to one pc. */
#include <dwarf.h>

#include "base/mem.h"
#include "unwind/cfi_priv.h"

enum {
	MAX_REMEMBER = 1024,
	MAX_ROWS = 1 << 20,
	MAX_EXPRS = 1 << 20,
	/* instructions of so many bytes are rare: what an object's may cost in all */
	LONG_BYTES = 4096,
	MAX_LONG_BYTES = 1 << 30,
};

struct cfi_state {				/* state of the CFI machine */
	uint8_t cfa_kind;
	bool ra_signed;
	uint64_t cfa_reg;
	int64_t cfa_off;		/* or number of the expression */
	uint64_t said;			/* bit n: register n has a rule */
	int32_t off[PT_CFI_REGS];	/* as in rows; see UNFIT */
	uint8_t rule[PT_CFI_REGS];	/* enum pt_rule, UNFIT */
};
enum { UNFIT = 0xff };			/* rule whose offset does not fit 32 bits */

struct machine {
	struct pt_cfi *c;
	const struct fde *f;
	struct cfi_state now, initial;
	size_t nr_stack;
	uint64_t loc;
	uint64_t want;			/* the vaddr of the row that is wanted */
	bool running;			/* the CIE's instructions are done */
	bool there;			/* reached the wanted row */
};

/* The index of an expression. Equal ones (PLT stubs, realigned frames) share one. */
static int64_t cfi_rows_add_expr(struct pt_cfi *c, const void *bytes, uint64_t len)
{
	size_t i, from = c->nr_exprs > 64 ? c->nr_exprs - 64 : 0;

	for (i = from; i < c->nr_exprs; i++)
		if (c->exprs[i].len_bytes == len && !memcmp(c->exprs[i].bytes, bytes, len))
			return (int64_t)i;
	if (c->nr_exprs >= MAX_EXPRS)
		return -1;
	PT_GROW(c->exprs, c->nr_exprs, c->cap_exprs);
	c->exprs[c->nr_exprs] = (struct pt_expr){ bytes, (uint32_t)len };
	return (int64_t)c->nr_exprs++;
}

static bool cfi_rows_fits(int64_t v)
{
	return v >= INT32_MIN && v <= INT32_MAX;
}

/* For the unwinder's fast path. */
static void cfi_rows_sum_up(struct pt_row *r)
{
	bool plain = r->cfa_kind == PT_CFA_REG;
	unsigned i;

	r->low = INT32_MAX;
	r->high = INT32_MIN;
	for (i = 0; i < r->nr_rules; i++) {
		plain &= r->rules[i].rule == PT_RULE_OFFSET;
		r->low = PT_MIN(r->low, r->rules[i].off);
		r->high = PT_MAX(r->high, r->rules[i].off);
		r->sets |= 1ull << r->rules[i].reg;
	}
	if (!plain) {
		r->low = 1;
		r->high = 0;
	}
}

/* The index of the unique row that equals the state. -1: it does not fit a row. */
static int64_t cfi_rows_intern(struct pt_cfi *c, const struct cfi_state *s, const struct cie *cie)
{
	enum { FROM = offsetof(struct pt_row, cfa_kind) };
	struct pt_row r;
	uint64_t *first, said;
	size_t len, i;

	memset(&r, 0, offsetof(struct pt_row, rules));
	if (s->cfa_reg >= PT_CFI_REGS || !cfi_rows_fits(s->cfa_off) || cie->ra_reg >= PT_CFI_REGS)
		return -1;
	r.cfa_kind = s->cfa_kind;
	r.cfa_reg = (uint8_t)s->cfa_reg;
	r.cfa_off = (int32_t)s->cfa_off;
	r.signal = cie->signal;
	r.ra_reg = (uint8_t)cie->ra_reg;
	r.ra_signed = s->ra_signed;
	for (said = s->said; said; said &= said - 1) {
		i = (size_t)__builtin_ctzll(said);
		if (s->rule[i] == PT_RULE_SAME)
			continue;
		if (s->rule[i] == UNFIT)
			return -1;
		r.rules[r.nr_rules++] = (struct pt_reg_rule){ .reg = (uint8_t)i,
							      .rule = s->rule[i],
							      .off = s->off[i] };
	}
	len = offsetof(struct pt_row, rules) + r.nr_rules * sizeof(r.rules[0]);
	first = pt_map_put(&c->row_hash, pt_hash_quick((uint8_t *)&r + FROM, len - FROM));
	for (i = *first; i; i = c->rows[i - 1].next)
		if (c->rows[i - 1].row->nr_rules == r.nr_rules &&
		    !memcmp((uint8_t *)c->rows[i - 1].row + FROM, (uint8_t *)&r + FROM, len - FROM))
			return (int64_t)i - 1;
	if (c->nr_rows >= MAX_ROWS)
		return -1;
	cfi_rows_sum_up(&r);
	PT_GROW(c->rows, c->nr_rows, c->cap_rows);
	c->rows[c->nr_rows].row = pt_memdup(&r, len);
	c->rows[c->nr_rows].next = (uint32_t)*first;
	*first = ++c->nr_rows;
	return (int64_t)c->nr_rows - 1;
}

/* Moves the location to `to`; the current state holds up to there. */
static bool move_to(struct machine *m, uint64_t to)
{
	if (m->running && to < m->loc)
		return false;
	m->there = m->running && to > m->want;
	if (m->running && !m->there)
		m->loc = to;
	return true;
}

static bool set_rule(struct machine *m, uint64_t reg, uint8_t rule, int64_t off)
{
	if (reg >= PT_CFI_REGS)
		return true;		/* vector registers are not tracked */
	m->now.rule[reg] = cfi_rows_fits(off) ? rule : UNFIT;
	m->now.off[reg] = (int32_t)off;
	m->now.said |= 1ull << reg;
	return true;
}

static bool cfi_rows_restore(struct machine *m, uint64_t reg)
{
	if (reg < PT_CFI_REGS)
		return set_rule(m, reg, m->initial.rule[reg], m->initial.off[reg]);
	return true;
}

static bool set_cfa(struct machine *m, uint64_t reg, int64_t off)
{
	m->now.cfa_kind = PT_CFA_REG;
	m->now.cfa_reg = reg;
	m->now.cfa_off = off;
	return reg < PT_CFI_REGS;
}

static bool cfa_expression(struct machine *m, struct pt_bytes *b)
{
	uint64_t len = pt_bytes_uleb(b);
	const uint8_t *p = pt_bytes_take(b, len);
	struct pt_bytes x;

	if (!p)
		return false;
	/* `breg OFF; deref` (realigned frames) has a CFA kind of its own. */
	if (len >= 3 && p[0] >= DW_OP_breg0 && p[0] <= DW_OP_breg31 && p[len - 1] == DW_OP_deref) {
		x = pt_bytes(p + 1, len - 2, false);
		m->now.cfa_off = pt_bytes_sleb(&x);
		if (!x.bad && !pt_bytes_left(&x)) {
			m->now.cfa_kind = PT_CFA_DEREF;
			m->now.cfa_reg = p[0] - DW_OP_breg0;
			return true;
		}
	}
	m->now.cfa_kind = PT_CFA_EXPR;
	m->now.cfa_reg = 0;
	m->now.cfa_off = cfi_rows_add_expr(m->c, p, len);
	return m->now.cfa_off >= 0;
}

static bool rule_expression(struct machine *m, struct pt_bytes *b, uint8_t rule)
{
	uint64_t reg = pt_bytes_uleb(b), len = pt_bytes_uleb(b);
	const uint8_t *p = pt_bytes_take(b, len);
	int64_t n = p ? cfi_rows_add_expr(m->c, p, len) : -1;

	return n >= 0 && set_rule(m, reg, rule, n);
}

static bool remember(struct machine *m)
{
	struct pt_cfi *c = m->c;

	if (m->nr_stack >= MAX_REMEMBER)
		return false;
	PT_GROW(c->remembered, m->nr_stack, c->cap_remembered);
	c->remembered[m->nr_stack++] = m->now;
	return true;
}

static bool recall(struct machine *m)
{
	if (!m->nr_stack)
		return false;
	m->now = m->c->remembered[--m->nr_stack];
	return true;
}

static bool set_loc(struct machine *m, struct pt_bytes *b, const uint8_t *base)
{
	const struct fde *f = m->f;
	uint64_t to;

	if (!pt_cfi_pointer(m->c->object, b, f->cie->fde_encoding,
			    f->code_vaddr + (uint64_t)(b->at - base), m->c->hdr_vaddr, f->start,
			    &to))
		return false;
	return move_to(m, to);
}

/* A factored offset. INT64_MAX on overflow: it does not fit a row either. */
static int64_t factored(const struct cie *cie, uint64_t by)
{
	int64_t off;

	return __builtin_mul_overflow((int64_t)by, cie->data_align, &off) ? INT64_MAX : off;
}

/* Instructions that say where a register of the caller is. False: none of them. */
static bool define_register(struct machine *m, struct pt_bytes *b, uint8_t op)
{
	const struct cie *cie = m->f->cie;
	uint64_t reg, x;

	switch (op) {
	case DW_CFA_offset_extended:
		reg = pt_bytes_uleb(b);
		return set_rule(m, reg, PT_RULE_OFFSET, factored(cie, pt_bytes_uleb(b)));
	case DW_CFA_offset_extended_sf:
		reg = pt_bytes_uleb(b);
		return set_rule(m, reg, PT_RULE_OFFSET, factored(cie, (uint64_t)pt_bytes_sleb(b)));
	case DW_CFA_GNU_negative_offset_extended:
		reg = pt_bytes_uleb(b);
		return set_rule(m, reg, PT_RULE_OFFSET, factored(cie, 0 - pt_bytes_uleb(b)));
	case DW_CFA_val_offset:
		reg = pt_bytes_uleb(b);
		return set_rule(m, reg, PT_RULE_VAL_OFFSET, factored(cie, pt_bytes_uleb(b)));
	case DW_CFA_val_offset_sf:
		reg = pt_bytes_uleb(b);
		return set_rule(m, reg, PT_RULE_VAL_OFFSET,
				factored(cie, (uint64_t)pt_bytes_sleb(b)));
	case DW_CFA_restore_extended: return cfi_rows_restore(m, pt_bytes_uleb(b));
	case DW_CFA_undefined: return set_rule(m, pt_bytes_uleb(b), PT_RULE_UNDEFINED, 0);
	case DW_CFA_same_value: return set_rule(m, pt_bytes_uleb(b), PT_RULE_SAME, 0);
	case DW_CFA_register:
		reg = pt_bytes_uleb(b);
		x = pt_bytes_uleb(b);
		return x < PT_CFI_REGS && set_rule(m, reg, PT_RULE_REGISTER, (int64_t)x);
	case DW_CFA_expression: return rule_expression(m, b, PT_RULE_EXPR);
	case DW_CFA_val_expression: return rule_expression(m, b, PT_RULE_VAL_EXPR);
	}
	return false;
}

/* The same for the CFA; the others are of registers. */
static bool define(struct machine *m, struct pt_bytes *b, uint8_t op)
{
	const struct cie *cie = m->f->cie;
	uint64_t reg;

	switch (op) {
	case DW_CFA_def_cfa:
		reg = pt_bytes_uleb(b);
		return set_cfa(m, reg, (int64_t)pt_bytes_uleb(b));
	case DW_CFA_def_cfa_sf:
		reg = pt_bytes_uleb(b);
		return set_cfa(m, reg, factored(cie, (uint64_t)pt_bytes_sleb(b)));
	case DW_CFA_def_cfa_register:
		return set_cfa(m, pt_bytes_uleb(b),
			       m->now.cfa_kind == PT_CFA_REG ? m->now.cfa_off : 0);
	case DW_CFA_def_cfa_offset: return set_cfa(m, m->now.cfa_reg, (int64_t)pt_bytes_uleb(b));
	case DW_CFA_def_cfa_offset_sf:
		return set_cfa(m, m->now.cfa_reg, factored(cie, (uint64_t)pt_bytes_sleb(b)));
	case DW_CFA_def_cfa_expression: return cfa_expression(m, b);
	}
	return define_register(m, b, op);
}

/* False: the FDE cannot be used from here on. */
static bool cfi_rows_step(struct machine *m, struct pt_bytes *b, const uint8_t *base)
{
	const struct cie *cie = m->f->cie;
	uint8_t op = pt_bytes_u8(b);
	uint64_t operand = op & 0x3f;

	switch (op & 0xc0) {
	case DW_CFA_advance_loc: return move_to(m, m->loc + operand * cie->code_align);
	case DW_CFA_offset:
		return set_rule(m, operand, PT_RULE_OFFSET, factored(cie, pt_bytes_uleb(b)));
	case DW_CFA_restore: return cfi_rows_restore(m, operand);
	}
	switch (op) {
	case DW_CFA_nop: return true;
	case DW_CFA_set_loc: return set_loc(m, b, base);
	case DW_CFA_advance_loc1: return move_to(m, m->loc + pt_bytes_u8(b) * cie->code_align);
	case DW_CFA_advance_loc2: return move_to(m, m->loc + pt_bytes_u16(b) * cie->code_align);
	case DW_CFA_advance_loc4: return move_to(m, m->loc + pt_bytes_u32(b) * cie->code_align);
	case DW_CFA_remember_state: return remember(m);
	case DW_CFA_restore_state: return recall(m);
	case DW_CFA_GNU_args_size: pt_bytes_uleb(b); return true;
	case DW_CFA_GNU_window_save:	/* arm64: negate_ra_state */
		m->now.ra_signed = !m->now.ra_signed;
		return true;
	}
	return define(m, b, op);
}

static bool cfi_rows_run(struct machine *m, const uint8_t *code, uint64_t len, bool swap)
{
	struct pt_bytes b = pt_bytes(code, len, swap);

	while (pt_bytes_left(&b) && !m->there)
		if (!cfi_rows_step(m, &b, code) || b.bad)
			return false;
	return true;
}

const struct pt_row *pt_cfi_run(struct pt_cfi *c, const struct fde *f, uint64_t vaddr)
{
	struct machine m = { .c = c, .f = f, .loc = f->start, .want = vaddr };
	uint64_t bytes = f->cie->code_bytes + f->code_bytes;
	bool swap = c->object->swap;
	int64_t row;

	c->long_bytes += bytes > LONG_BYTES ? bytes : 0;
	if (c->long_bytes > MAX_LONG_BYTES ||
	    !cfi_rows_run(&m, f->cie->code, f->cie->code_bytes, swap))
		return NULL;
	m.initial = m.now;
	m.running = true;
	/* An unknown instruction behind the wanted row does no harm. */
	if (!cfi_rows_run(&m, f->code, f->code_bytes, swap) ||
	    (row = cfi_rows_intern(c, &m.now, f->cie)) < 0)
		return NULL;
	return c->rows[row].row;
}
