/* jitdump.h - a jitdump file: functions made at run time with their times, code, unwinding records
 * and source lines.
 *
 *     struct pt_jitdump *d = pt_jitdump_new();
 *     pt_jitdump_read(d, bytes, len, &e);         // the whole file; again when it has grown
 *     i = pt_jitdump_find(d, addr, time_ns, NULL);
 *     o = pt_jitdump_object(d, i, EM_X86_64);     // its code and call frame information
 *
 * The caller keeps the bytes until the next read or free. They may change meanwhile: what is kept
 * is copied, or checked at each use. Senseless records are left out and counted; one of an
 * impossible length ends the file. Times are CLOCK_MONOTONIC, or the CPU's counter
 * (pt_jitdump_arch_clock()). Source: tools/perf/Documentation/jitdump-specification.txt of the
 * kernel. */
#ifndef PT_STACK_JITDUMP_H
#define PT_STACK_JITDUMP_H

#include "base/err.h"
#include "stack/jitcode.h"
#include "elf/object.h"

struct pt_jitdump;
struct pt_jitdump *pt_jitdump_new(void);
/* See pt_jitcodes_limit(). */
void pt_jitdump_limit(struct pt_jitdump *d, struct pt_budget *b);
/* What the writer's time namespace adds to its clock (base/clock.h); it is taken off. */
void pt_jitdump_offset(struct pt_jitdump *d, int64_t offset_ns);
void pt_jitdump_free(struct pt_jitdump *d);
/* 1: there was more; 0: no whole record more; -1: it is no jitdump. */
int pt_jitdump_read(struct pt_jitdump *d, const void *data, size_t len, struct pt_err *e);
bool pt_jitdump_arch_clock(const struct pt_jitdump *d);
/* The time of the last record. */
uint64_t pt_jitdump_last_ns(const struct pt_jitdump *d);
bool pt_jitdump_closed(const struct pt_jitdump *d);		/* nothing will follow */
/* As pt_jitcodes_find(). */
int64_t pt_jitdump_find(const struct pt_jitdump *d, uint64_t addr, uint64_t time_ns, bool *others);
const struct pt_jitcode *pt_jitdump_code(const struct pt_jitdump *d, size_t i);
/* The function's bytes at PT_JITDUMP_VADDR as an object, with its unwinding record as .eh_frame.
 * The dump's, made at first use; NULL: foreign byte order, or no such bytes. `machine`: EM_* if the
 * writer does not say. */
#define PT_JITDUMP_VADDR 0x10000u
struct pt_object *pt_jitdump_object(struct pt_jitdump *d, size_t i, uint16_t machine);
/* The source line of an address in function i. False: unknown. *file: *file_len of the caller's
 * bytes, no NUL. */
bool pt_jitdump_line(const struct pt_jitdump *d, size_t i, uint64_t addr, const char **file,
		     size_t *file_len, uint32_t *line);

struct pt_jitdump_counts { uint64_t loads, moves, bad; };
struct pt_jitdump_counts pt_jitdump_counts(const struct pt_jitdump *d);

#endif
