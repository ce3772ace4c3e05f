#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "unwind/unwind_priv.h"

enum {
	/* entries of the cache (object, vaddr) -> row, in front of the objects' own caches */
	CACHE = 1 << 16,
	START_BYTES = 128,		/* no dynamic linker has longer start code */
	/* words on top of the stack that may be the return address of a leaf */
	LEAF_WORDS = 2,
	BROKEN_WORDS = 6,		/* the same, if the CFI is known to be wrong */
};

struct entry {
	const struct pt_object *object;
	uint64_t vaddr;
	const struct pt_row *row;
};

struct pt_unwinder {
	struct entry cache[CACHE];
};

struct pt_unwinder *pt_unwinder_new(void)
{
	return pt_alloc_table(sizeof(struct pt_unwinder));
}

void pt_unwinder_free(struct pt_unwinder *u)
{
	pt_free_table(u, sizeof(*u));
}

static struct entry *unwind_entry_of(struct pt_unwinder *u, const struct pt_object *o,
				     uint64_t vaddr)
{
	return &u->cache[((pt_word_of(o) >> 4 ^ vaddr) * 0x9e3779b97f4a7c15u >> 48) &
			 (CACHE - 1)];
}

static const struct pt_row *unwind_row_at(struct walk *w, struct pt_object *o, uint64_t vaddr)
{
	struct entry *x = unwind_entry_of(w->u, o, vaddr);

	if (x->object != o || x->vaddr != vaddr)
		*x = (struct entry){ .object = o, .vaddr = vaddr, .row = pt_cfi_row(o, vaddr) };
	return x->row;
}

bool pt_walk_word(struct walk *w, uint64_t addr, uint64_t *v)
{
	uint64_t at = addr - w->stack_addr;

	*v = 0;
	if (at < w->stack_len && w->stack_len - at >= w->a->word_bytes) {
		if (w->a->word_bytes == 8)
			memcpy(v, w->stack + at, 8);
		else
			memcpy(v, w->stack + at, w->a->word_bytes);
		return true;
	}
	if (w->ops->read(w->ctx, addr, v, w->a->word_bytes))
		return true;
	w->result->end = PT_UNWIND_STACK;
	w->result->missing = addr;
	return false;
}

static const struct pt_place *find_anew(struct walk *w, uint64_t addr)
{
	struct pt_place p = { .object = NULL };
	unsigned i;

	for (i = 0; i < WALK_PLACES; i++)
		if (addr - w->places[i].start < w->places[i].end - w->places[i].start) {
			w->place = i;
			return &w->places[i];
		}
	if (!w->ops->find(w->ctx, addr, &p))
		return NULL;
	w->place = (w->place + 1) % WALK_PLACES;
	w->places[w->place] = p;
	return &w->places[w->place];
}

/* NULL: no mapping. Valid until the next call. */
static inline const struct pt_place *unwind_find(struct walk *w, uint64_t addr)
{
	const struct pt_place *p = &w->places[w->place];

	return addr - p->start < p->end - p->start ? p : find_anew(w, addr);
}

bool pt_walk_is_code(struct walk *w, uint64_t addr)
{
	const struct pt_place *p = unwind_find(w, addr);

	return p && p->exec;
}

uint64_t pt_walk_plain_address(struct walk *w, uint64_t ra)
{
	uint64_t plain = ra & w->a->addr_mask, wide = ra & w->a->wide_mask;

	return plain == wide || !pt_walk_is_code(w, wide - 1) ? plain : wide;
}

static bool cfa_of(struct walk *w, const struct pt_object *o, const struct pt_row *row,
		   uint64_t *cfa)
{
	const struct pt_regs *r = &w->regs;

	w->result->end = PT_UNWIND_NO_RULE;
	switch (row->cfa_kind) {
	case PT_CFA_EXPR:
		if (pt_expr_eval(w->a, w->ops, w->ctx, r, pt_cfi_expr(o, row->cfa_off), false, 0,
				 cfa))
			return true;
		w->result->end = PT_UNWIND_STACK;
		return false;
	case PT_CFA_REG:
	case PT_CFA_DEREF:
		if (!(r->valid >> row->cfa_reg & 1))
			return false;
		*cfa = r->r[row->cfa_reg] + (uint64_t)(int64_t)row->cfa_off;
		if (w->a->word_bytes == 4)
			*cfa = (uint32_t)*cfa;
		return row->cfa_kind == PT_CFA_REG || pt_walk_word(w, *cfa, cfa);
	}
	return false;
}

/* The caller's value of one register. False: unknown. */
static bool unwind_apply(struct walk *w, const struct pt_object *o, const struct pt_reg_rule *rule,
			 uint64_t cfa, uint64_t *v)
{
	uint64_t at = cfa + (uint64_t)(int64_t)rule->off;

	switch (rule->rule) {
	case PT_RULE_OFFSET: return pt_walk_word(w, at, v);
	case PT_RULE_VAL_OFFSET: *v = at; return true;
	case PT_RULE_REGISTER: *v = w->regs.r[rule->off]; return w->regs.valid >> rule->off & 1;
	case PT_RULE_EXPR:
		return pt_expr_eval(w->a, w->ops, w->ctx, &w->regs, pt_cfi_expr(o, rule->off), true,
				    cfa, &at) &&
		       pt_walk_word(w, at, v);
	case PT_RULE_VAL_EXPR:
		return pt_expr_eval(w->a, w->ops, w->ctx, &w->regs, pt_cfi_expr(o, rule->off), true,
				    cfa, v);
	}
	return false;
}

