/* jitcode.h - functions that a compiler made at run time, by address and time, from perf-PID.map
 * and jitdump files.
 *
 * Addresses are reused. Of several functions at one address the latest one before the given time is
 * found; in a perf-PID.map, which has no times, the last one in the file. The table owns the names.
 * Ranges may overlap, be huge or be anywhere: the file's writer is not trusted. Format of
 * perf-PID.map: tools/perf/Documentation/jit-interface.txt of the kernel: "START SIZE NAME" a line,
 * hexadecimal. */
#ifndef PT_STACK_JITCODE_H
#define PT_STACK_JITCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/budget.h"

enum { PT_JIT_NONE = -1 };

struct pt_jitcode {
	uint64_t start, end;		/* [start, end) */
	/* it was there from ... until before; of the writer's clock */
	uint64_t from_ns, until_ns;
	const char *name;
};

struct pt_jitcodes;
struct pt_jitcodes *pt_jitcodes_new(void);
/* What the codes take comes from there from now on, and goes back when they are freed. */
void pt_jitcodes_limit(struct pt_jitcodes *c, struct pt_budget *b);
void pt_jitcodes_free(struct pt_jitcodes *c);
size_t pt_jitcodes_nr(const struct pt_jitcodes *c);
/* Good until the next add. */
const struct pt_jitcode *pt_jitcodes_at(const struct pt_jitcodes *c, size_t i);
/* Its number; PT_JIT_NONE when there are too many, or the range is empty or wraps. `len` bytes of
 * name, cut at a NUL and to what is sane. */
int64_t pt_jitcodes_add(struct pt_jitcodes *c, uint64_t start, uint64_t bytes, uint64_t from_ns,
			const char *name, size_t len);
void pt_jitcodes_end(struct pt_jitcodes *c, size_t i, uint64_t until_ns);
/* The number of what was at addr at that time (UINT64_MAX: of what came last). *others (may be
 * NULL): it had been something else before. */
int64_t pt_jitcodes_find(const struct pt_jitcodes *c, uint64_t addr, uint64_t time_ns,
			 bool *others);
/* Lines of a perf-PID.map; returns the bytes of the whole lines among them: what is behind waits
 * for its end. With `last` that counts, too. */
size_t pt_jitcodes_read_map(struct pt_jitcodes *c, const char *text, size_t len, bool last);

#endif
