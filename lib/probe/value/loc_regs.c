#include "probe/value/loc_priv.h"

#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/utsname.h>

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
	const char *name;		/* as uname -m */
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
	{ "x86_64", EM_X86_64, x86_64, PT_NR(x86_64), 7, { 5, 4, 1, 2, 8, 9 }, 6, 8, { 0 }, 0 },
	{ "i686", EM_386, i386, PT_NR(i386), 4, { 0 }, 0, 4, { 0, 2, 1 }, 3 },
	{ "aarch64", EM_AARCH64, arm64, PT_NR(arm64), 31, { 0, 1, 2, 3, 4, 5, 6, 7 }, 8, 0, { 0 }, 0 },
	{ "s390x", EM_S390, s390, PT_NR(s390), 15, { 2, 3, 4, 5, 6 }, 5, 160, { 0 }, 0 },
};

static const struct cpu *loc_regs_cpu_of(uint16_t machine)
{
	for (size_t i = 0; i < PT_NR(cpus); i++)
		if (cpus[i].machine == machine)
			return &cpus[i];
	return NULL;
}

uint16_t pt_loc_machine_here(void)
{
	struct utsname u;

	for (size_t i = 0; uname(&u) == 0 && i < PT_NR(cpus); i++)
		if (!strcmp(u.machine, cpus[i].name))
			return cpus[i].machine;
	return EM_NONE;
}

const char *pt_loc_reg(uint16_t machine, unsigned dwarf_nr)
{
	const struct cpu *c = loc_regs_cpu_of(machine);

	return c && dwarf_nr < c->nr_regs ? c->regs[dwarf_nr] : NULL;
}

void pt_loc_reg_text(uint16_t machine, unsigned nr, char *text, size_t text_bytes)
{
	const char *name = pt_loc_reg(machine, nr);

	if (name)
		snprintf(text, text_bytes, "%%%s", name);
	else if (machine == EM_X86_64 && nr >= 17 && nr <= 32)
		snprintf(text, text_bytes, "%%xmm%u", nr - 17);
	else
		snprintf(text, text_bytes, "register %u", nr);
}

static bool is_one_of(char c, const char *letters)
{
	return c && strchr(letters, c);
}

/* Does the name mean this register of x86 or a part of it? di: rdi, edi, dil; ax: al; r8: r8d, r8w,
 * r8b. */
static bool is_x86_name(const char *reg, bool is64, const char *name, unsigned *bytes)
{
	size_t len = strlen(reg);

	*bytes = 0;
	if (!strcasecmp(name, reg) ||
	    (is64 && is_one_of(*name, "rR") && !strcasecmp(name + 1, reg)))
		return true;
	if (*reg == 'r') {
		if (strncasecmp(name, reg, len) || (name[len] && name[len + 1]))
			return false;
		*bytes = is_one_of(name[len], "dD")   ? 4
			 : is_one_of(name[len], "wW") ? 2
			 : is_one_of(name[len], "bB") ? 1
						      : 0;
		return *bytes;
	}
	*bytes = is_one_of(*name, "eE") && !strcasecmp(name + 1, reg) ? 4 : 1;
	return *bytes == 4 ||
	       (reg[1] == 'x' ? *name == *reg && !strcmp(name + 1, "l")
			      : is64 && !strncmp(name, reg, len) && !strcmp(name + len, "l"));
}

const char *pt_loc_reg_named(uint16_t machine, const char *name, unsigned *bytes)
{
	const struct cpu *c = loc_regs_cpu_of(machine);
	bool is_x86 = machine == EM_X86_64 || machine == EM_386;
	char wide[8];

	*bytes = 0;
	if (machine == EM_AARCH64 && is_one_of(*name, "wW")) {	/* w0: of x0 */
		*bytes = 4;
		snprintf(wide, sizeof(wide), "x%s", name + 1);
		name = wide;
	}
	for (unsigned i = 0; c && i < c->nr_regs; i++)
		if (is_x86 ? is_x86_name(c->regs[i], machine == EM_X86_64, name, bytes)
			   : !strcasecmp(name, c->regs[i]))
			return c->regs[i];
	if (machine == EM_AARCH64)
		return !strcasecmp(name, "fp") ? "x29" : !strcasecmp(name, "lr") ? "x30" : NULL;
	return NULL;
}

bool pt_loc_argument(const struct pt_var_scope *s, unsigned n, struct pt_loc_piece *p)
{
	const struct cpu *c = loc_regs_cpu_of(s->machine);
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
	const struct cpu *c = loc_regs_cpu_of(machine);

	return c ? c->sp : UINT_MAX;
}

bool loc_entry_cfa(const struct pt_var_scope *s, struct pt_chain *c)
{
	const struct cpu *cpu = loc_regs_cpu_of(s->machine);

	if (!s->entry || !cpu)
		return false;
	*c = (struct pt_chain){
		.base = PT_BASE_REG, .reg = cpu->sp, .bits = 64, .off = { cpu->stack_args }
	};
	return true;
}
