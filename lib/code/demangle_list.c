#include "code/demangle_priv.h"

const char *dm_number(const char *p, unsigned *v)
{
	if (!dm_digit(*p))
		return NULL;
	for (*v = 0; dm_digit(*p); p++) {
		if (*v > 99999999)
			return NULL;
		*v = *v * 10 + (unsigned)(*p - '0');
	}
	return p;
}

const char *dm_compact(const char *p, unsigned *v)
{
	*v = 1;
	if (*p == '_')
		return p + 1;
	p = dm_number(p, v);
	*v += 2;
	return p && *p == '_' ? p + 1 : NULL;
}

/* What is behind `end` is commas in front of nothing. The library takes them away as well, but still thinks that a space came last: "a<b<c>>" then, not "a<b<c> >". */
static void trim(struct dm *d, uint32_t end)
{
	if (dm_at(d) > end)
		d->trimmed_at = end;
	d->o = d->text + end;
}

/* T_...E as an expression: what the argument is. */
static const char *param_value(struct dm *d, const char *p)
{
	uint8_t base = d->mod_base;
	unsigned flags;

	if (*p != 'T' || d->scope.lambda)
		return NULL;
	d->mod_base = d->nr_mods;
	p = dm_param(d, p, &flags);
	d->mod_base = base;
	return p && *p == 'E' ? p + 1 : NULL;
}

/* DpT_: the type for every element of the pack that is named in it; `value`: XspT_E. */
static const char *expansion(struct dm *d, const char *p, bool value)
{
	struct dm_mark m = dm_mark(d, p);
	const char *from = p + 2 + value;
	uint8_t first_sub = d->nr_subs;
	unsigned flags;

	if (d->pack_at >= 0)
		return NULL;
	if (d->scope.lambda && !value) {
		if (!dm_putc(d, '(') || !(p = dm_type(d, from, &flags)) || !DM_PUTS(d, ")..."))
			return NULL;
		return dm_sub_add(d, p, &m, KIND_TYPE, 0, true) ? p : NULL;
	}
	d->pack_at = 0;
	d->pack_nr = -1;
	p = value ? param_value(d, from) : dm_type(d, from, &flags);
	if (!p || d->pack_nr < 0)
		return NULL;
	if (!d->pack_nr && !dm_cut(d, m.off, first_sub))
		return NULL;
	for (d->again++; ++d->pack_at < d->pack_nr;)
		if (d->agains++ >= MAX_AGAIN || !DM_PUTS(d, ", ") || !(value ? param_value(d, from) : dm_type(d, from, &flags)))
			return NULL;
	d->again--;
	d->pack_at = -1;
	d->uses = (uint32_t)d->uses | (m.uses & ~(uint64_t)UINT32_MAX);
	return value || dm_sub_add(d, p, &m, KIND_TYPE, 0, true) ? p : NULL;
}

/* Types, with commas; what is empty at the end leaves none. */
const char *dm_params(struct dm *d, const char *p)
{
	uint32_t end, at;
	unsigned flags;
	bool first = true;
	char c = *p;

	if (!dm_putc(d, '('))
		return NULL;
	if (c == 'v' && (p + 1 == d->end || p[1] == 'E' || p[1] == '.' || ((p[1] == 'R' || p[1] == 'O') && p[2] == 'E')))
		return dm_putc(d, ')') ? p + 1 : NULL;
	for (end = dm_at(d); p < d->end && (c = *p) != 'E' && c != '.'; first = false) {
		if ((c == 'R' || c == 'O') && p[1] == 'E')
			break;
		if (!first && !DM_PUTS(d, ", "))
			return NULL;
		at = dm_at(d);
		p = c == 'D' && p[1] == 'p' ? expansion(d, p, false) : dm_type(d, p, &flags);
		if (!p)
			return NULL;
		if (dm_at(d) > at)
			end = dm_at(d);
	}
	if (first)
		return NULL;
	trim(d, end);
	return dm_putc(d, ')') ? p : NULL;
}

