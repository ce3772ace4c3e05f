/* tty.h - what standard output is when it is a terminal: how wide, and whether it shows colours. */
#ifndef PT_CLI_TTY_H
#define PT_CLI_TTY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/words.h"

enum pt_ansi { PT_ANSI_AUTO, PT_ANSI_ALWAYS, PT_ANSI_NEVER };

extern const struct pt_word pt_ansi_words[];	/* auto, always, never */
/* Auto: standard output is a terminal (`output` NULL or "-"), not a dumb one, and NO_COLOR is not
 * set. */
bool pt_tty_colours(enum pt_ansi when, const char *output);
/* Columns of the terminal that standard output is; 0: it is none. */
size_t pt_tty_columns(const char *output);

#endif
