/* describe.h - what can be probed: functions, source lines, variables at a point, as text or as
 * objects of JSON, of a file or of the running kernel.
 *
 * Each function gives whole lines. On failure these return -1, and e says why. */
#ifndef PT_PROBE_DESCRIBE_H
#define PT_PROBE_DESCRIBE_H

#include "probe/spec/point.h"
#include "probe/subject.h"

struct pt_functions_asked {
	char *const *patterns;		/* one of them matches; none: all functions */
	size_t nr;
	bool inlined;			/* also those without code of their own */
	bool json;
	/* Takes lines. A list of megabytes comes from where it is mapped, without a copy. */
	int (*write)(void *ctx, const void *lines, size_t len, struct pt_err *e);
	void *ctx;
};

/* 1: functions were written; 0: the file has none of these names, and s->say was told. */
int pt_describe_functions(struct pt_subject *s, const struct pt_functions_asked *a,
			  struct pt_err *e);
/* The lines of a function or a file (probe/where/listing.h); they need debug information. */
int pt_describe_lines(struct pt_subject *s, const char *what, bool json, struct pt_buf *out,
		      struct pt_err *e);
/* A block for each place: names, types, and how they are fetched or why they cannot be. `more`: 0,
 * or PT_VARS_EXTERN and PT_VARS_RANGES (probe/value/var.h), which need debug information. */
int pt_describe_variables(struct pt_subject *s, const struct pt_point *p, unsigned more, bool json,
			  struct pt_buf *out, struct pt_err *e);

#endif
