/* var.h - variables at a place in the kernel's fetch syntax: the arguments of a probe's
 * definition, and what there is to choose from.
 *
 *     struct pt_vars vars = PT_VARS_INIT;
 *     if (pt_vars_add(&vars, &scope, "p->f.g[2]", &e) < 0) ...        // e says why, with a caret
 *     ... vars.v[0].name, vars.v[0].fetch ...                         // "g", "+24(%di):s32"
 *     pt_vars_deinit(&vars);
 *
 * An argument that is accepted has the variable's value in every hit. Refused are values that are
 * computed, in pieces, gone, or in a register that the kernel does not fetch. Names are valid for
 * the kernel and unique within a struct pt_vars. A failed read (through a null pointer) leaves an
 * older value in the record; make_guards.c adds fields that reveal it. Source of the syntax and
 * its limits: the kernel's Documentation/trace/uprobetracer.rst, kprobetrace.rst. */
#ifndef PT_PROBE_VALUE_VAR_H
#define PT_PROBE_VALUE_VAR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "probe/spec/arg.h"
#include "probe/value/loc.h"
#include "probe/value/type.h"

struct pt_var {
	/* of the argument, or of the variable in a list */
	char *name;
	char *type_name;		/* "struct inode *"; NULL: not known */
	/* in the kernel's syntax with its type: "+8(%sp):s32"; NULL: it cannot be fetched */
	char *fetch;
	/* What shows the value as it is, a hidden argument: "__len_" (tracepoint/tp.h) and its
	 * text; NULL: none. */
	const char *companion;
	char *companion_fetch;
	/* the reason, to follow "NAME: " ("it is optimised out here") */
	char *why;
	/* with PT_VARS_RANGES: bytes from the function's entry at which it has a value,
	 * "work+[0-24,30-97]"; NULL: it has no such ranges */
	char *range;
	bool param;
};

struct pt_vars {
	struct pt_var *v;
	size_t nr, cap;
};

#define PT_VARS_INIT { NULL, 0, 0 }

/* An argument as pt-probe takes it (probe/spec/arg.h). `$vars` and `$params` add each variable that
 * can be fetched, and the others to `left_out` (may be NULL). */
int pt_vars_add(struct pt_vars *vars, const struct pt_var_scope *s, const char *arg,
		struct pt_vars *left_out, struct pt_err *e);

/* An argument whose fetch text is known, such as a marker's operand. */
int pt_vars_add_text(struct pt_vars *vars, const char *name, const char *fetch, const char *type,
		     struct pt_err *e);

/* Lists the function's parameters and, if wanted, its variables that are visible at the place
 * (inner blocks first, without hidden ones) and those of the unit outside of functions. */
enum { PT_VARS_LOCAL = 1, PT_VARS_EXTERN = 2, PT_VARS_RANGES = 4 };
void pt_vars_list(struct pt_vars *vars, const struct pt_var_scope *s, unsigned wanted);
void pt_vars_deinit(struct pt_vars *vars);

#endif
