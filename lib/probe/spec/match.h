/* match.h - whether a function is the one that was asked for: by its name in the source, with
 * namespaces and templates as far as they were given, with parameters or without, by its mangled
 * name, or by a shell pattern. Blanks do not count. */
#ifndef PT_PROBE_SPEC_MATCH_H
#define PT_PROBE_SPEC_MATCH_H

#include <stdbool.h>

#include "base/buf.h"

struct pt_match {
	char *want;			/* without needless blanks */
	/* that any mangled name of it holds; NULL: cannot be told */
	char *word;
	/* it has parameters, template arguments, a namespace */
	bool glob, params, templates, scoped;
	struct pt_buf name, plain;	/* for work */
};

void pt_match_init(struct pt_match *m, const char *want);
void pt_match_deinit(struct pt_match *m);
/* A symbol, or a name in the source; `mangled`: it may be a mangled one. */
bool pt_match_name(struct pt_match *m, const char *name, bool mangled);
/* The same of a mangled name whose shown form (pt_demangle()) is at hand. */
bool pt_match_known(struct pt_match *m, const char *mangled, const char *shown);

#endif
