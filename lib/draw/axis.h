/* axis.h - steps and labels of time axes: round numbers in readable units. Times are nanoseconds.
 */
#ifndef PT_DRAW_AXIS_H
#define PT_DRAW_AXIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/words.h"

enum pt_unit { PT_UNIT_AUTO, PT_UNIT_NS, PT_UNIT_US, PT_UNIT_MS, PT_UNIT_S };

extern const struct pt_word pt_unit_words[];

/* The smallest 1, 2 or 5 times a power of ten that fits into `span_ns` at most `max_steps` (> 0)
 * times. */
uint64_t pt_axis_step(uint64_t span_ns, uint64_t max_steps);
/* The same from 1 1.5 2 2.5 3 4 5 6 8, for sizes of cells. */
uint64_t pt_axis_fine_step(uint64_t span_ns, uint64_t max_steps);
/* The same for elapsed time: from 30 s on as on clocks: 30 s, 1 2 5 10 15 30 min, 1 2 3 6 12 h, 1 2
 * 5 ... days. */
uint64_t pt_axis_clock_step(uint64_t span_ns, uint64_t max_steps);

/* The largest unit that is not above the number. */
enum pt_unit pt_axis_unit(uint64_t ns);
const char *pt_unit_name(enum pt_unit u, bool ascii);	/* "ms"; "us" or its sign */

/* v / scale, a power of ten, without trailing zeros. */
void pt_axis_decimals(struct pt_buf *b, uint64_t v, uint64_t scale);
/* "1.25 ms", "0": exact, without trailing zeros. AUTO: pt_axis_unit(). */
void pt_axis_exact(struct pt_buf *b, uint64_t ns, enum pt_unit u, bool ascii);
/* The same, rounded to three significant digits. */
void pt_axis_short(struct pt_buf *b, uint64_t ns, enum pt_unit u, bool ascii);
/* Elapsed time at a tick: "2.5 s", "250 ms"; with steps from 30 s on "1:30", "2:00:00", "1d 6:00".
 */
void pt_axis_clock(struct pt_buf *b, uint64_t ns, uint64_t step_ns, bool ascii);

#endif
