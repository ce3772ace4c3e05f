/* latlines.h - a reader of latency lines: `TIME LATENCY [words...]` (man/pt-formats.5).
 *
 *     struct pt_latlines r;
 *     pt_latlines_init(&r, &points);
 *     while ((n = read(fd, block, sizeof(block))) > 0)
 *             pt_latlines_feed(&r, block, n);
 *     pt_latlines_end(&r);
 *
 * Numbers are decimal, 1e3 too, rounded to the nanosecond. Blanks may lead, CR may end a line,
 * words may hold any byte. Empty lines and those that start with # are skipped; what is none of
 * this is counted in `bad`. */
#ifndef PT_DRAW_LATLINES_H
#define PT_DRAW_LATLINES_H

#include <stdbool.h>

#include "base/lines.h"
#include "draw/points.h"

struct pt_latlines {
	struct pt_points *points;		/* the caller's */
	/* decimal digits from the unit to nanoseconds: 9 for s, 6 ms, 3 us, 0 ns */
	int time_digits, latency_digits;
	uint64_t lines;				/* so far */
	uint64_t good, bad;
	uint64_t first_bad;			/* its line number, from 1 */
	char bad_text[64];			/* its start; any bytes but NUL */
	struct pt_lines reader;
};

void pt_latlines_init(struct pt_latlines *r, struct pt_points *points);
void pt_latlines_feed(struct pt_latlines *r, const char *p, size_t len);
void pt_latlines_end(struct pt_latlines *r);		/* and frees what it holds */

#endif
