#include "probe/existing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "probe/show.h"

static bool matches(const char *pattern, const struct pt_def *def)
{
	char *full = pt_asprintf("%s:%s", def->group, def->event);
	bool yes = pt_text_glob(pattern, strchr(pattern, ':') ? full : def->event);

	free(full);
	return yes;
}

size_t pt_existing_show(const struct pt_dyn *d, char *const *patterns, size_t nr,
			const struct pt_target_opts *o, bool json, struct pt_buf *out)
{
	struct pt_lister *ls = pt_lister_new(o);
	size_t shown = 0;

	for (size_t i = 0; i < d->nr; i++) {
		struct pt_listed_probe l;
		bool wanted = nr == 0;

		for (size_t k = 0; k < nr && !wanted; k++)
			wanted = matches(patterns[k], &d->defs[i]);
		if (!wanted)
			continue;
		shown++;
		pt_lister_look(ls, &d->defs[i], &l);
		if (json)
			pt_show_probe_json(&d->defs[i], &l, out);
		else
			pt_show_probe(&d->defs[i], &l, out);
	}
	pt_lister_free(ls);
	return shown;
}

static int remove_matching(struct pt_dyn *d, const char *pattern, void (*say)(void *, const char *),
			   void *ctx, struct pt_err *e)
{
	size_t removed = 0, left = 0, i = 0;
	bool denied = false;

	while (i < d->nr && !denied) {
		char *group, *event;

		if (!matches(pattern, &d->defs[i])) {
			i++;
			continue;
		}
		group = pt_strdup(d->defs[i].group);
		event = pt_strdup(d->defs[i].event);
		/* ENOENT: somebody else has removed it */
		if (pt_dyn_remove(d, group, event, e) == 0 || e->sys == ENOENT) {
			removed++;
		} else if (e->sys == EACCES || e->sys == EPERM) {
			denied = true;
		} else {
			say(ctx, e->msg);
			left++;
			while (i < d->nr && !strcmp(d->defs[i].group, group) &&
			       !strcmp(d->defs[i].event, event))
				i++;
		}
		free(group);
		free(event);
	}
	if (denied)
		return -1;
	if (!removed && !left) {
		char *text = pt_asprintf("no probe matches %s", pattern);

		say(ctx, text);
		free(text);
	}
	return !removed || left;
}

int pt_existing_remove(struct pt_dyn *d, const char *names, void (*say)(void *, const char *),
		       void *ctx, struct pt_err *e)
{
	static const char between[] = " \t\n,";
	char *text = pt_strdup(names), *save = NULL, *one = strtok_r(text, between, &save);
	int rc = one ? 0 : PT_EXISTING_NO_NAME, left;

	for (; one && rc >= 0; one = strtok_r(NULL, between, &save)) {
		left = remove_matching(d, one, say, ctx, e);
		rc = left < 0 ? left : rc | left;
	}
	free(text);
	return rc;
}
