/* cfi_go.c - rows of Go functions, from the table that every Go program has (elf/gotable.h): it
 * knows how deep the stack is at each instruction, and the functions at which a stack begins.
 *
 * Goroutines have small stacks of their own, which C code and the scheduler do not use: a few
 * functions of the runtime continue on their thread's stack. The stack that they leave is not in
 * the copy of the one that is used, so theirs ends with them, as in Go's own tracebacks (function
 * topofstack() of runtime/traceback.go).
 *
 * C functions that Go's linker takes in are in the table without a depth, and their call frame
 * information is dropped: theirs is read from their instructions (unwind/code.h; x86-64 alone). */
#include <dwarf.h>
#include <elf.h>
#include <string.h>

#include "base/mem.h"
#include "unwind/cfi_priv.h"
#include "unwind/code.h"

enum { MAX_C_BYTES = 1 << 16 };		/* of a C function, up to the place that is asked for */

enum kind {
	PLAIN,
	TOP,			/* nothing called it that is of interest */
	SWITCHES,		/* a top where it calls with the other stack */
	CALLS_C,		/* with another stack; keeps its own stack pointer in a register */
	SIGNAL,			/* a handler returns to it */
};

static const struct { const char *name; enum kind kind; } special[] = {
	{ "runtime.goexit", TOP },
	{ "runtime.mstart", TOP },
	{ "runtime.rt0_go", TOP },
	{ "runtime.systemstack", SWITCHES },
	{ "runtime.mcall", SWITCHES },
	{ "runtime.asmcgocall", SWITCHES },
	{ "runtime.morestack", SWITCHES },
	{ "runtime.nanotime1", CALLS_C },
	{ "runtime.walltime", CALLS_C },
	{ "time.now", CALLS_C },
	{ "runtime.callCgoMmap", CALLS_C },
	{ "runtime.callCgoMunmap", CALLS_C },
	{ "runtime.callCgoSigaction", CALLS_C },
	{ "runtime.sigreturn", SIGNAL },
	{ "runtime.sigreturn__sigaction", SIGNAL },
};

/* By DWARF numbers. */
static const struct machine {
	uint16_t machine;
	uint8_t word, sp, ra;
	bool pushes;			/* a call pushes the return address */
	struct keeper {			/* instructions by which CALLS_C functions keep it */
		uint8_t code[4], code_bytes, reg;
	} keepers[2];
} machines[] = {
	/* mov %rsp, %r12; mov %rsp, %rbx */
	{ EM_X86_64, 8, 7, 16, true, { { { 0x49, 0x89, 0xe4 }, 3, 12 }, { { 0x48, 0x89, 0xe3 }, 3, 3 } } },
	/* mov x20, sp */
	{ EM_AARCH64, 8, 31, 30, false, { { { 0xf4, 0x03, 0x00, 0x91 }, 4, 20 } } },
};

static enum kind cfi_go_kind_of(const char *name)
{
	for (size_t i = 0; i < PT_NR(special); i++)
		if (!strcmp(name, special[i].name))
			return special[i].kind;
	return PLAIN;
}

/* The instruction that ends with the byte at vaddr calls through a register, or at all. */
static bool cfi_go_is_call(const struct pt_object *o, const struct machine *m, uint64_t vaddr,
			   bool through_register)
{
	const uint8_t *p = pt_object_bytes(o, vaddr - 4, 5, false);
	uint32_t code;

	if (!p)
		return false;
	if (m->pushes)
		return (p[3] == 0xff && (p[4] & 0xf8) == 0xd0) || (!through_register && *p == 0xe8);
	code = pt_load32(p + 1, o->swap);
	return (vaddr & 3) == 3 && ((code & 0xfffffc1f) == 0xd63f0000 ||
				    (!through_register && code >> 26 == 0x25));
}

/* The register that has the stack pointer at vaddr. */
static uint8_t kept_in(const struct pt_object *o, const struct machine *m,
		       const struct pt_gofunction *g, uint64_t vaddr)
{
	const struct keeper *k;
	const uint8_t *code = pt_object_bytes(o, g->entry, vaddr - g->entry, false);

	for (k = m->keepers; code && k < m->keepers + PT_NR(m->keepers) && k->code_bytes; k++)
		if (memmem(code, vaddr - g->entry, k->code, k->code_bytes))
			return k->reg;
	return m->sp;
}

