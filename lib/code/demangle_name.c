#include "base/mem.h"
#include "base/search.h"
#include "code/demangle_priv.h"

/* Operators by their two letters; those with a letter first have a space in front. */
static const struct op {
	char code[3];
	const char *name;
} ops[] = {
	{ "aN", "&=" }, { "aS", "=" }, { "aa", "&&" }, { "ad", "&" }, { "an", "&" }, { "cl", "()" }, { "cm", "," }, { "co", "~" }, { "dV", "/=" }, { "da", " delete[]" },
	{ "de", "*" }, { "dl", " delete" }, { "dv", "/" }, { "eO", "^=" }, { "eo", "^" }, { "eq", "==" }, { "ge", ">=" }, { "gt", ">" }, { "ix", "[]" }, { "lS", "<<=" },
	{ "le", "<=" }, { "ls", "<<" }, { "lt", "<" }, { "mI", "-=" }, { "mL", "*=" }, { "mi", "-" }, { "ml", "*" }, { "mm", "--" }, { "na", " new[]" }, { "ne", "!=" },
	{ "ng", "-" }, { "nt", "!" }, { "nw", " new" }, { "oR", "|=" }, { "oo", "||" }, { "or", "|" }, { "pL", "+=" }, { "pl", "+" }, { "pm", "->*" }, { "pp", "++" },
	{ "ps", "+" }, { "pt", "->" }, { "rM", "%=" }, { "rS", ">>=" }, { "rm", "%" }, { "rs", ">>" }, { "ss", "<=>" },
};

/* The last part of a name of Rust's old mangling; the rest of it looks like C++'s. */
static bool rust_hash(const char *s)
{
	size_t i = 1;

	if (*s != 'h')
		return false;
	while (i < 17 && (dm_digit(s[i]) || (s[i] >= 'a' && s[i] <= 'f')))
		i++;
	return i == 17;
}

static inline const char *source_name(struct dm *d, const char *p)
{
	size_t len = 0;

	for (; dm_digit(*p) && len < MAX_MANGLED; p++)
		len = len * 10 + (size_t)(*p - '0');
	if (!len || len > (size_t)(d->end - p) || (len == 17 && rust_hash(p)))
		return NULL;
	if (*p == '_' && len >= 10 && !memcmp(p, "_GLOBAL_", 8) && (p[8] == '.' || p[8] == '_' || p[8] == '$') && p[9] == 'N')
		return DM_PUTS(d, "(anonymous namespace)") ? p + len : NULL;
	return dm_put(d, p, len) ? p + len : NULL;
}

static const char *abi_tags(struct dm *d, const char *p)
{
	while (*p == 'B')
		if (!DM_PUTS(d, "[abi:") || !(p = source_name(d, p + 1)) || !dm_putc(d, ']'))
			return NULL;
	return p;
}

static const char *operator_name(struct dm *d, const char *p, struct dm_name *n)
{
	struct dm_scope was = d->scope;
	char a = p[0], b = p[1];
	unsigned flags;
	size_t at;

	p += 2;
	if (a == 'c' && b == 'v') {
		n->no_return = true;
		d->scope = (struct dm_scope){ 0 };	/* what parameters it names are those of the arguments behind it */
		if (!DM_PUTS(d, "operator ") || !(p = dm_type(d, p, &flags)))
			return NULL;
		/* Of what is in such an operator the library puts pointers and the like into the middle of the operator's type. */
		if ((flags & T_INSIDE) && (d->depth > 1 || *p != 'E'))
			return NULL;
		d->scope = was;
		return p;
	}
	if (a == 'l' && b == 'i')
		return DM_PUTS(d, "operator\"\" ") ? source_name(d, p) : NULL;
	at = PT_LEADING(PT_NR(ops), i, ops[i].code[0] != a ? ops[i].code[0] < a : ops[i].code[1] < b);
	if (at == PT_NR(ops) || ops[at].code[0] != a || ops[at].code[1] != b)
		return NULL;
	return DM_PUTS(d, "operator") && dm_puts_(d, ops[at].name, strlen(ops[at].name)) ? p : NULL;
}

