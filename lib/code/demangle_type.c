#include "code/demangle_priv.h"

#define N(s) { s, sizeof(s) - 1 }
static const struct builtin {
	const char *name;
	uint8_t len;
} builtins[26] = {
	['a' - 'a'] = N("signed char"), ['b' - 'a'] = N("bool"), ['c' - 'a'] = N("char"), ['d' - 'a'] = N("double"), ['e' - 'a'] = N("long double"), ['f' - 'a'] = N("float"),
	['g' - 'a'] = N("__float128"), ['h' - 'a'] = N("unsigned char"), ['i' - 'a'] = N("int"), ['j' - 'a'] = N("unsigned int"), ['l' - 'a'] = N("long"),
	['m' - 'a'] = N("unsigned long"), ['n' - 'a'] = N("__int128"), ['o' - 'a'] = N("unsigned __int128"), ['s' - 'a'] = N("short"), ['t' - 'a'] = N("unsigned short"),
	['v' - 'a'] = N("void"), ['w' - 'a'] = N("wchar_t"), ['x' - 'a'] = N("long long"), ['y' - 'a'] = N("unsigned long long"), ['z' - 'a'] = N("..."),
};

/* Sa and the like; `full`: in front of a constructor, `last` of the full name's length is what that is called. */
static const struct abbreviation {
	char code;
	const char *name, *full, *last;
} abbreviations[] = {
	{ 'a', "std::allocator", "std::allocator", "allocator" },
	{ 'b', "std::basic_string", "std::basic_string", "basic_string" },
	{ 's', "std::string", "std::basic_string<char, std::char_traits<char>, std::allocator<char> >", "basic_string" },
	{ 'i', "std::istream", "std::basic_istream<char, std::char_traits<char> >", "basic_istream" },
	{ 'o', "std::ostream", "std::basic_ostream<char, std::char_traits<char> >", "basic_ostream" },
	{ 'd', "std::iostream", "std::basic_iostream<char, std::char_traits<char> >", "basic_iostream" },
};

static bool type_body(struct dm *d, unsigned *flags);

/* At another place of the mangled name, which had its turn; the modifiers that wait now go to that type. */
static bool type_again(struct dm *d, uint16_t from, unsigned *flags)
{
	const char *p = d->p;
	bool ok;

	d->p = d->start + from;
	d->again++;
	ok = type_body(d, flags);
	d->again--;
	d->p = p;
	return ok;
}

static bool class_again(struct dm *d, uint16_t from)
{
	uint8_t base = d->mod_base;
	unsigned flags;
	bool ok;

	d->mod_base = d->nr_mods;
	ok = type_again(d, from, &flags);
	d->mod_base = base;
	return ok;
}

static bool cv(struct dm *d, unsigned bits)
{
	return (!(bits & T_CONST) || DM_PUTS(d, " const")) && (!(bits & T_VOLATILE) || DM_PUTS(d, " volatile"));
}

static bool modifier(struct dm *d, const struct dm_mod *m)
{
	switch (m->what) {
	case 'P':
		return dm_putc(d, '*');
	case 'R':
		return dm_putc(d, '&');
	case 'O':
		return DM_PUTS(d, "&&");
	case 'K':
		return cv(d, m->flags);
	default:
		return (dm_last(d) == '(' || dm_putc(d, ' ')) && class_again(d, m->from) && DM_PUTS(d, "::*");
	}
}

/* What the flags of a type are with a modifier on it. */
static unsigned modified(unsigned flags, const struct dm_mod *m)
{
	unsigned rest = flags & (T_INSIDE | T_DONE);

	switch (m->what) {
	case 'R':
		return rest | T_LREF;
	case 'O':
		return rest | (flags & T_LREF ? T_LREF : T_RREF);
	case 'K':
		return rest | m->flags;
	default:
		return rest;
	}
}

/* Behind the type: references to references collapse, const twice is const. */
static bool modify(struct dm *d, unsigned flags, const struct dm_mod *m)
{
	if (m->what == 'R' && (flags & (T_LREF | T_RREF))) {
		if (flags & T_RREF)
			d->o--;
		return true;
	}
	if (m->what == 'O' && (flags & (T_LREF | T_RREF)))
		return true;
	if (m->what == 'K' && (flags & T_CV))
		return (flags & T_CV) == m->flags && m->flags != T_CV;
	return modifier(d, m);
}

