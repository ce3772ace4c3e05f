#include "probe/value/sdtarg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "elf/symtab.h"
#include "probe/value/loc.h"

/* A register under any of its names, in tracefs's syntax ("%di"); false: it cannot be fetched.
 * Names of parts (%al) mean the low bits, which the operand's size selects. */
static bool reg_text(uint16_t machine, const char *name, size_t len, char *text, size_t text_bytes)
{
	char *copy = pt_strndup(name, len);
	unsigned bytes;
	const char *reg = pt_loc_reg_named(machine, copy + (*copy == '%'), &bytes);

	if (reg)
		snprintf(text, text_bytes, "%%%s", reg);
	free(copy);
	return reg;
}


static const char NOT_UNDERSTOOD[] = "is not understood",
		  NO_REGISTER[] = "has no register that the kernel can fetch",
		  TWO_REGISTERS[] = "the kernel cannot fetch by two registers";

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

/* Parses an assembler's number and moves *s behind it. */
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

/* NAME+8(%rip): a variable. The kernel adds `@+OFF` to the distance between the probe's address and
 * its file offset. */
static int variable(const struct pt_object *o, const struct pt_sdt *sdt, const struct operand *op,
		    const char *s, const char *open, struct pt_buf *b, struct pt_err *e)
{
	size_t len = 0;
	int64_t off = 0;
	const uint8_t *probe;
	uint64_t vaddr;
	char *name;
	bool known;

	while (s + len < open && s[len] != '+' && s[len] != '-')
		len++;
	name = pt_strndup(s, len);
	s += len;
	known = (s == open || (number(&s, open, &off) && s == open)) && o && len &&
		pt_symtab_named(pt_symtab_of((struct pt_object *)(uintptr_t)o), name, &vaddr);
	free(name);
	probe = known ? pt_object_bytes(o, sdt->vaddr, 1, true) : NULL;
	if (!probe)
		return cannot(e, op, "the address of its variable is not known");
	vaddr += (uint64_t)off - sdt->vaddr + (uint64_t)(probe - o->file.data);
	pt_buf_printf(b, "@+0x%llx", (unsigned long long)vaddr);
	return 0;
}

/* -4(%rbp), (%rax), NAME(%rip), 168(%r15); not 8(%rax,%rbx,4). */
static int in_memory(const struct pt_object *o, uint16_t machine, const struct pt_sdt *sdt,
		     const struct operand *op, const char *s, const char *end, struct pt_buf *b,
		     struct pt_err *e)
{
	const char *open = memchr(s, '(', (size_t)(end - s)), *from = s;
	char reg[16];
	int64_t off = 0;

	if (end[-1] != ')')
		return cannot(e, op, NOT_UNDERSTOOD);
	if (memchr(open, ',', (size_t)(end - open)))
		return cannot(e, op, TWO_REGISTERS);
	if (!reg_text(machine, open + 1, (size_t)(end - open - 2), reg, sizeof(reg)))
		return cannot(e, op, NO_REGISTER);
	if (!strcmp(reg, "%ip"))
		return variable(o, sdt, op, from, open, b, e);
	if (s < open && (!number(&s, open, &off) || s != open))
		return cannot(e, op, NOT_UNDERSTOOD);
	relative(b, off, reg);
	return 0;
}

/* [sp, 12], [x29, -20], [x0]; not [x0, x1]. */
static int in_brackets(uint16_t machine, const struct operand *op, const char *s, const char *end,
		       struct pt_buf *b, struct pt_err *e)
{
	size_t len = strcspn(++s, ", ]");
	char reg[16];
	int64_t off = 0;

	if (*--end != ']' || s + len > end)
		return cannot(e, op, NOT_UNDERSTOOD);
	if (!reg_text(machine, s, len, reg, sizeof(reg)))
		return cannot(e, op, NO_REGISTER);
	s += len;
	s += strspn(s, ", ");
	s += *s == '#';
	if (s < end && (!number(&s, end, &off) || s != end))
		return cannot(e, op, TWO_REGISTERS);
	relative(b, off, reg);
	return 0;
}

/* The size in front of '@': 4, -8. Without it the kernel fetches a word. */
static int size_of(const struct operand *op, const char **s, const char **type, struct pt_err *e)
{
	static const struct {
		int64_t size;
		const char *type;
	} known[] = { { 1, "u8" },  { 2, "u16" },  { 4, "u32" },  { 8, "u64" },
		      { -1, "s8" }, { -2, "s16" }, { -4, "s32" }, { -8, "s64" } };
	const char *at = memchr(op->s, '@', op->len), *p = op->s;
	int64_t v = 0;

	*s = op->s;
	*type = NULL;
	if (!at)
		return 0;
	*s = at + 1;
	if (!number(&p, at, &v))
		return cannot(e, op, NOT_UNDERSTOOD);
	if (p < at)
		return cannot(e, op,
			      *p == 'f' ? "the kernel cannot fetch floating point"
					: NOT_UNDERSTOOD);
	for (size_t i = 0; i < PT_NR(known); i++)
		if (known[i].size == v)
			*type = known[i].type;
	return *type ? 0 : cannot(e, op, "is of a size that the kernel cannot fetch");
}

int pt_sdt_arg(const struct pt_object *o, uint16_t machine, const struct pt_sdt *sdt, size_t i,
	       struct pt_buf *fetch, const char **type, struct pt_err *e)
{
	struct operand op = { NULL, 0 };
	const char *at = sdt->args, *s, *end;
	char reg[16];
	int64_t v;

	for (size_t n = 0; n <= i; n++)
		op = next_operand(&at);
	if (!op.len)
		return pt_err_set(e, "there is no arg%zu, only %zu", i + 1,
				  pt_sdt_nr_args(sdt->args));
	if (size_of(&op, &s, type, e) < 0)
		return -1;
	end = op.s + op.len;
	if (s == end)
		return cannot(e, &op, NOT_UNDERSTOOD);
	if (reg_text(machine, s, (size_t)(end - s), reg, sizeof(reg))) {
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
	return cannot(e, &op,
		      *s == '%' ? NO_REGISTER
				: NOT_UNDERSTOOD);
}
