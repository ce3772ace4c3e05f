#include "code/demangle.h"

#include "base/mem.h"
#include "code/demangle_priv.h"

bool dm_cut(struct dm *d, uint32_t a, uint8_t first_sub)
{
	for (; first_sub < d->nr_subs; first_sub++)
		d->subs[first_sub].len = 0;
	d->lost += dm_at(d) - a;
	d->o = d->text + a;
	return d->lost <= MAX_LOST;
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
static const char *signature(struct dm *d, const char *p, const struct dm_name *n, uint32_t a, bool drop_return)
{
	uint32_t at = dm_at(d), behind = at, params;
	uint8_t first_sub = d->nr_subs;
	unsigned flags;

	if (n->templ && !n->no_return) {
		if (!(p = dm_type(d, p, &flags)) || (flags & T_INSIDE))
			return NULL;
		if (drop_return ? !dm_cut(d, at, first_sub) : !dm_putc(d, ' '))
			return NULL;
		if (!drop_return)
			behind = dm_at(d);
	}
	if (!(p = dm_params(d, p)) || ((n->cv & T_CONST) && !DM_PUTS(d, " const")) || ((n->cv & T_VOLATILE) && !DM_PUTS(d, " volatile")) ||
	    (n->ref && !(n->ref == 'R' ? DM_PUTS(d, " &") : DM_PUTS(d, " &&"))))
		return NULL;
	if (behind > at) {	/* NAME RETURN PARAMS, then RETURN PARAMS NAME: nothing comes behind that refers to the text */
		params = dm_at(d) - behind;
		if (!swap_text(d, a, at) || !swap_text(d, a + (behind - at), a + (behind - at) + params))
			return NULL;
	}
	return p;
}

const char *dm_encoding(struct dm *d, const char *p, struct dm_name *n, bool params, bool drop_return)
{
	struct dm_scope scope = d->scope;
	uint64_t uses = d->uses;
	int pack_at = d->pack_at;
	uint8_t nr_args = d->nr_args;
	uint32_t a = dm_at(d);
	bool keep = d->keep;

	d->keep = params;
	d->scope = (struct dm_scope){ 0 };
	d->pack_at = -1;
	p = dm_name(d, p, n);
	d->keep = false;
	if (!p || !params)
		return p;
	n->end = dm_at(d);
	n->function = p < d->end && *p != 'E';
	if (n->function) {
		if (n->templ && scope.lambda)	/* the library has its parameters for the lambda's */
			return NULL;
		if (n->templ)
			d->scope = (struct dm_scope){ .id = ++d->scopes, .first = n->first_arg, .nr = n->nr_args };
		if (d->scopes == 255 || !(p = signature(d, p, n, a, drop_return)))
			return NULL;
	} else if (n->cv || n->ref) {
		return NULL;
	}
	d->scope = scope;
	d->uses = uses;
	d->pack_at = pack_at;
	d->nr_args = nr_args;
	d->keep = keep;
	return p;
}

const char *dm_function(struct dm *d, const char *p, bool address)
{
	bool qualified = *p == 'N' || (*p == 'S' && p[1] == 't');
	uint32_t at = dm_at(d) + address;
	uint8_t first_sub = d->nr_subs;
	struct dm_name n;

	if (address && (*p == 'Z' || !dm_putc(d, '&')))
		return NULL;
	p = dm_encoding(d, p, &n, true, false);
	if (!p || *p != 'E')
		return NULL;
	dm_cut(d, dm_at(d), first_sub);
	if (!address || (!n.function && !n.templ))
		return p + 1;
	if (!n.function || n.no_return)
		return NULL;
	if (qualified && !n.templ && !n.cv && !n.ref)
		return dm_cut(d, n.end, first_sub) ? p + 1 : NULL;
	if (!DM_PUTS(d, "()"))
		return NULL;
	memmove(d->text + at + 1, d->text + at, (size_t)(d->o - 2 - d->text) - at);
	d->text[at] = '(';
	d->o[-1] = ')';
	return p + 1;
}

static const char *call_offset(const char *p)
{
	unsigned v;
	int parts;

	if (*p != 'h' && *p != 'v')
		return NULL;
	for (parts = *p++ == 'h' ? 1 : 2; parts--; p++)
		if (!(p = dm_number(*p == 'n' ? p + 1 : p, &v)) || *p != '_')
			return NULL;
	return p;
}

static const char *construction_vtable(struct dm *d, const char *p)
{
	uint32_t a = dm_at(d), b;
	unsigned flags, v;

	if (!(p = dm_type(d, p, &flags)) || !(p = dm_number(p, &v)) || *p++ != '_')
		return NULL;
	b = dm_at(d);
	return (p = dm_type(d, p, &flags)) && DM_PUTS(d, "-in-") && swap_text(d, a, b) ? p : NULL;
}

/* What the compiler makes for a class, a function or a variable. */
static const char *special(struct dm *d, const char *p)
{
	static const struct { char code[3]; char is; const char *text; } table[] = {
		{ "TV", 't', "vtable for " }, { "TT", 't', "VTT for " }, { "TI", 't', "typeinfo for " }, { "TS", 't', "typeinfo name for " }, { "TC", 'c', "construction vtable for " },
		{ "Th", 'o', "non-virtual thunk to " }, { "Tv", 'o', "virtual thunk to " }, { "Tc", '2', "covariant return thunk to " }, { "GV", 'n', "guard variable for " },
		{ "TH", 'n', "TLS init function for " }, { "TW", 'n', "TLS wrapper function for " }, { "GT", 'g', "transaction clone for " },
	};
	struct dm_name n;
	unsigned flags;
	size_t i = 0;

	while (table[i].code[0] != p[0] || table[i].code[1] != p[1])
		if (++i == PT_NR(table))
			return NULL;
	if (!dm_puts_(d, table[i].text, strlen(table[i].text)))
		return NULL;
	switch (table[i].is) {
	case 't':
		return dm_type(d, p + 2, &flags);
	case 'c':
		return construction_vtable(d, p + 2);
	case 'n':
		p = dm_name(d, p + 2, &n);
		return n.cv || n.ref ? NULL : p;
	case 'g':
		if (p[2] != 't')
			return NULL;
		p += 3;
		break;
	case '2':
		if (!(p = call_offset(p + 2)) || !(p = call_offset(p)))
			return NULL;
		break;
	default:
		if (!(p = call_offset(p + 1)))
			return NULL;
	}
	return dm_encoding(d, p, &n, true, false);
}

static bool clone_char(char c) { return c == '_' || (c >= 'a' && c <= 'z'); }

/* .isra.0 .cold: how compilers name parts and copies of a function. */
static bool clones(struct dm *d, const char *p)
{
	const char *from;

	while (p < d->end) {
		from = p;
		if (*p++ != '.' || (!dm_digit(*p) && !clone_char(*p)))
			return false;
		if (dm_digit(*p))
			while (dm_digit(*p))
				p++;
		else
			while (clone_char(*p))
				p++;
		while (*p == '.' && dm_digit(p[1]))
			for (p++; dm_digit(*p);)
				p++;
		if ((p < d->end && *p != '.') || !DM_PUTS(d, " [clone ") || !dm_put(d, from, (size_t)(p - from)) || !dm_putc(d, ']'))
			return false;
	}
	return true;
}

bool pt_demangle_fast(const char *s, const char *end, bool params, struct pt_buf *out)
{
	size_t from = out->len, room = (size_t)(end - s) * 4 + 256;
	struct dm_name n;
	const char *p;
	struct dm d;

	if (end - s < 4 || end - s > MAX_MANGLED)
		return false;
	for (;; room = MAX_TEXT) {
		if (out->cap - out->len < room + SLACK + 1)
			pt_buf_grow(out, room + SLACK + 1);
		d.start = s;
		d.end = end;
		d.text = d.o = out->data + from;
		d.lim = d.text + room;
		memset(&d.scope, 0, offsetof(struct dm, mods) - offsetof(struct dm, scope));
		d.pack_at = -1;
		p = s[2] == 'T' || s[2] == 'G' ? special(&d, s + 2) : dm_encoding(&d, s + 2, &n, params, false);
		if (p && params && !clones(&d, p))
			p = NULL;
		if (p || !d.full || room == MAX_TEXT)
			break;
	}
	if (p)
		out->len += (size_t)(d.o - d.text);
	out->data[out->len] = '\0';
	return p && out->len > from;
}
