#include "unwind/code.h"

#include <elf.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "elf/insn.h"

enum { MAX_JUMPS = 64, MAX_DEPTH = 1 << 20, WORD = 8, RSP = 4 };

/* What an instruction does. ENDS: the one behind it does not follow. */
enum effect { NOTHING, ENDS, UNKNOWN };

/* Of the instruction set's number of a register: its DWARF number. */
static const uint8_t dwarf_reg[PT_CODE_REGS] = { 0, 2,  1,  3,  7,  6,  4,  5,
						 8, 9, 10, 11, 12, 13, 14, 15 };

/* By the instruction set's number: rbx, rbp, r12 to r15. */
enum { CALLEE_SAVED = 1 << 3 | 1 << 5 | 0xf << 12 };

struct jump { size_t to; struct pt_code_frame frame; };

struct walk {
	const uint8_t *code;
	size_t at, len_bytes;
	struct pt_code_frame now;
	bool known;			/* `now` is */
	struct jump jumps[MAX_JUMPS];	/* forward, that were passed */
	size_t nr_jumps;
};

struct insn {
	uint8_t rex, opcode;
	bool two_bytes;			/* opcode behind 0x0f */
	const uint8_t *rest;		/* behind the opcode */
	size_t rest_bytes;
};

static struct insn unwind_code_split(const uint8_t *p, size_t len)
{
	struct insn x = { .rex = 0 };
	size_t i = 0;

	while (i + 1 < len && (p[i] == 0x66 || p[i] == 0xf2 || p[i] == 0xf3 || p[i] == 0x2e))
		i++;
	if (i + 1 < len && (p[i] & 0xf0) == 0x40)
		x.rex = p[i++];
	if (i + 1 < len && p[i] == 0x0f) {
		x.two_bytes = true;
		i++;
	}
	x.opcode = p[i++];
	x.rest = p + i;
	x.rest_bytes = len - i;
	return x;
}

static int64_t unwind_code_constant(const uint8_t *p, size_t bytes)
{
	return bytes == 1 ? (int8_t)*p : (int32_t)pt_load32(p, false);
}

/* The stack grows by so many bytes; what was pushed beyond is gone. */
static enum effect unwind_code_grow(struct walk *w, int64_t bytes)
{
	int64_t depth = (int64_t)w->now.depth_bytes + bytes;

	if (depth < 0 || depth > MAX_DEPTH)
		return UNKNOWN;
	w->now.depth_bytes = (uint32_t)depth;
	for (unsigned i = 0; i < PT_CODE_REGS; i++)
		if (w->now.saved[i] > w->now.depth_bytes)
			w->now.saved[i] = 0;
	return NOTHING;
}

static enum effect unwind_code_push(struct walk *w, unsigned reg)
{
	uint32_t *saved = &w->now.saved[dwarf_reg[reg]];
	enum effect effect = unwind_code_grow(w, WORD);

	if (CALLEE_SAVED >> reg & 1 && !*saved)
		*saved = w->now.depth_bytes;
	return effect;
}

static enum effect unwind_code_jump(struct walk *w, const struct insn *x, size_t bytes,
				    bool conditional)
{
	int64_t to;

	if (x->rest_bytes < bytes)
		return UNKNOWN;
	to = (int64_t)(x->rest + bytes - w->code) + unwind_code_constant(x->rest, bytes);
	if (to >= (int64_t)w->at && w->nr_jumps < MAX_JUMPS)
		w->jumps[w->nr_jumps++] = (struct jump){ (size_t)to, w->now };
	return conditional ? NOTHING : ENDS;
}

/* sub and add of a constant, and lea: with the stack pointer as their result. */
static enum effect of_stack_pointer(struct walk *w, const struct insn *x)
{
	uint8_t modrm = x->rest_bytes ? x->rest[0] : 0, reg = modrm >> 3 & 7, rm = modrm & 7;
	bool group = x->opcode == 0x81 || x->opcode == 0x83, is_register = modrm >> 6 == 3,
	     to_reg = (x->opcode & 3) == 3 || x->opcode == 0x8d;
	size_t bytes = x->opcode == 0x81 || modrm >> 6 == 2 ? 4 : 1;

