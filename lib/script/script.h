/* script.h - records as lines of text, in perf script's layout: which fields an event's lines have,
 * and their bytes.
 *
 *     struct pt_script *s = pt_script_new(NULL);
 *     pt_script_fields(s, "-cpu,+pid", &e);                   // -F, as often as given
 *     pt_script_check(s, source, &e);                         // once the events are known
 *     // adds a line, or a line with its call chain and a blank one
 *     pt_script_sample(s, source, rec, comm, &buf);
 *
 * The layout is perf's: `COMM TID [CPU] TIME: EVENT: TEXT`, COMM right aligned in 16, an event's
 * name in the width of the longest one. Fields are chosen by the event's type; a field that nobody
 * asked for is left out where an event's samples do not have it. With sym or dso among the fields
 * addresses are named (where the caller lends a struct pt_frames: pt_script_needs_frames()) and
 * shown as perf shows them, of user programs as offsets in their files; else they stay as they were
 * captured. srcline adds a line with the line of source, where it is known (the struct pt_frames
 * looks lines up: pt_script_wants_lines()). addr is named for page faults only.
 *
 * Text of strangers (names, tracepoint text, paths) has its control characters as \xNN; perf prints
 * those as they are. */
#ifndef PT_SCRIPT_SCRIPT_H
#define PT_SCRIPT_SCRIPT_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "record/source.h"
#include "stack/frames.h"

struct pt_script;

struct pt_script_opts {
	bool nanoseconds;		/* times with nine decimals instead of six */
	bool hide_chains;
};

struct pt_script *pt_script_new(const struct pt_script_opts *o);	/* NULL: default options */
void pt_script_free(struct pt_script *s);

/* perf's -F: FIELD,...  +FIELD,-FIELD  TYPE:FIELD,... with TYPE hw, sw, trace, raw, break. */
int pt_script_fields(struct pt_script *s, const char *text, struct pt_err *e);
bool pt_script_wants_lines(const struct pt_script *s);	/* srcline was requested */
/* sym, symoff or dso was requested */
bool pt_script_wants_symbols(const struct pt_script *s);
/* True: lines of some known event have names of code. */
bool pt_script_needs_frames(struct pt_script *s, struct pt_source *src);
/* Sets what names addresses from now on; the caller feeds and keeps it. NULL: addresses stay
 * numbers. */
void pt_script_set_frames(struct pt_script *s, struct pt_frames *f);

/* An error if a requested field is not in the samples of its type, or no event has a requested
 * type. */
int pt_script_check(struct pt_script *s, struct pt_source *src, struct pt_err *e);

void pt_script_sample(struct pt_script *s, struct pt_source *src, const struct pt_record *rec,
		      const char *comm, struct pt_buf *b);
/* unnamed frames in the call chains printed so far */
uint64_t pt_script_unknown(const struct pt_script *s);
/* COMM, FORK, EXIT, MMAP, MMAP2, LOST, LOST_SAMPLES, SWITCH, SWITCH_CPU_WIDE, NAMESPACES, CGROUP,
 * KSYMBOL, BPF_EVENT, THROTTLE: as perf's --show-... options print them; nothing for others.
 * `comm`: of the task that the record is about, pt_script_about(). */
void pt_script_side(struct pt_script *s, struct pt_source *src, const struct pt_record *rec,
		    const char *comm, struct pt_buf *b);
void pt_script_about(const struct pt_record *rec, uint32_t *pid, uint32_t *tid);

/* A sample as one line of JSON: an object with time_ns, comm, pid, tid, cpu, event, period, ip,
 * addr, fields (a tracepoint's, by name), callchain; those that the sample has. Addresses are
 * strings of hexadecimal digits. Side-band records: a member "type" in place of "event", and
 * "fields". Where s (may be NULL) has frames to ask: "stack", an array of objects with ip, sym,
 * symoff, dso, inlined, file, line, innermost first; of a sample's ip alone without call chain;
 * addr_sym, addr_symoff and addr_dso of its addr. */
void pt_script_json(struct pt_script *s, const struct pt_record *rec, const char *comm,
		    struct pt_buf *b);

/* perf's "# ========" lines. `captured`: seconds since 1970, 0: not known. */
void pt_script_header(struct pt_source *src, int64_t captured, struct pt_buf *b);

#endif
