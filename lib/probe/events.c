#include "probe/events.h"

#include <stdlib.h>

#include "base/mem.h"

int pt_events_of_made(struct pt_events *es, struct pt_made *m, struct pt_dyn *dyn,
		      const char *group, struct pt_err *e)
{
	int rc;

	for (size_t i = 0; group && i < m->nr; i++) {
		free(m->defs[i].group);
		m->defs[i].group = pt_strdup(group);
	}
	if (pt_events_plan(es, m->defs, m->nr, dyn, e) < 0)
		return -1;
	m->nr = 0;			/* the definitions are the plan's now */
	rc = group ? pt_dyn_own_group(dyn, group, e) : 0;
	if (rc == 0 && dyn)
		rc = pt_events_make(es, dyn, e);
	if (rc < 0)
		pt_events_deinit(es);
	return rc;
}

void pt_events_say_names(const struct pt_events *es, void (*say)(void *, const char *), void *ctx)
{
	for (size_t i = 0; i < es->nr; i++) {
		const struct pt_new_event *ev = &es->v[i];
		char *text = NULL;

		if (ev->wanted && ev->apart)
			text = pt_asprintf(
				"%s:%s: its places fetch other arguments than those of %s:%s",
				ev->group, ev->name, ev->group, ev->wanted);
		else if (ev->wanted)
			text = pt_asprintf("%s:%s is taken by another probe: this one is %s:%s",
					   ev->group, ev->wanted, ev->group, ev->name);
		else if (ev->anew)
			text = pt_asprintf("%s:%s was there already and has been made anew",
					   ev->group, ev->name);
		if (text)
			say(ctx, text);
		free(text);
	}
}

void pt_events_remove(const struct pt_events *es, struct pt_dyn *dyn)
{
	for (size_t i = 0; i < es->nr; i++)
		pt_dyn_remove(dyn, es->v[i].group, es->v[i].name, NULL);
}
