#include "probe/typed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const char blanks[] = " \t\n";

/* "sdt_PROVIDER:NAME", "%PROVIDER:NAME": a marker, not a function. */
static const char *marker_of(const struct pt_subject *s, const char *point)
{
	const char *colon = strchr(point, ':');

	if (!s->file || !colon || colon[1] == ':')
		return NULL;
	if (*point == '%')
		return strncmp(point, "%sdt_", 5) ? point + 1 : point + 5;
	return strncmp(point, "sdt_", 4) ? NULL : point + 4;
}

int pt_typed_parse(struct pt_typed *p, const struct pt_subject *s, char *const *texts, size_t nr,
		   struct pt_err *e)
{
	const char *equal;

	for (size_t i = 0; i < nr; i++) {
		const char *at = texts[i];

		while (*(at += strspn(at, blanks))) {
			size_t len = p->nr ? strcspn(at, blanks) : pt_point_len(at);

			PT_GROW(p->words, p->nr, p->cap);
			p->words[p->nr++] = pt_strndup(at, len);
			at += len;
		}
	}
	if (!p->nr)
		return pt_err_set(e, "an empty point");
	p->req.args = (const char *const *)p->words + 1;
	p->req.nr_args = p->nr - 1;
	p->req.module = s->module;
	equal = strchr(p->words[0], '=');
	p->req.marker = marker_of(s, equal ? equal + 1 : p->words[0]);
	if (!p->req.marker)
		return pt_point_parse(&p->req.point, p->words[0], e);
	if (equal)
		p->req.point.name = pt_strndup(p->words[0], (size_t)(equal - p->words[0]));
	return 0;
}

static int typed_make(struct pt_typed *p, struct pt_subject *s, struct pt_dyn *dyn,
		      struct pt_made *m, struct pt_err *e)
{
	struct pt_target *t;
	int rc = -1;

	if (p->req.marker || pt_subject_is_known(s)) {
		t = pt_subject_target(s, e);
		if (!t)
			return -1;
		rc = p->req.marker ? pt_make_sdt(m, &p->req, t, dyn, e)
				   : pt_make_user(m, &p->req, t, dyn, e);
		/* An image that was found lacks the functions of modules. */
		if (rc == 0 || p->req.marker || !s->image || e->sys != ENOENT)
			return rc;
	} else {
		p->req.no_image = s->no_image.msg;
	}
	return pt_make_kernel(m, &p->req, e);
}

int pt_typed_make(struct pt_typed *p, struct pt_subject *s, struct pt_dyn *dyn, struct pt_made *m,
		  struct pt_err *e)
{
	size_t i = m->nr_notes;
	int rc = typed_make(p, s, dyn, m, e);

	for (; i < m->nr_notes; i++)
		s->say(s->ctx, m->notes[i]);
	return rc;
}

void pt_typed_deinit(struct pt_typed *p)
{
	pt_point_deinit(&p->req.point);
	for (size_t i = 0; i < p->nr; i++)
		free(p->words[i]);
	free(p->words);
}
