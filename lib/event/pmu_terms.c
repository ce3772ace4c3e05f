/* pmu_terms.c - the terms of PMU/TERMS/ */
#include "event/pmu.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "event/suggest.h"
#include "event/sysname.h"

enum { MAX_TERMS = 256 };

struct term {
	char *key, *value;		/* value NULL: none was given */
	const char *at;			/* in the text */
	size_t len;
};

struct parse {
	struct pt_pmu *pmu;
	struct pt_pmu_config *c;
	struct pt_blame *blame;
	struct pt_err *e;
	struct term v[MAX_TERMS];	/* the user's */
	size_t nr;
};

void pt_event_terms_deinit(struct pt_event_terms *t)
{
	free(t->name);
	*t = (struct pt_event_terms){ 0 };
}

/* Blames the term for the error that was set: return pmu_terms_wrong(p, t, pt_err_set(...)). */
static int pmu_terms_wrong(struct parse *p, const struct term *t, int rc)
{
	if (t->at)		/* a term from sysfs is not in the text */
		*p->blame = (struct pt_blame){ t->at, t->len };
	return rc;
}

static void pmu_terms_put(struct pt_attr *a, int config, uint64_t clear, uint64_t set)
{
	uint64_t *const where[] = { &a->config, &a->config1, &a->config2, &a->config3 };

	*where[config] = (*where[config] & ~clear) | set;
}

/* Puts the value's low bits into the ranges, one after the other. */
static void put_format(struct pt_attr *a, const struct pt_pmu_format *f, uint64_t v)
{
	uint64_t set = 0, clear = 0;

	for (size_t i = 0; i < f->nr_ranges; i++)
		for (unsigned bit = f->ranges[i].from; bit <= f->ranges[i].to; bit++, v >>= 1) {
			clear |= 1ull << bit;
			set |= (v & 1) << bit;
		}
	pmu_terms_put(a, f->config, clear, set);
}

static int pmu_terms_number(struct parse *p, const struct term *t, uint64_t max, uint64_t *v)
{
	if (!t->value || pt_num_u64(t->value, 0, max, v, p->e) == 0)
		return 0;
	return pmu_terms_wrong(p, t, pt_err_context(p->e, "term %s", t->key));
}

static int pmu_terms_set_chain(struct parse *p, const struct term *t)
{
	static const struct { const char *name; enum pt_chain chain; } names[] = {
		{ "fp", PT_CHAIN_FP }, { "dwarf", PT_CHAIN_DWARF }, { "lbr", PT_CHAIN_LBR },
		{ "no", PT_CHAIN_NO }, { "off", PT_CHAIN_NO },
	};

	for (size_t i = 0; t->value && i < PT_NR(names); i++)
		if (!strcmp(names[i].name, t->value)) {
			p->c->terms->chain = names[i].chain;
			return 0;
		}
	return pmu_terms_wrong(p, t, pt_err_set(p->e, "call-graph= takes fp, dwarf, lbr or no"));
}

static int pmu_terms_set_name(struct parse *p, const struct term *t)
{
	if (!t->value || !*t->value)
		return pmu_terms_wrong(p, t, pt_err_set(p->e, "name= without a name"));
	free(p->c->terms->name);
	p->c->terms->name = pt_strdup(t->value);
	return 0;
}

enum general {
	NAME,
	CALL_GRAPH,
	PERCORE,
	TIME,
	NO_OVERWRITE,
	INHERIT,
	NO_INHERIT,
	PERIOD,
	FREQ,
	STACK_SIZE,
	MAX_STACK,
	CONFIG,
	CONFIG1,
	CONFIG2,
	CONFIG3,
	GENERAL_END,
};

