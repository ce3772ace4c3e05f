/* tp_filter.h - which records of tracepoints are wanted, by their fields: one language, live and on
 * recordings.
 *
 *     bytes > 64K && (rwbs ~ "*W*" || ret < 0) && !(comm == "dd")
 *
 * It is the kernel's (Documentation/trace/events.rst, "Event filtering"), plus sizes with K, M or G
 * behind a number. Numbers: == != < <= > >= &; text, in quotes: == != ~ (a shell pattern). The
 * kernel does the work of live sessions, of the text that pt_tp_filter_kernel() gives; for
 * recordings the same text is parsed here (libtraceevent's tep_filter compares negative numbers as
 * huge ones, so that "ret < 0" is never true). Numbers compare as the field's type does.
 *
 * What the kernel alone can do (COMM, .function, .ustring, CPUS{}, pointers to text) is refused on
 * recordings, or never holds. */
#ifndef PT_TRACEPOINT_TP_FILTER_H
#define PT_TRACEPOINT_TP_FILTER_H

#include "tracepoint/tp.h"

/* The text as the kernel takes it: sizes are numbers. Released by free(). */
char *pt_tp_filter_kernel(const char *text);

struct pt_tp_filter;
/* NULL: it cannot be parsed. */
struct pt_tp_filter *pt_tp_filter_new(const char *text, struct pt_err *e);
void pt_tp_filter_free(struct pt_tp_filter *f);
/* Does it hold? False also where the event lacks a field, and where a value could not be read. */
bool pt_tp_filter_holds(struct pt_tp_filter *f, const struct pt_tp *tp, const void *raw, size_t len,
			uint32_t cpu);
/* The first field that no event seen so far had (or had with another type); NULL: some event had
 * all. */
const char *pt_tp_filter_missing(const struct pt_tp_filter *f);
/* A floating-point number that the filter names, of which the kernel would compare the bits; NULL:
 * none. */
const char *pt_tp_filter_float(const struct pt_tp *tp, const char *text);
/* Bits of the CPU are asked for: the kernel takes that and lets nothing pass. */
bool pt_tp_filter_cpu_bits(const struct pt_tp *tp, const char *text);
/* Adds what may be wrong to the error for a filter that the kernel has refused. */
void pt_tp_filter_explain(const struct pt_tp *tp, const char *text, struct pt_err *e);

#endif
