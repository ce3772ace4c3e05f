/* jitcode.h - functions made at run time by address and time, from perf-PID.map and jitdump files.
 *
 * Of several functions at one address the latest one before the given time is found; in a
 * perf-PID.map, which has no times, the last in the file. The table owns the names. Ranges may
 * overlap, be huge or be anywhere: the writer is not trusted. Format of perf-PID.map:
 * tools/perf/Documentation/jit-interface.txt of the kernel: "START SIZE NAME" a line, hexadecimal.
 */
#ifndef PT_STACK_JITCODE_H
#define PT_STACK_JITCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/budget.h"

enum { PT_JIT_NONE = -1 };

struct pt_jitcode {
	uint64_t start, end;		/* [start, end) */
	/* on the writer's clock; until: exclusive */
	uint64_t from_ns, until_ns;
	const char *name;
};

struct pt_jitcodes;
struct pt_jitcodes *pt_jitcodes_new(void);
/* Pays for later codes from a budget, which gets it back when they are freed. */
void pt_jitcodes_limit(struct pt_jitcodes *c, struct pt_budget *b);
void pt_jitcodes_free(struct pt_jitcodes *c);
size_t pt_jitcodes_nr(const struct pt_jitcodes *c);
/* Good until the next add. */
const struct pt_jitcode *pt_jitcodes_at(const struct pt_jitcodes *c, size_t i);
/* Returns its number; PT_JIT_NONE: too many, or an empty or wrapping range. The name is cut at a
 * NUL and to 4,096 bytes. */
int64_t pt_jitcodes_add(struct pt_jitcodes *c, uint64_t start, uint64_t bytes, uint64_t from_ns,
			const char *name, size_t len);
void pt_jitcodes_end(struct pt_jitcodes *c, size_t i, uint64_t until_ns);
/* The number of the code at an address at that time (UINT64_MAX: the last). *others (may be NULL):
 * the address had others. */
int64_t pt_jitcodes_find(const struct pt_jitcodes *c, uint64_t addr, uint64_t time_ns,
			 bool *others);
/* Reads lines of a perf-PID.map. Returns the length of the whole lines; with `last`, a line without
 * its end counts. */
size_t pt_jitcodes_read_map(struct pt_jitcodes *c, const char *text, size_t len, bool last);

#endif
