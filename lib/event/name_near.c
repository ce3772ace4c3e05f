/* name_near.c - the message for a name that does not exist, with similar names */
#include "event/name_priv.h"

#include <string.h>

#include "base/text.h"
#include "event/pfm.h"
#include "event/suggest.h"

const char *name_shown(const char *s, struct pt_buf *b)
{
	pt_buf_clear(b);
	pt_text_plain(b, s, strnlen(s, 200));
	return pt_buf_str(b);
}

static void look_at_tracepoint(void *arg, const char *system, const char *name)
{
	pt_suggest_look_in(arg, system, name);
}

static void look_at_vendor(void *arg, const char *pmu, const char *name, const char *what)
{
	(void)pmu, (void)what;
	pt_suggest_look(arg, name);
}

/* Looks at all names that this user can read. */
static void look_at_all(struct pt_event_list *l, struct pt_suggest *s)
{
	struct pt_pmus *pmus = pt_event_list_pmus(l);
	struct pt_buf name = PT_BUF_INIT, what = PT_BUF_INIT;
	const struct pt_sysname *f;
	const char *tracefs;

	for (f = pt_sysname_fixed(); f->name; f++) {
		pt_suggest_look(s, f->name);
		if (f->alias)
			pt_suggest_look(s, f->alias);
	}
	for (size_t i = 0; pt_cache_name(i, &name, &what); i++, pt_buf_clear(&name))
		pt_suggest_look(s, pt_buf_str(&name));
	for (size_t i = 0; i < pmus->nr; i++) {
		pt_pmu_load(pmus->v[i]);
		for (size_t k = 0; k < pmus->v[i]->nr_events; k++)
			pt_suggest_look(s, pmus->v[i]->events[k].name);
	}
	if (pt_event_list_tracefs(l, &tracefs, NULL) == 0)
		pt_sysname_tracepoints(tracefs, "*", "*", look_at_tracepoint, s, NULL);
	if (!l->root)
		pt_pfm_each(look_at_vendor, s, false);
	pt_buf_deinit(&name);
	pt_buf_deinit(&what);
}

int name_no_such(struct pt_event_list *l, const char *name, struct pt_err *e)
{
	struct pt_buf b = PT_BUF_INIT, near = PT_BUF_INIT;
	struct pt_suggest s;

	if (e) {
		pt_err_set(e, "no event %s", name_shown(name, &b));
		if (strlen(name) <= 128) {
			pt_suggest_begin(&s, name);
			look_at_all(l, &s);
			pt_suggest_end(&s, &near);
		}
		if (near.len)
			pt_err_advice(e, "; did you mean %s?", pt_buf_str(&near));
	}
	pt_buf_deinit(&b);
	pt_buf_deinit(&near);
	return -1;
}

int name_no_such_pmu(struct pt_event_list *l, struct name_word *w, struct pt_err *e)
{
	struct pt_pmus *pmus = pt_event_list_pmus(l);
	struct pt_buf b = PT_BUF_INIT, near = PT_BUF_INIT;
	struct pt_suggest s;

	pt_suggest_begin(&s, w->name);
	for (size_t i = 0; i < pmus->nr; i++)
		pt_suggest_look(&s, pmus->v[i]->name);
	pt_suggest_end(&s, &near);
	pt_err_set(e, "no PMU or event %s", name_shown(w->name, &b));
	if (near.len) {
		pt_err_advice(e, "; did you mean %s?", pt_buf_str(&near));
	} else {
		pt_err_advice(e, "; this machine's PMUs:");
		for (size_t i = 0; i < pmus->nr && i < 16; i++)
			pt_err_advice(e, " %s", pmus->v[i]->name);
		pt_err_advice(e, pmus->nr > 16 ? " ..." : pmus->nr ? "" : " none");
	}
	w->blame = (struct pt_blame){ w->text, strlen(w->name) };
	pt_buf_deinit(&b);
	pt_buf_deinit(&near);
	return -1;
}
