#include "unwind/regnames.h"

#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "unwind/arch.h"

/* Numbers of arch/CPU/include/uapi/asm/perf_regs.h in the kernel; the names are perf's. */
static const char *const x86_regs[] = {
	"AX", "BX", "CX", "DX", "SI", "DI", "BP",  "SP",  "IP",  "FLAGS", "CS",  "SS",
	"DS", "ES", "FS", "GS", "R8", "R9", "R10", "R11", "R12", "R13",   "R14", "R15",
};
static const char *const arm64_regs[] = {
	"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",  "x8",  "x9",  "x10",
	"x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21",
	"x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "lr",  "sp",  "pc",
};

const char *pt_reg_name(const char *arch, unsigned number)
{
	bool x86 = arch && (!strcmp(arch, "x86_64") || (arch[0] == 'i' && !strcmp(arch + 2, "86")));
	bool arm64 = arch && (!strcmp(arch, "aarch64") || !strcmp(arch, "aarch64_be") ||
			      !strcmp(arch, "arm64"));

	if (x86)
		return number < PT_NR(x86_regs) ? x86_regs[number] : NULL;
	return arm64 && number < PT_NR(arm64_regs) ? arm64_regs[number] : NULL;
}

/* The bit of a name; 0: there is no such register. */
static uint64_t find_reg(const struct pt_arch *cpu, const char *name, size_t len)
{
	for (unsigned i = 0; i < 64; i++) {
		const char *reg = cpu->sample_regs >> i & 1 ? pt_reg_name(cpu->name, i) : NULL;

		if (reg && strlen(reg) == len && !strncasecmp(reg, name, len))
			return 1ull << i;
	}
	return 0;
}

static int no_such_reg(const struct pt_arch *cpu, const char *name, size_t len, struct pt_err *e)
{
	if (len == 1 && *name == '?')
		pt_err_set(e, "the registers are");
	else
		pt_err_set(e, "'%.*s' is no register; there are", (int)PT_MIN(len, 64), name);
	for (unsigned i = 0; i < 64; i++)
		if (cpu->sample_regs >> i & 1 && pt_reg_name(cpu->name, i))
			pt_err_advice(e, " %s", pt_reg_name(cpu->name, i));
	return -1;
}

int pt_regs_parse(const char *names, uint64_t *mask, struct pt_err *e)
{
	const struct pt_arch *cpu = pt_arch_here();
	size_t len;

	if (!cpu)
		return pt_err_set(e, "the registers of this CPU are not known");
	*mask = names ? 0 : cpu->sample_regs;
	for (const char *p = names; p; p = p[len] ? p + len + 1 : NULL) {
		uint64_t bit;

		len = strcspn(p, ",");
		bit = find_reg(cpu, p, len);
		if (!bit)
			return no_such_reg(cpu, p, len, e);
		*mask |= bit;
	}
	return 0;
}
