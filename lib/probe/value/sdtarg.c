#include "probe/value/sdtarg.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "elf/symtab.h"
#include "probe/value/loc.h"

struct operand { const char *s; size_t len; };

struct work {
	struct pt_object *o;
	const struct pt_sdt *sdt;
	struct operand op;
	struct pt_buf *fetch;
	struct pt_err *e;
};

static const char NOT_UNDERSTOOD[] = "is not understood",
		  NO_REGISTER[] = "has no register that the kernel can fetch",
		  TWO_REGISTERS[] = "the kernel cannot fetch by two registers";

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

static int cannot(const struct work *w, const char *why)
{
	return pt_err_set(w->e, "argument '%.*s': %s", (int)PT_MIN(w->op.len, 100), w->op.s, why);
}

/* A register under any of its names, as tracefs names it; NULL: it cannot be fetched. Names of
 * parts (%al) mean the low bits, which the operand's size selects. */
static const char *reg_named(const struct work *w, const char *name)
{
	unsigned bytes;

	return pt_loc_reg_named(w->o->machine, name + (*name == '%'), &bytes);
}

/* Parses an assembler's number and moves *s behind it. */
static bool sdtarg_number(char **s, int64_t *v)
{
	char *from = *s;

	*v = (int64_t)strtoll(from, s, 0);
	return *s > from;
}

static int relative(const struct work *w, int64_t off, const char *reg)
{
	pt_buf_printf(w->fetch, "%+lld(%%%s)", (long long)off, reg);
	return 0;
}

/* NAME+8, in front of (%rip): a variable. The kernel adds `@+OFF` to the distance between the
 * probe's address and its file offset. */
static int variable(const struct work *w, char *name)
{
	char *sign = name + strcspn(name, "+-"), *end = sign;
	const uint8_t *probe = NULL;
	int64_t off = 0;
	uint64_t vaddr;
	bool good = !*sign || (sdtarg_number(&end, &off) && !*end);

	*sign = '\0';
	if (good && *name && pt_symtab_named(pt_symtab_of(w->o), name, &vaddr))
		probe = pt_object_bytes(w->o, w->sdt->vaddr, 1, true);
	if (!probe)
		return cannot(w, "the address of its variable is not known");
	vaddr += (uint64_t)off - w->sdt->vaddr + (uint64_t)(probe - w->o->file.data);
	pt_buf_printf(w->fetch, "@+0x%llx", (unsigned long long)vaddr);
	return 0;
}

/* -4(%rbp), (%rax), NAME(%rip), 168(%r15); not 8(%rax,%rbx,4). */
static int in_memory(const struct work *w, char *s)
{
	char *open = strchr(s, '('), *end = s + strlen(s) - 1;
	const char *reg;
	int64_t off = 0;

	if (*end != ')')
		return cannot(w, NOT_UNDERSTOOD);
	if (strchr(open, ','))
		return cannot(w, TWO_REGISTERS);
	*open = *end = '\0';
	reg = reg_named(w, open + 1);
	if (!reg)
		return cannot(w, NO_REGISTER);
	if (!strcmp(reg, "ip"))
		return variable(w, s);
	if (*s && (!sdtarg_number(&s, &off) || *s))
		return cannot(w, NOT_UNDERSTOOD);
	return relative(w, off, reg);
}

/* [sp, 12], [x29, -20], [x0]; not [x0, x1]. */
static int in_brackets(const struct work *w, char *s)
{
	char *end = s + strlen(s) - 1, *name = s + 1;
	const char *reg;
	int64_t off = 0;

	if (*end != ']')
		return cannot(w, NOT_UNDERSTOOD);
	*end = '\0';
	s = name + strcspn(name, ", ]");
	if (*s)
		*s++ = '\0';
	reg = reg_named(w, name);
	if (!reg)
		return cannot(w, NO_REGISTER);
	s += strspn(s, ", ");
	s += *s == '#';
	if (*s && (!sdtarg_number(&s, &off) || *s))
		return cannot(w, TWO_REGISTERS);
	return relative(w, off, reg);
}

/* The size in front of '@': 4, -8. Without it the kernel fetches a word. */
static int sdtarg_size_of(const struct work *w, char **s, const char **type)
{
	static const struct {
		int64_t size;
		const char *type;
	} known[] = { { 1, "u8" },  { 2, "u16" },  { 4, "u32" },  { 8, "u64" },
		      { -1, "s8" }, { -2, "s16" }, { -4, "s32" }, { -8, "s64" } };
	char *at = strchr(*s, '@'), *p = *s;
	int64_t v = 0;

	*type = NULL;
	if (!at)
		return 0;
	*s = at + 1;
	if (!sdtarg_number(&p, &v))
		return cannot(w, NOT_UNDERSTOOD);
	if (p < at)
		return cannot(w, *p == 'f' ? "the kernel cannot fetch floating point"
					   : NOT_UNDERSTOOD);
	for (size_t i = 0; i < PT_NR(known); i++)
		if (known[i].size == v)
			*type = known[i].type;
	return *type ? 0 : cannot(w, "is of a size that the kernel cannot fetch");
}

static int sdtarg_place(const struct work *w, char *s)
{
	const char *reg = reg_named(w, s);
	bool names_reg = *s == '%';
	int64_t v;

	if (reg) {
		pt_buf_printf(w->fetch, "%%%s", reg);
		return 0;
	}
	if (*s == '[')
		return in_brackets(w, s);
	if (strchr(s, '('))
		return in_memory(w, s);
	s += *s == '$' || *s == '#';
	if (!sdtarg_number(&s, &v) || *s)
		return cannot(w, names_reg ? NO_REGISTER : NOT_UNDERSTOOD);
	pt_buf_printf(w->fetch, "\\%lld", (long long)v);
	return 0;
}

int pt_sdt_arg(struct pt_object *o, const struct pt_sdt *sdt, size_t i, struct pt_buf *fetch,
	       const char **type, struct pt_err *e)
{
	struct work w = { .o = o, .sdt = sdt, .fetch = fetch, .e = e };
	const char *at = sdt->args;
	char *copy, *s;
	int rc;

	for (size_t n = 0; n <= i; n++)
		w.op = next_operand(&at);
	if (!w.op.len)
		return pt_err_set(e, "there is no arg%zu, only %zu", i + 1,
				  pt_sdt_nr_args(sdt->args));
	s = copy = pt_strndup(w.op.s, w.op.len);
	rc = sdtarg_size_of(&w, &s, type);
	if (rc == 0)
		rc = sdtarg_place(&w, s);
	free(copy);
	return rc;
}
