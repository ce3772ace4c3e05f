/* loc_priv.h - a location being worked out: what loc.c (operations, pieces), loc_math.c (values)
 * and loc_frame.c (the frame, lists) share; nobody else includes it. */
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

struct value {				/* on the stack */
	struct pt_chain c;
	/* it was shifted left by so many bits: half of an extension of the sign */
	uint8_t shift;
	bool cfa;			/* counted from the frame's CFA */
	bool fresh;			/* the last thing done was a read of a word */
	bool unknown;
	char why[LOC_WHY_BYTES];	/* of an unknown one */
};

/* a frame further out; that of the place itself has none of these */
struct loc_caller {
	const struct loc_caller *inner;	/* the frame that it calls; NULL: the place's */
	/* of the call, and the only one of the function in `inner` */
	uint64_t pc;
	Dwarf_Die func, site;		/* out of line; the call's entry */
	unsigned depth;
};

struct eval {
	const struct pt_var_scope *s;
	const struct loc_caller *caller;	/* whose frame it is in */
	struct pt_loc *l;
	struct value stack[LOC_MAX_STACK];
	unsigned nr;
	unsigned nested;
	unsigned left;			/* operations that may still be done */
	Dwarf_Attribute *attr;
	enum pt_loc_kind kind;		/* of what is on top */
	struct pt_loc_piece special;	/* bytes, pointer, nowhere */
	struct pt_err *e;
};

/* loc.c. The reason into v->e; -1. */
int loc_fail(struct eval *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* An attribute's expression, or what its list has for the place; the result is in v->kind, the
 * stack and v->special, or in v->l. */
int loc_eval(struct eval *v, Dwarf_Attribute *attr);

/* loc_math.c. */
struct value loc_unknown(const char *why);
struct value loc_const(int64_t n);
struct value loc_of_reg(struct eval *v, uint64_t reg, int64_t off);	/* of the frame */
struct value loc_of_own_reg(const struct eval *v, uint64_t reg, int64_t off);	/* of the place's */
int loc_push(struct eval *v, const struct value *x);
int loc_pop(struct eval *v, struct value *x);
void loc_add(struct eval *v, struct value *x, int64_t n);
/* only the low `bits` count from here on */
void loc_narrow(struct eval *v, struct value *x, unsigned bits, bool is_signed);
void loc_read(struct eval *v, struct value *x, unsigned bytes);
int loc_binary(struct eval *v, unsigned op);
int loc_unary(struct eval *v, unsigned op);
int loc_convert(struct eval *v, const Dwarf_Op *op);
int loc_typed(struct eval *v, const Dwarf_Op *op, unsigned atom);
int loc_shuffle(struct eval *v, const Dwarf_Op *op);
unsigned loc_sign_idiom(const Dwarf_Op *op, size_t left);

/* loc_frame.c. */
/* The row of call frame information at an address, of whichever file has it; NULL. */
const struct pt_row *loc_row(const struct pt_var_scope *s, uint64_t vaddr);
struct value loc_cfa(struct eval *v);
int loc_push_cfa(struct eval *v);
int loc_fbreg(struct eval *v, int64_t off);
bool loc_moved_sp(const struct eval *v, Dwarf_Attribute *attr, const Dwarf_Op *ops, size_t nr);
int loc_nowhere(struct eval *v, Dwarf_Attribute *attr);

/* loc_regs.c. DWARF's number of the stack pointer; UINT_MAX: the CPU is not known. */
unsigned loc_sp(uint16_t machine);
/* The frame's CFA at a function's first instruction, where no call frame information is needed. */
bool loc_entry_cfa(const struct pt_var_scope *s, struct pt_chain *c);

/* loc_caller.c: what is known by who called. */
/* A register of v->caller's frame, by what the frames further in have kept of it. */
struct value loc_caller_reg(struct eval *v, unsigned reg);
/* What register `reg`, or the parameter `param` (else NULL), held when the frame's function was
 * entered. */
struct value loc_at_entry(struct eval *v, unsigned reg, Dwarf_Die *param);

/* Where the frame is at. */
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
