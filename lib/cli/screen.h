/* screen.h - what somebody browses (profile/browse.h) on a whole terminal, by ncurses: what differs
 * from the last time is sent.
 *
 *     if (pt_screen_open(&s, colours, &e) < 0) ...
 *     pt_screen_draw(s, browse);
 *     key = pt_screen_key(s, true);
 *     pt_screen_close(s);
 *
 * The terminal is as before when the screen is closed, and when a signal ends the process (but for
 * SIGKILL, and SIGBUS, which base/mapfile.h has). There can be one screen at a time. */
#ifndef PT_CLI_SCREEN_H
#define PT_CLI_SCREEN_H

#include <stdbool.h>

#include "base/err.h"
#include "base/keys.h"
#include "profile/browse.h"

struct pt_screen;
/* Keys are read from standard input, or from /dev/tty if standard input is no terminal. */
int pt_screen_open(struct pt_screen **s, bool colours, struct pt_err *e);
void pt_screen_close(struct pt_screen *s);	/* NULL may be given */
void pt_screen_draw(struct pt_screen *s, struct pt_browse *b);
/* An enum pt_screen_key, or a character. */
int pt_screen_key(struct pt_screen *s, bool wait);

#endif
