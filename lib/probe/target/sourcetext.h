/* sourcetext.h - the text of a source file, by lines. */
#ifndef PT_PROBE_TARGET_SOURCETEXT_H
#define PT_PROBE_TARGET_SOURCETEXT_H

#include "probe/target/target.h"

struct pt_source_text;
/* `file`: the compiler's name. Searched below the wanted directory (with all, then fewer of its
 * folders), at its own path, and beside the program. NULL: not found. */
struct pt_source_text *pt_source_text_open(struct pt_target *t, const char *file);
void pt_source_text_free(struct pt_source_text *s);
const char *pt_source_text_path(const struct pt_source_text *s);
/* True: it was changed after the program. */
bool pt_source_text_newer(const struct pt_source_text *s, const struct pt_target *t);
/* Line `nr`, from 1, without its end. NULL: there are fewer. */
const char *pt_source_text_line(const struct pt_source_text *s, uint32_t nr, size_t *len);
/* True: the line matches a shell pattern; blanks are ignored in both. */
bool pt_source_text_agrees(const struct pt_source_text *s, uint32_t nr, const char *pattern);

#endif
