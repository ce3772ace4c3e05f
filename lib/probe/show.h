/* show.h - what pt-probe prints: probes, events, functions and lines as text and as JSON objects.
 * Each function appends whole lines */
#ifndef PT_PROBE_SHOW_H
#define PT_PROBE_SHOW_H

#include "probe/tracefs/event.h"
#include "probe/where/functions.h"
#include "probe/where/listing.h"
#include "probe/make.h"

/* Events that were made, or would be made: names; definitions; an object
 * {"event":...,"places":[...]} each. */
void pt_show_names(const struct pt_events *es, struct pt_buf *b);
void pt_show_definitions(const struct pt_events *es, struct pt_buf *b);
void pt_show_events_json(const struct pt_events *es, const struct pt_made *m, struct pt_buf *b);
/* An existing probe in source terms. */
struct pt_listed_probe {
	const char *path;		/* the real one; NULL: of the kernel */
	const char *symbol;		/* NULL: unknown */
	uint64_t symbol_off;
	const char *file;		/* of the source; NULL: unknown */
	uint32_t line;
	const char *note;		/* "the file is gone"; NULL */
};
/* In perf's layout: "GROUP:NAME  (on FUNC+OFF@FILE:LINE in PATH with ARGS)" */
void pt_show_probe(const struct pt_def *def, const struct pt_listed_probe *l, struct pt_buf *b);
void pt_show_probe_json(const struct pt_def *def, const struct pt_listed_probe *l,
			struct pt_buf *b);
void pt_show_function_json(const char *name, const char *module, bool inlined, struct pt_buf *b);
void pt_show_lines_json(const struct pt_listing *l, struct pt_buf *b);
/* The variables at a point, a block for each place: names, types, and how they are fetched or why
 * they cannot be. */
int pt_show_vars(struct pt_target *t, const struct pt_point *p, bool json, struct pt_buf *out,
		 struct pt_err *e);
/* The same for a function of the running kernel: its parameters. */
int pt_show_kernel_vars(const struct pt_point *p, const char *module, uint16_t machine, bool json,
			const char *no_image, struct pt_buf *out, struct pt_err *e);

#endif
