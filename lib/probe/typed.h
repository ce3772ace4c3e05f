/* typed.h - a point and its arguments as the user typed them, made into definitions by whatever
 * knows the subject: its debug information, its SDT markers, or the running kernel. */
#ifndef PT_PROBE_TYPED_H
#define PT_PROBE_TYPED_H

#include "probe/make.h"
#include "probe/subject.h"

struct pt_typed {
	struct pt_make_req req;		/* the caller sets all, first, maxactive */
	char **words;
	size_t nr, cap;
};

/* `texts`: the point and each argument apart, or all of them in one text, as perf takes them. */
int pt_typed_parse(struct pt_typed *p, const struct pt_subject *s, char *const *texts, size_t nr,
		   struct pt_err *e);
/* Adds definitions to m. `dyn` NULL: a dry run. What the user should know goes to s->say, also on
 * failure. */
int pt_typed_make(struct pt_typed *p, struct pt_subject *s, struct pt_dyn *dyn, struct pt_made *m,
		  struct pt_err *e);
void pt_typed_deinit(struct pt_typed *p);

#endif
