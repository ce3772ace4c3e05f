/* functions.h - the functions of a target by name: those with code (also symbols, aliases and
 * versions), and on request those that are only inlined, which takes reading all debug information.
 * Sorted and unique; C++ and Rust names as in the source.
 *
 *     struct pt_functions l;
 *     pt_functions_list(&l, &target, "std::*", false);
 *     for (at = NULL; pt_functions_next(&l, &at, &f); )
 *             printf("%.*s\n", (int)f.len, f.name);
 *     pt_functions_deinit(&l);
 *
 * Long lists are kept in the target's cache, if it has one (struct pt_target_opts,
 * base/diskcache.h): functions with code as "fns-BUILDID-SIZE", with inlined functions as
 * "fni-...". The key identifies the object, its debug file and that file's alternate file
 * (build-id, device, inode, size, last change). Lists with split units, or of files without a
 * build-id, are not kept. Patterns for symbols (_Z*) or with parameters need names that are not
 * kept. */
#ifndef PT_PROBE_WHERE_FUNCTIONS_H
#define PT_PROBE_WHERE_FUNCTIONS_H

#include "base/diskcache.h"
#include "probe/target/target.h"

struct pt_function {
	const char *name;		/* not NUL-terminated; escaped as in base/text.h */
	size_t len;
	bool inlined;			/* only inlined: no code of its own */
};

struct pt_functions {
	const char *text;		/* lines: NAME, or NAME<tab>(inlined) */
	size_t len;			/* 0: there are none */
	/* private: where the text is */
	struct pt_buf own;
	struct pt_cached kept;
};

/* `pattern`: as in match.h, with shell patterns; NULL: all. `inlined`: also functions that are only
 * inlined; otherwise these are searched only if no function with code matches the pattern. */
void pt_functions_list(struct pt_functions *l, struct pt_target *t, const char *pattern,
		       bool inlined);
/* The function whose line begins at *at (NULL: the first one); moves *at to its end. */
bool pt_functions_next(const struct pt_functions *l, const char **at, struct pt_function *f);
void pt_functions_deinit(struct pt_functions *l);

#endif
