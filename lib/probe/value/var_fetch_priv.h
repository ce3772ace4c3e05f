/* var_fetch_priv.h - a value as text of the kernel: types and arrays (var_fetch.c), numbers and
 * addresses (var_number.c). -1: the error has the reason. */
#ifndef PT_PROBE_VALUE_VAR_FETCH_PRIV_H
#define PT_PROBE_VALUE_VAR_FETCH_PRIV_H

#include "probe/value/var_priv.h"

struct fetch {
	const struct pt_var_scope *s;
	const struct pt_obj *o;
	struct pt_type_info i;		/* of o->type */
	struct pt_buf *b;		/* where the text goes */
	struct pt_var *v;		/* whose companion is set */
	struct pt_err *e;
};

struct want {				/* how a number is to be shown */
	char letter;			/* u, s, x; c: char */
	unsigned bytes;
};

/* Appends the text that reads the memory `off` bytes after the chain's address. */
int fetch_memory(const struct fetch *f, struct pt_chain c, uint64_t off);
/* Appends the object's text and type. */
int fetch_number(const struct fetch *f, struct want w);

#endif
