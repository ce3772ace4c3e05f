/* existing.h - the probes that this machine has, chosen by name: shown, removed. Patterns are
 * GROUP:NAME, or NAME alone, with * and ?. */
#ifndef PT_PROBE_EXISTING_H
#define PT_PROBE_EXISTING_H

#include "probe/target/target.h"
#include "probe/tracefs/dyn.h"

/* Adds a line for each probe that one of the patterns matches (none: all). Returns their number. */
size_t pt_existing_show(const struct pt_dyn *d, char *const *patterns, size_t nr,
			const struct pt_target_opts *o, bool json, struct pt_buf *out);
/* Removes the probes that one of `names` matches: patterns with blanks, commas or newlines between
 * them. Returns 1 if some could not be removed, or a pattern matches none, which `say` is told; -1
 * if this user may not. */
enum { PT_EXISTING_NO_NAME = -2 };	/* `names` has none */
int pt_existing_remove(struct pt_dyn *d, const char *names, void (*say)(void *, const char *),
		       void *ctx, struct pt_err *e);

#endif