/* The modifiers that wait, in brackets: into the middle of a function or an array, from the innermost on. */
static bool modifiers_inside(struct dm *d, size_t to)
{
	if (!DM_PUTS(d, " ("))
		return false;
	while (to-- > d->mod_base)
		if (!modifier(d, &d->mods[to]))
			return false;
	return dm_putc(d, ')');
}

static bool function(struct dm *d, unsigned function_cv, const struct dm_mark *m, unsigned *flags)
{
	bool wait = d->nr_mods > d->mod_base;
	unsigned f;
	char ref = '\0';

	d->p++;
	if (!dm_type(d, &f) || (f & T_INSIDE) || !(wait ? modifiers_inside(d, d->nr_mods) : dm_putc(d, ' ')) || !dm_params(d))
		return false;
	if (dm_peek(d) == 'R' || dm_peek(d) == 'O')
		ref = *d->p++;
	if (!dm_is(d, 'E') || !cv(d, function_cv) || (ref && !(ref == 'R' ? DM_PUTS(d, " &") : DM_PUTS(d, " &&"))))
		return false;
	*flags = T_INSIDE | (wait ? T_DONE : 0);
	return dm_sub_add(d, m, KIND_TYPE, T_INSIDE, !wait);
}

static bool array(struct dm *d, unsigned *flags)
{
	struct dm_mark m[4];
	const char *dim[4];
	size_t nr = 0, waits = d->nr_mods, i;
	unsigned f;

	while (dm_peek(d) == 'A') {
		if (nr == 4)
			return false;
		m[nr] = dm_mark(d);
		dim[nr++] = ++d->p;
		while (dm_digit(dm_peek(d)))
			d->p++;
		if (!dm_is(d, '_'))
			return false;
	}
	if (!dm_type(d, &f) || (f & T_INSIDE))
		return false;
	if (waits > d->mod_base && d->mods[waits - 1].what == 'K') {	/* an array of const is what a const array is */
		if ((f & T_CV) || !cv(d, d->mods[--waits].flags))
			return false;
	}
	if (!(waits > d->mod_base ? modifiers_inside(d, waits) : true) || !dm_putc(d, ' '))
		return false;
	for (i = 0; i < nr; i++)
		if (!dm_putc(d, '[') || !dm_put(d, dim[i], (size_t)((const char *)memchr(dim[i], '_', (size_t)(d->end - dim[i])) - dim[i])) || !dm_putc(d, ']'))
			return false;
	*flags = T_INSIDE | (d->nr_mods > d->mod_base ? T_DONE : 0);
	while (nr--)
		if (!dm_sub_add(d, &m[nr], KIND_TYPE, T_INSIDE, !nr && d->nr_mods == d->mod_base))
			return false;
	return true;
}

/* What waits for a function or an array that has text goes into its middle, unless it vanishes. True in `copy`: the text is right as it is. */
static bool may_copy(const struct dm *d, unsigned flags, bool *copy)
{
	const struct dm_mod *top;

	*copy = true;
	if (!(flags & T_INSIDE) || d->nr_mods == d->mod_base)
		return true;
	top = &d->mods[d->nr_mods - 1];
	if ((top->what == 'R' || top->what == 'O') && (flags & (T_LREF | T_RREF)))
		return d->nr_mods == d->mod_base + 1 && (top->what == 'O' || (flags & T_LREF));
	if (top->what == 'K' && (flags & T_CV))
		return false;
	*copy = false;
	return true;
}

static bool abbreviation(struct dm *d, struct dm_range *last)
{
	const struct abbreviation *a;
	const char *text;
	bool full;
	size_t i, len;

	for (i = 0; i < sizeof(abbreviations) / sizeof(abbreviations[0]); i++)
		if (abbreviations[i].code == *d->p)
			break;
	if (i == sizeof(abbreviations) / sizeof(abbreviations[0]))
		return false;
	a = &abbreviations[i];
	d->p++;
	if (dm_peek(d) == 'B')
		return false;
	full = last && (dm_peek(d) == 'C' || dm_peek(d) == 'D');
	text = full ? a->full : a->name;
	if (last) {	/* behind "std::" of the full name, which is there only for a constructor; else arguments come first, and the name is the class's */
		len = strlen(a->last);
		*last = (struct dm_range){ dm_at(d) + 5, full || *a->last == 'a' || a->code == 'b' ? (uint32_t)len : 0 };
	}
	return dm_puts_(d, text, strlen(text));
}

