/* near.c - the message for a name that does not exist, with similar names */
#include "event/name_priv.h"

#include <string.h>

#include "base/text.h"
#include "event/catalog.h"
#include "event/suggest.h"

const char *name_shown(const char *s, struct pt_buf *b)
{
	pt_buf_clear(b);
	pt_text_plain(b, s, strnlen(s, 200));
	return pt_buf_str(b);
}

/* Looks at all names that this user can read. */
static void look_at_all(struct pt_event_list *l, struct pt_suggest *s)
{
	struct pt_catalog c;

	pt_catalog_read(&c, &(struct pt_catalog_opts){ .root = l->root, .names_only = true });
	for (size_t i = 0; i < c.nr; i++) {
		if (!c.v[i].pattern)
			pt_suggest_look(s, c.v[i].event ? c.v[i].event->name : c.v[i].name);
		if (c.v[i].alias)
			pt_suggest_look(s, c.v[i].alias);
	}
	pt_catalog_deinit(&c);
}

int name_no_such(struct pt_event_list *l, const char *name, struct pt_err *e)
{
	struct pt_buf b = PT_BUF_INIT;
	struct pt_suggest s;

	if (!e)
		return -1;
	pt_err_set(e, "no event %s", name_shown(name, &b));
	if (strlen(name) <= 128) {
		pt_suggest_begin(&s, name);
		look_at_all(l, &s);
		pt_suggest_advise(&s, e);
	}
	pt_buf_deinit(&b);
	return -1;
}

int name_no_such_pmu(struct pt_event_list *l, struct name_word *w, struct pt_err *e)
{
	struct pt_pmus *pmus = pt_event_list_pmus(l);
	struct pt_buf b = PT_BUF_INIT;
	struct pt_suggest s;

	pt_suggest_begin(&s, w->name);
	for (size_t i = 0; i < pmus->nr; i++)
		pt_suggest_look(&s, pmus->v[i]->name);
	pt_err_set(e, "no PMU or event %s", name_shown(w->name, &b));
	if (!pt_suggest_advise(&s, e)) {
		pt_err_advice(e, "; this machine's PMUs:");
		for (size_t i = 0; i < pmus->nr && i < 16; i++)
			pt_err_advice(e, " %s", pmus->v[i]->name);
		pt_err_advice(e, pmus->nr > 16 ? " ..." : pmus->nr ? "" : " none");
	}
	w->blame = (struct pt_blame){ w->text, strlen(w->name) };
	pt_buf_deinit(&b);
	return -1;
}
