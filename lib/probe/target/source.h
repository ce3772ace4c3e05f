/* source.h - source files and lines as the debug information names them. */
#ifndef PT_PROBE_TARGET_SOURCE_H
#define PT_PROBE_TARGET_SOURCE_H

#include "dwarf/dwarf_lines.h"
#include "probe/target/target.h"

/* The line table of a unit (of a split unit: its skeleton's), owned by the target. NULL: the unit
 * cannot be read */
struct pt_dw_lines *pt_source_lines(struct pt_target *t, struct pt_dw_unit *unit);

/* True: `path` is the wanted file or ends in it: "b.c" and "a/b.c" are "/x/a/b.c"; "." and ".." are
 * resolved. */
bool pt_source_is(const char *path, const char *want);

/* Which of a unit's files are a certain one. */
struct pt_source_files { bool *is; uint32_t nr; bool any; };
/* Those that pt_source_is() `path`. The caller frees `is`. */
struct pt_source_files pt_source_files_of(struct pt_dw_lines *l, const char *path);
static inline bool pt_source_has(const struct pt_source_files *f, uint32_t file)
{
	return file < f->nr && f->is[file];
}

/* Goes through the units with functions, split ones as such. Zeroed at first. */
struct pt_target_units { size_t next; struct pt_dw_unit *root, *unit; };
bool pt_target_next_unit(struct pt_target *t, struct pt_target_units *u);

/* The next unit, from number *i on, with a file that pt_source_is() `file`, and which of its files
 * are (pt_source_files_of()); NULL: there is none. *path, if it was NULL, becomes that file's path,
 * which the caller frees. */
struct pt_dw_unit *pt_source_next_unit(struct pt_target *t, size_t *i, const char *file,
				       char **path, struct pt_source_files *files);

/* Where a function is declared: by its entry or its origin. False: unknown. *file may be NULL. */
bool pt_source_declared(struct pt_target *t, const struct pt_dw_die *die, const char **file,
			uint32_t *line);

#endif
