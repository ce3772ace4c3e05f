/* loc_priv.h - the evaluation of a location: operations and pieces (loc.c), values (loc_math.c),
 * frame and lists (loc_frame.c), callers (loc_caller.c), registers (loc_regs.c). */
#ifndef PT_PROBE_VALUE_LOC_PRIV_H
#define PT_PROBE_VALUE_LOC_PRIV_H

#include "probe/value/loc.h"

enum {
	LOC_MAX_OPS = 4096,
	LOC_MAX_STACK = 64,
	LOC_MAX_NESTED = 4,
	LOC_WHY_BYTES = 240,
	LOC_MAX_CALLERS = 3
};

struct value {				/* on the stack of the evaluation */
	struct pt_chain c;
	/* shifted left by so many bits: half of a sign extension */
	uint8_t shift;
	bool cfa;			/* relative to the frame's CFA */
	bool fresh;			/* just read from memory */
	bool unknown;
	char why[LOC_WHY_BYTES];	/* of an unknown one */
};

/* A frame further out than the place's own, where a pointer to it is NULL. */
struct loc_caller {
	const struct loc_caller *inner;	/* the frame that it calls; NULL: the place's */
	uint64_t pc;			/* of the call */
	Dwarf_Die func, site;		/* the out-of-line function; the call site */
	unsigned depth;
};

struct eval {
	const struct pt_var_scope *s;
	const struct loc_caller *caller;	/* whose frame it is in */
	struct pt_loc *l;
	struct value stack[LOC_MAX_STACK];
	unsigned nr;
	unsigned nested;
	unsigned left;			/* how many operations may still be evaluated */
	Dwarf_Attribute *attr;
	enum pt_loc_kind kind;		/* what the value on top of the stack is */
	struct pt_loc_piece special;	/* bytes, pointer, nowhere */
	struct pt_err *e;
};

/* loc.c. Sets the error of a location that makes no sense; -1. */
int loc_damaged(struct eval *v);
/* Evaluates an attribute's expression, or the one that its list has for the place. The result is in
 * v->kind, the stack and v->special, or in v->l. */
int loc_eval(struct eval *v, Dwarf_Attribute *attr);
/* The register that an operation names; false: it names none. */
bool loc_names_reg(const Dwarf_Op *op, unsigned *reg);

/* loc_math.c. */
struct value loc_unknown(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
struct value loc_const(int64_t n);
struct value loc_of_reg(struct eval *v, uint64_t reg, int64_t off);	/* of v->caller's frame */
/* of the place's frame */
struct value loc_of_own_reg(const struct eval *v, uint64_t reg, int64_t off);
int loc_push(struct eval *v, struct value x);
int loc_pop(struct eval *v, struct value *x);
void loc_add(struct eval *v, struct value *x, int64_t n);
/* From here on only the low `bits` bits of the value are valid. */
void loc_narrow(struct eval *v, struct value *x, unsigned bits, bool is_signed);
void loc_read(struct eval *v, struct value *x, unsigned bytes);
int loc_binary(struct eval *v, unsigned op);
int loc_unary(struct eval *v, unsigned op);
/* Conversions, and operations with a type. */
int loc_typed(struct eval *v, const Dwarf_Op *op);
int loc_shuffle(struct eval *v, const Dwarf_Op *op);
unsigned loc_sign_idiom(const Dwarf_Op *op, size_t left);

/* loc_frame.c. */
/* The row of call frame information at an address, from either file; NULL. */
const struct pt_row *loc_row(const struct pt_var_scope *s, uint64_t vaddr);
struct value loc_cfa(struct eval *v);
int loc_fbreg(struct eval *v, int64_t off);
bool loc_moved_sp(const struct eval *v, Dwarf_Attribute *attr, const Dwarf_Op *ops, size_t nr);
/* Sets the error of a list that has nothing for the place; -1. */
int loc_nowhere(struct eval *v, Dwarf_Attribute *attr);

/* loc_regs.c. DWARF's number of the stack pointer; UINT_MAX: the CPU is not known. */
unsigned loc_sp(uint16_t machine);
/* The frame's CFA at a function's first instruction, where no call frame information is needed. */
bool loc_entry_cfa(const struct pt_var_scope *s, struct pt_chain *c);

/* loc_caller.c */
/* A register of v->caller's frame, as far as the inner frames preserve it. */
struct value loc_caller_reg(struct eval *v, unsigned reg);
/* The value of register `reg`, or of parameter `param` (else NULL), at the function's entry. */
struct value loc_at_entry(struct eval *v, unsigned reg, Dwarf_Die *param);

/* The frame's pc. */
static inline uint64_t loc_pc(const struct eval *v)
{
	return v->caller ? v->caller->pc : v->s->vaddr;
}

/* Reads work over whole words of the CPU. */
static inline uint8_t loc_all_bits(const struct eval *v) { return v->s->word_bytes == 4 ? 32 : 64; }
static inline bool loc_whole(const struct eval *v, const struct value *x)
{
	return !x->unknown && !x->shift && x->c.bits >= loc_all_bits(v);
}
static inline bool loc_constant(const struct value *x)
{
	return !x->unknown && !x->shift && x->c.base == PT_BASE_NONE && !x->c.nr_reads;
}
static inline int64_t *loc_last(struct value *x) { return &x->c.off[x->c.nr_reads]; }

#endif
