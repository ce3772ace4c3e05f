/* functions_priv.h - between the files of functions.h. */
#ifndef PT_PROBE_FUNCTIONS_PRIV_H
#define PT_PROBE_FUNCTIONS_PRIV_H

#include "base/arena.h"
#include "base/sorttext.h"
#include "probe/functions.h"

/* An entry: where its line begins in the text; it ends where the next one's begins. Other names of an entry are those that read the same when they are shown (the mangled
 * one, mostly), when there is one that stands otherwise; each ends in NUL, those of an entry end where those of the next one begin. */
enum { PT_FN_TEXT_MAX = 1 << 30 };
#define PT_FN_INLINED (1u << 30)
#define PT_FN_IFUNC (1u << 31)
#define PT_FN_AT(entry) ((entry) & (PT_FN_TEXT_MAX - 1u))
#define PT_FN_INLINED_MARK "\t(inlined)"

struct pt_fn_name {
	uint32_t len;			/* of what is shown */
	uint32_t symbol_len : 29, other : 1;	/* other: it is shown otherwise than it stands in a symbol table or in debug information */
	uint32_t inlined : 1, ifunc : 1;
	_Alignas(8) char shown[];	/* as the source has it, escaped; an item of sorttext.h. Where it is another one the symbol's address follows */
};

struct pt_fn_chunk {
	struct pt_fn_chunk *next;
	size_t nr;
	struct pt_text_item v[510];	/* s: of a struct pt_fn_name */
};

struct pt_fn_names {			/* what one thread has read; some names may be there several times */
	struct pt_fn_chunk *first, *last;
	size_t nr;
	size_t text_bytes, symbol_bytes;	/* of all: lines, and names as they stand, with an end each */
	struct pt_arena own;
	struct pt_buf demangled, plain;	/* for work */
};

static inline struct pt_fn_name *pt_fn_name_of(const struct pt_text_item *i)
{
	return (struct pt_fn_name *)(uintptr_t)(i->s - offsetof(struct pt_fn_name, shown));
}

/* As it stands. */
static inline const char *pt_fn_symbol(const struct pt_fn_name *n, size_t *len)
{
	const char *s = n->shown;

	*len = n->other ? n->symbol_len : n->len;
	if (n->other)
		memcpy(&s, n->shown + pt_text_room(n->len), sizeof(s));
	return s;
}

struct pt_fn_both {			/* of both threads */
	struct pt_fn_names ns[2];
	bool two;			/* there are two, and much to do for them */
	struct pt_fn_helper *helper;	/* the second one, from the first run on */
	bool many;			/* they take some megabytes */
	bool split;			/* some units stand in files of their own */
	struct pt_dwarf *again;		/* some names are of its files; freed with them */
};

/* functions_read.c. */
void pt_fn_read(struct pt_fn_both *b, struct pt_target *t, bool inlined);
void pt_fn_both_deinit(struct pt_fn_both *b);
/* Runs run(first) and run(second): at the same time, where there are two. */
void pt_fn_run(struct pt_fn_both *b, void (*run)(void *arg), void *first, void *second);

/* functions_table.c: sorted, into own_*. */
void pt_fn_table(struct pt_functions *l, struct pt_fn_both *b, bool mangled);	/* mangled: the other names, too */

/* functions_kept.c. */
bool pt_fn_get_kept(struct pt_functions *l, struct pt_target *t, bool inlined, bool mangled);	/* inlined: the list with these; mangled: these names, too */
void pt_fn_put_kept(const struct pt_functions *l, struct pt_target *t, bool inlined);

#endif