/* The fast path of step_row(): all values lie in the stack copy. False: they do not; nothing was
 * changed. */
static inline bool step_plain(struct walk *w, const struct pt_row *row, uint64_t *cfa_out)
{
	const struct pt_arch *a = w->a;
	struct pt_regs *r = &w->regs;
	uint64_t cfa = r->r[row->cfa_reg] + (uint64_t)(int64_t)row->cfa_off,
		 from = cfa + (uint64_t)(int64_t)row->low - w->stack_addr;
	const uint8_t *lowest;
	unsigned i;

	if (!w->plain || row->low > row->high || row->signal || row->ra_reg != a->ip ||
	    !(row->sets >> a->ip & 1) || !(r->valid >> row->cfa_reg & 1) || from >= w->stack_len ||
	    w->stack_len - from < (uint64_t)((int64_t)row->high - row->low) + 8)
		return false;
	r->r[a->sp] = cfa;
	/* computed after the check: an out-of-range pointer is undefined */
	lowest = w->stack + from;
	for (i = 0; i < row->nr_rules; i++)
		memcpy(&r->r[row->rules[i].reg], lowest + ((int64_t)row->rules[i].off - row->low),
		       8);
	r->valid = (r->valid & a->kept) | row->sets | 1ull << a->sp;
	*cfa_out = cfa;
	return true;
}

/* Replaces the registers by the caller's. False: the walk ends; result->end says why. */
static bool step_row(struct walk *w, const struct pt_object *o, const struct pt_row *row,
		     uint64_t *cfa)
{
	const struct pt_arch *a = w->a;
	struct pt_regs *r = &w->regs, caller = *r;
	unsigned i;

	if (!cfa_of(w, o, row, cfa))
		return false;
	/* No rule: the return address is still where the call left it. */
	if (!(row->sets >> row->ra_reg & 1) &&
	    (!(r->valid >> row->ra_reg & 1) || row->ra_reg == a->ip)) {
		w->result->end = PT_UNWIND_NO_RULE;
		return false;
	}
	/* Caller-saved registers are lost, except in an interrupted frame, which has a rule for
	 * each. */
	caller.valid &= a->kept | (row->signal ? ~0ull : 0);
	caller.r[a->sp] = *cfa;
	caller.valid |= 1ull << a->sp;
	for (i = 0; i < row->nr_rules; i++) {
		const struct pt_reg_rule *rule = &row->rules[i];
		uint64_t bit = 1ull << rule->reg;

		if (rule->reg == row->ra_reg && rule->rule == PT_RULE_UNDEFINED) {
			w->result->end = PT_UNWIND_COMPLETE;
			return false;
		}
		caller.valid &= ~bit;
		if (unwind_apply(w, o, rule, *cfa, &caller.r[rule->reg]))
			caller.valid |= bit;
		else if (rule->reg == row->ra_reg)
			return false;
	}
	/* The link register held this frame's return address, not the caller's. */
	if (a->lr != a->ip && !row->signal && row->ra_reg == a->lr)
		caller.valid &= ~(1ull << a->lr);
	*r = caller;
	r->r[a->ip] = pt_walk_plain_address(w, r->r[row->ra_reg]);
	r->valid |= 1ull << a->ip;
	return true;
}

/* Unwinds the innermost frame again, after its row led out of code: the CFI of some hand-written
 * assembly is wrong. memcpy of 32-bit C libraries does not describe its pushes; strcspn there has a
 * CFA below the stack pointer. A word on the stack that follows a call is more plausible. */
static bool step_again(struct walk *w, const struct pt_regs *regs, uint64_t *cfa)
{
	struct pt_unwind_result by_row = *w->result;
	bool broken = *cfa < regs->r[w->a->sp] + w->a->word_bytes;

	w->regs = *regs;
	if (pt_walk_guess(w, broken ? BROKEN_WORDS : LEAF_WORDS, cfa))
		return true;
	*w->result = by_row;
	return false;
}

/* Goes one frame up. *interrupted: a signal interrupted the new frame. */
static bool unwind_step(struct walk *w, const struct pt_object *o, const struct pt_row *row,
			bool leaf, bool *interrupted, uint64_t *cfa)
{
	/* The CFI of older arm64 kernels' trampolines skips the interrupted function: not used. */
	*interrupted = false;
	if (row && step_plain(w, row, cfa))
		return true;
	*interrupted =
		(!row || (row->signal && w->a->lr != w->a->ip)) && pt_walk_trampoline(w, leaf, cfa);
	if (*interrupted)
		return true;
	*interrupted = row && row->signal;
	return row ? step_row(w, o, row, cfa) : pt_walk_guess(w, leaf ? LEAF_WORDS : 0, cfa);
}

