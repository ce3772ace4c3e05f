/* sourcetext.h - the text of a source file, by lines. */
#ifndef PT_ELF_SOURCETEXT_H
#define PT_ELF_SOURCETEXT_H

#include "base/buf.h"
#include "elf/object.h"

struct pt_source_text;
/* `file`: as the compiler named it. Searched below source_dir (may be NULL; with all, then fewer of
 * its folders), at its path, and beside the object. NULL: not found, too large, or the object's
 * budget is spent. */
struct pt_source_text *pt_source_text_open(struct pt_object *o, const char *source_dir,
					   const char *file);
void pt_source_text_free(struct pt_source_text *s);
const char *pt_source_text_path(const struct pt_source_text *s);
/* True: it was changed after the object. */
bool pt_source_text_newer(const struct pt_source_text *s, const struct pt_object *o);
/* Line `nr`, from 1, without its end; NULL: none. */
const char *pt_source_text_line(const struct pt_source_text *s, uint32_t nr, size_t *len);
/* Control characters are escaped, tabs become `tab`. */
void pt_source_text_add(struct pt_buf *b, const char *line, size_t len, const char *tab);
/* True: it matches a shell pattern, blanks aside. */
bool pt_source_text_agrees(const struct pt_source_text *s, uint32_t nr, const char *pattern);

#endif
