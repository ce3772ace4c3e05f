/* make_priv.h - shared by make.c, make_kernel.c, make_sdt.c and make_guards.c */
#ifndef PT_PROBE_MAKE_PRIV_H
#define PT_PROBE_MAKE_PRIV_H

#include "probe/spec/arg.h"
#include "probe/tracefs/event.h"
#include "probe/value/var.h"
#include "probe/make.h"

void make_note(struct pt_made *m, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Adds an empty definition. */
struct pt_def *make_def(struct pt_made *m);
/* Removes the last one. */
void make_undo(struct pt_made *m);
/* The places of one point, which are tried one by one. */
struct make_try {
	struct pt_made *m;
	const struct pt_make_req *r;
	size_t nr_defs, nr_notes;	/* how many m had before */
	size_t nr;			/* places */
	struct pt_err why;		/* why the first place failed that did */
};
struct make_try make_begin(struct pt_made *m, const struct pt_make_req *r);
/* All places were tried: adds guards to the definitions. If there are no definitions, drops the
 * notes and fails with t->why. */
int make_end(const struct make_try *t, struct pt_err *e);
/* Sets a definition's group and event: the request's, else these. */
void make_names(const struct pt_make_req *r, struct pt_def *def, const char *group,
		const char *event);
/* Adds the request's arguments as they are at one place. */
int make_args(struct pt_made *m, struct pt_def *def, const struct pt_make_req *r,
	      const struct pt_var_scope *s, struct pt_err *e);
void make_add_vars(struct pt_def *def, const struct pt_vars *vars);
/* The scopes that contain the place, and what else its variables depend on. Without debug
 * information only registers are known. */
int make_scope(struct pt_target *t, const struct pt_place *p, Dwarf_Die dies[PT_PLACE_SCOPES],
	       struct pt_var_scope *s, struct pt_err *e);
/* make_guards.c: makes room in the name for the prefixes of guards and companions. */
void make_shorten(const struct pt_def *def, struct pt_def_arg *a);
/* Adds guards to the definitions from `from` on, as their last arguments. */
int make_guards(struct pt_made *m, size_t from, const struct pt_make_req *r, struct pt_err *e);
/* "work+4", "0x1139 (inl, inlined)" */
void make_place_text(const struct pt_place *p, struct pt_buf *b);

#endif
