#include "probe/sdtarg.h"

#include <ctype.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "code/symtab.h"

/* -- registers ----------------------------------------------------------------------------------------------------------------- */

/* The kernel's name first, then the assembler's. Parts that do not begin at bit 0 (ah) are left out: they would need a shift. */
static const char *const x86_regs[][5] = {
	{ "%ax", "rax", "eax", "ax", "al" }, { "%bx", "rbx", "ebx", "bx", "bl" }, { "%cx", "rcx", "ecx", "cx", "cl" }, { "%dx", "rdx", "edx", "dx", "dl" },
	{ "%si", "rsi", "esi", "si", "sil" }, { "%di", "rdi", "edi", "di", "dil" }, { "%bp", "rbp", "ebp", "bp", "bpl" }, { "%sp", "rsp", "esp", "sp", "spl" },
	{ "%r8", "r8", "r8d", "r8w", "r8b" }, { "%r9", "r9", "r9d", "r9w", "r9b" }, { "%r10", "r10", "r10d", "r10w", "r10b" },
	{ "%r11", "r11", "r11d", "r11w", "r11b" }, { "%r12", "r12", "r12d", "r12w", "r12b" }, { "%r13", "r13", "r13d", "r13w", "r13b" },
	{ "%r14", "r14", "r14d", "r14w", "r14b" }, { "%r15", "r15", "r15d", "r15w", "r15b" }, { "%ip", "rip", "eip", "ip", NULL },
	{ "%flags", "rflags", "eflags", "flags", NULL }, { "%cs", "cs", NULL, NULL, NULL }, { "%ss", "ss", NULL, NULL, NULL },
};

static const char *const aarch64_regs[] = {
	"%x0", "%x1", "%x2", "%x3", "%x4", "%x5", "%x6", "%x7", "%x8", "%x9", "%x10", "%x11", "%x12", "%x13", "%x14", "%x15", "%x16", "%x17", "%x18",
	"%x19", "%x20", "%x21", "%x22", "%x23", "%x24", "%x25", "%x26", "%x27", "%x28", "%x29", "%x30",
};

static const char *const s390_regs[] = {
	"%r0", "%r1", "%r2", "%r3", "%r4", "%r5", "%r6", "%r7", "%r8", "%r9", "%r10", "%r11", "%r12", "%r13", "%r14", "%r15",
};

static bool is(const char *name, size_t len, const char *known)
{
	return known && strlen(known) == len && !memcmp(known, name, len);
}

static const char *aarch64_reg(const char *name, size_t len)
{
	unsigned n = 0;

	if (is(name, len, "sp") || is(name, len, "wsp"))
		return "%sp";
	if (is(name, len, "pc"))
		return "%pc";
	if (is(name, len, "lr"))
		return "%x30";
	if (is(name, len, "fp"))
		return "%x29";
	if (len < 2 || len > 3 || (*name != 'x' && *name != 'w'))
		return NULL;
	for (size_t i = 1; i < len; i++) {
		if (!isdigit((unsigned char)name[i]))
			return NULL;
		n = n * 10 + (unsigned)(name[i] - '0');
	}
	return n < PT_NR(aarch64_regs) ? aarch64_regs[n] : NULL;
}

const char *pt_probe_reg(uint16_t machine, const char *name, size_t len)
{
	if (len && *name == '%') {
		name++;
		len--;
	}
	switch (machine) {
	case EM_X86_64:
	case EM_386:
		for (size_t i = 0; i < PT_NR(x86_regs); i++)
			for (size_t k = 0; k < PT_NR(x86_regs[i]); k++)
				if (is(name, len, x86_regs[i][k]) && (machine == EM_X86_64 || i < 8 || i > 15))
					return x86_regs[i][0];
		return NULL;
	case EM_AARCH64:
		return aarch64_reg(name, len);
	case EM_S390:
		for (size_t i = 0; i < PT_NR(s390_regs); i++)
			if (is(name, len, s390_regs[i] + 1))
				return s390_regs[i];
	}
	return NULL;
}

