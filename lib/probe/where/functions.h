/* functions.h - the functions of a target, by name: those with code (symbols, aliases and versions
 * too), and when they are asked for those that are only inlined, which takes all of the debug
 * information to be read. Sorted, each once; C++ and Rust names as the source has them.
 *
 *     struct pt_functions l;
 *     if (pt_functions_list(&l, &target, "std::*", false, &e) < 0) ...
 *     for (i = 0; i < l.nr; i++) { f = pt_functions_at(&l, i); printf("%.*s\n", (int)f.len,
 *             f.name); }
 *     pt_functions_deinit(&l);
 *
 * The names of a file with many are kept, where the target has a place for that (struct
 * pt_target_opts, base/keep.h): those with code as "fns-BUILDID-SIZE", ready to be printed, and
 * when there is a pattern the mangled ones as "fnm-BUILDID-SIZE"; with those that are only inlined
 * as "fni-..." and "fnj-...". The key says what the object, its debug file and that one's alternate
 * file are (build-id, device, inode, size, time of last change). Names of split units are not kept,
 * nor those of files without build-id. */
#ifndef PT_PROBE_WHERE_FUNCTIONS_H
#define PT_PROBE_WHERE_FUNCTIONS_H

#include "base/keep.h"
#include "probe/target/target.h"

struct pt_function {
	/* of the list, not ended by NUL; what would upset a terminal is escaped in it, as
	 * base/text.h does */
	const char *name;
	size_t len;
	bool inlined;			/* wherever it is called: it has no code of its own */
	bool ifunc;			/* chooses another one when a program is loaded */
};

struct pt_functions {
	size_t nr;			/* of those that were asked for */
	/* functions*.c's */
	size_t nr_entries;		/* all there are */
	const uint32_t *entries;	/* where each one's line begins in the text, flags on top */
	const char *text;
	size_t text_len;
	/* where each one's other names are, one more at the end; NULL: there are none */
	const uint32_t *mangled_at;
	const char *mangled;
	size_t mangled_len;
	/* there are such names, if they were read or not: they are for patterns */
	bool others;
	uint32_t *chosen;		/* those that were asked for; NULL: all */
	/* of a list that was read just now */
	struct { uint32_t *entries, *mangled_at; struct pt_buf text, mangled; } own;
	struct pt_kept kept, kept_mangled;	/* else they are in here */
};

/* `pattern`: as match.h has names, shell patterns too; NULL: all. `inlined`: also those of the
 * debug information alone; without, they are looked for only when no function with code matches the
 * pattern. None is no error. */
int pt_functions_list(struct pt_functions *l, struct pt_target *t, const char *pattern,
		      bool inlined, struct pt_err *e);
struct pt_function pt_functions_at(const struct pt_functions *l, size_t i);
/* All of them as lines, NAME or NAME<tab>(inlined); NULL: not all were asked for. */
const char *pt_functions_text(const struct pt_functions *l, size_t *len);
/* The line of one of them, with its end. */
const char *pt_functions_line(const struct pt_functions *l, size_t i, size_t *len);
void pt_functions_deinit(struct pt_functions *l);

#endif