/* The terms of all events; numbers from PERIOD up to CONFIG go to the member at `at`. */
static const struct { const char *name; uint64_t max; size_t at; } general[] = {
	[NAME] = { .name = "name" },
	[CALL_GRAPH] = { .name = "call-graph" },
	[PERCORE] = { "percore", 1, 0 },
	[TIME] = { "time", 1, 0 },
	[NO_OVERWRITE] = { "no-overwrite", 1, 0 },
	[INHERIT] = { "inherit", 1, 0 },
	[NO_INHERIT] = { "no-inherit", 1, 0 },
	[PERIOD] = { "period", INT64_MAX, offsetof(struct pt_event_terms, period) },
	[FREQ] = { "freq", INT64_MAX, offsetof(struct pt_event_terms, freq) },
	[STACK_SIZE] = { "stack-size", 65528, offsetof(struct pt_event_terms, stack_bytes) },
	[MAX_STACK] = { "max-stack", 65535, offsetof(struct pt_event_terms, max_stack) },
	[CONFIG] = { "config", UINT64_MAX, 0 },
	[CONFIG1] = { "config1", UINT64_MAX, 0 },
	[CONFIG2] = { "config2", UINT64_MAX, 0 },
	[CONFIG3] = { "config3", UINT64_MAX, 0 },
};

/* A PMU's terms have a config; a fixed name ("cycles/.../") has none. */
static int find_general(const struct parse *p, const char *key)
{
	for (int i = 0; i < GENERAL_END; i++)
		if (!strcmp(general[i].name, key) && (p->pmu || i < CONFIG))
			return i;
	return -1;
}

static int set_general(struct parse *p, const struct term *t, int which)
{
	struct pt_event_terms *terms = p->c->terms;
	uint64_t v = 1;

	if (which == NAME)
		return pmu_terms_set_name(p, t);
	if (which == CALL_GRAPH)
		return pmu_terms_set_chain(p, t);
	if (!t->value && which >= PERIOD)
		return pmu_terms_wrong(p, t, pt_err_set(p->e, "term %s= without a value", t->key));
	if (pmu_terms_number(p, t, general[which].max, &v) < 0)
		return -1;
	if (which >= CONFIG) {
		pmu_terms_put(p->c->attr, which - CONFIG, UINT64_MAX, v);
	} else if (which == TIME && !v) {
		return pmu_terms_wrong(p, t,
				       pt_err_set(p->e, "time=0: records are ordered by time, so "
							"that all samples have it"));
	} else if (which < INHERIT) {
		;			/* always so; of percore: counts are not added up by core */
	} else if (which < PERIOD) {
		terms->inherit = v == (which == INHERIT);
		terms->no_inherit = !terms->inherit;
	} else if (!v) {
		return pmu_terms_wrong(p, t, pt_err_set(p->e, "%s=0 means nothing", t->key));
	} else {
		memcpy((char *)terms + general[which].at, &v, sizeof(v));
	}
	return 0;
}

/* Splits "a=1, b" into terms with their places in the text. */
static int pmu_terms_split(struct parse *p, const char *text, size_t len, struct term *v,
			   size_t *nr, bool placed)
{
	const char *at = text, *end = text + len;

	while (at < end) {
		const char *to = memchr(at, ',', (size_t)(end - at)), *eq, *stop;

		to = stop = to ? to : end;
		while (at < stop && isspace((unsigned char)*at))
			at++;
		while (stop > at && isspace((unsigned char)stop[-1]))
			stop--;
		if (stop > at) {
			struct term *t = &v[*nr];

			if (*nr == MAX_TERMS)
				return pt_err_set(p->e, "more than %d terms", MAX_TERMS);
			eq = memchr(at, '=', (size_t)(stop - at));
			*t = (struct term){ .key = pt_strndup(at, (size_t)((eq ? eq : stop) - at)),
					    .at = placed ? at : NULL,
					    .len = (size_t)(stop - at) };
			if (eq)
				t->value = pt_strndup(eq + 1, (size_t)(stop - eq - 1));
			(*nr)++;
		}
		at = to + 1;
	}
	return 0;
}

static void free_terms(struct term *v, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		free(v[i].key);
		free(v[i].value);
	}
}

static int set_format(struct parse *p, const struct term *t, const struct pt_pmu_format *f)
{
	uint64_t v = 1;

	if (pmu_terms_number(p, t, UINT64_MAX, &v) < 0)
		return -1;
	if (v > pt_pmu_format_max(f)) {
		pt_err_set(p->e, "%s=%s: the largest value of %s is 0x%llx (%s)", t->key,
			   t->value ? t->value : "1", t->key,
			   (unsigned long long)pt_pmu_format_max(f), f->text);
		return pmu_terms_wrong(p, t, -1);
	}
	put_format(p->c->attr, f, v);
	return 0;
}