bool pt_probe_arg_place(uint16_t machine, bool is64, unsigned n, struct pt_buf *fetch)
{
	static const char *const x86[] = { "%di", "%si", "%dx", "%cx", "%r8", "%r9" };

	if (!n || n > 64)
		return false;
	switch (machine) {
	case EM_X86_64:
		if (!is64)
			return false;
		if (n <= PT_NR(x86))
			pt_buf_puts(fetch, x86[n - 1]);
		else
			pt_buf_printf(fetch, "+%u(%%sp)", 8 * (n - 6));
		return true;
	case EM_386:
		pt_buf_printf(fetch, "+%u(%%sp)", 4 * n);
		return true;
	case EM_AARCH64:
		if (n <= 8)
			pt_buf_puts(fetch, aarch64_regs[n - 1]);
		else
			pt_buf_printf(fetch, "+%u(%%sp)", 8 * (n - 9));
		return true;
	case EM_S390:
		if (n <= 5)
			pt_buf_puts(fetch, s390_regs[n + 1]);
		else
			pt_buf_printf(fetch, "+%u(%%r15)", 160 + 8 * (n - 6));
		return true;
	}
	return false;
}

/* -- operands ------------------------------------------------------------------------------------------------------------------ */

struct operand { const char *s; size_t len; };

/* Blanks within brackets are part of an operand ("[sp, 12]"). */
static struct operand next_operand(const char **at)
{
	const char *s = *at;
	int depth = 0;

	s += strspn(s, " \t");
	*at = s;
	for (; **at && (depth || (**at != ' ' && **at != '\t')); ++*at)
		depth += (**at == '[' || **at == '(') - (**at == ']' || **at == ')');
	return (struct operand){ s, (size_t)(*at - s) };
}

size_t pt_sdt_nr_args(const char *args)
{
	size_t nr = 0;

	while (next_operand(&args).len)
		nr++;
	return nr;
}

static int cannot(struct pt_err *e, const struct operand *op, const char *why)
{
	return pt_err_set(e, "argument '%.*s': %s", (int)PT_MIN(op->len, 100), op->s, why);
}

/* A number of the assembler's at s, as far as it goes. */
static bool number(const char **s, const char *end, int64_t *v)
{
	char text[32], *stop;
	size_t len = (size_t)PT_MIN(end - *s, (ptrdiff_t)sizeof(text) - 1);

	memcpy(text, *s, len);
	text[len] = '\0';
	*v = (int64_t)strtoll(text, &stop, 0);
	*s += stop - text;
	return stop > text;
}

static void relative(struct pt_buf *b, int64_t off, const char *reg)
{
	pt_buf_printf(b, "%+lld(%s)", (long long)off, reg);
}

/* NAME+8(%rip): a variable. `@+OFF` is, to the kernel, as far from the program's start as the probed place is from file offset 0. */
static int variable(const struct pt_object *o, const struct pt_sdt *sdt, const struct operand *op, const char *s, const char *open, struct pt_buf *b, struct pt_err *e)
{
	size_t len = 0;
	int64_t off = 0;
	uint64_t vaddr;
	char *name;
	bool known;

	while (s + len < open && s[len] != '+' && s[len] != '-')
		len++;
	name = pt_strndup(s, len);
	s += len;
	known = (s == open || (number(&s, open, &off) && s == open)) && o && len && pt_symtab_named(pt_symtab_of((struct pt_object *)(uintptr_t)o), name, &vaddr);
	free(name);
	for (size_t i = 0; known && i < o->nr_segments; i++)
		if (sdt->vaddr - o->segments[i].vaddr < o->segments[i].file_bytes) {
			pt_buf_printf(b, "@+0x%llx", (unsigned long long)(vaddr + (uint64_t)off - (o->segments[i].vaddr - o->segments[i].off)));
			return 0;
		}
	return cannot(e, op, "the address of its variable is not known");
}

/* -4(%rbp), (%rax), NAME(%rip), 168(%r15); not 8(%rax,%rbx,4). */
static int in_memory(const struct pt_object *o, uint16_t machine, const struct pt_sdt *sdt, const struct operand *op, const char *s, const char *end, struct pt_buf *b,
		     struct pt_err *e)
{
	const char *open = memchr(s, '(', (size_t)(end - s)), *from = s, *reg;
	int64_t off = 0;

