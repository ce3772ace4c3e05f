/* lines.h - the line of source at an address, from DWARF's line tables (.debug_line).
 *
 * A unit's table is read when an address in it is first asked for. `debug` is the object that holds .debug_info (pt_files_debug); it must outlive this. */
#ifndef PT_CODE_LINES_H
#define PT_CODE_LINES_H

#include "code/object.h"

struct pt_lines;
struct pt_lines *pt_lines_new(struct pt_object *debug);
void pt_lines_free(struct pt_lines *l);
/* False: no unit says. The file is as the compiler was given it, with its directory where that is known; of pt_lines, for its life. */
bool pt_lines_at(struct pt_lines *l, uint64_t vaddr, const char **file, uint32_t *line);

#endif