/* r1a8: the value of config. */
static bool pmu_terms_is_raw(const struct term *t, uint64_t *v)
{
	if (t->value || t->key[0] != 'r' || !t->key[1] || strlen(t->key) > 17 ||
	    t->key[1 + strspn(t->key + 1, "0123456789abcdefABCDEF")])
		return false;
	*v = strtoull(t->key + 1, NULL, 16);
	return true;
}

/* Terms of perf's that are refused. */
static const char no_aux[] = "pt records samples only, no traces of the processor";
static const struct { const char *name, *why; } of_perf[] = {
	{ "overwrite", "rings are read before they are full; pt-record --rotate 10s --keep 6 keeps "
		       "the last minute" },
	{ "nr", "events are not limited by their number; pt-script | head -n N ends after N lines" },
	{ "branch_type", "branches are asked for all events alike: pt-record -j TYPES" },
	{ "aux-output", no_aux },
	{ "aux-sample-size", no_aux },
};

static int pmu_terms_unknown(struct parse *p, const struct term *t)
{
	struct pt_buf b = PT_BUF_INIT;
	struct pt_suggest s;
	size_t i;

	for (i = 0; i < PT_NR(of_perf); i++)
		if (!strcmp(of_perf[i].name, t->key))
			return pmu_terms_wrong(p, t,
					       pt_err_set(p->e, "%s: %s", t->key, of_perf[i].why));
	pt_text_plain(&b, t->key, strnlen(t->key, 100));
	if (p->pmu)
		pt_err_set(p->e, "%s has no term or event %s", p->pmu->name, pt_buf_str(&b));
	else
		pt_err_set(p->e, "no term %s", pt_buf_str(&b));
	pt_suggest_begin(&s, t->key);
	for (i = 0; p->pmu && i < p->pmu->nr_formats; i++)
		pt_suggest_look(&s, p->pmu->formats[i].name);
	for (i = 0; p->pmu && i < p->pmu->nr_events; i++)
		pt_suggest_look(&s, p->pmu->events[i].name);
	for (i = 0; i < GENERAL_END; i++)
		if (find_general(p, general[i].name) >= 0)
			pt_suggest_look(&s, general[i].name);
	if (!pt_suggest_advise(&s, p->e)) {
		pt_err_advice(p->e, "; there are");
		for (i = 0; p->pmu && i < PT_MIN(p->pmu->nr_formats, 20); i++)
			pt_err_advice(p->e, " %s=", p->pmu->formats[i].name);
		for (i = 0; i < GENERAL_END; i++)
			if (find_general(p, general[i].name) >= 0)
				pt_err_advice(p->e, " %s", general[i].name);
	}
	pt_buf_deinit(&b);
	return pmu_terms_wrong(p, t, -1);
}

/* The user's value for a "core=?" of an event in sysfs. */
static const struct term *given(const struct parse *p, const char *key)
{
	for (size_t i = 0; i < p->nr; i++)
		if (p->v[i].value && !strcmp(p->v[i].key, key))
			return &p->v[i];
	return NULL;
}

/* The terms of an event in sysfs are formats and configs, not events. */
static int pmu_terms_expand(struct parse *p, const struct term *word, const struct pt_pmu_event *ev)
{
	struct term *v = pt_alloc_array(MAX_TERMS, sizeof(*v));
	size_t nr = 0, i;
	int rc = pmu_terms_split(p, ev->terms, strlen(ev->terms), v, &nr, false);

	for (i = 0; rc == 0 && i < nr; i++) {
		const struct pt_pmu_format *f = pt_pmu_format(p->pmu, v[i].key);
		int which = find_general(p, v[i].key);

		if (v[i].value && !strcmp(v[i].value, "?")) {
			if (!given(p, v[i].key))
				rc = pt_err_set(p->e, "the event %s needs %s= beside it", ev->name,
						v[i].key);
		} else if (f) {
			rc = set_format(p, &v[i], f);
		} else if (which >= CONFIG || which == PERIOD) {
			rc = set_general(p, &v[i], which);
		} else {
			rc = pt_err_set(
				p->e,
				"the event %s of %s has a term that the kernel does not describe: %s",
				ev->name, p->pmu->name, v[i].key);
		}
	}
	free_terms(v, nr);
	free(v);
	return rc < 0 ? pmu_terms_wrong(p, word, rc) : 0;
}