/* {lambda(int)#1}: its parameters are called auto:1 where they are a template's. */
static const char *lambda(struct dm *d, const char *p)
{
	struct dm_scope was = d->scope;
	uint64_t uses = d->uses;
	int pack_at = d->pack_at;
	unsigned nr;

	d->scope = (struct dm_scope){ .id = ++d->scopes, .lambda = true };
	d->pack_at = -1;
	if (d->scopes == 255 || !DM_PUTS(d, "{lambda") || !(p = dm_params(d, p)) || *p != 'E' || !(p = dm_compact(p + 1, &nr)))
		return NULL;
	d->scope = was;
	d->pack_at = pack_at;
	d->uses = uses;
	return dm_putc(d, '#') && dm_decimal(d, nr) && dm_putc(d, '}') ? p : NULL;
}

static const char *unnamed_type(struct dm *d, const char *p)
{
	struct dm_mark m = dm_mark(d, p);
	unsigned nr;

	p = dm_compact(p + 2, &nr);
	if (!p || !DM_PUTS(d, "{unnamed type#") || !dm_decimal(d, nr) || !dm_putc(d, '}'))
		return NULL;
	return dm_sub_add(d, p, &m, KIND_PREFIX, 0, true) ? p : NULL;
}

/* A name without what it is in. `last`: the text of the class's name, for constructors (len 0: not known). */
static const char *unqualified(struct dm *d, const char *p, struct dm_name *n, const struct dm_range *last)
{
	char c = *p;

	n->templ = n->no_return = n->unnamed = false;
	switch (c) {
	case '0' ... '9':
		p = source_name(d, p);
		break;
	case 'a' ... 'z':
		p = operator_name(d, p, n);
		break;
	case 'L':
		p = source_name(d, p + 1);
		if (p && *p == '_')
			return NULL;
		break;
	case 'C':
	case 'D':
		if (!dm_digit(p[1]) || p[1] > '5' || p[1] == (c == 'C' ? '0' : '3') || !last || !last->len || (c == 'D' && !dm_putc(d, '~')) || !dm_copy(d, last->off, last->len))
			return NULL;
		p += 2;
		n->no_return = true;
		break;
	case 'U':
		n->unnamed = true;
		p = p[1] == 'l' ? lambda(d, p + 2) : p[1] == 't' ? unnamed_type(d, p) : NULL;
		break;
	default:
		return NULL;
	}
	return p && *p == 'B' ? abi_tags(d, p) : p;
}

const char *dm_prefix(struct dm *d, const char *p, struct dm_name *n, const char *stop)
{
	struct dm_mark m = dm_mark(d, p);
	struct dm_range last = { 0, 0 };	/* what constructors are called; other parts than plain names are left to the library, but types without name keep the one before */
	const char *from = p;
	unsigned flags = 0;
	char c, c2;

	if (p[0] == 'S' && p[1] == 't')
		p = DM_PUTS(d, "std") ? p + 2 : NULL;
	else if (*p == 'S')
		p = dm_substitution(d, p, &flags, &last);
	if (!p || *p == 'E' || (flags & ~(unsigned)T_PARAM))
		return NULL;
	while ((c = *p) != 'E' && p != stop) {
		if (c == 'I') {
			if (p == from || !(p = dm_template_args(d, p, n)))
				return NULL;
			n->templ = true;
		} else if (c == 'M' && p[1] == 'U' && p != from) {	/* a lambda that initialises that member */
			p++;
			continue;
		} else if (c == 'T' && p == from) {
			if (!(p = dm_param(d, p, &flags)) || (flags & ~(unsigned)T_PARAM))
				return NULL;
		} else {
			if (p != from && !DM_PUTS(d, "::"))
				return NULL;
			if (dm_digit(c)) {
				last.off = dm_at(d);
				n->templ = n->no_return = n->unnamed = false;
				if (!(p = source_name(d, p)))
					return NULL;
				last.len = dm_at(d) - last.off;
				if (*p == 'B' && !(p = abi_tags(d, p)))
					return NULL;
			} else {
				c2 = c == 'U' ? p[1] : c;
				if (!(p = unqualified(d, p, n, &last)))
					return NULL;
				if (c2 != 't')
					last.len = 0;
			}
		}
		if (*p != 'E' && p != stop && !dm_sub_add(d, p, &m, KIND_PREFIX, 0, true))
			return NULL;
	}
	return p;
}

