/* functions.h - the functions of a target by name: those with code (also symbols, aliases and
 * versions), and on request those that are only inlined, which takes reading all debug information.
 * Sorted and unique; C++ and Rust names as in the source.
 *
 *     struct pt_functions l;
 *     if (pt_functions_list(&l, &target, "std::*", false, &e) < 0) ...
 *     for (i = 0; i < l.nr; i++) {
 *             f = pt_functions_at(&l, i);
 *             printf("%.*s\n", (int)f.len, f.name);
 *     }
 *     pt_functions_deinit(&l);
 *
 * Long lists are kept in the target's cache, if it has one (struct pt_target_opts, base/keep.h):
 * functions with code as "fns-BUILDID-SIZE", ready to be printed, and their mangled names, which
 * patterns need, as "fnm-BUILDID-SIZE"; with inlined functions as "fni-..." and "fnj-...". The key
 * identifies the object, its debug file and that file's alternate file (build-id, device, inode,
 * size, last change). Lists with split units, or of files without a build-id, are not kept. */
#ifndef PT_PROBE_WHERE_FUNCTIONS_H
#define PT_PROBE_WHERE_FUNCTIONS_H

#include "base/keep.h"
#include "probe/target/target.h"

struct pt_function {
	/* not NUL-terminated; escaped as in base/text.h */
	const char *name;
	size_t len;
	bool inlined;			/* only inlined: no code of its own */
	bool ifunc; /* an IFUNC: chooses another function when the program is loaded */
};

struct pt_functions {
	size_t nr;			/* number of chosen functions */
	/* private to functions*.c */
	size_t nr_entries;		/* number of all functions */
	/* offset of each one's line in the text, with flags in the high bits */
	const uint32_t *entries;
	const char *text;
	size_t text_len;
	/* offsets of each one's other names, with one entry more at the end; NULL: none */
	const uint32_t *mangled_at;
	const char *mangled;
	size_t mangled_len;
	/* such names exist, even if they were not read: patterns need them */
	bool others;
	uint32_t *chosen;		/* the chosen ones; NULL: all */
	/* of a list that was just read */
	struct { uint32_t *entries, *mangled_at; struct pt_buf text, mangled; } own;
	struct pt_kept kept, kept_mangled;	/* otherwise: the kept items */
};

/* `pattern`: as in match.h, with shell patterns; NULL: all. `inlined`: also functions that are only
 * inlined; otherwise these are searched only if no function with code matches the pattern. An empty
 * list is no error. */
int pt_functions_list(struct pt_functions *l, struct pt_target *t, const char *pattern,
		      bool inlined, struct pt_err *e);
struct pt_function pt_functions_at(const struct pt_functions *l, size_t i);
/* All of them as lines, NAME or NAME<tab>(inlined); NULL: a pattern was given. */
const char *pt_functions_text(const struct pt_functions *l, size_t *len);
/* The line of one function, with its newline. */
const char *pt_functions_line(const struct pt_functions *l, size_t i, size_t *len);
void pt_functions_deinit(struct pt_functions *l);

#endif