/* A program's start code has no caller. The C library's says so in its CFI; the dynamic linker's
 * has none. Only the first bytes at the entry point count: other start-up code without CFI has
 * callers. */
static bool is_start(const struct pt_object *o, uint64_t vaddr)
{
	return o && o->entry && vaddr >= o->entry && vaddr - o->entry < START_BYTES;
}

/* After a system call the pc may be behind its function's last instruction (sigreturn). */
static const struct pt_row *unwind_row_of(struct walk *w, struct pt_object *o, uint64_t vaddr,
					  bool exact)
{
	const struct pt_row *row = unwind_row_at(w, o, vaddr);

	return !row && exact && vaddr ? unwind_row_at(w, o, vaddr - 1) : row;
}

struct climb {			/* a walk between two frames */
	struct pt_frame *frames;
	size_t nr;
	bool exact;		/* the pc is no return address: interrupted, by us or by a signal */
	bool by_row;		/* the last step was made by a row */
	uint64_t cfa, last_cfa;
};

/* Adds the frame at `pc` and goes to its caller. False: the walk ends; result->end says why. */
static bool go_up(struct walk *w, struct climb *c, const struct pt_place *p, uint64_t pc)
{
	uint64_t ip = w->regs.r[w->a->ip], vaddr = pc - p->bias;
	struct pt_object *o = p->object;
	const struct pt_row *row = o ? unwind_row_of(w, o, vaddr, c->exact) : NULL;
	struct pt_frame *x = &c->frames[c->nr++];
	bool leaf = c->exact;

	*x = (struct pt_frame){ ip, pc, o, vaddr, p->user };
	if (!unwind_step(w, o, row, leaf, &c->exact, &c->cfa)) {
		if (!row && is_start(o, vaddr))
			w->result->end = PT_UNWIND_COMPLETE;
		return false;
	}
	/* A trampoline has no call before it: pc - 1 would be another function. */
	if (c->exact && !leaf) {
		x->vaddr += ip - pc;
		x->pc = ip;
	}
	c->by_row = row;
	/* Frames go up the stack, but for a handler on its own stack, and a leaf on arm64, which
	 * may not move sp. */
	if (c->cfa <= c->last_cfa && !c->exact && !leaf && c->nr > 2) {
		w->result->end = PT_UNWIND_LOOP;
		return false;
	}
	c->last_cfa = c->exact ? 0 : c->cfa;
	return true;
}

static size_t walk_up(struct walk *w, const struct pt_regs *regs, struct pt_frame *frames,
		      size_t max)
{
	static const struct pt_place nothing = { .object = NULL };
	const struct pt_arch *a = w->a;
	uint64_t need = 1ull << a->ip | 1ull << a->sp;
	struct climb c = { .frames = frames, .exact = true };

	w->regs = *regs;
	*w->result = (struct pt_unwind_result){ .end = PT_UNWIND_NO_CODE };
	if ((regs->valid & need) != need)
		return 0;
	for (;;) {
		uint64_t ip = w->regs.r[a->ip], pc = c.exact ? ip : ip - 1;
		const struct pt_place *p = unwind_find(w, pc);

		/* An interrupted frame needs no code: after a call through a null pointer the pc is
		 * 0 and the return address is on top of the stack. */
		if (!c.exact && (!ip || !p || !p->exec)) {
			w->result->end = ip ? PT_UNWIND_NO_CODE : PT_UNWIND_COMPLETE;
			if (c.nr != 1 || !c.by_row || !step_again(w, regs, &c.cfa))
				break;
			c.by_row = false;
			continue;
		}
		if (c.nr == max) {
			w->result->end = PT_UNWIND_DEPTH;
			break;
		}
		if (!go_up(w, &c, p ? p : &nothing, pc))
			break;
	}
	return c.nr;
}

size_t pt_unwind(struct pt_unwinder *u, const struct pt_arch *a, const struct pt_unwind_ops *ops,
		 void *ctx, const struct pt_regs *regs, struct pt_frame *frames, size_t max,
		 struct pt_unwind_result *result)
{
	struct walk w = {
		.u = u,
		.a = a,
		.ops = ops,
		.ctx = ctx,
		.result = result,
		.stack = regs->stack,
		.stack_addr = regs->stack_addr,
		.stack_len = regs->stack ? regs->stack_len : 0,
		.plain = a->lr == a->ip && a->word_bytes == 8,
	};
	size_t n = walk_up(&w, regs, frames, max);

	/* The word on top may be left over from an earlier call (a JIT function that has called its
	 * runtime): if the walk did not complete with it, try the frame pointer first, and keep
	 * that if it completes. */
	if (w.top_taken && result->end != PT_UNWIND_COMPLETE && result->end != PT_UNWIND_DEPTH) {
		w.pointer_first = true;
		n = walk_up(&w, regs, frames, max);
		if (result->end != PT_UNWIND_COMPLETE) {
			w.pointer_first = false;
			n = walk_up(&w, regs, frames, max);
		}
	}
	return n;
}
