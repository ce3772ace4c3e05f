/* What stands for something that was read before: substitutions and template parameters. */
#include "base/mem.h"
#include "code/demangle_priv.h"

/* Sa and the like; `full`: in front of a constructor. Without "std::" in front of each. */
static const struct abbreviation {
	char code;
	uint8_t len, last_len;		/* of the name, and of what constructors are called, with which `full` begins */
	const char *name, *full;
} abbreviations[] = {
	{ 'a', 9, 9, "allocator", "allocator" },
	{ 's', 6, 12, "string", "basic_string<char, std::char_traits<char>, std::allocator<char> >" },
	{ 'b', 12, 12, "basic_string", "basic_string" },
	{ 'i', 7, 13, "istream", "basic_istream<char, std::char_traits<char> >" },
	{ 'o', 7, 13, "ostream", "basic_ostream<char, std::char_traits<char> >" },
	{ 'd', 8, 14, "iostream", "basic_iostream<char, std::char_traits<char> >" },
};

/* What waits for a function or an array that has text goes into its middle, unless it vanishes. True in `copy`: the text is right as it is. */
static bool may_copy(const struct dm *d, unsigned flags, bool *copy)
{
	const struct dm_mod *top;

	*copy = true;
	if (!(flags & T_INSIDE) || d->nr_mods == d->mod_base)
		return true;
	top = &d->mods[d->nr_mods - 1];
	if ((top->what == 'R' || top->what == 'O') && (flags & (T_LREF | T_RREF)))
		return (flags & T_PARAM) && d->nr_mods == d->mod_base + 1 && (top->what == 'O' || (flags & T_LREF));
	if (top->what == 'K' && (flags & T_CV))
		return false;
	*copy = false;
	return true;
}

static const char *abbreviation(struct dm *d, const char *p, struct dm_range *last)
{
	const struct abbreviation *a = abbreviations;
	const char *name;
	size_t len;

	while (a->code != *p)
		if (++a == abbreviations + PT_NR(abbreviations))
			return NULL;
	if (*++p == 'B')
		return NULL;
	name = a->name;
	len = a->len;
	if (last) {
		*last = (struct dm_range){ dm_at(d) + 5, 0 };
		if (*p == 'C' || *p == 'D') {
			name = a->full;
			len = strlen(name);
		}
		if (name == a->full || len == a->last_len)
			last->len = a->last_len;
	}
	return DM_PUTS(d, "std::") && dm_puts_(d, name, len) ? p : NULL;
}

const char *dm_substitution(struct dm *d, const char *p, unsigned *flags, struct dm_range *last)
{
	const struct dm_sub *s;
	unsigned v = 0;
	bool ok, copy;

	*flags = 0;
	p++;
	if (*p >= 'a' && *p <= 'z')
		return abbreviation(d, p, last);
	if (last)
		last->len = 0;
	if (*p != '_') {
		for (; dm_digit(*p) || (*p >= 'A' && *p <= 'Z'); p++) {
			v = v * 36 + (unsigned)(dm_digit(*p) ? *p - '0' : *p - 'A' + 10);
			if (v >= MAX_SUBS)
				return NULL;
		}
		v++;
	}
	if (*p++ != '_' || v >= d->nr_subs)
		return NULL;
	s = &d->subs[v];
	*flags = s->flags;
	if (s->len && !s->pack && !s->scope && (!(s->flags & T_INSIDE) || d->nr_mods == d->mod_base))
		return dm_copy(d, s->off, s->len) ? p : NULL;
	if (s->scope && s->scope != d->scope.id && d->scope.lambda && s->kind == KIND_TYPE && !s->pack)	/* its template parameters are the lambda's here */
		return dm_type_again(d, s->from, flags) ? p : NULL;
	if ((s->scope && s->scope != d->scope.id) || (s->pack && d->pack_at < 0) || !may_copy(d, s->flags, &copy))
		return NULL;
	if (s->scope)
		d->uses += USES_SCOPE;
	if (copy && s->len && !s->pack)
		return dm_copy(d, s->off, s->len) ? p : NULL;
	if (copy && (s->flags & T_INSIDE) && d->nr_mods != d->mod_base)
		return NULL;
	if (s->kind == KIND_TYPE)
		return dm_type_again(d, s->from, flags) ? p : NULL;
	if (d->agains++ >= MAX_AGAIN)
		return NULL;
	d->again++;
	ok = dm_prefix(d, d->start + s->from, &(struct dm_name){ 0 }, d->start + s->to);
	d->again--;
	return ok ? p : NULL;
}

/* The element of the pack at args[at] that has its turn; none: *a stays. */
static bool pack_element(struct dm *d, unsigned at, const struct dm_arg **a)
{
	unsigned i;
	int nr = 0;

	for (i = at + 1; i < (*a)->next; i = d->args[i].next)
		nr++;
	if (d->pack_at < 0 || (d->pack_nr >= 0 && nr != d->pack_nr))
		return false;
	d->pack_nr = nr;
	d->uses += USES_PACK;
	if (nr) {
		for (at++, i = 0; i < (unsigned)d->pack_at; i++)
			at = d->args[at].next;
		*a = &d->args[at];
	}
	return true;
}

const char *dm_param(struct dm *d, const char *p, unsigned *flags)
{
	const struct dm_arg *a;
	unsigned v, at, i;
	bool copy;

	*flags = 0;
	if (!(p = dm_compact(p + 1, &v)))
		return NULL;
	d->uses += USES_SCOPE;
	if (d->scope.lambda)
		return DM_PUTS(d, "auto:") && dm_decimal(d, v) ? p : NULL;
	if (!d->scope.id || v > d->scope.nr)
		return NULL;
	for (at = d->scope.first, i = 1; i < v; i++)
		at = d->args[at].next;
	a = &d->args[at];
	if (a->flags & T_PACK) {
		if (!pack_element(d, at, &a))
			return NULL;
		if (a->flags & T_PACK)
			return d->pack_nr ? NULL : p;
	}
	if (!may_copy(d, a->flags | T_PARAM, &copy))
		return NULL;
	if (!(copy ? dm_copy(d, a->off, a->len) : dm_type_again(d, a->from, flags)))
		return NULL;
	*flags = (copy ? a->flags : *flags) | T_PARAM;
	return p;
}