	if (group && is_register && rm == RSP && !(x->rex & 1) && x->rest_bytes == 1 + bytes &&
	    (reg == 0 || reg == 5 || reg == 7))		/* add, sub, cmp */
		return reg == 7 ? NOTHING
				: unwind_code_grow(w, (reg ? 1 : -1) * unwind_code_constant(
									       x->rest + 1, bytes));
	if (x->opcode == 0x8d && reg == RSP && !(x->rex & 4)) {
		if (rm != RSP || x->rest[1] != 0x24 || x->rex & 3 || x->rest_bytes != 2 + bytes)
			return UNKNOWN;
		return unwind_code_grow(w, -unwind_code_constant(x->rest + 2, bytes));
	}
	if (!group && to_reg)
		return reg == RSP && !(x->rex & 4) ? UNKNOWN : NOTHING;
	return is_register && rm == RSP && !(x->rex & 1) ? UNKNOWN : NOTHING;
}

/* Has a result in a register or in memory: add, or, ..., xor; groups; mov, lea. cmp and test have
 * none. */
static bool has_result(uint8_t opcode)
{
	return (opcode < 0x38 && (opcode & 7) < 4) || opcode == 0x81 || opcode == 0x83 ||
	       opcode == 0x87 || opcode == 0x89 || opcode == 0x8b || opcode == 0x8d ||
	       opcode == 0x63 || opcode == 0xc7 || opcode == 0xff;
}

static enum effect of_one_byte(struct walk *w, const struct insn *x)
{
	unsigned reg = (x->opcode & 7u) | (x->rex & 1u) << 3;

	switch (x->opcode) {
	case 0x50 ... 0x57: return unwind_code_push(w, reg);
	case 0x58 ... 0x5f: return reg == RSP ? UNKNOWN : unwind_code_grow(w, -WORD);
	case 0x68: case 0x6a: return unwind_code_grow(w, WORD);	/* push a constant */
	case 0x70 ... 0x7f: return unwind_code_jump(w, x, 1, true);
	case 0xe0 ... 0xe3: return unwind_code_jump(w, x, 1, true);
	case 0xeb: return unwind_code_jump(w, x, 1, false);
	case 0xe9: return unwind_code_jump(w, x, 4, false);
	case 0xc2: case 0xc3: case 0xcc: case 0xf4: return ENDS;	/* ret, int3, hlt */
	case 0x8f: return unwind_code_grow(w, -WORD);		/* pop into memory */
	case 0x9c: return unwind_code_grow(w, WORD);		/* pushf */
	case 0x9d: return unwind_code_grow(w, -WORD);
	case 0x94: case 0xbc: return x->rex & 1 ? NOTHING : UNKNOWN;	/* xchg, mov */
	case 0xc8: case 0xc9: return UNKNOWN;		/* enter, leave */
	}
	if (x->opcode == 0xff && x->rest_bytes) {
		if ((x->rest[0] >> 3 & 7) == 6)
			return unwind_code_grow(w, WORD);		/* push from memory */
		if ((x->rest[0] >> 3 & 6) == 4)
			return ENDS;			/* an indirect jump */
	}
	return has_result(x->opcode) ? of_stack_pointer(w, x) : NOTHING;
}

static enum effect effect_of(struct walk *w, const uint8_t *p, size_t len)
{
	struct insn x = unwind_code_split(p, len);

	if (!x.two_bytes)
		return of_one_byte(w, &x);
	if (x.opcode >= 0x80 && x.opcode <= 0x8f)
		return unwind_code_jump(w, &x, 4, true);
	return x.opcode == 0x0b ? ENDS : NOTHING;	/* ud2 */
}

/* A jump to this instruction tells how deep it is, also behind a call that does not return. */
static void unwind_code_arrive(struct walk *w)
{
	for (size_t i = 0; i < w->nr_jumps; i++)
		if (w->jumps[i].to == w->at) {
			w->now = w->jumps[i].frame;
			w->known = true;
			return;
		}
}

bool pt_code_frame_at(const uint8_t *code, size_t len_bytes, size_t at, struct pt_code_frame *f)
{
	struct walk w = { .code = code, .len_bytes = len_bytes, .known = true };

	for (;;) {
		size_t len = pt_insn_len(EM_X86_64, code + w.at, len_bytes - w.at);
		enum effect effect;

		if (!len)
			return false;
		unwind_code_arrive(&w);
		if (at < w.at + len)
			break;
		effect = w.known ? effect_of(&w, code + w.at, len) : NOTHING;
		if (effect == UNKNOWN)
			return false;
		w.known &= effect != ENDS;
		w.at += len;
	}
	*f = w.now;
	return w.known;
}