/* The row as instructions. Returns their length. */
static size_t write_code(uint8_t *code, const struct machine *m, uint8_t cfa_reg, uint32_t depth,
			 bool top)
{
	uint64_t off = (uint64_t)depth + (m->pushes ? m->word : 0);
	size_t n = 0;

	code[n++] = DW_CFA_def_cfa;
	code[n++] = cfa_reg;
	n += pt_uleb_write(code + n, off);
	if (top) {
		code[n++] = DW_CFA_undefined;
		code[n++] = m->ra;
	} else if (m->pushes || depth) {	/* arm64 saves it at the frame's lower end */
		code[n++] = DW_CFA_offset | m->ra;
		n += pt_uleb_write(code + n, m->pushes ? 1 : depth / m->word);
	}
	return n;
}

/* The row of a C function. Of a cold part it is unknown how deep the stack is where it begins. */
static const struct pt_row *row_of_c(struct pt_cfi *c, const struct machine *m,
				     const struct pt_gofunction *g, struct fde *f, uint64_t vaddr)
{
	uint64_t len = f->end - f->start, at = vaddr - f->start;
	const uint8_t *bytes = pt_object_bytes(c->object, f->start, len, false);
	uint8_t code[8 + 12 * PT_CODE_REGS];
	struct pt_code_frame frame;
	size_t n;

	if (!m->pushes || strstr(g->name, ".cold") || !bytes || at > MAX_C_BYTES ||
	    !pt_budget_work(&c->object->budget, at) || !pt_code_frame_at(bytes, len, at, &frame))
		return NULL;
	n = write_code(code, m, m->sp, frame.depth_bytes, false);
	for (uint8_t reg = 0; reg < PT_CODE_REGS; reg++)
		if (frame.saved[reg]) {
			code[n++] = DW_CFA_offset | reg;
			n += pt_uleb_write(code + n, frame.saved[reg] / m->word + 1);
		}
	f->code = code;
	f->code_bytes = n;
	return pt_cfi_run(c, f, vaddr);
}

static const struct pt_row *cfi_go_row_at(struct pt_cfi *c, const struct machine *m,
					  const struct pt_gofunction *g, enum kind kind,
					  uint64_t vaddr)
{
	const struct cie cie = { .code_align = 1, .data_align = -m->word, .ra_reg = m->ra };
	uint8_t code[32];
	struct fde f = { .cie = &cie, .start = g->entry, .end = g->end, .code = code };
	uint8_t cfa_reg = m->sp;
	int32_t depth;

	if (!pt_gotable_depth(c->go, g, vaddr, &depth))
		return row_of_c(c, m, g, &f, vaddr);
	if (kind == SWITCHES)		/* mostly after another call: of the saving of registers */
		kind = cfi_go_is_call(c->object, m, vaddr, strcmp(g->name, "runtime.morestack"))
			       ? TOP
			       : PLAIN;
	if (kind == CALLS_C && depth)
		cfa_reg = kept_in(c->object, m, g, vaddr);
	f.code_bytes = write_code(code, m, cfa_reg, (uint32_t)depth, kind == TOP);
	return pt_cfi_run(c, &f, vaddr);
}

bool pt_cfi_go(struct pt_cfi *c, uint64_t vaddr, struct covered *is)
{
	struct pt_gofunction g;
	enum kind kind;
	size_t i;

	if (!c->go || !pt_gotable_find(c->go, vaddr, &g))
		return false;
	kind = cfi_go_kind_of(g.name);
	*is = (struct covered){ g.entry, g.end, NULL };
	for (i = 0; i < PT_NR(machines); i++)
		if (machines[i].machine == c->object->machine && kind != SIGNAL)
			is->row = cfi_go_row_at(c, &machines[i], &g, kind, vaddr);
	return is->row || kind == SIGNAL;
}
