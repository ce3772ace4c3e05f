/* existing.h - the probes that this machine has, chosen by name: shown, removed. Patterns are
 * GROUP:NAME, or NAME alone, with * and ?. */
#ifndef PT_PROBE_EXISTING_H
#define PT_PROBE_EXISTING_H

#include "probe/target/target.h"
#include "probe/tracefs/dyn.h"

/* Adds a line for each probe that one of the patterns matches (none: all). Returns their number. */
size_t pt_existing_show(const struct pt_dyn *d, char *const *patterns, size_t nr,
			const struct pt_target_opts *o, bool json, struct pt_buf *out);
/* Removes the probes that match `names`: patterns separated by blanks, commas or newlines. Returns
 * 1 if a probe could not be removed or a pattern matches none; `say` gets the reason. -1: this user
 * may not remove probes. */
enum { PT_EXISTING_NO_NAME = -2 };	/* `names` has none */
int pt_existing_remove(struct pt_dyn *d, const char *names, void (*say)(void *, const char *),
		       void *ctx, struct pt_err *e);

#endif