/* Li5E, Lb1E, LN3foo3barE3E. */
static const char *literal(struct dm *d, const char *p)
{
	const char *from, *suffix = "";
	size_t suffix_len = 0;
	unsigned flags;

	switch (*++p) {
	case 'b':
		if ((p[1] != '0' && p[1] != '1') || p[2] != 'E' || !(p[1] == '0' ? DM_PUTS(d, "false") : DM_PUTS(d, "true")))
			return NULL;
		return p + 3;
	case 'i':
		break;
	case 'j':
		suffix = "u", suffix_len = 1;
		break;
	case 'l':
		suffix = "l", suffix_len = 1;
		break;
	case 'm':
		suffix = "ul", suffix_len = 2;
		break;
	case 'x':
		suffix = "ll", suffix_len = 2;
		break;
	case 'y':
		suffix = "ull", suffix_len = 3;
		break;
	case 'd':
	case 'e':
	case 'f':
	case 'g':
	case 'v':
	case 'z':
	case 'A':
		return NULL;
	case '_':
		return p[1] == 'Z' ? dm_function(d, p + 2, false) : NULL;
	default:	/* of other types, enumerations mostly: "(foo::bar)3" */
		if (!dm_putc(d, '(') || !(p = dm_type(d, p, &flags)) || !dm_putc(d, ')'))
			return NULL;
		p--;
	}
	if (*++p == 'n') {
		if (!dm_putc(d, '-'))
			return NULL;
		p++;
	}
	for (from = p; dm_digit(*p); p++)
		;
	return *p == 'E' && p > from && dm_put(d, from, (size_t)(p - from)) && dm_puts_(d, suffix, suffix_len) ? p + 1 : NULL;
}

/* X...E: of expressions only those that are in names often. */
static const char *expression(struct dm *d, const char *p)
{
	if (p[1] == 'T')
		return param_value(d, p + 1);
	if (p[1] == 's' && p[2] == 'p')
		return expansion(d, p, true);
	if (!strncmp(p, "XadL_Z", 6))
		p = dm_function(d, p + 6, true);
	else
		return NULL;
	return p && *p == 'E' ? p + 1 : NULL;
}

struct list {
	bool first, keep;
	unsigned nr;
	uint32_t end;		/* of the text, behind what is not empty */
};

static const char *args(struct dm *d, const char *p, struct list *l, bool in_pack);

/* J...E: its elements stand in the same line as the other arguments. */
static const char *pack(struct dm *d, const char *p, struct list *l)
{
	struct list in = { .first = true, .keep = l->keep };
	uint8_t index = d->nr_args;
	uint32_t from = dm_at(d);

	if (d->nr_args == MAX_ARGS)
		return NULL;
	if (l->keep)
		d->args[d->nr_args++] = (struct dm_arg){ .flags = T_PACK };
	in.end = from;
	if (!(p = args(d, p + 1, &in, true)))
		return NULL;
	trim(d, in.end);
	if (in.end > from)
		l->end = in.end;
	if (l->keep)
		d->args[index].next = d->nr_args;
	return p + 1;
}

/* The arguments until E. */
static const char *args(struct dm *d, const char *p, struct list *l, bool in_pack)
{
	const char *from;
	unsigned flags;
	uint32_t at;

	for (; *p != 'E'; l->nr++) {
		if (!l->first && !DM_PUTS(d, ", "))
			return NULL;
		l->first = false;
		if (*p == 'J') {
			if (in_pack || !(p = pack(d, p, l)))
				return NULL;
			continue;
		}
		at = dm_at(d);
		flags = 0;
		from = p;
		if (*p == 'L')
			p = literal(d, p);
		else if (*p == 'D' && p[1] == 'p')
			p = expansion(d, p, false);
		else if (*p == 'X')
			p = expression(d, p);
		else
			p = dm_type(d, p, &flags);
		if (!p)
			return NULL;
		if (dm_at(d) > at)
			l->end = dm_at(d);
		if (l->keep) {
			if (d->nr_args == MAX_ARGS)
				return NULL;
			d->args[d->nr_args] = (struct dm_arg){ at, dm_at(d) - at, (uint16_t)(from - d->start), (uint8_t)flags, (uint8_t)(d->nr_args + 1) };
			d->nr_args++;
		}
	}
	return p;
}

const char *dm_template_args(struct dm *d, const char *p, struct dm_name *n)
{
	struct list l = { .first = true, .keep = d->keep && n };
	uint8_t first = d->nr_args;
	bool keep = d->keep;

	if (d->depth >= MAX_DEPTH || (dm_last(d) == '<' && !dm_putc(d, ' ')) || !dm_putc(d, '<'))
		return NULL;
	d->depth++;
	d->keep = false;
	l.end = dm_at(d);
	if (!(p = args(d, p + 1, &l, false)))
		return NULL;
	d->keep = keep;
	d->depth--;
	trim(d, l.end);
	if (n) {
		n->first_arg = first;
		n->nr_args = (uint8_t)l.nr;
	}
	return (dm_last(d) != '>' || dm_at(d) == d->trimmed_at || dm_putc(d, ' ')) && dm_putc(d, '>') ? p + 1 : NULL;
}
