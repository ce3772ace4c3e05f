/* match.h - does a function have the wanted name? By its source name with as many namespaces,
 * template arguments and parameters as were given, by its mangled name, or by a shell pattern.
 * Blanks are ignored. */
#ifndef PT_PROBE_SPEC_MATCH_H
#define PT_PROBE_SPEC_MATCH_H

#include <stdbool.h>

#include "base/buf.h"

struct pt_match {
	char *want;			/* without needless blanks */
	/* a word that every matching mangled name contains; NULL: unknown */
	char *word;
	/* it has parameters, template arguments, a namespace */
	bool glob, params, templates, scoped;
	bool by_symbol;			/* needs the mangled name: the shown name is not enough */
	struct pt_buf name, plain;	/* scratch */
};

void pt_match_init(struct pt_match *m, const char *want);
void pt_match_deinit(struct pt_match *m);
/* A symbol or source name; `mangled`: it may be a mangled one. */
bool pt_match_name(struct pt_match *m, const char *name, bool mangled);
/* A name as it is shown, without parameters. */
bool pt_match_shown(struct pt_match *m, const char *name);

#endif
