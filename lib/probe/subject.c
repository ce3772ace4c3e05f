#include "probe/subject.h"

#include <stdlib.h>

#include "base/diskcache.h"
#include "base/mem.h"
#include "probe/target/image.h"

bool pt_subject_is_file(const struct pt_subject *s)
{
	return s->file || s->vmlinux || (s->module && pt_image_is_file(s->module));
}

bool pt_subject_is_known(struct pt_subject *s)
{
	struct pt_image_where where = { .symfs = s->opts.symfs };

	if (pt_subject_is_file(s))
		return true;
	if (!s->looked)
		s->image = pt_image_find(&where, s->module, &s->no_image);
	s->looked = true;
	return s->image;
}

struct pt_target *pt_subject_target(struct pt_subject *s, struct pt_err *e)
{
	const char *name = s->file    ? s->file
			   : s->vmlinux ? s->vmlinux
			   : s->image   ? s->image
					: s->module;

	if (s->open)
		return &s->target;
	s->opts.keep = pt_diskcache_open();
	s->opts.kernel = !s->file;
	if (pt_target_open(&s->target, name, &s->opts, e) < 0) {
		e->sys = 0;
		return NULL;
	}
	s->open = true;
	if (s->target.how) {
		char *text = pt_asprintf("%s: %s, %s", name, s->target.path, s->target.how);

		s->say(s->ctx, text);
		free(text);
	}
	return &s->target;
}

void pt_subject_deinit(struct pt_subject *s)
{
	if (s->open)
		pt_target_deinit(&s->target);
	pt_diskcache_close(s->opts.keep);
	free(s->image);
}
