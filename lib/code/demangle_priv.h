/* demangle_priv.h - what demangle.c (functions, specials), demangle_name.c, demangle_type.c, demangle_list.c (arguments, parameters) and demangle_again.c share.
 *
 * Text goes to `o` once, in the order of the mangled name. A substitution is a range of that text, or, where its text is not in one piece or depends on where it stands
 * (template parameters, elements of a pack), its place in the mangled name, which is then read again. Pointers and the like wait as modifiers until
 * what they point to was read, since functions and arrays print them in their middle. */
#ifndef PT_CODE_DEMANGLE_PRIV_H
#define PT_CODE_DEMANGLE_PRIV_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { MAX_MANGLED = 1000, MAX_TEXT = 65536, MAX_SUBS = 200, MAX_ARGS = 250, MAX_MODS = 24, MAX_DEPTH = 60, MAX_AGAIN = 1000, MAX_LOST = 1 << 20, SLACK = 32 };

/* What a type's text is, as far as its surroundings ask. */
enum {
	T_LREF = 1, T_RREF = 2, T_CONST = 4, T_VOLATILE = 8,	/* outermost */
	T_CV = T_CONST | T_VOLATILE,
	T_INSIDE = 16,		/* a function or an array, or a pointer to one: what is put on it goes into its middle */
	T_PARAM = 128,		/* of a template parameter: references to it collapse */
	T_DONE = 32,		/* the modifiers that waited are printed */
	T_PACK = 64,		/* an argument that is a pack */
};

#define USES_SCOPE ((uint64_t)1)
#define USES_PACK ((uint64_t)1 << 32)

/* How a substitution is read again: as a type, or as parts of a name until where it ended (a template without its arguments, too). */
enum { KIND_TYPE, KIND_PREFIX };

struct dm_sub {
	uint32_t off, len;	/* of the text; len 0: read it again */
	uint16_t from, to;	/* in the mangled name */
	uint8_t kind, flags;
	uint8_t scope;		/* 0, or whose template parameters it has */
	bool pack;		/* an element of a pack is in it */
};

struct dm_arg {
	uint32_t off, len;
	uint16_t from;		/* in the mangled name; 0: no type */
	uint8_t flags;
	uint8_t next;		/* the index of the following argument of the same list */
};

struct dm_mod {
	char what;		/* P R O, K: const and volatile, M: member */
	uint8_t flags;		/* of K */
	uint16_t from;		/* in the mangled name, and M's class */
};

struct dm_scope {
	uint8_t id, first, nr;	/* of args; id 0: none */
	bool lambda;		/* its own parameters are called auto:1 */
};

struct dm {
	const char *end, *start;
	char *o, *lim, *text;
	struct dm_scope scope;
	uint8_t scopes;
	uint8_t nr_subs, nr_args, nr_mods, mod_base;
	bool keep;		/* arguments are wanted: a function's parameters may name them */
	bool full;		/* the text did not fit */
	int again;		/* >0: reading something again, no new substitutions */
	int depth, agains;
	uint32_t lost;		/* bytes of text that were printed in vain */
	uint32_t trimmed_at;	/* where the text ended when commas were taken away from it last */
	/* In a pack expansion: */
	int pack_at;		/* which element; -1: in none */
	int pack_nr;		/* how many there are; -1: no pack seen yet */
	uint64_t uses;		/* counts what was printed of packs (upper half) and of parameters, so that substitutions know what is in them */
	struct dm_mod mods[MAX_MODS];
	struct dm_sub subs[MAX_SUBS];
	struct dm_arg args[MAX_ARGS];
};

static inline bool dm_full(struct dm *d)
{
	d->full = true;
	return false;
}

/* Bytes of the mangled name. Short ones are copied in one piece of constant size where both sides have the room. */
static inline bool dm_put(struct dm *d, const char *s, size_t len)
{
	struct { char c[SLACK]; } piece;

	if ((size_t)(d->lim - d->o) < len)
		return dm_full(d);
	if (len <= SLACK && d->end - s >= SLACK) {
		memcpy(&piece, s, sizeof(piece));
		memcpy(d->o, &piece, sizeof(piece));
	} else {
		memcpy(d->o, s, len);
	}
	d->o += len;
	return true;
}

/* A range of the text that is there already; behind `lim` there is SLACK. */
static inline bool dm_copy(struct dm *d, uint32_t off, uint32_t len)
{
	struct { char c[SLACK]; } piece;

	if ((size_t)(d->lim - d->o) < len)
		return dm_full(d);
	if (len <= SLACK) {
		memcpy(&piece, d->text + off, sizeof(piece));
		memcpy(d->o, &piece, sizeof(piece));
	} else {
		memcpy(d->o, d->text + off, len);
	}
	d->o += len;
	return true;
}

