/* dwarf_lines.h - a unit's line table (.debug_line of DWARF 2 to 5): source lines by address, its
 * rows, its files.
 *
 * Files are read when the table is made, the rows of a sequence at their first use. Paths are
 * directory of compilation, directory, file, as the compiler knew them. Source of the format: DWARF
 * 5 section 6.2, DWARF 4 section 6.2. */
#ifndef PT_DWARF_DWARF_LINES_H
#define PT_DWARF_DWARF_LINES_H

#include "dwarf/dwarf.h"

struct pt_dw_lines;
/* Of an open unit, which must outlive them. Never NULL, but may be empty. */
struct pt_dw_lines *pt_dw_lines_new(struct pt_dw_unit *u);
void pt_dw_lines_free(struct pt_dw_lines *l);

/* BLOCK: one of several of the line (a discriminator); END: behind a sequence, without a line */
enum { PT_DW_ROW_STMT = 1, PT_DW_ROW_PROLOGUE_END = 2, PT_DW_ROW_END = 4, PT_DW_ROW_BLOCK = 8 };
struct pt_dw_row { uint64_t vaddr; uint32_t file, line; uint8_t flags; };

/* All rows, in sequences by address. */
const struct pt_dw_row *pt_dw_lines_rows(struct pt_dw_lines *l, size_t *nr);
/* The rows of the sequence that covers the address; none: nr is 0. */
const struct pt_dw_row *pt_dw_lines_around(struct pt_dw_lines *l, uint64_t vaddr, size_t *nr);
/* The numbers of files are lower than this. */
uint32_t pt_dw_lines_nr_files(const struct pt_dw_lines *l);
/* Without directories; NULL: none. */
const char *pt_dw_lines_name(const struct pt_dw_lines *l, uint32_t file);

/* False: no row covers the address. *line 0: unknown. */
bool pt_dw_lines_at(struct pt_dw_lines *l, uint64_t vaddr, uint32_t *file, uint32_t *line);
/* The path of a file by its number in the unit, valid as long as the table; NULL: none. */
const char *pt_dw_lines_file(struct pt_dw_lines *l, uint32_t file);

#endif
