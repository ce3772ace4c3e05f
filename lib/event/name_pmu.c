/* name_pmu.c - events of PMUs: PMU/TERMS/, a PMU's event by its name alone, fixed hardware events
 * on each core PMU */
#include "event/name_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static void apply_terms(struct pt_event_spec *s, const struct pt_event_terms *t)
{
	if (t->name) {
		free(s->name);
		s->name = pt_strdup(t->name);
	}
	if (t->period || t->freq) {
		s->attr.sample_period = t->period ? t->period : t->freq;
		s->attr.flags = (s->attr.flags & ~PT_ATTR_FREQ) | (t->freq ? PT_ATTR_FREQ : 0);
	}
	s->inherit |= t->inherit;
	s->no_inherit |= t->no_inherit;
	if (t->chain)
		s->chain = t->chain;
	if (t->stack_bytes)
		s->stack_bytes = (uint32_t)(t->stack_bytes + 7) & ~7u;
	if (t->max_stack)
		s->max_stack = (uint16_t)t->max_stack;
	s->implied = s->stack_bytes ? PT_CHAIN_DWARF : s->max_stack ? PT_CHAIN_FP : PT_CHAIN_UNSET;
}

int name_general_terms(struct pt_event_list *l, size_t first, struct name_word *w, struct pt_err *e)
{
	struct pt_event_terms t = { 0 };
	struct pt_attr unused = { .type = 0 };
	struct pt_pmu_config c = { .attr = &unused, .terms = &t };
	int rc;

	if (!w->terms)
		return 0;
	rc = pt_pmu_terms(NULL, w->terms, w->terms_len, &c, &w->blame, e);
	for (size_t i = first; rc == 0 && i < l->nr; i++)
		apply_terms(&l->specs[i], &t);
	pt_event_terms_deinit(&t);
	return rc;
}

static struct pt_event_spec *add_on(struct pt_event_list *l, struct pt_pmu *pmu, const char *name)
{
	struct pt_event_spec *s = name_add(l, name, pmu->type, 0);

	s->pmu = pmu;
	if (pmu->core)
		s->attr.flags |= PT_ATTR_EXCLUDE_GUEST;
	return s;
}

static int add_terms_on(struct pt_event_list *l, struct pt_pmu *pmu, const char *whole,
			struct name_word *w, struct pt_err *e)
{
	struct pt_event_spec *s = add_on(l, pmu, whole);
	struct pt_event_terms t = { 0 };
	struct pt_pmu_config c = { .attr = &s->attr, .terms = &t };
	int rc = pt_pmu_terms(pmu, w->terms, w->terms_len, &c, &w->blame, e);

	if (rc == 0) {
		apply_terms(s, &t);
		s->event = c.event;
	} else {
		name_cut_back(l, l->nr - 1);
	}
	pt_event_terms_deinit(&t);
	return rc;
}

/* Tries all PMUs that a pattern matches and keeps those that know the terms. */
int name_pmu_terms(struct pt_event_list *l, struct name_word *w, struct pt_err *e)
{
	struct pt_pmus *pmus = pt_event_list_pmus(l);
	char *whole = pt_strndup(w->text, w->len);
	uint32_t origin = l->next_origin++;
	size_t first = l->nr;
	bool found = false;

	for (size_t i = 0; i < pmus->nr && l->nr < PT_NAME_MAX_EVENTS; i++) {
		if (!pt_pmu_named(pmus->v[i], w->name))
			continue;
		if (add_terms_on(l, pmus->v[i], whole, w, found ? NULL : e) == 0)
			l->specs[l->nr - 1].origin = origin;
		found = true;
	}
	free(whole);
	return !found ? 1 : l->nr > first ? 0 : -1;
}

int name_pmu_event(struct pt_event_list *l, const char *name, const char *whole, struct pt_err *e)
{
	struct pt_pmus *pmus = pt_event_list_pmus(l);
	uint32_t origin = l->next_origin++;
	bool found = false;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < pmus->nr && l->nr < PT_NAME_MAX_EVENTS; i++) {
		struct pt_pmu *pmu = pmus->v[i];
		struct pt_event_terms t = { 0 };
		struct pt_pmu_config c = { .terms = &t };
		struct pt_blame blame;
		struct pt_event_spec *s;
		char *full = NULL;

		if (!pt_pmu_event(pmu, name))
			continue;
		found = true;
		if (pmu->core && pmus->nr_core > 1)
			full = pt_asprintf("%s/%s/%s", pmu->name, name,
					   whole[strlen(name)] == ':' ? whole + strlen(name) + 1
								      : "");
		s = add_on(l, pmu, full ? full : whole);
		s->origin = full ? l->next_origin++ : origin;
		c.attr = &s->attr;
		rc = pt_pmu_terms(pmu, name, strlen(name), &c, &blame, e);
		s->event = c.event;
		pt_event_terms_deinit(&t);
		free(full);
	}
	return rc == 0 && !found ? 1 : rc;
}

void name_hardware(struct pt_event_list *l, const char *name, const char *mods,
		   const struct pt_attr *attr)
{
	struct pt_pmus *pmus = pt_event_list_pmus(l);
	bool raw = attr->type == PERF_TYPE_RAW;

	if (pmus->nr_core < 2) {
		char *whole = pt_asprintf("%s%s%s", name, *mods ? ":" : "", mods);

		name_add(l, whole, attr->type, attr->config)->attr.flags |= PT_ATTR_EXCLUDE_GUEST;
		free(whole);
		return;
	}
	for (size_t i = 0; i < pmus->nr; i++) {
		struct pt_pmu *pmu = pmus->v[i];
		char *full;

		if (!pmu->core)
			continue;
		full = pt_asprintf("%s/%s/%s", pmu->name, name, mods);
		add_on(l, pmu, full);
		l->specs[l->nr - 1].attr.type = raw ? pmu->type : attr->type;
		l->specs[l->nr - 1].attr.config =
			raw ? attr->config : attr->config | (uint64_t)pmu->type << 32;
		free(full);
	}
}
