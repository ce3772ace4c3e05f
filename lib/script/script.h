/* script.h - records as lines of text, in perf script's layout.
 *
 *     struct pt_script *s = pt_script_new(NULL);
 *     pt_script_fields(s, "-cpu,+pid", &e);                   // -F, as often as given
 *     pt_script_check(s, source, &e);                         // once the events are known
 *     pt_script_sample(s, source, rec, comm, &buf);           // a line, or several
 *
 * The layout: `COMM TID [CPU] TIME: EVENT: TEXT`, COMM right aligned in 16, names of events in the
 * width of the longest. Fields are chosen by the event's type; one that nobody asked for is left
 * out where samples do not have it. With sym or dso, addresses are named (pt_script_needs_frames())
 * and shown as perf shows them, of user programs as offsets in their files; else as captured.
 * srcline adds a line with the source's (pt_script_wants_lines()). addr is named for page faults
 * only.
 *
 * Control characters in text of strangers are \xNN; perf prints them as they are. */
#ifndef PT_SCRIPT_SCRIPT_H
#define PT_SCRIPT_SCRIPT_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/offer.h"
#include "base/words.h"
#include "record/read/source.h"
#include "stack/frames.h"

struct pt_script;

struct pt_script_opts {
	bool nanoseconds;		/* times with nine decimals instead of six */
	/* times since the first line, or since the line before */
	enum { PT_SCRIPT_TIME, PT_SCRIPT_TIME_SINCE_FIRST, PT_SCRIPT_TIME_SINCE_LAST } time;
	bool hide_chains;
	uint64_t max_blocks;		/* of code between branches, the last ones; 0: all */
	bool for_python;		/* JSON as cli/perfscript.py reads it */
	/* Only samples in these functions (patterns, or addresses 0x...), and in these files
	 * (patterns of paths or names). Empty: all. */
	struct pt_strs symbols, dsos;
};

struct pt_script *pt_script_new(const struct pt_script_opts *o);	/* NULL: default options */
void pt_script_free(struct pt_script *s);

extern const char pt_script_field_list[];	/* the fields' names */
/* perf's -F: FIELD,...  +FIELD,-FIELD  TYPE:FIELD,... with TYPE hw, sw, trace, raw, break. */
int pt_script_fields(struct pt_script *s, const char *text, struct pt_err *e);
bool pt_script_wants_lines(const struct pt_script *s);	/* srcline was requested */
/* sym, symoff or dso was requested */
bool pt_script_wants_symbols(const struct pt_script *s);
/* True: lines of some known event have names of code. */
bool pt_script_needs_frames(struct pt_script *s, struct pt_source *src);
/* What names addresses from now on, fed and kept by the caller. NULL: they stay numbers. */
void pt_script_set_frames(struct pt_script *s, struct pt_frames *f);

/* Fails if a requested field is not in the samples of its type, or no event has a requested type.
 */
int pt_script_check(struct pt_script *s, struct pt_source *src, struct pt_err *e);

/* Of each record that is no sample, in their order: names for the field cgroup. */
void pt_script_see(struct pt_script *s, const struct pt_record *rec);
/* Is the sample in the functions and files of the options? */
bool pt_script_chosen(struct pt_script *s, const struct pt_record *rec);
/* What there was to choose from: functions, and names of files. */
const struct pt_offer *pt_script_symbols_there(const struct pt_script *s);
const struct pt_offer *pt_script_dsos_there(const struct pt_script *s);
void pt_script_sample(struct pt_script *s, struct pt_source *src, const struct pt_record *rec,
		      const char *comm, struct pt_buf *b);
/* A call of function_graph's waits for the next sample, since both may be one line. To be called in
 * front of other lines, and at the end. */
void pt_script_flush(struct pt_script *s, struct pt_source *src, struct pt_buf *b);
/* unnamed frames in the call chains printed so far */
uint64_t pt_script_unknown(const struct pt_script *s);
/* COMM, FORK, EXIT, MMAP, MMAP2, LOST, LOST_SAMPLES, SWITCH, SWITCH_CPU_WIDE, NAMESPACES, CGROUP,
 * KSYMBOL, BPF_EVENT, THROTTLE, as perf's --show-... options print them; others: nothing. `comm`:
 * of pt_script_about()'s task. */
void pt_script_side(struct pt_script *s, struct pt_source *src, const struct pt_record *rec,
		    const char *comm, struct pt_buf *b);
void pt_script_about(const struct pt_record *rec, uint32_t *pid, uint32_t *tid);

/* A record's bytes and what it says, as perf's --dump-raw-trace prints them. */
void pt_script_dump(const struct pt_record *rec, struct pt_buf *b);

/* A sample as a line of JSON: an object with those of time_ns, comm, pid, tid, cpu, event, period,
 * ip, addr, fields (a tracepoint's, by name), callchain that it has. Addresses are hexadecimal
 * strings. Side-band records have "type" in place of "event". If s (may be NULL) has frames:
 * "stack", an array of objects with ip, sym, symoff, dso, inlined, file, line, innermost first
 * (without call chain of ip alone); addr_sym, addr_symoff and addr_dso of addr.
 *
 * o.for_python: in front of an event's first sample a line with "about" (its name), "attr" and, of
 * a tracepoint, "handler" (SYSTEM__NAME) and "print_fmt". Samples also have "raw" and "phys_addr",
 * of tracepoints "handler" and "common" (fields); pointers are numbers, arrays objects with "text"
 * or "bytes" in hexadecimal. */
void pt_script_json(struct pt_script *s, const struct pt_record *rec, const char *comm,
		    struct pt_buf *b);

/* perf's "# ========" lines. `captured`: seconds since 1970, 0: not known. */
void pt_script_header(struct pt_source *src, int64_t captured, struct pt_buf *b);

#endif
