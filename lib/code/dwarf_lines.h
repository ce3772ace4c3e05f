/* dwarf_lines.h - source lines by address, from a unit's line table (.debug_line of DWARF 2 to 5). Read whole when a unit is first asked for.
 * Paths are as the compiler knew them: directory of compilation, directory, file. Source of the format: DWARF 5 section 6.2, DWARF 4 section 6.2. */
#ifndef PT_CODE_DWARF_LINES_H
#define PT_CODE_DWARF_LINES_H

#include "code/dwarf.h"

struct pt_dw_lines;
/* Of a unit that is open; empty rather than NULL. The unit must outlive it. */
struct pt_dw_lines *pt_dw_lines_new(struct pt_dw_unit *u);
void pt_dw_lines_free(struct pt_dw_lines *l);
/* False: no row covers the address. *line 0: the compiler does not say. */
bool pt_dw_lines_at(struct pt_dw_lines *l, uint64_t vaddr, uint32_t *file, uint32_t *line);
/* The path of a file by its number in the unit (DW_AT_call_file, or from pt_dw_lines_at()), of the table, for its life; NULL: there is none. */
const char *pt_dw_lines_file(struct pt_dw_lines *l, uint32_t file);

#endif
