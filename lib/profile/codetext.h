/* codetext.h - a function's instructions and source lines, with their share of the samples, in perf
 * annotate's layout or as JSON. */
#ifndef PT_PROFILE_CODETEXT_H
#define PT_PROFILE_CODETEXT_H

#include "base/err.h"
#include "profile/code.h"

enum pt_codetext_percent {
	PT_PERCENT_LOCAL_PERIOD,	/* of the function's periods */
	PT_PERCENT_GLOBAL_PERIOD,	/* of all */
	PT_PERCENT_LOCAL_HITS,		/* of samples */
	PT_PERCENT_GLOBAL_HITS,
};

struct pt_codetext_opts {
	enum pt_codetext_percent percent;
	bool samples;			/* numbers of samples in place of percentages */
	bool no_source;
	bool places;			/* FILE:LINE where it changes */
	bool raw;			/* the bytes of instructions */
	bool intel;
	bool lines;			/* lines of source alone */
	bool blocks;			/* by block, the hottest loop first */
	const char *source_dir;		/* where to look for source; NULL: not given */
	/* of absolute paths of source, in place of their first prefix_strip folders; or NULL */
	const char *prefix;
	uint64_t prefix_strip;
};

struct pt_codetext;
struct pt_codetext *pt_codetext_new(const struct pt_codetext_opts *o, struct pt_frames *frames,
				    struct pt_weight total);
void pt_codetext_free(struct pt_codetext *t);	/* with the source files that it has opened */
/* Text is escaped for a terminal. -1: nothing can read this code. */
int pt_codetext_print(struct pt_codetext *t, const struct pt_code_function *x, const char *event,
		      struct pt_buf *b, struct pt_err *e);
/* An object an instruction (or a line). */
int pt_codetext_json(struct pt_codetext *t, const struct pt_code_function *x, const char *event,
		     struct pt_buf *b, struct pt_err *e);

#endif
