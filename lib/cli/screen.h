/* screen.h - a whole terminal of text, by ncurses: what differs from the last time is sent.
 *
 *     if (pt_screen_open(&s, colours, &e) < 0) ...
 *     pt_screen_put(s, line, PT_STYLE_PLAIN, text, len) ...   // every line, from 0 on
 *     pt_screen_show(s);
 *     key = pt_screen_key(s, true);
 *     pt_screen_close(s);
 *
 * The terminal is as before when the screen is closed, and when a signal ends the process (but for
 * SIGKILL, and SIGBUS, which base/mapfile.h has). There can be one screen at a time. */
#ifndef PT_CLI_SCREEN_H
#define PT_CLI_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/keys.h"

struct pt_screen;
/* Keys are read from standard input, or from /dev/tty if standard input is no terminal. */
int pt_screen_open(struct pt_screen **s, bool colours, struct pt_err *e);
void pt_screen_close(struct pt_screen *s);	/* NULL may be given */
size_t pt_screen_lines(const struct pt_screen *s);
size_t pt_screen_columns(const struct pt_screen *s);
/* Text without control characters; the rest of the line is cleared. */
void pt_screen_put(struct pt_screen *s, size_t line, enum pt_style style, const char *text,
		   size_t len);
void pt_screen_show(struct pt_screen *s);
/* An enum pt_screen_key, or a character. */
int pt_screen_key(struct pt_screen *s, bool wait);

#endif
