#include "code/demangle_priv.h"

#define N(s) { s, sizeof(s) - 1 }
static const struct builtin {
	char name[19];
	uint8_t len;
} builtins[26] = {
	['a' - 'a'] = N("signed char"), ['b' - 'a'] = N("bool"), ['c' - 'a'] = N("char"), ['d' - 'a'] = N("double"), ['e' - 'a'] = N("long double"), ['f' - 'a'] = N("float"),
	['g' - 'a'] = N("__float128"), ['h' - 'a'] = N("unsigned char"), ['i' - 'a'] = N("int"), ['j' - 'a'] = N("unsigned int"), ['l' - 'a'] = N("long"),
	['m' - 'a'] = N("unsigned long"), ['n' - 'a'] = N("__int128"), ['o' - 'a'] = N("unsigned __int128"), ['s' - 'a'] = N("short"), ['t' - 'a'] = N("unsigned short"),
	['v' - 'a'] = N("void"), ['w' - 'a'] = N("wchar_t"), ['x' - 'a'] = N("long long"), ['y' - 'a'] = N("unsigned long long"), ['z' - 'a'] = N("..."),
};

static inline const char *builtin(struct dm *d, const char *p)
{
	const struct builtin *b = &builtins[*p - 'a'];

	if (!b->len || (size_t)(d->lim - d->o) < b->len)
		return b->len && dm_full(d) ? p : NULL;
	memcpy(d->o, b->name, sizeof(b->name));
	d->o += b->len;
	return p + 1;
}

static const char *type_body(struct dm *d, const char *p, unsigned *flags);

bool dm_type_again(struct dm *d, uint16_t from, unsigned *flags)
{
	bool ok;

	if (d->agains++ >= MAX_AGAIN || d->depth >= MAX_DEPTH)
		return false;
	d->depth++;
	d->again++;
	ok = type_body(d, d->start + from, flags);
	d->again--;
	d->depth--;
	return ok;
}

