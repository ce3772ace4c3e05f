/* sourcetext.h - the text of a source file, by lines. */
#ifndef PT_PROBE_TARGET_SOURCETEXT_H
#define PT_PROBE_TARGET_SOURCETEXT_H

#include "probe/target/target.h"

struct pt_source_text;
/* `file`: as the compiler had it. Looked for below the directory that was asked for (whole, then
 * less and less of its folders), then there, then beside the program. NULL: nowhere. */
struct pt_source_text *pt_source_text_open(struct pt_target *t, const char *file);
void pt_source_text_free(struct pt_source_text *s);
const char *pt_source_text_path(const struct pt_source_text *s);
/* It was written after the program was. */
bool pt_source_text_newer(const struct pt_source_text *s, const struct pt_target *t);
/* Line `nr`, from 1, without its end. NULL: there are not so many. */
const char *pt_source_text_line(const struct pt_source_text *s, uint32_t nr, size_t *len);
/* The line's text agrees with a shell pattern, blanks in either not counted. */
bool pt_source_text_agrees(const struct pt_source_text *s, uint32_t nr, const char *pattern);

#endif