	if (!open || end[-1] != ')')
		return cannot(e, op, "is not understood");
	if (memchr(open, ',', (size_t)(end - open)))
		return cannot(e, op, "the kernel cannot fetch by two registers");
	reg = pt_probe_reg(machine, open + 1, (size_t)(end - open - 2));
	if (!reg)
		return cannot(e, op, "has no register that the kernel can fetch");
	if (!strcmp(reg, "%ip"))
		return variable(o, sdt, op, from, open, b, e);
	if (s < open && (!number(&s, open, &off) || s != open))
		return cannot(e, op, "is not understood");
	relative(b, off, reg);
	return 0;
}

/* [sp, 12], [x29, -20], [x0]; not [x0, x1]. */
static int in_brackets(uint16_t machine, const struct operand *op, const char *s, const char *end, struct pt_buf *b, struct pt_err *e)
{
	const char *comma = memchr(s, ',', (size_t)(end - s)), *reg;
	int64_t off = 0;
	size_t len;

	if (end[-1] != ']')
		return cannot(e, op, "is not understood");
	s++;
	end--;
	len = (size_t)((comma ? comma : end) - s);
	while (len && s[len - 1] == ' ')
		len--;
	reg = pt_probe_reg(machine, s, len);
	if (!reg)
		return cannot(e, op, "has no register that the kernel can fetch");
	if (comma) {
		s = comma + 1;
		s += strspn(s, " ");
		s += *s == '#';
		if (!number(&s, end, &off) || s != end)
			return cannot(e, op, "the kernel cannot fetch by two registers");
	}
	relative(b, off, reg);
	return 0;
}

/* The size in front of '@': 4, -8. Not there: a word, as the kernel takes it. */
static int size_of(const struct operand *op, const char **s, const char **type, struct pt_err *e)
{
	static const struct { int64_t size; const char *type; } known[] = { { 1, "u8" }, { 2, "u16" }, { 4, "u32" }, { 8, "u64" }, { -1, "s8" }, { -2, "s16" }, { -4, "s32" }, { -8, "s64" } };
	const char *at = memchr(op->s, '@', op->len), *p = op->s;
	int64_t v = 0;

	*s = op->s;
	*type = NULL;
	if (!at)
		return 0;
	*s = at + 1;
	if (!number(&p, at, &v))
		return cannot(e, op, "is not understood");
	if (p < at)
		return cannot(e, op, *p == 'f' ? "the kernel cannot fetch floating point" : "is not understood");
	for (size_t i = 0; i < PT_NR(known); i++)
		if (known[i].size == v)
			*type = known[i].type;
	return *type ? 0 : cannot(e, op, "is of a size that the kernel cannot fetch");
}

int pt_sdt_arg(const struct pt_object *o, uint16_t machine, const struct pt_sdt *sdt, size_t i, struct pt_buf *fetch, const char **type, struct pt_err *e)
{
	struct operand op = { NULL, 0 };
	const char *at = sdt->args, *s, *end, *reg;
	int64_t v;

	for (size_t n = 0; n <= i; n++)
		op = next_operand(&at);
	if (!op.len)
		return pt_err_set(e, "it has %zu arguments", pt_sdt_nr_args(sdt->args));
	if (size_of(&op, &s, type, e) < 0)
		return -1;
	end = op.s + op.len;
	if (s == end)
		return cannot(e, &op, "is not understood");
	if ((reg = pt_probe_reg(machine, s, (size_t)(end - s)))) {
		pt_buf_puts(fetch, reg);
		return 0;
	}
	if (*s == '[')
		return in_brackets(machine, &op, s, end, fetch, e);
	if (memchr(s, '(', (size_t)(end - s)))
		return in_memory(o, machine, sdt, &op, s, end, fetch, e);
	s += *s == '$' || *s == '#';
	if (number(&s, end, &v) && s == end) {
		pt_buf_printf(fetch, "\\%lld", (long long)v);
		return 0;
	}
	return cannot(e, &op, *s == '%' ? "has no register that the kernel can fetch" : "is not understood");
}