bool dm_substitution(struct dm *d, unsigned *flags, struct dm_range *last)
{
	const struct dm_sub *s;
	const char *p;
	unsigned v = 0;
	bool ok, copy;
	char c;

	*flags = 0;
	d->p++;
	c = dm_peek(d);
	if (c >= 'a' && c <= 'z')
		return abbreviation(d, last);
	if (last)
		last->len = 0;
	if (c != '_') {
		for (; dm_digit(c) || (c >= 'A' && c <= 'Z'); c = dm_peek(d)) {
			v = v * 36 + (unsigned)(dm_digit(c) ? c - '0' : c - 'A' + 10);
			if (v >= MAX_SUBS)
				return false;
			d->p++;
		}
		v++;
	}
	if (!dm_is(d, '_') || v >= d->nr_subs)
		return false;
	s = &d->subs[v];
	if ((s->scope && s->scope != d->scope.id) || (s->pack && d->pack_at < 0) || !may_copy(d, s->flags, &copy))
		return false;
	if (s->scope)
		d->uses_scope++;
	*flags = s->flags;
	if (copy && s->len && !s->pack)
		return dm_copy(d, s->off, s->len);
	if (d->steps++ >= MAX_STEPS || (copy && (s->flags & T_INSIDE) && d->nr_mods != d->mod_base))
		return false;
	if (s->kind == KIND_TYPE)
		return type_again(d, s->from, flags);
	p = d->p;
	d->p = d->start + s->from;
	d->again++;
	ok = dm_prefix(d, &(struct dm_name){ 0 }, d->start + s->to);
	d->again--;
	d->p = p;
	return ok;
}

bool dm_param(struct dm *d, unsigned *flags)
{
	const struct dm_arg *a;
	unsigned v, at, i;
	bool copy;

	*flags = 0;
	d->p++;
	if (!dm_compact(d, &v))
		return false;
	d->uses_scope++;
	if (d->scope.lambda)
		return DM_PUTS(d, "auto:") && dm_decimal(d, v);
	if (!d->scope.id || v > d->scope.nr)
		return false;
	for (at = d->scope.first, i = 1; i < v; i++)
		at = d->args[at].next;
	a = &d->args[at];
	if (a->flags & T_PACK) {
		int nr = 0;

		for (i = at + 1; i < a->next; i = d->args[i].next)
			nr++;
		if (d->pack_at < 0 || (d->pack_nr >= 0 && nr != d->pack_nr))
			return false;
		d->pack_nr = nr;
		d->uses_pack++;
		if (!nr)
			return true;
		for (at++, i = 0; i < (unsigned)d->pack_at; i++)
			at = d->args[at].next;
		a = &d->args[at];
		if (a->flags & T_PACK)
			return false;
	}
	if (!may_copy(d, a->flags, &copy))
		return false;
	*flags = a->flags;
	return copy ? dm_copy(d, a->off, a->len) : type_again(d, a->from, flags);
}

/* D and a letter. */
static bool d_type(struct dm *d, const struct dm_mark *m)
{
	char c = dm_peek2(d);
	unsigned v, f;

	d->p += 2;
	switch (c) {
	case 'n':
		return DM_PUTS(d, "decltype(nullptr)");
	case 'i':
		return DM_PUTS(d, "char32_t");
	case 's':
		return DM_PUTS(d, "char16_t");
	case 'u':
		return DM_PUTS(d, "char8_t");
	case 'a':
		return DM_PUTS(d, "auto");
	case 'v':
		return dm_number(d, &v) && dm_is(d, '_') && dm_type(d, &f) && !(f & T_INSIDE) && DM_PUTS(d, " __vector(") && dm_decimal(d, v) && dm_putc(d, ')') &&
			dm_sub_add(d, m, KIND_TYPE, 0, true);
	default:
		return false;
	}
}

