#include "code/demangle_priv.h"

bool dm_number(struct dm *d, unsigned *v)
{
	if (!dm_digit(dm_peek(d)))
		return false;
	for (*v = 0; dm_digit(dm_peek(d)); d->p++) {
		if (*v > 99999999)
			return false;
		*v = *v * 10 + (unsigned)(*d->p - '0');
	}
	return true;
}

bool dm_compact(struct dm *d, unsigned *v)
{
	*v = 1;
	if (dm_is(d, '_'))
		return true;
	if (!dm_number(d, v))
		return false;
	*v += 2;
	return dm_is(d, '_');
}

/* What is behind `end` is commas in front of nothing. The library takes them away as well, but still thinks that a space came last: "a<b<c>>" then, not "a<b<c> >". */
static void trim(struct dm *d, uint32_t end)
{
	if (dm_at(d) > end)
		d->trimmed_at = end;
	d->o = d->text + end;
}

/* DpT_: the type for every element of the pack that is named in it. */
static bool expansion(struct dm *d)
{
	struct dm_mark m = dm_mark(d);
	const char *from;
	unsigned flags;

	d->p += 2;
	from = d->p;
	if (d->pack_at >= 0)
		return false;
	if (d->scope.lambda)
		return dm_putc(d, '(') && dm_type(d, &flags) && DM_PUTS(d, ")...") && dm_sub_add(d, &m, KIND_TYPE, 0, true);
	d->pack_at = 0;
	d->pack_nr = -1;
	if (!dm_type(d, &flags) || d->pack_nr < 0)
		return false;
	if (!d->pack_nr)
		d->o = d->text + m.off;
	for (d->again++; ++d->pack_at < d->pack_nr;) {
		d->p = from;
		if (!DM_PUTS(d, ", ") || !dm_type(d, &flags))
			return false;
	}
	d->again--;
	d->pack_at = -1;
	d->uses_pack = m.uses_pack;
	return dm_sub_add(d, &m, KIND_TYPE, 0, true);
}

/* Types, with commas; what is empty at the end leaves none. */
bool dm_params(struct dm *d)
{
	uint32_t end, at;
	unsigned flags;
	bool first = true;
	char c = dm_peek(d), c2 = dm_peek2(d);

	if (!dm_putc(d, '('))
		return false;
	if (c == 'v' && (c2 == 'E' || c2 == '\0' || c2 == '.')) {
		d->p++;
		return dm_putc(d, ')');
	}
	for (end = dm_at(d); (c = dm_peek(d)) != 'E' && c != '\0' && c != '.'; first = false) {
		if ((c == 'R' || c == 'O') && dm_peek2(d) == 'E')
			break;
		if (!first && !DM_PUTS(d, ", "))
			return false;
		at = dm_at(d);
		if (!(c == 'D' && dm_peek2(d) == 'p' ? expansion(d) : dm_type(d, &flags)))
			return false;
		if (dm_at(d) > at)
			end = dm_at(d);
	}
	if (first)
		return false;
	trim(d, end);
	return dm_putc(d, ')');
}

/* Li5E, Lb1E, LN3foo3barE3E. */
static bool literal(struct dm *d)
{
	char c = *++d->p;
	const char *from, *suffix;
	unsigned flags;

	switch (c) {
	case 'b':
		if (dm_peek2(d) != '0' && dm_peek2(d) != '1')
			return false;
		d->p += 2;
		return (d->p[-1] == '0' ? DM_PUTS(d, "false") : DM_PUTS(d, "true")) && dm_is(d, 'E');
	case 'i':
		suffix = "";
		break;
	case 'j':
		suffix = "u";
		break;
	case 'l':
		suffix = "l";
		break;
	case 'm':
		suffix = "ul";
		break;
	case 'x':
		suffix = "ll";
		break;
	case 'y':
		suffix = "ull";
		break;
	case 'd':
	case 'e':
	case 'f':
	case 'g':
	case 'v':
	case 'z':
	case '_':
	case 'A':
		return false;
	default:
		suffix = NULL;
	}
	if (suffix)
		d->p++;
	else if (!dm_putc(d, '(') || !dm_type(d, &flags) || !dm_putc(d, ')'))
		return false;
	if (dm_is(d, 'n') && !dm_putc(d, '-'))
		return false;
	for (from = d->p; dm_digit(dm_peek(d)); d->p++)
		;
	return d->p > from && dm_put(d, from, (size_t)(d->p - from)) && (!suffix || dm_puts_(d, suffix, strlen(suffix))) && dm_is(d, 'E');
}

struct list {
	bool first, keep;
	uint32_t end;
};

/* The arguments until E; those of packs (J...E) stand in the same line. */
static bool args(struct dm *d, struct list *l, bool in_pack, unsigned *nr)
{
	struct dm_mark m;
	unsigned flags, index;
	char c;
	bool ok;

	for (*nr = 0; (c = dm_peek(d)) != 'E'; ++*nr) {
		if (c == 'J') {
			unsigned inner;
			struct list in = { true, l->keep, 0 };
			uint32_t from;

			if (in_pack || d->nr_args == MAX_ARGS)
				return false;
			index = d->nr_args;
			if (l->keep)
				d->args[d->nr_args++] = (struct dm_arg){ .flags = T_PACK };
			d->p++;
			if (!l->first && !DM_PUTS(d, ", "))
				return false;
			in.end = from = dm_at(d);
			if (!args(d, &in, true, &inner))
				return false;
			trim(d, in.end);
			if (in.end > from)
				l->end = in.end;
			d->p++;
			if (l->keep)
				d->args[index].next = d->nr_args;
			l->first = false;
			continue;
		}
		if (!l->first && !DM_PUTS(d, ", "))
			return false;
		m = dm_mark(d);
		flags = 0;
		if (c == 'L')
			ok = literal(d);
		else if (c == 'D' && dm_peek2(d) == 'p')
			ok = expansion(d);
		else
			ok = dm_type(d, &flags);
		if (!ok)
			return false;
		if (dm_at(d) > m.off)
			l->end = dm_at(d);
		if (l->keep) {
			if (d->nr_args == MAX_ARGS)
				return false;
			d->args[d->nr_args] = (struct dm_arg){ m.off, dm_at(d) - m.off, m.from, (uint8_t)flags, (uint8_t)(d->nr_args + 1) };
			d->nr_args++;
		}
		l->first = false;
	}
	return true;
}

bool dm_template_args(struct dm *d, struct dm_name *n)
{
	struct list l = { true, d->keep && n, 0 };
	uint8_t first = d->nr_args;
	unsigned nr;
	bool keep = d->keep;

	d->p++;
	if ((dm_last(d) == '<' && !dm_putc(d, ' ')) || !dm_putc(d, '<'))
		return false;
	d->keep = false;
	l.end = dm_at(d);
	if (!args(d, &l, false, &nr))
		return false;
	d->keep = keep;
	d->p++;
	trim(d, l.end);
	if (n) {
		n->first_arg = first;
		n->nr_args = (uint8_t)nr;
	}
	return (dm_last(d) != '>' || dm_at(d) == d->trimmed_at || dm_putc(d, ' ')) && dm_putc(d, '>');
}
