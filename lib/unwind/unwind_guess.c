/* unwind_guess.c - frames without CFI: what looks like a return address is taken where one can be;
 * and signal trampolines. */
#include <elf.h>
#include <string.h>

#include "base/mem.h"
#include "unwind/unwind_priv.h"

static bool trampoline_at(struct walk *w, const struct pt_trampoline *t, uint64_t addr, bool *known)
{
	uint8_t code[8];

	*known = w->ops->read(w->ctx, addr, code, sizeof(code));
	return *known && !memcmp(code, t->code, t->code_bytes);
}

/* No call precedes a trampoline: the kernel makes handlers return to it. */
static bool is_any_trampoline(struct walk *w, uint64_t addr)
{
	unsigned i;
	bool known;

	for (i = 0; i < w->a->nr_trampolines; i++)
		if (trampoline_at(w, &w->a->trampolines[i], addr, &known))
			return true;
	return false;
}

static bool follows_call(struct walk *w, uint64_t ra)
{
	uint8_t code[8];

	return pt_walk_is_code(w, ra - 1) && (!w->ops->read(w->ctx, ra - 8, code, 8) ||
				      w->a->after_call(code + 8, 8) || is_any_trampoline(w, ra));
}

/* Takes a return address from the first words of the stack: of a leaf that has not set up its
 * frame, or a small frame without frame pointer (Python's trampolines push 8 bytes and call).
 * `words`: how many to try at a leaf; 0: not a leaf. */
static bool on_top(struct walk *w, unsigned words, uint64_t *cfa)
{
	const struct pt_arch *a = w->a;
	uint64_t sp = w->regs.r[a->sp], ra, saved;
	unsigned i;

	/* On x86-64 a function that calls aligns the stack to 16 bytes: its return address is never
	 * on top. */
	for (i = !words && a->word_bytes == 8; i < PT_MAX(words, 2u); i++) {
		if (!pt_walk_word(w, sp + i * a->word_bytes, &ra) || !ra || !follows_call(w, ra))
			continue;
		if (i == 1 && words && pt_walk_word(w, sp, &saved))	/* after `push %rbp` */
			w->regs.r[a->fp] = saved;
		*cfa = sp + (i + 1) * a->word_bytes;
		w->regs.r[a->ip] = ra;
		w->top_taken |= words;
		return true;
	}
	return false;
}

/* __kernel_vsyscall of 32-bit x86 without a recorded vdso: nearly all system calls are made there,
 * after it has pushed ecx, edx and ebp. */
static bool in_vsyscall(struct walk *w, uint64_t *cfa)
{
	const struct pt_arch *a = w->a;
	uint64_t sp = w->regs.r[a->sp], ra, saved;
	uint8_t code;

	if (a->machine != EM_386 || !pt_walk_is_code(w, w->regs.r[a->ip]) ||
	    w->ops->read(w->ctx, w->regs.r[a->ip], &code, 1))
		return false;
	if (!pt_walk_word(w, sp + 12, &ra) || !follows_call(w, ra) || !pt_walk_word(w, sp, &saved))
		return false;
	w->regs.r[a->fp] = saved;
	w->regs.r[a->ip] = ra;
	*cfa = sp + 16;
	return true;
}

/* `chain`: the saved frame pointer must lie further up the stack; else it may be anything. */
static bool by_pointer(struct walk *w, bool chain, uint64_t *cfa)
{
	const struct pt_arch *a = w->a;
	uint64_t sp = w->regs.r[a->sp], fp = w->regs.r[a->fp], ra, saved, word = a->word_bytes,
		 record = fp - a->frame_record_words * word;

	if (!(w->regs.valid >> a->fp & 1) || fp < sp || fp % word || !fp ||
	    !pt_walk_word(w, record, &saved) || !pt_walk_word(w, record + word, &ra))
		return false;
	ra = pt_walk_plain_address(w, ra);
	if (ra ? !follows_call(w, ra) || (chain && saved <= fp) : saved != 0)
		return false;
	w->regs.r[a->fp] = saved;
	w->regs.r[a->ip] = ra;
	*cfa = record + 2 * word;
	return true;
}

static bool in_link_register(struct walk *w, uint64_t *cfa)
{
	const struct pt_arch *a = w->a;
	uint64_t ra = pt_walk_plain_address(w, w->regs.r[a->lr]);

	if (!(w->regs.valid >> a->lr & 1) || !ra || !follows_call(w, ra))
		return false;
	w->regs.r[a->ip] = ra;
	*cfa = w->regs.r[a->sp];
	return true;
}

bool pt_walk_guess(struct walk *w, unsigned leaf_words, uint64_t *cfa)
{
	const struct pt_arch *a = w->a;
	bool stacked = a->lr == a->ip, found;

	found = (leaf_words && w->pointer_first && by_pointer(w, true, cfa)) ||
		(leaf_words && (stacked ? in_vsyscall(w, cfa) || on_top(w, leaf_words, cfa)
					: in_link_register(w, cfa))) ||
		by_pointer(w, true, cfa) || (!leaf_words && stacked && on_top(w, 0, cfa)) ||
		by_pointer(w, false, cfa);
	w->result->end = PT_UNWIND_NO_RULE;
	if (!found)
		return false;
	w->regs.r[a->sp] = *cfa;
	w->regs.valid &= a->kept | 1ull << a->sp | 1ull << a->ip;
	w->result->guessed = true;
	return true;
}

static bool saved_by_kernel(struct walk *w, const struct pt_trampoline *t, struct pt_regs *saved)
{
	const struct pt_arch *a = w->a;
	uint64_t base = w->regs.r[a->sp] + t->at;
	unsigned i;

	*saved = (struct pt_regs){ .valid = 0 };
	if (t->pointer && !pt_walk_word(w, base, &base))
		return false;
	for (i = 0; i < t->nr_regs; i++) {
		if (t->regs[i] < 0)
			continue;
		if (!pt_walk_word(w, base + (uint64_t)t->regs[i], &saved->r[i]))
			return false;
		saved->valid |= 1ull << i;
	}
	return true;
}

/* The innermost frame may be within it, or at its end (in its system call). */
static bool is_trampoline(struct walk *w, const struct pt_trampoline *t, bool leaf, bool *known)
{
	uint64_t ip = w->regs.r[w->a->ip];
	unsigned back;

	for (back = 0; back <= (leaf ? t->code_bytes : 0u); back += w->a->lr == w->a->ip ? 1 : 4)
		if (trampoline_at(w, t, ip - back, known) || (!*known && t->in_vdso && !leaf))
			return true;
	return false;
}

bool pt_walk_trampoline(struct walk *w, bool leaf, uint64_t *cfa)
{
	const struct pt_arch *a = w->a;
	const struct pt_trampoline *t;
	struct pt_regs saved;
	uint64_t sp = w->regs.r[a->sp], word;
	bool known;

	for (t = a->trampolines; t < a->trampolines + a->nr_trampolines; t++) {
		if (!is_trampoline(w, t, leaf, &known) || !saved_by_kernel(w, t, &saved))
			continue;
		if (!known && (saved.r[a->sp] <= sp || saved.r[a->sp] % a->word_bytes ||
			       !pt_walk_word(w, saved.r[a->sp], &word)))
			continue;
		if ((!known || (leaf && saved.r[a->ip])) && !pt_walk_is_code(w, saved.r[a->ip]))
			continue;
		w->result->guessed |= !known;
		w->regs = saved;
		*cfa = sp;
		return true;
	}
	return false;
}
