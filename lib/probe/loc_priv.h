/* loc_priv.h - a location being worked out: what loc.c (operations, pieces), loc_math.c (values) and loc_frame.c (the frame, lists) share; nobody else includes it. */
#ifndef PT_PROBE_LOC_PRIV_H
#define PT_PROBE_LOC_PRIV_H

#include "probe/loc.h"

enum { LOC_MAX_OPS = 4096, LOC_MAX_STACK = 64, LOC_MAX_NESTED = 4, LOC_WHY_BYTES = 200 };

struct value {				/* on the stack */
	struct pt_chain c;
	uint8_t shift;			/* it was shifted left by so many bits: half of an extension of the sign */
	bool cfa;			/* counted from the frame's CFA */
	bool fresh;			/* the last thing done was a read of a word */
	bool unknown;
	char why[LOC_WHY_BYTES];	/* of an unknown one */
};

struct eval {
	const struct pt_var_scope *s;
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
/* An attribute's expression, or what its list has for the place; the result is in v->kind, the stack and v->special, or in v->l. */
int loc_eval(struct eval *v, Dwarf_Attribute *attr);

/* loc_math.c. */
struct value loc_unknown(const char *why);
struct value loc_const(int64_t n);
struct value loc_of_reg(const struct eval *v, uint64_t reg, int64_t off);
int loc_push(struct eval *v, const struct value *x);
int loc_pop(struct eval *v, struct value *x);
void loc_add(struct eval *v, struct value *x, int64_t n);
void loc_narrow(struct eval *v, struct value *x, unsigned bits, bool is_signed);	/* only the low `bits` count from here on */
void loc_read(struct eval *v, struct value *x, unsigned bytes);
int loc_binary(struct eval *v, unsigned op);
int loc_unary(struct eval *v, unsigned op);
int loc_convert(struct eval *v, const Dwarf_Op *op);
int loc_typed(struct eval *v, const Dwarf_Op *op, unsigned atom);
int loc_shuffle(struct eval *v, const Dwarf_Op *op);
unsigned loc_sign_idiom(const Dwarf_Op *op, size_t left);

/* loc_frame.c. */
int loc_push_cfa(struct eval *v);
int loc_fbreg(struct eval *v, int64_t off);
bool loc_moved_sp(const struct eval *v, Dwarf_Attribute *attr, const Dwarf_Op *ops, size_t nr);
int loc_nowhere(struct eval *v, Dwarf_Attribute *attr);

/* Reads work over whole words of the CPU. */
static inline uint8_t loc_all_bits(const struct eval *v) { return v->s->word_bytes == 4 ? 32 : 64; }
static inline bool loc_whole(const struct eval *v, const struct value *x) { return !x->unknown && !x->shift && x->c.bits >= loc_all_bits(v); }
static inline bool loc_constant(const struct value *x) { return !x->unknown && !x->shift && x->c.base == PT_BASE_NONE && !x->c.nr_reads; }
static inline int64_t *loc_last(struct value *x) { return &x->c.off[x->c.nr_reads]; }

#endif
