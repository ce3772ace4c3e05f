#include "probe/value/loc_priv.h"

#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"

static const char *const x86_64[] = { "ax", "dx",  "cx",  "bx",  "si",  "di",  "bp",  "sp", "r8",
				      "r9", "r10", "r11", "r12", "r13", "r14", "r15", "ip" };
static const char *const i386[] = { "ax", "cx", "dx", "bx", "sp", "bp", "si", "di", "ip", "flags" };
static const char *const arm64[] = {
	"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",  "x8",  "x9",  "x10",
	"x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21",
	"x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30", "sp",  "pc",
};
static const char *const s390[] = { "r0", "r1", "r2",  "r3",  "r4",  "r5",  "r6",  "r7",
				    "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15" };

static const struct cpu {
	uint16_t machine;
	const char *const *regs;	/* by DWARF number */
	unsigned nr_regs;
	uint8_t sp;			/* the stack pointer's number */
	uint8_t args[8];		/* registers of integer arguments, in order */
	unsigned nr_args;
	/* distance of the CFA, and of the arguments on the stack, from the stack pointer at a
	 * function's entry */
	unsigned stack_args;
	uint8_t kernel_args[3];		/* i386: the kernel has its own convention */
	unsigned nr_kernel_args;
} cpus[] = {
	{ EM_X86_64, x86_64, PT_NR(x86_64), 7, { 5, 4, 1, 2, 8, 9 }, 6, 8, { 0 }, 0 },
	{ EM_386, i386, PT_NR(i386), 4, { 0 }, 0, 4, { 0, 2, 1 }, 3 },
	{ EM_AARCH64, arm64, PT_NR(arm64), 31, { 0, 1, 2, 3, 4, 5, 6, 7 }, 8, 0, { 0 }, 0 },
	{ EM_S390, s390, PT_NR(s390), 15, { 2, 3, 4, 5, 6 }, 5, 160, { 0 }, 0 },
};

static const struct cpu *cpu_of(uint16_t machine)
{
	size_t i;

	for (i = 0; i < PT_NR(cpus); i++)
		if (cpus[i].machine == machine)
			return &cpus[i];
	return NULL;
}

const char *pt_loc_reg(uint16_t machine, unsigned dwarf_nr)
{
	const struct cpu *c = cpu_of(machine);

	return c && dwarf_nr < c->nr_regs ? c->regs[dwarf_nr] : NULL;
}

void pt_loc_reg_text(uint16_t machine, unsigned nr, char *text, size_t text_bytes)
{
	const char *name = pt_loc_reg(machine, nr);

	if (name)
		snprintf(text, text_bytes, "%%%s", name);
	else if (machine == EM_X86_64 && nr >= 17 && nr <= 32)
		snprintf(text, text_bytes, "%%xmm%u", nr - 17);
	else if (machine == EM_X86_64 && nr >= 33 && nr <= 40)
		snprintf(text, text_bytes, "%%st%u", nr - 33);
	else if (machine == EM_386 && nr >= 11 && nr <= 18)
		snprintf(text, text_bytes, "%%st%u", nr - 11);
	else if (machine == EM_386 && nr >= 21 && nr <= 28)
		snprintf(text, text_bytes, "%%xmm%u", nr - 21);
	else if (machine == EM_AARCH64 && nr >= 64 && nr <= 95)
		snprintf(text, text_bytes, "%%v%u", nr - 64);
	else if (machine == EM_S390 && nr >= 16 && nr <= 31)
		snprintf(text, text_bytes, "a floating-point register");
	else
		snprintf(text, text_bytes, "register %u", nr);
}

/* rdi, edi, dil -> di; r8d -> r8; w0 -> x0. */
static const char *x86_named(const struct cpu *c, const char *n, unsigned *bytes)
{
	unsigned i;
	size_t len = strlen(n);

	for (i = 0; i < c->nr_regs; i++) {
		const char *k = c->regs[i];

		if (!strcasecmp(n, k))
			return k;
		if (c->machine == EM_X86_64 && (n[0] == 'r' || n[0] == 'R') &&
		    !strcasecmp(n + 1, k))
			return k;
		if ((n[0] == 'e' || n[0] == 'E') && !strcasecmp(n + 1, k)) {
			*bytes = 4;
			return k;
		}
		/* al, of ax; sil, of si */
		if ((len == 2 && k[1] == 'x' && !k[2] && n[0] == k[0] && n[1] == 'l') ||
		    (c->machine == EM_X86_64 && len == 3 && n[2] == 'l' && k[1] != 'x' &&
		     !strncmp(n, k, 2) && !k[2])) {
			*bytes = 1;
			return k;
		}
		if (len > 2 && k[0] == 'r' && !strncasecmp(n, k, len - 1) && strlen(k) == len - 1) {
			*bytes = strchr("dD", n[len - 1])   ? 4
				 : strchr("wW", n[len - 1]) ? 2
				 : strchr("bB", n[len - 1]) ? 1
							    : 0;
			return *bytes ? k : NULL;
		}
	}
	return NULL;
}

const char *pt_loc_reg_named(uint16_t machine, const char *name, unsigned *bytes)
{
	const struct cpu *c = cpu_of(machine);
	unsigned i;

	*bytes = 0;
	if (!c || !*name)
		return NULL;
	if (machine == EM_X86_64 || machine == EM_386)
		return x86_named(c, name, bytes);
	for (i = 0; i < c->nr_regs; i++) {
		if (!strcasecmp(name, c->regs[i]))
			return c->regs[i];
		if (machine == EM_AARCH64 && c->regs[i][0] == 'x' && strchr("wW", name[0]) &&
		    !strcmp(name + 1, c->regs[i] + 1)) {
			*bytes = 4;
			return c->regs[i];
		}
	}
	if (machine == EM_AARCH64)
		return !strcasecmp(name, "fp") ? "x29" : !strcasecmp(name, "lr") ? "x30" : NULL;
	return NULL;
}

bool pt_loc_argument(const struct pt_var_scope *s, unsigned n, struct pt_loc_piece *p)
{
	const struct cpu *c = cpu_of(s->machine);
	bool kernels = c && s->kernel && c->nr_kernel_args;
	unsigned in_regs = !c ? 0 : kernels ? c->nr_kernel_args : c->nr_args;

	if (!c || !n || n > 64 || (kernels && n > in_regs))
		return false;
	*p = (struct pt_loc_piece){ .kind = PT_LOC_REGISTER,
				    .chain = { .base = PT_BASE_REG, .bits = 64 } };
	if (n <= in_regs) {
		p->chain.reg = kernels ? c->kernel_args[n - 1] : c->args[n - 1];
	} else {
		p->kind = PT_LOC_MEMORY;
		p->chain.reg = c->sp;
		p->chain.off[0] = c->stack_args + (n - in_regs - 1) * s->word_bytes;
	}
	return true;
}

unsigned loc_sp(uint16_t machine)
{
	const struct cpu *c = cpu_of(machine);

	return c ? c->sp : UINT_MAX;
}

bool loc_entry_cfa(const struct pt_var_scope *s, struct pt_chain *c)
{
	const struct cpu *cpu = cpu_of(s->machine);

	if (!s->entry || !cpu)
		return false;
	*c = (struct pt_chain){
		.base = PT_BASE_REG, .reg = cpu->sp, .bits = 64, .off = { cpu->stack_args }
	};
	return true;
}
