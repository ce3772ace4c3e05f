/* losses.h - the words for what is missing, the same in every tool. */
#ifndef PT_CLI_LOSSES_H
#define PT_CLI_LOSSES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/budget.h"
#include "base/foldnote.h"
#include "cli/opt.h"
#include "record/format/info.h"

/* Warns of `nr` things, if any: "1 sample is left out", "2 samples are left out". */
void pt_warn_count(const struct pt_tool *tool, uint64_t nr, const char *one, const char *many,
		   const char *rest);

/* Warns of what is missing of one event. `side_band`: the event that carries the records of tasks
 * and mappings. `live`: the session was the tool's own, so another -m would have helped. */
void pt_warn_event_losses(const struct pt_tool *tool, const char *name, bool side_band,
			  const struct pt_event_tally *t, bool live);
/* Losses that no event can be named for; nothing is said of 0. */
void pt_warn_unknown_losses(const struct pt_tool *tool, uint64_t lost, bool live);
/* Pauses that the kernel made in sampling; nothing is said of 0. */
void pt_warn_throttled(const struct pt_tool *tool, uint64_t times);

/* How good the stacks are, if that is known. */
void pt_warn_stacks(const struct pt_tool *tool, const struct pt_foldnote *n);

/* Lines of `path` (NULL: of the input) that should be folded stacks; nothing is said of 0. */
void pt_warn_not_folded(const struct pt_tool *tool, const char *path, uint64_t bad, uint64_t lines,
			uint64_t first_bad);

/* A file that met its limit of memory or work (base/budget.h). */
void pt_warn_limit(const struct pt_tool *t, const char *path, const struct pt_budget *b);

#endif