/* "instructions", or "event=instructions". */
static const struct pt_pmu_event *named_event(const struct parse *p, const struct term *t)
{
	if (!p->pmu)
		return NULL;
	if (!t->value)
		return pt_pmu_event(p->pmu, t->key);
	return !strcmp(t->key, "event") && !isdigit((unsigned char)*t->value)
		       ? pt_pmu_event(p->pmu, t->value)
		       : NULL;
}

/* cpu_atom/cycles/, cpu/L1-dcache-loads/: a fixed name on this PMU. */
static bool is_legacy(struct parse *p, const struct term *t)
{
	struct pt_attr legacy = { .type = 0 };

	if (!p->pmu || !p->pmu->core || t->value || !pt_sysname_find(t->key, &legacy, NULL) ||
	    (legacy.type != PERF_TYPE_HARDWARE && legacy.type != PERF_TYPE_HW_CACHE))
		return false;
	p->c->attr->type = legacy.type;
	p->c->attr->config = legacy.config | (p->pmu->extended ? (uint64_t)p->pmu->type << 32 : 0);
	return true;
}

static int pmu_terms_apply(struct parse *p, const struct term *t)
{
	const struct pt_pmu_format *f = p->pmu ? pt_pmu_format(p->pmu, t->key) : NULL;
	int which = find_general(p, t->key);
	uint64_t v;

	if (f)
		return set_format(p, t, f);
	if (which >= 0)
		return which < CONFIG ? set_general(p, t, which) : 0;
	if (p->pmu && pmu_terms_is_raw(t, &v))
		return 0;
	if (is_legacy(p, t))
		return 0;
	return pmu_terms_unknown(p, t);
}

/* Applies config= first, then the event in sysfs, then the user's terms: the more specific wins, in
 * any order. */
static int apply_all(struct parse *p)
{
	const struct pt_pmu_event *ev;
	uint64_t raw;
	size_t i;

	for (i = 0; i < p->nr; i++) {
		int which = find_general(p, p->v[i].key);

		if (which >= CONFIG && !pt_pmu_format(p->pmu, p->v[i].key) &&
		    set_general(p, &p->v[i], which) < 0)
			return -1;
		if (p->pmu && pmu_terms_is_raw(&p->v[i], &raw) && !named_event(p, &p->v[i]) &&
		    !pt_pmu_format(p->pmu, p->v[i].key))
			pmu_terms_put(p->c->attr, 0, UINT64_MAX, raw);
	}
	for (i = 0; i < p->nr; i++) {
		if (!(ev = named_event(p, &p->v[i])))
			continue;
		if (p->c->event)
			return pmu_terms_wrong(p, &p->v[i],
					       pt_err_set(p->e, "two events in one: %s and %s",
							  p->c->event->name, ev->name));
		p->c->event = ev;
		if (pmu_terms_expand(p, &p->v[i], ev) < 0)
			return -1;
	}
	for (i = 0; i < p->nr; i++)
		if (!named_event(p, &p->v[i]) && pmu_terms_apply(p, &p->v[i]) < 0)
			return -1;
	if (p->c->terms->period && p->c->terms->freq)
		return pt_err_set(p->e, "period= and freq=: one of them");
	return 0;
}

int pt_pmu_terms(struct pt_pmu *pmu, const char *text, size_t len, struct pt_pmu_config *c,
		 struct pt_blame *blame, struct pt_err *e)
{
	struct parse *p = pt_alloc(sizeof(*p));
	int rc;

	*p = (struct parse){ .pmu = pmu, .c = c, .blame = blame, .e = e };
	*blame = (struct pt_blame){ text, len };
	c->event = NULL;
	if (pmu)
		pt_pmu_load(pmu);
	rc = pmu_terms_split(p, text, len, p->v, &p->nr, true);
	if (rc == 0)
		rc = apply_all(p);
	free_terms(p->v, p->nr);
	free(p);
	return rc;
}