/* Classes, arguments, functions...: what modifiers are put on. */
static bool bare_type(struct dm *d, unsigned function_cv, const struct dm_mark *m, unsigned *flags)
{
	char c = dm_peek(d);
	struct dm_name n;

	*flags = 0;
	if (c >= 'a' && c <= 'z') {
		const struct builtin *b = &builtins[c - 'a'];

		d->p++;
		return b->name && dm_puts_(d, b->name, b->len);
	}
	if (function_cv && c != 'F')
		return false;
	switch (c) {
	case 'F':
		return function(d, function_cv, m, flags);
	case 'A':
		return array(d, flags);
	case 'D':
		return d_type(d, m);
	case 'T':
		if (!dm_param(d, flags) || !dm_sub_add(d, m, KIND_TYPE, *flags & ~T_DONE, !(*flags & T_DONE)))
			return false;
		if (dm_peek(d) != 'I')
			return true;
		if (*flags & T_DONE)
			return false;
		*flags = 0;
		return dm_template_args(d, NULL) && dm_sub_add(d, m, KIND_TYPE, 0, true);
	case 'S':
		if (dm_peek2(d) != 't') {
			if (!dm_substitution(d, flags, NULL))
				return false;
			if (dm_peek(d) != 'I')
				return true;
			if (*flags & T_DONE)
				return false;
			*flags = 0;
			return dm_template_args(d, NULL) && dm_sub_add(d, m, KIND_TYPE, 0, true);
		}
		break;
	case 'N':
	case 'Z':
	case '0' ... '9':
		break;
	default:
		return false;
	}
	return dm_name(d, &n) && dm_sub_add(d, m, KIND_TYPE, 0, true);
}

static bool type_body(struct dm *d, unsigned *flags)
{
	uint8_t before = d->nr_mods, nr_subs;
	unsigned f = 0, bits = 0;
	struct dm_mark m;
	struct dm_mod *mod;
	uint32_t at;

	if (d->depth >= MAX_DEPTH || d->steps++ >= MAX_STEPS)
		return false;
	d->depth++;
	for (;;) {
		m = dm_mark(d);
		switch (dm_peek(d)) {
		case 'P':
		case 'R':
		case 'O':
			mod = &d->mods[d->nr_mods];
			*mod = (struct dm_mod){ *d->p++, 0, m.from };
			break;
		case 'V':
		case 'K':
			bits = *d->p == 'V' ? T_VOLATILE : T_CONST;
			d->p++;
			if (bits == T_VOLATILE && dm_is(d, 'K'))
				bits |= T_CONST;
			if (dm_peek(d) == 'F')
				goto base;
			mod = &d->mods[d->nr_mods];
			*mod = (struct dm_mod){ 'K', (uint8_t)bits, m.from };
			bits = 0;
			break;
		case 'M':
			at = dm_at(d);
			nr_subs = d->nr_subs;
			d->p++;
			if (!dm_type(d, &f))
				return false;
			dm_cut(d, at, nr_subs);
			mod = &d->mods[d->nr_mods];
			*mod = (struct dm_mod){ 'M', 0, (uint16_t)(m.from + 1) };
			break;
		default:
			goto base;
		}
		if (++d->nr_mods == MAX_MODS)
			return false;
	}
base:
	at = m.off;
	if (!bare_type(d, bits, &m, &f))
		return false;
	while (d->nr_mods > before) {
		mod = &d->mods[--d->nr_mods];
		if (!(f & T_DONE) && !modify(d, f, mod))
			return false;
		f = modified(f, mod);
		m.from = mod->what == 'M' ? mod->from - 1 : mod->from;
		if (!dm_sub_add(d, &m, KIND_TYPE, f & ~T_DONE, !(f & T_DONE) || d->nr_mods == d->mod_base))
			return false;
	}
	d->depth--;
	*flags = f;
	return true;
}

bool dm_type(struct dm *d, unsigned *flags)
{
	uint8_t base = d->mod_base;
	bool ok;

	d->mod_base = d->nr_mods;
	ok = type_body(d, flags);
	d->mod_base = base;
	*flags &= ~(unsigned)T_DONE;
	return ok;
}
