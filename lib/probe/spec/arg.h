/* arg.h - the text of one argument of a probe, taken apart; what it means at a place is var.h's.
 *
 *     [NAME=] EXPRESSION [:TYPE]
 *     EXPRESSION: a variable (with namespaces: ns::Class::v), `*p`, `&v`, `p->f.g[2]`, `(*p).f`,
 *             `this->m`, `$retval`, `$retval->f`
 *     or `$vars`, `$params`, `$argN`, `%REG`, or the kernel's own syntax: `+8(%di)`, `@0x601040`,
 *             `@symbol+8`, `\1`, `$stack3`, `$comm`
 *     TYPE: u8 s8 x8 ... u64 s64 x64, char, string, ustring, symbol, symstr,
 *             bWIDTH@OFFSET/CONTAINER; followed by [N]: an array
 *
 * An index is a number. Errors have two lines more: the text, and a caret below what is wrong.
 * Source of the syntax: the kernel's Documentation/trace/uprobetracer.rst. */
#ifndef PT_PROBE_SPEC_ARG_H
#define PT_PROBE_SPEC_ARG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum { PT_ARG_STEPS = 32, PT_ARG_TEXT_MAX = 1024 };

enum pt_arg_kind {
	PT_ARG_EXPR,
	PT_ARG_VARS,
	PT_ARG_PARAMS,
	PT_ARG_ARGUMENT,
	PT_ARG_REG,
	PT_ARG_RAW
};

enum pt_arg_op { PT_ARG_MEMBER, PT_ARG_ARROW, PT_ARG_INDEX, PT_ARG_DEREF, PT_ARG_ADDRESS };

struct pt_arg_step {
	enum pt_arg_op op;
	char *name;			/* of a member */
	int64_t index;
	unsigned at;			/* where it is in the text, for carets */
};

struct pt_arg {
	char *text;
	enum pt_arg_kind kind;
	char *name;			/* NAME=; NULL: not given */
	/* variable, register (without %), raw syntax (without NAME= and :TYPE) */
	char *root;
	bool is_retval;			/* the root is $retval */
	unsigned argument;		/* N of $argN */
	struct pt_arg_step steps[PT_ARG_STEPS];	/* in order of evaluation */
	unsigned nr_steps;
	char *type;			/* without [N]; NULL: not given */
	unsigned array;			/* N of TYPE[N]; 0: none */
	unsigned at_root, at_type;
};

int pt_arg_parse(struct pt_arg *a, const char *text, struct pt_err *e);
void pt_arg_deinit(struct pt_arg *a);
/* Adds the text and a caret to the message of e; -1. */
int pt_arg_caret(const char *text, unsigned at, struct pt_err *e);

/* Is it a kernel type, and its size (0: string, symbol ...). `letter`: u, s, x, b, c(har), y
 * (symbol), t (string), U(string), S(ymstr) */
bool pt_arg_type(const char *type, char *letter, unsigned *size_bytes);

#endif
