#include "code/demangle.h"

#include "base/mem.h"
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

void dm_cut(struct dm *d, uint32_t a, uint8_t first_sub)
{
	for (; first_sub < d->nr_subs; first_sub++)
		d->subs[first_sub].len = 0;
	d->o = d->text + a;
}

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

static bool source_name(struct dm *d)
{
	size_t len = 0;

	while (dm_digit(dm_peek(d)) && len < MAX_MANGLED)
		len = len * 10 + (size_t)(*d->p++ - '0');
	if (!len || len > (size_t)(d->end - d->p) || (len == 17 && rust_hash(d->p)))
		return false;
	if (len >= 10 && d->p[0] == '_' && !memcmp(d->p, "_GLOBAL_", 8) && strchr("._$", d->p[8]) && d->p[9] == 'N') {
		d->p += len;
		return DM_PUTS(d, "(anonymous namespace)");
	}
	d->p += len;
	return dm_put(d, d->p - len, len);
}

static bool abi_tags(struct dm *d)
{
	while (dm_is(d, 'B'))
		if (!DM_PUTS(d, "[abi:") || !source_name(d) || !dm_putc(d, ']'))
			return false;
	return true;
}

static bool operator_name(struct dm *d, struct dm_name *n)
{
	char a = d->p[0], b = dm_peek2(d);
	size_t lo = 0, hi = PT_NR(ops), mid;
	unsigned flags;
	int c;

	d->p += 2;
	if (a == 'c' && b == 'v') {
		struct dm_scope was = d->scope;

		n->no_return = true;
		d->scope = (struct dm_scope){ 0 };	/* parameters of the template that come behind it */
		if (!DM_PUTS(d, "operator ") || !dm_type(d, &flags))
			return false;
		d->scope = was;
		return true;
	}
	if (a == 'l' && b == 'i')
		return DM_PUTS(d, "operator\"\" ") && source_name(d);
	while (lo < hi) {
		mid = (lo + hi) / 2;
		c = ops[mid].code[0] != a ? ops[mid].code[0] - a : ops[mid].code[1] - b;
		if (!c)
			return DM_PUTS(d, "operator") && dm_puts_(d, ops[mid].name, strlen(ops[mid].name));
		if (c < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return false;
}

/* {lambda(int)#1}: its parameters are called auto:1 where they are a template's. */
static bool lambda(struct dm *d)
{
	struct dm_scope was = d->scope;
	int pack_at = d->pack_at, uses = d->uses_scope;
	unsigned nr;

	d->scope = (struct dm_scope){ .id = ++d->scopes, .lambda = true };
	d->pack_at = -1;
	if (d->scopes == 255 || !DM_PUTS(d, "{lambda") || !dm_params(d) || !dm_is(d, 'E') || !dm_compact(d, &nr))
		return false;
	d->scope = was;
	d->pack_at = pack_at;
	d->uses_scope = uses;
	return dm_putc(d, '#') && dm_decimal(d, nr) && dm_putc(d, '}');
}

/* A name without what it is in. `last`: the text of the class's name, for constructors (len 0: not known). */
static bool unqualified(struct dm *d, struct dm_name *n, const struct dm_range *last)
{
	char c = dm_peek(d), c2;
	struct dm_mark m;
	unsigned nr;

	n->templ = n->no_return = n->unnamed = false;
	if (dm_digit(c)) {
		if (!source_name(d))
			return false;
	} else if (c >= 'a' && c <= 'z') {
		if (!operator_name(d, n))
			return false;
	} else if (c == 'L') {
		d->p++;
		if (!dm_digit(dm_peek(d)) || !source_name(d) || dm_peek(d) == '_')
			return false;
	} else if (c == 'C' || c == 'D') {
		c2 = dm_peek2(d);
		if (c2 < '0' || c2 > '5' || (c == 'C' ? c2 == '0' : c2 == '3') || !last || !last->len || (c == 'D' && !dm_putc(d, '~')) || !dm_copy(d, last->off, last->len))
			return false;
		d->p += 2;
		n->no_return = true;
	} else if (c == 'U' && dm_peek2(d) == 'l') {
		d->p += 2;
		n->unnamed = true;
		if (!lambda(d))
			return false;
	} else if (c == 'U' && dm_peek2(d) == 't') {
		m = dm_mark(d);
		d->p += 2;
		n->unnamed = true;
		if (!dm_compact(d, &nr) || !DM_PUTS(d, "{unnamed type#") || !dm_decimal(d, nr) || !dm_putc(d, '}') || !dm_sub_add(d, &m, KIND_PREFIX, 0, true))
			return false;
	} else {
		return false;
	}
	return dm_peek(d) != 'B' || abi_tags(d);
}

bool dm_prefix(struct dm *d, struct dm_name *n, const char *stop)
{
	struct dm_mark m = dm_mark(d);
	struct dm_range last = { 0, 0 }, now;
	bool first = true, named = false;
	unsigned flags;
	char c;

	for (;;) {
		c = dm_peek(d);
		if (d->p == stop || c == 'E')
			return named;
		if (c == 'S') {
			if (!first)
				return false;
			if (dm_peek2(d) == 't') {
				d->p += 2;
				if (!DM_PUTS(d, "std"))
					return false;
			} else if (!dm_substitution(d, &flags, &last)) {
				return false;
			}
			first = false;
			continue;
		}
		if (c == 'I') {
			if (first || !dm_template_args(d, n))
				return false;
			n->templ = true;
		} else if (c == 'T' && first) {
			if (!dm_param(d, &flags))
				return false;
		} else {
			if (!first && !DM_PUTS(d, "::"))
				return false;
			now.off = dm_at(d);
			if (!unqualified(d, n, &last))
				return false;
			/* What constructors are called: without ABI tags; other parts than plain names are left to the library. */
			now.len = dm_digit(c) ? (uint32_t)(dm_at(d) - now.off) : 0;
			if (now.len && d->o[-1] == ']')
				now.len = (uint32_t)((char *)memchr(d->text + now.off, '[', now.len) - d->text) - now.off;
			last = now;
		}
		first = false;
		named = true;
		if (dm_peek(d) != 'E' && d->p != stop && !dm_sub_add(d, &m, KIND_PREFIX, 0, true))
			return false;
	}
}

/* _0 or __12_, which tells things of the same name in one function apart. */
static bool discriminator(struct dm *d)
{
	unsigned nr;

	if (!dm_is(d, '_'))
		return true;
	if (dm_is(d, '_'))
		return dm_number(d, &nr) && nr >= 10 && dm_is(d, '_');
	if (!dm_digit(dm_peek(d)))
		return false;
	d->p++;
	return !dm_digit(dm_peek(d));
}

static bool local_name(struct dm *d, struct dm_name *n)
{
	d->p++;
	if (!dm_encoding(d, true, true) || !dm_is(d, 'E') || !DM_PUTS(d, "::"))
		return false;
	if (dm_is(d, 's'))
		return DM_PUTS(d, "string literal") && discriminator(d);
	if (dm_peek(d) == 'd')
		return false;
	return dm_name(d, n) && (n->unnamed || discriminator(d));
}

static bool nested_name(struct dm *d, struct dm_name *n)
{
	d->p++;
	for (;; d->p++) {
		if (dm_peek(d) == 'V')
			n->cv |= T_VOLATILE;
		else if (dm_peek(d) == 'K')
			n->cv |= T_CONST;
		else
			break;
	}
	if (n->cv == T_CV && d->p[-1] == 'V')
		return false;
	if (dm_peek(d) == 'R' || dm_peek(d) == 'O')
		n->ref = *d->p++;
	return dm_prefix(d, n, NULL) && dm_is(d, 'E');
}

bool dm_name(struct dm *d, struct dm_name *n)
{
	struct dm_mark m = dm_mark(d);
	char c = dm_peek(d);
	unsigned flags;
	bool ok;

	if (d->depth >= MAX_DEPTH || d->steps++ >= MAX_STEPS)
		return false;
	d->depth++;
	memset(n, 0, sizeof(*n));
	if (c == 'N') {
		ok = nested_name(d, n);
	} else if (c == 'Z') {
		ok = local_name(d, n);
	} else if (c == 'S' && dm_peek2(d) != 't') {
		ok = dm_substitution(d, &flags, NULL) && dm_peek(d) == 'I' && dm_template_args(d, n);
		n->templ = true;
	} else {
		ok = true;
		if (c == 'S') {
			d->p += 2;
			ok = DM_PUTS(d, "std::");
		}
		ok = ok && unqualified(d, n, NULL);
		if (ok && dm_peek(d) == 'I') {
			ok = dm_sub_add(d, &m, KIND_PREFIX, 0, true) && dm_template_args(d, n);
			n->templ = true;
		}
	}
	d->depth--;
	return ok;
}

/* [a, b) and [b, o) change places. */
static bool swap_text(struct dm *d, uint32_t a, uint32_t b)
{
	uint32_t len = b - a, rest = dm_at(d) - b;

	if (!dm_copy(d, a, len))
		return false;
	memmove(d->text + a, d->text + b, rest + len);
	d->o -= len;
	return true;
}

/* The return type of the function whose name begins at `a` goes in front of the name, or was only read because later parts may refer to it. */
static bool signature(struct dm *d, const struct dm_name *n, uint32_t a, bool drop_return)
{
	uint32_t at = dm_at(d), behind = at;
	uint8_t first_sub = d->nr_subs;
	unsigned flags;

	if (n->templ && !n->no_return) {
		if (!dm_type(d, &flags) || (flags & T_INSIDE))
			return false;
		if (drop_return) {
			dm_cut(d, at, first_sub);
		} else {
			if (!dm_putc(d, ' '))
				return false;
			behind = dm_at(d);
		}
	}
	if (!dm_params(d) || ((n->cv & T_CONST) && !DM_PUTS(d, " const")) || ((n->cv & T_VOLATILE) && !DM_PUTS(d, " volatile")) ||
	    (n->ref && !(n->ref == 'R' ? DM_PUTS(d, " &") : DM_PUTS(d, " &&"))))
		return false;
	if (behind > at) {	/* NAME RETURN PARAMS: nothing comes behind that refers to the text */
		uint32_t params = dm_at(d) - behind;

		if (!swap_text(d, a, at))	/* RETURN PARAMS NAME */
			return false;
		return swap_text(d, a + (behind - at), a + (behind - at) + params);
	}
	return true;
}

bool dm_encoding(struct dm *d, bool params, bool drop_return)
{
	struct dm_scope scope = d->scope;
	int uses = d->uses_scope, pack_at = d->pack_at;
	uint8_t nr_args = d->nr_args;
	uint32_t a = dm_at(d);
	bool keep = d->keep;
	struct dm_name n;
	char c;

	d->keep = params;
	d->scope = (struct dm_scope){ 0 };
	d->pack_at = -1;
	if (!dm_name(d, &n))
		return false;
	c = dm_peek(d);
	if (!params)
		return true;
	if (c == '\0' || c == 'E') {
		if (n.cv || n.ref)
			return false;
	} else {
		if (n.templ)
			d->scope = (struct dm_scope){ .id = ++d->scopes, .first = n.first_arg, .nr = n.nr_args };
		if (d->scopes == 255 || !signature(d, &n, a, drop_return))
			return false;
	}
	d->scope = scope;
	d->uses_scope = uses;
	d->pack_at = pack_at;
	d->nr_args = nr_args;
	d->keep = keep;
	return true;
}

static bool call_offset(struct dm *d)
{
	unsigned v;
	int parts;

	if (dm_peek(d) != 'h' && dm_peek(d) != 'v')
		return false;
	for (parts = *d->p++ == 'h' ? 1 : 2; parts--;) {
		dm_is(d, 'n');
		if (!dm_number(d, &v) || !dm_is(d, '_'))
			return false;
	}
	return true;
}

static bool construction_vtable(struct dm *d)
{
	uint32_t a = dm_at(d), b;
	unsigned flags, v;

	if (!dm_type(d, &flags) || !dm_number(d, &v) || !dm_is(d, '_'))
		return false;
	b = dm_at(d);
	if (!dm_type(d, &flags) || !DM_PUTS(d, "-in-"))
		return false;
	return swap_text(d, a, b);
}

/* What the compiler makes for a class, a function or a variable. */
static bool special(struct dm *d)
{
	static const struct { char code[3]; char is; const char *text; } table[] = {
		{ "TV", 't', "vtable for " }, { "TT", 't', "VTT for " }, { "TI", 't', "typeinfo for " }, { "TS", 't', "typeinfo name for " }, { "TC", 'c', "construction vtable for " },
		{ "Th", 'o', "non-virtual thunk to " }, { "Tv", 'o', "virtual thunk to " }, { "Tc", '2', "covariant return thunk to " }, { "GV", 'n', "guard variable for " },
		{ "TH", 'n', "TLS init function for " }, { "TW", 'n', "TLS wrapper function for " },
	};
	struct dm_name n;
	unsigned flags;
	size_t i;

	for (i = 0; i < PT_NR(table) && (table[i].code[0] != *d->p || table[i].code[1] != dm_peek2(d)); i++)
		;
	if (i == PT_NR(table) || !dm_puts_(d, table[i].text, strlen(table[i].text)))
		return false;
	d->p += table[i].is == 'o' ? 1 : 2;
	switch (table[i].is) {
	case 't':
		return dm_type(d, &flags);
	case 'c':
		return construction_vtable(d);
	case 'n':
		return dm_name(d, &n);
	case '2':
		return call_offset(d) && call_offset(d) && dm_encoding(d, true, false);
	default:
		return call_offset(d) && dm_encoding(d, true, false);
	}
}

/* .isra.0 .cold: how compilers name parts and copies of a function. */
static bool clones(struct dm *d)
{
	const char *from;

	while (d->p < d->end) {
		from = d->p;
		if (*d->p++ != '.')
			return false;
		if (dm_digit(dm_peek(d))) {
			while (dm_digit(dm_peek(d)))
				d->p++;
		} else {
			if (dm_peek(d) != '_' && (dm_peek(d) < 'a' || dm_peek(d) > 'z'))
				return false;
			while (dm_peek(d) == '_' || (dm_peek(d) >= 'a' && dm_peek(d) <= 'z'))
				d->p++;
		}
		while (dm_peek(d) == '.' && dm_digit(dm_peek2(d)))
			for (d->p++; dm_digit(dm_peek(d));)
				d->p++;
		if ((d->p < d->end && *d->p != '.') || !DM_PUTS(d, " [clone ") || !dm_put(d, from, (size_t)(d->p - from)) || !dm_putc(d, ']'))
			return false;
	}
	return true;
}

bool pt_demangle_fast(const char *s, const char *end, bool params, struct pt_buf *out)
{
	size_t from = out->len, room = (size_t)(end - s) * 4 + 256;
	struct dm d;
	bool ok;

	if (end - s < 4 || end - s > MAX_MANGLED)
		return false;
	for (;; room = MAX_TEXT) {
		if (out->cap - out->len < room + SLACK + 1)
			pt_buf_grow(out, room + SLACK + 1);
		d.p = s + 2;
		d.start = s;
		d.end = end;
		d.text = d.o = out->data + from;
		d.lim = d.text + room;
		memset(&d.scope, 0, sizeof(d) - offsetof(struct dm, scope) - (sizeof(d) - offsetof(struct dm, mods)));
		d.pack_at = -1;
		ok = *d.p == 'T' || *d.p == 'G' ? special(&d) : dm_encoding(&d, params, false);
		if (ok && params)
			ok = clones(&d);
		if (ok || !d.full || room == MAX_TEXT)
			break;
	}
	if (ok)
		out->len += (size_t)(d.o - d.text);
	out->data[out->len] = '\0';
	return ok && out->len > from;
}
