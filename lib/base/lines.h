/* lines.h - lines out of blocks that are cut anywhere.
 *
 *     struct pt_lines l = { .line = take_line, .arg = me };
 *     pt_lines_feed(&l, block, len) ...; pt_lines_end(&l); pt_lines_deinit(&l);
 *
 * Lines come without their newline, of any length, and live until the callback returns; behind
 * each stands a byte that may be read. Only a line that a block's end cuts is copied, and `most`
 * bytes of it if that is not 0. */
#ifndef PT_BASE_LINES_H
#define PT_BASE_LINES_H

#include <stddef.h>

#include "base/buf.h"

struct pt_lines {
	void (*line)(void *arg, const char *s, size_t len);
	void *arg;
	size_t most;
	struct pt_buf rest;		/* of a line whose end has not come */
};

void pt_lines_feed(struct pt_lines *l, const char *p, size_t len);
void pt_lines_end(struct pt_lines *l);		/* a last line without newline */
void pt_lines_deinit(struct pt_lines *l);

#endif
