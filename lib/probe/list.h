/* list.h - probes that are there, in source terms again: which function, how far behind its start,
 * which line.
 *
 *     ls = pt_lister_new(&opts);
 *     // l.symbol, l.symbol_off, l.file, l.line; strings live until the next look
 *     pt_lister_look(ls, &dyn.defs[i], &l);
 *     pt_lister_free(ls);
 *
 * Files are opened once. One that is gone, or cannot be read, leaves the place as it is in the
 * definition. */
#ifndef PT_PROBE_LIST_H
#define PT_PROBE_LIST_H

#include "probe/tracefs/dyn.h"
#include "probe/target/target.h"

struct pt_listed_probe {
	const char *path;		/* the real one; NULL: of the kernel */
	const char *symbol;		/* NULL: unknown */
	uint64_t symbol_off;
	const char *file;		/* of the source; NULL: unknown */
	uint32_t line;
	const char *note;		/* "the file is gone"; NULL */
};

struct pt_lister;
struct pt_lister *pt_lister_new(const struct pt_target_opts *o);
void pt_lister_look(struct pt_lister *ls, const struct pt_def *def, struct pt_listed_probe *l);
void pt_lister_free(struct pt_lister *ls);

#endif
