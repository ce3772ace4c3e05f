/* functions.h - the functions of a target, by name: symbols (aliases and versions too), and with debug information those that are only inlined. Sorted, each once; C++ and
 * Rust names as the source has them. */
#ifndef PT_PROBE_FUNCTIONS_H
#define PT_PROBE_FUNCTIONS_H

#include "probe/target.h"

struct pt_function {
	const char *name;		/* of the list */
	bool inlined;			/* wherever it is called: it has no code of its own */
	bool ifunc;			/* chooses another one when a program is loaded */
};

struct pt_functions {
	struct pt_function *v;
	size_t nr, cap;
	struct pt_names *names;
};

/* `pattern`: as match.h has names, shell patterns too; NULL: all. `inlined`: also those of the debug information alone. None is no error. */
int pt_functions_list(struct pt_functions *l, struct pt_target *t, const char *pattern, bool inlined, struct pt_err *e);
void pt_functions_deinit(struct pt_functions *l);

#endif
