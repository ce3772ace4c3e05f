/* text.h - text from strangers (process names, event text, paths) made safe for where it goes. Each
 * adds to a buffer. */
#ifndef PT_BASE_TEXT_H
#define PT_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* So many bytes in front are printable ASCII. */
size_t pt_text_ascii(const char *s, size_t len);
/* What pt_text_unsafe() finds, newlines included, as \xNN; for terminals and lines of text. */
void pt_text_plain(struct pt_buf *b, const char *s, size_t len);
/* The same of a whole string. */
void pt_text_puts(struct pt_buf *b, const char *s);
/* Bytes that are no UTF-8 become U+FFFD, all others stay: for formats that hold any text. */
void pt_text_valid(struct pt_buf *b, const char *s, size_t len);
/* Between the quotes of a JSON string. Bytes that are no UTF-8 become U+FFFD; controls and marks
 * of direction become \uNNNN. */
void pt_text_json(struct pt_buf *b, const char *s, size_t len);
/* Text or attribute value in XML 1.0: &<>"' escaped, what XML cannot hold becomes U+FFFD. */
void pt_text_xml(struct pt_buf *b, const char *s, size_t len);
/* A word as a shell takes it back, in single quotes where it needs them. */
void pt_text_shell(struct pt_buf *b, const char *word);
/* Bytes at s that no line of text should show: a control character, a mark that turns the direction
 * of the text behind it, or one byte that is no UTF-8. 0: none of these. */
size_t pt_text_unsafe(const char *s, size_t len);
/* Length of the UTF-8 character at s (1-4), 0 when it is none (or cut, overlong, a surrogate). */
size_t pt_text_utf8(const char *s, size_t len);
/* Columns on a terminal, where each character is taken as one column. */
size_t pt_text_width(const char *s, size_t len);
/* How many bytes of `s` fit into so many columns. */
size_t pt_text_fit(const char *s, size_t len, size_t columns);
/* Adds what fits into so many columns, and an ellipsis if that is not all. */
void pt_text_cut(struct pt_buf *b, const char *s, size_t len, size_t columns);
/* What is behind the last slash of a path; the whole path if nothing is. */
const char *pt_text_base(const char *path);
/* The folder that a path leads to: "a/b/" of "a/b/c", "." of "c"; the caller frees it. */
char *pt_text_folder(const char *path);
/* `word` is in the text, with no letter, digit or '_' beside it. */
bool pt_text_has_word(const char *text, const char *word);
/* Shell pattern of `*`, `?` and [sets], no special dots: fnmatch(3) without flags. */
bool pt_text_glob(const char *pattern, const char *s);
/* How many edits (insert, delete, change, swap) lead from a to b, at most `max` + 1; for "did you
 * mean". */
size_t pt_text_distance(const char *a, const char *b, size_t max);

#endif
