/* json.h - JSON as it is written, member by member, into a buffer.
 *
 *     pt_json_open(b, NULL, '{');
 *     pt_json_str(b, "comm", comm);
 *     pt_json_open(b, "cpus", '[');
 *     pt_json_u64(b, NULL, 3);                // elements of an array have no key
 *     pt_json_close(b, ']');
 *     pt_json_end_line(b);                    // {"comm":"make","cpus":[3]} and a newline
 *
 * There is no state but the buffer's last byte: a comma goes in front of whatever does not follow a
 * bracket, a key or the start of a line. Text is escaped; bytes that are not UTF-8 become U+FFFD */
#ifndef PT_BASE_JSON_H
#define PT_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* A comma where one is needed, and the key where there is one. What follows is the value, the
 * caller's to add. */
void pt_json_key(struct pt_buf *b, const char *key);
/* `bracket`: '{' or '['; '}' or ']'. */
void pt_json_open(struct pt_buf *b, const char *key, char bracket);
void pt_json_close(struct pt_buf *b, char bracket);
/* Closes the object that is a line. */
void pt_json_end_line(struct pt_buf *b);

/* NULL adds nothing, not even the key. */
void pt_json_str(struct pt_buf *b, const char *key, const char *s);
void pt_json_strn(struct pt_buf *b, const char *key, const char *s, size_t len);
void pt_json_bool(struct pt_buf *b, const char *key, bool v);
void pt_json_null(struct pt_buf *b, const char *key);
void pt_json_u64(struct pt_buf *b, const char *key, uint64_t v);
void pt_json_s64(struct pt_buf *b, const char *key, int64_t v);
/* An address: a string, "0x1f3a", since JSON's numbers have 53 bits in most readers. */
void pt_json_addr(struct pt_buf *b, const char *key, uint64_t v);
/* The shortest text that reads back as the same number. Here and below: 0 if it is not finite. */
void pt_json_number(struct pt_buf *b, const char *key, double v);
void pt_json_double(struct pt_buf *b, const char *key, double v, int decimals);
/* Nanoseconds as microseconds, milliseconds or seconds, exactly. */
void pt_json_us(struct pt_buf *b, const char *key, uint64_t ns);
void pt_json_ms(struct pt_buf *b, const char *key, uint64_t ns);
void pt_json_seconds(struct pt_buf *b, const char *key, uint64_t ns);

#endif