static bool class_again(struct dm *d, uint16_t from)
{
	uint8_t base = d->mod_base;
	unsigned flags;
	bool ok;

	d->mod_base = d->nr_mods;
	ok = dm_type_again(d, from, &flags);
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
	if ((m->what == 'R' || m->what == 'O') && (flags & (T_LREF | T_RREF))) {
		if (m->what == 'R' && (flags & T_RREF))
			d->o--;
		return flags & T_PARAM;
	}
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

static const char *function(struct dm *d, const char *p, unsigned function_cv, const struct dm_mark *m, unsigned *flags)
{
	bool wait = d->nr_mods > d->mod_base;
	unsigned f;

	p = dm_type(d, p + 1, &f);
	if (!p || (f & T_INSIDE) || !(wait ? modifiers_inside(d, d->nr_mods) : dm_putc(d, ' ')) || !(p = dm_params(d, p)))
		return NULL;
	if (*p++ != 'E' || !cv(d, function_cv))
		return NULL;
	*flags = T_INSIDE | (wait ? T_DONE : 0);
	return dm_sub_add(d, p, m, KIND_TYPE, T_INSIDE, !wait) ? p : NULL;
}

static const char *array(struct dm *d, const char *p, unsigned *flags)
{
	size_t nr = 0, waits = d->nr_mods, i;
	struct dm_mark m[4];
	const char *dim[4];
	unsigned f;

	for (; *p == 'A'; p++) {
		if (nr == 4)
			return NULL;
		m[nr] = dm_mark(d, p);
		dim[nr++] = ++p;
		while (dm_digit(*p))
			p++;
		if (*p != '_')
			return NULL;
	}
	p = dm_type(d, p, &f);
	if (!p || (f & T_INSIDE))
		return NULL;
	if (waits > d->mod_base && d->mods[waits - 1].what == 'K')	/* an array of const is what a const array is */
		if ((f & T_CV) || d->mods[waits - 1].flags == T_CV || !cv(d, d->mods[--waits].flags))
			return NULL;
	if ((waits > d->mod_base && !modifiers_inside(d, waits)) || !dm_putc(d, ' '))
		return NULL;
	for (i = 0; i < nr; i++)
		if (!dm_putc(d, '[') || !dm_put(d, dim[i], strspn(dim[i], "0123456789")) || !dm_putc(d, ']'))
			return NULL;
	*flags = T_INSIDE | (d->nr_mods > d->mod_base ? T_DONE : 0);
	while (nr--)
		if (!dm_sub_add(d, p, &m[nr], KIND_TYPE, T_INSIDE, !nr && d->nr_mods == d->mod_base))
			return NULL;
	return p;
}

/* D and a letter. */
static const char *d_type(struct dm *d, const char *p, const struct dm_mark *m)
{
	unsigned v, f;

	switch (p[1]) {
	case 'n':
		return DM_PUTS(d, "decltype(nullptr)") ? p + 2 : NULL;
	case 'i':
		return DM_PUTS(d, "char32_t") ? p + 2 : NULL;
	case 's':
		return DM_PUTS(d, "char16_t") ? p + 2 : NULL;
	case 'u':
		return DM_PUTS(d, "char8_t") ? p + 2 : NULL;
	case 'a':
		return DM_PUTS(d, "auto") ? p + 2 : NULL;
	case 'v':
		p = dm_number(p + 2, &v);
		if (!p || *p != '_' || !(p = dm_type(d, p + 1, &f)) || (f & T_INSIDE) || !DM_PUTS(d, " __vector(") || !dm_decimal(d, v) || !dm_putc(d, ')'))
			return NULL;
		return dm_sub_add(d, p, m, KIND_TYPE, 0, true) ? p : NULL;
	default:
		return NULL;
	}
}

static const char *with_args(struct dm *d, const char *p, const struct dm_mark *m)
{
	p = dm_template_args(d, p, NULL);
	return p && dm_sub_add(d, p, m, KIND_TYPE, 0, true) ? p : NULL;
}

/* Classes, arguments, functions...: what modifiers are put on. */
static __attribute__((noinline)) const char *bare_type(struct dm *d, const char *p, unsigned function_cv, const struct dm_mark *m, unsigned *flags)
{
	struct dm_name n;

	*flags = 0;
	switch (*p) {
	case 'a' ... 'z':
		return builtin(d, p);
	case 'F':
		return function(d, p, function_cv, m, flags);
	case 'A':
		return array(d, p, flags);
	case '0' ... '9':
		return dm_class(d, p);
	case 'D':
		return d_type(d, p, m);
	case 'T':
		p = dm_param(d, p, flags);
		if (!p || !dm_sub_add(d, p, m, *p == 'I' ? KIND_PREFIX : KIND_TYPE, *flags & ~(unsigned)T_DONE, !(*flags & T_DONE)))
			return NULL;
		break;
	case 'S':
		if (p[1] != 't') {
			if (!(p = dm_substitution(d, p, flags, NULL)))
				return NULL;
			break;
		}
		/* fall through */
	case 'N':
	case 'Z':
		p = dm_name(d, p, &n);
		return p && !n.cv && !n.ref && dm_sub_add(d, p, m, KIND_TYPE, 0, true) ? p : NULL;
	default:
		return NULL;
	}
	if (*p != 'I')
		return p;
	if (*flags & T_DONE)
		return NULL;
	*flags = 0;
	return with_args(d, p, m);
}

/* M and a class: that is printed when its turn comes. */
static const char *member(struct dm *d, const char *p)
{
	uint8_t nr_subs = d->nr_subs;
	uint32_t at = dm_at(d);
	unsigned f;

	if (!dm_digit(*p) && !memchr("NZST", *p, 4))
		return NULL;
	p = dm_type(d, p, &f);
	return p && !(f & ~(unsigned)T_PARAM) && dm_cut(d, at, nr_subs) ? p : NULL;
}

static const char *type_body(struct dm *d, const char *p, unsigned *flags)
{
	uint8_t before = d->nr_mods;
	struct dm_mark start = dm_mark(d, p), m;
	unsigned bits = 0;
	struct dm_mod *mod;

	for (;;) {
		mod = &d->mods[d->nr_mods];
		m = dm_mark(d, p);
		switch (*p) {
		case 'R':
		case 'O':
			if (d->nr_mods > d->mod_base && (mod[-1].what == 'R' || mod[-1].what == 'O'))
				return NULL;
			/* fall through */
		case 'P':
			*mod = (struct dm_mod){ *p++, 0, m.from };
			break;
		case 'V':
		case 'K':
			if (d->nr_mods > d->mod_base && mod[-1].what == 'K')
				return NULL;
			bits = *p == 'V' ? T_VOLATILE : T_CONST;
			p++;
			if (bits == T_VOLATILE && *p == 'K') {
				bits |= T_CONST;
				p++;
			}
			if (*p == 'F')
				goto bare;
			*mod = (struct dm_mod){ 'K', (uint8_t)bits, m.from };
			bits = 0;
			break;
		case 'M':
			if (!(p = member(d, p + 1)))
				return NULL;
			*mod = (struct dm_mod){ 'M', 0, (uint16_t)(m.from + 1) };
			break;
		default:
			goto bare;
		}
		if (++d->nr_mods == MAX_MODS)
			return NULL;
	}
bare:
	if (!(p = bare_type(d, p, bits, &m, flags)))
		return NULL;
	while (d->nr_mods > before) {
		mod = &d->mods[--d->nr_mods];
		if (!(*flags & T_DONE) && !modify(d, *flags, mod))
			return NULL;
		*flags = modified(*flags, mod);
		start.from = mod->what == 'M' ? mod->from - 1 : mod->from;
		if (!dm_sub_add(d, p, &start, KIND_TYPE, *flags & ~(unsigned)T_DONE, !(*flags & T_DONE) || d->nr_mods == d->mod_base))
			return NULL;
	}
	return p;
}

static bool is_modifier(char c)
{
	enum { WHICH = 1 << ('P' - 'A') | 1 << ('R' - 'A') | 1 << ('O' - 'A') | 1 << ('K' - 'A') | 1 << ('V' - 'A') | 1 << ('M' - 'A') };

	return (unsigned)(c - 'A') < 26 && (WHICH >> (c - 'A') & 1);
}

/* S_ or S and one character, of which the text can be copied, and without arguments; else NULL. */
static inline const struct dm_sub *plain_substitution(const struct dm *d, const char **p)
{
	const char *s = *p + 1;
	const struct dm_sub *sub;
	unsigned v = 0;

	if (*s != '_') {
		if (dm_digit(*s))
			v = (unsigned)(*s - '0') + 1;
		else if (*s >= 'A' && *s <= 'Z')
			v = (unsigned)(*s - 'A') + 11;
		else
			return NULL;
		if (*++s != '_')
			return NULL;
	}
	sub = &d->subs[v];
	if (v >= d->nr_subs || !sub->len || sub->scope || sub->pack || (sub->flags & T_INSIDE) || s[1] == 'I')
		return NULL;
	*p = s + 1;
	return sub;
}

const char *dm_type(struct dm *d, const char *p, unsigned *flags)
{
	uint8_t base = d->mod_base;
	const struct dm_sub *s;
	struct dm_mark m;

	if (*p >= 'a' && *p <= 'z') {	/* what most are; nothing waits for it */
		*flags = 0;
		return builtin(d, p);
	}
	if (dm_digit(*p) || (*p == 'S' && p[1] == 't' && dm_digit(p[2]))) {
		*flags = 0;
		return dm_class(d, p);
	}
	if (*p == 'N' && (dm_digit(p[1]) || p[1] == 'S')) {
		*flags = 0;
		return dm_nested_class(d, p);
	}
	if (*p == 'S' && (s = plain_substitution(d, &p))) {
		*flags = s->flags;
		return dm_copy(d, s->off, s->len) ? p : NULL;
	}
	if (d->depth >= MAX_DEPTH)
		return NULL;
	d->depth++;
	d->mod_base = d->nr_mods;
	if (is_modifier(*p)) {
		p = type_body(d, p, flags);
	} else {
		m = dm_mark(d, p);
		p = bare_type(d, p, 0, &m, flags);
	}
	d->mod_base = base;
	d->depth--;
	if (p)
		*flags &= ~(unsigned)T_DONE;
	return p;
}