#define DM_PUTS(d, s) dm_puts_(d, s, sizeof(s) - 1)
static inline __attribute__((always_inline)) bool dm_puts_(struct dm *d, const char *s, size_t len)
{
	if ((size_t)(d->lim - d->o) < len)
		return dm_full(d);
	memcpy(d->o, s, len);
	d->o += len;
	return true;
}

static inline bool dm_putc(struct dm *d, char c) { return dm_puts_(d, &c, 1); }
static inline char dm_last(const struct dm *d) { return d->o > d->text ? d->o[-1] : '\0'; }
static inline uint32_t dm_at(const struct dm *d) { return (uint32_t)(d->o - d->text); }
static inline bool dm_digit(char c) { return (unsigned char)(c - '0') < 10; }

/* What a thing begins with: where it stands and what was used until then. */
struct dm_mark {
	uint32_t off;
	uint16_t from;
	uint64_t uses;
};

static inline struct dm_mark dm_mark(const struct dm *d, const char *p)
{
	return (struct dm_mark){ dm_at(d), (uint16_t)(p - d->start), d->uses };
}

/* What was read and printed from the mark to `p` is the next substitution. */
static inline bool dm_sub_add(struct dm *d, const char *p, const struct dm_mark *m, int kind, unsigned flags, bool has_text)
{
	uint64_t uses = d->uses ^ m->uses;

	if (d->again)
		return true;
	if (d->nr_subs == MAX_SUBS)
		return false;
	d->subs[d->nr_subs++] = (struct dm_sub){ m->off, has_text ? dm_at(d) - m->off : 0, m->from, (uint16_t)(p - d->start), (uint8_t)kind, (uint8_t)flags,
		(uint32_t)uses ? d->scope.id : 0, uses >> 32 };
	return true;
}

static inline bool dm_decimal(struct dm *d, unsigned v)
{
	char digits[10];
	size_t at = sizeof(digits);

	do
		digits[--at] = (char)('0' + v % 10);
	while (v /= 10);
	return dm_puts_(d, digits + at, sizeof(digits) - at);
}

/* A range of the text. */
struct dm_range {
	uint32_t off, len;
};

/* What a name was, as far as a function's signature asks. */
struct dm_name {
	bool templ;		/* its last part has template arguments */
	bool no_return;		/* a constructor, destructor or conversion */
	bool unnamed;		/* a lambda or a type without a name */
	uint8_t cv;		/* T_CONST, T_VOLATILE */
	char ref;		/* R, O or none */
	uint8_t first_arg, nr_args;
	/* dm_encoding()'s: */
	bool function;		/* not a variable */
	uint32_t end;		/* of the name, in the text */
};

/* All that read return where they ended, NULL for what is left to the library. The byte at the end of the name is no part of it, but can be read: NUL or @.
 *
 * demangle.c: a function or variable; `params`: with the function's parameters, `drop_return`: without what a template returns. */
const char *dm_encoding(struct dm *d, const char *p, struct dm_name *n, bool params, bool drop_return);
/* The same as a template argument, until behind its E; `address`: with & in front, and then members without parameters. */
const char *dm_function(struct dm *d, const char *p, bool address);
/* Text goes from `a` on; substitutions from `first_sub` on are read again where they are used. False: too much was lost already. */
bool dm_cut(struct dm *d, uint32_t a, uint8_t first_sub);

/* demangle_name.c */
const char *dm_name(struct dm *d, const char *p, struct dm_name *n);
/* Types: a plain name, maybe behind St, and its arguments; N...E without qualifiers. */
const char *dm_class(struct dm *d, const char *p);
const char *dm_nested_class(struct dm *d, const char *p);
/* The parts of a nested name until E or `stop`. */
const char *dm_prefix(struct dm *d, const char *p, struct dm_name *n, const char *stop);

/* demangle_type.c */
const char *dm_type(struct dm *d, const char *p, unsigned *flags);
/* At another place of the mangled name, which had its turn; the modifiers that wait now go to that type. */
bool dm_type_again(struct dm *d, uint16_t from, unsigned *flags);

/* demangle_again.c: S_, S0_, Sa...; `last`: in a prefix, takes what constructors are called where that is certain (NULL: in a type). */
const char *dm_substitution(struct dm *d, const char *p, unsigned *flags, struct dm_range *last);
/* T_, T0_... */
const char *dm_param(struct dm *d, const char *p, unsigned *flags);

/* demangle_list.c */
const char *dm_template_args(struct dm *d, const char *p, struct dm_name *n);	/* I...E */
const char *dm_params(struct dm *d, const char *p);	/* of a function, in brackets, until E, R, O or the end */
const char *dm_number(const char *p, unsigned *v);
const char *dm_compact(const char *p, unsigned *v);	/* _ is 1, 0_ is 2 */

#endif