/* _0 or __12_, which tells things of the same name in one function apart. */
static const char *discriminator(const char *p)
{
	unsigned nr;

	if (*p != '_')
		return p;
	if (*++p != '_')
		return dm_digit(p[0]) && !dm_digit(p[1]) ? p + 1 : NULL;
	p = dm_number(p + 1, &nr);
	return p && nr >= 10 && *p == '_' ? p + 1 : NULL;
}

static const char *local_name(struct dm *d, const char *p, struct dm_name *n)
{
	struct dm_name function;

	p = dm_encoding(d, p + 1, &function, true, true);
	if (!p || *p++ != 'E' || !DM_PUTS(d, "::"))
		return NULL;
	if (*p == 's')
		return DM_PUTS(d, "string literal") ? discriminator(p + 1) : NULL;
	if (*p == 'd' || !(p = dm_name(d, p, n)))
		return NULL;
	return n->unnamed ? p : discriminator(p);
}

static const char *nested_name(struct dm *d, const char *p, struct dm_name *n)
{
	if (*++p == 'V')
		n->cv |= T_VOLATILE, p++;
	if (*p == 'K')
		n->cv |= T_CONST, p++;
	if (*p == 'R' || *p == 'O')
		n->ref = *p++;
	if (*p == 'r' || *p == 'V' || *p == 'K')
		return NULL;
	p = dm_prefix(d, p, n, NULL);
	return p && *p == 'E' ? p + 1 : NULL;
}

/* Not in N...E: a name, maybe in std, and its arguments. */
static const char *plain_name(struct dm *d, const char *p, struct dm_name *n)
{
	struct dm_mark m = dm_mark(d, p);
	unsigned flags;

	if (*p == 'S' && p[1] != 't') {
		p = dm_substitution(d, p, &flags, NULL);
		if (!p || *p != 'I')
			return NULL;
	} else {
		if (*p == 'S') {
			if (!DM_PUTS(d, "std::"))
				return NULL;
			p += 2;
		}
		p = unqualified(d, p, n, NULL);
		if (!p || *p != 'I')
			return p;
		if (n->unnamed || !dm_sub_add(d, p, &m, KIND_PREFIX, 0, true))
			return NULL;
	}
	n->templ = true;
	return dm_template_args(d, p, n);
}

const char *dm_class(struct dm *d, const char *p)
{
	struct dm_mark m = dm_mark(d, p);

	if (*p == 'S') {
		if (!DM_PUTS(d, "std::"))
			return NULL;
		p += 2;
	}
	p = source_name(d, p);
	if (p && *p == 'B')
		p = abi_tags(d, p);
	if (!p || !dm_sub_add(d, p, &m, *p == 'I' ? KIND_PREFIX : KIND_TYPE, 0, true) || *p != 'I')
		return p;
	p = dm_template_args(d, p, NULL);
	return p && dm_sub_add(d, p, &m, KIND_TYPE, 0, true) ? p : NULL;
}

const char *dm_nested_class(struct dm *d, const char *p)
{
	struct dm_mark m = dm_mark(d, p);
	struct dm_name n;

	if (d->depth >= MAX_DEPTH)
		return NULL;
	d->depth++;
	p = dm_prefix(d, p + 1, &n, NULL);
	d->depth--;
	return p && *p == 'E' && dm_sub_add(d, p + 1, &m, KIND_TYPE, 0, true) ? p + 1 : NULL;
}

const char *dm_name(struct dm *d, const char *p, struct dm_name *n)
{
	if (d->depth >= MAX_DEPTH)
		return NULL;
	d->depth++;
	memset(n, 0, sizeof(*n));
	p = *p == 'N' ? nested_name(d, p, n) : *p == 'Z' ? local_name(d, p, n) : plain_name(d, p, n);
	d->depth--;
	return p;
}
