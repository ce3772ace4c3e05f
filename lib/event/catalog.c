/* catalog.c - the events that exist */
#include "event/catalog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/text.h"
#include "event/pfm.h"

static const struct { const char *name; const char *words[4]; } kinds[] = {
	[PT_KIND_HARDWARE] = { "hardware", { "hw" } },
	[PT_KIND_SOFTWARE] = { "software", { "sw" } },
	[PT_KIND_CACHE] = { "cache", { "hwcache" } },
	[PT_KIND_TOOL] = { "tool", { NULL } },
	[PT_KIND_PMU] = { "pmu", { NULL } },
	[PT_KIND_VENDOR] = { "vendor", { "pfm", "libpfm4" } },
	[PT_KIND_RAW] = { "raw", { NULL } },
	[PT_KIND_BREAKPOINT] = { "breakpoint", { "mem" } },
	[PT_KIND_TRACEPOINT] = { "tracepoint", { "tracepoints", "tp" } },
	[PT_KIND_PROBE] = { "probe", { "probes", "kprobe", "uprobe" } },
	[PT_KIND_SDT] = { "sdt", { "usdt" } },
	[PT_KIND_METRIC] = { "metric", { "metrics" } },
	[PT_KIND_METRIC_GROUP] = { "metricgroup", { "metricgroups" } },
};

const char *pt_kind_name(enum pt_event_kind kind)
{
	return kinds[kind].name;
}

enum pt_event_kind pt_kind_find(const char *word)
{
	for (int k = 0; k < PT_KIND_END; k++) {
		if (!strcmp(kinds[k].name, word))
			return (enum pt_event_kind)k;
		for (size_t i = 0; i < PT_NR(kinds[k].words) && kinds[k].words[i]; i++)
			if (!strcmp(kinds[k].words[i], word))
				return (enum pt_event_kind)k;
	}
	return PT_KIND_END;
}

static bool wants_kind(const struct pt_catalog *c, enum pt_event_kind kind)
{
	return !c->opts.kinds || c->opts.kinds & 1u << kind;
}

bool pt_catalog_wants(const struct pt_catalog *c, enum pt_event_kind kind, const char *name)
{
	bool wanted = !c->opts.nr_patterns;

	for (size_t i = 0; i < c->opts.nr_patterns && !wanted; i++) {
		const char *pattern = c->opts.patterns[i];

		wanted = strpbrk(pattern, "*?[:") ? pt_text_glob(pattern, name)
						  : strstr(name, pattern) != NULL;
	}
	return wanted && wants_kind(c, kind);
}

struct pt_catalog_event *pt_catalog_add(struct pt_catalog *c, enum pt_event_kind kind,
					const char *name, const char *what)
{
	struct pt_catalog_event *ev;

	PT_GROW(c->v, c->nr, c->cap);
	ev = &c->v[c->nr++];
	*ev = (struct pt_catalog_event){
		.kind = kind, .name = pt_strdup(name), .what = pt_strdup(what), .instances = 1
	};
	return ev;
}

void catalog_missing(struct pt_catalog *c, const char *text)
{
	for (size_t i = 0; i < c->nr_missing; i++)
		if (!strcmp(c->missing[i], text))
			return;
	PT_GROW(c->missing, c->nr_missing, c->cap_missing);
	c->missing[c->nr_missing++] = pt_strdup(text);
}

static void catalog_add_fixed(struct pt_catalog *c, enum pt_event_kind kind)
{
	for (const struct pt_sysname *n = pt_sysname_fixed(); n->name; n++) {
		enum pt_event_kind k = n->tool                         ? PT_KIND_TOOL
				       : n->type == PERF_TYPE_HARDWARE ? PT_KIND_HARDWARE
								       : PT_KIND_SOFTWARE;

		if (k == kind && (pt_catalog_wants(c, k, n->name) ||
				  (n->alias && pt_catalog_wants(c, k, n->alias))))
			pt_catalog_add(c, k, n->name, n->what)->alias = n->alias;
	}
}

static void add_caches(struct pt_catalog *c)
{
	struct pt_buf name = PT_BUF_INIT, what = PT_BUF_INIT;

	for (size_t i = 0; pt_cache_name(i, &name, &what); i++) {
		if (pt_catalog_wants(c, PT_KIND_CACHE, pt_buf_str(&name)))
			pt_catalog_add(c, PT_KIND_CACHE, pt_buf_str(&name), pt_buf_str(&what));
		pt_buf_clear(&name);
		pt_buf_clear(&what);
	}
	pt_buf_deinit(&name);
	pt_buf_deinit(&what);
}

/* The length of "uncore_imc" in "uncore_imc_10", which all instances share. */
static size_t stem_len(const char *name)
{
	const char *last = strrchr(name, '_');
	bool number = last && last[1] && !last[1 + strspn(last + 1, "0123456789")];

	return number ? (size_t)(last - name) : strlen(name);
}

/* The number of instances of a PMU (that have the event, if one is given), and whether pmu is the
 * first. A core PMU such as armv8_pmuv3_0 is always alone. */
static size_t instances(const struct pt_pmus *pmus, const struct pt_pmu *pmu, const char *event,
			bool *first)
{
	size_t len = stem_len(pmu->name), nr = 0;

	*first = true;
	if (pmu->core || !pmu->name[len])
		return 1;
	for (size_t i = 0; i < pmus->nr; i++) {
		struct pt_pmu *other = pmus->v[i];

		if (other->core || stem_len(other->name) != len || !other->name[len] ||
		    strncmp(other->name, pmu->name, len) || (event && !pt_pmu_event(other, event)))
			continue;
		if (!nr++)
			*first = other == pmu;
	}
	return nr;
}

/* PMU/EVENT/, or PMU/TERMS/ for an event without a name. */
static struct pt_catalog_event *add_of_pmu(struct pt_catalog *c, struct pt_pmu *pmu,
					   const struct pt_pmu_event *event)
{
	struct pt_catalog_event *ev = NULL;
	bool first;
	size_t nr = instances(c->names.pmus, pmu, event ? event->name : NULL, &first);
	char *name =
		pt_asprintf("%.*s/%s/", nr > 1 ? (int)stem_len(pmu->name) : (int)strlen(pmu->name),
			    pmu->name, event ? event->name : "TERMS");

	if (first && pt_catalog_wants(c, PT_KIND_PMU, name)) {
		ev = pt_catalog_add(c, PT_KIND_PMU, name, "");
		ev->pmu = pmu->name;
		ev->of = pmu;
		ev->instances = nr;
		ev->pattern = !event;
		ev->event = event;
	}
	free(name);
	return ev;
}

static void add_pmu(struct pt_catalog *c, struct pt_pmu *pmu)
{
	struct pt_catalog_event *ev;

	pt_pmu_load(pmu);
	for (size_t i = 0; i < pmu->nr_events; i++) {
		ev = add_of_pmu(c, pmu, &pmu->events[i]);
		if (!ev)
			continue;
		ev->terms = pt_strdup(pmu->events[i].terms);
		if (strstr(ev->terms, "=?")) {
			ev->pattern = true;
			ev->why = "needs a term beside it";
		}
		free(ev->what);
		ev->what = pmu->events[i].unit
				   ? pt_asprintf("%s (in %s)", ev->terms, pmu->events[i].unit)
				   : pt_strdup(ev->terms);
	}
	if (!pmu->software && pmu->nr_formats && (ev = add_of_pmu(c, pmu, NULL))) {
		struct pt_buf b = PT_BUF_INIT;

		pt_buf_puts(&b, "terms:");
		for (size_t i = 0; i < pmu->nr_formats; i++)
			pt_buf_printf(&b, " %s=", pmu->formats[i].name);
		free(ev->what);
		ev->what = pt_strdup(pt_buf_str(&b));
		pt_buf_deinit(&b);
	}
}

static void add_vendor(void *arg, const char *pmu, const char *name, const char *what)
{
	struct pt_catalog *c = arg;

	if (pt_catalog_wants(c, PT_KIND_VENDOR, name))
		pt_catalog_add(c, PT_KIND_VENDOR, name, what ? what : "")->pmu =
			pt_names_add(c->texts, pmu, strlen(pmu));
}

/* Reads dynamic_events, "p:probe_prog/main /bin/prog:0x1139 ...": "system:name" -> the line. */
static void read_probes(struct pt_catalog *c, const char *tracefs, struct pt_map *probes)
{
	static const char *const files[] = { "dynamic_events", "kprobe_events", "uprobe_events" };
	char line[4096], *name, *slash, *end;

	for (size_t i = 0; i < PT_NR(files) && !probes->nr; i++) {
		char *path = pt_asprintf("%s/%s", tracefs, files[i]);
		FILE *f = fopen(path, "re");

		free(path);
		while (f && fgets(line, sizeof(line), f)) {
			line[strcspn(line, "\n")] = '\0';
			name = strchr(line, ':');
			slash = name ? strchr(name, '/') : NULL;
			end = slash ? strpbrk(slash, " \t") : NULL;
			if (!end || !strchr("prfte", *line))
				continue;
			*pt_map_put(probes, pt_hash_bytes(name + 1, (size_t)(end - name - 1))) =
				pt_word_of(pt_names_add(c->texts, line, strlen(line)));
		}
		if (f)
			fclose(f);
	}
}

struct trace {
	struct pt_catalog *c;
	struct pt_map probes;
	enum pt_event_kind kind;	/* the wanted kind */
};

static void catalog_add_tracepoint(void *arg, const char *system, const char *name)
{
	struct trace *t = arg;
	char *text = pt_asprintf("%s/%s", system, name);
	const uint64_t *line =
		t->probes.nr ? pt_map_get(&t->probes, pt_hash_bytes(text, strlen(text))) : NULL;

	text[strlen(system)] = ':';
	if ((line ? PT_KIND_PROBE : PT_KIND_TRACEPOINT) == t->kind &&
	    pt_catalog_wants(t->c, t->kind, text))
		pt_catalog_add(t->c, t->kind, text, "")->terms =
			line ? pt_strdup(pt_pointer(*line)) : NULL;
	free(text);
}

static void add_tracepoints(struct pt_catalog *c)
{
	struct trace t = { .c = c, .probes = PT_MAP_INIT, .kind = PT_KIND_TRACEPOINT };
	struct pt_err e = PT_ERR_INIT;
	const char *tracefs;

	if (!wants_kind(c, PT_KIND_TRACEPOINT) && !wants_kind(c, PT_KIND_PROBE))
		return;
	if (pt_event_list_tracefs(&c->names, &tracefs, &e) < 0) {
		pt_err_context(&e, "tracepoints and probes cannot be listed");
		catalog_missing(c, e.msg);
		return;
	}
	read_probes(c, tracefs, &t.probes);
	for (; t.kind <= PT_KIND_PROBE; t.kind++)
		if (wants_kind(c, t.kind) && (t.kind == PT_KIND_TRACEPOINT || t.probes.nr) &&
		    pt_sysname_tracepoints(tracefs, "*", "*", catalog_add_tracepoint, &t, &e) < 0)
			catalog_missing(c, e.msg);
	pt_map_deinit(&t.probes);
}

static void add_patterns(struct pt_catalog *c)
{
	static const struct { enum pt_event_kind kind; const char *name, *what; } patterns[] = {
		{ PT_KIND_RAW, "rNNN", "a number that the CPU's manual gives (hexadecimal)" },
		{ PT_KIND_BREAKPOINT, "mem:ADDR[/LEN][:rwx]",
		  "accesses to an address, or its execution" },
	};

	for (size_t i = 0; i < PT_NR(patterns); i++)
		if (pt_catalog_wants(c, patterns[i].kind, patterns[i].name))
			pt_catalog_add(c, patterns[i].kind, patterns[i].name, patterns[i].what)
				->pattern = true;
}

void pt_catalog_read(struct pt_catalog *c, const struct pt_catalog_opts *o)
{
	struct pt_pmus *pmus;

	*c = (struct pt_catalog){ .opts = *o, .texts = pt_names_new() };
	pt_event_list_init_at(&c->names, o->root);
	pmus = pt_event_list_pmus(&c->names);
	catalog_add_fixed(c, PT_KIND_HARDWARE);
	catalog_add_fixed(c, PT_KIND_SOFTWARE);
	add_caches(c);
	catalog_add_fixed(c, PT_KIND_TOOL);
	for (size_t i = 0; i < pmus->nr && wants_kind(c, PT_KIND_PMU); i++)
		add_pmu(c, pmus->v[i]);
	if (wants_kind(c, PT_KIND_VENDOR) && !o->root)
		pt_pfm_each(add_vendor, c, o->umasks);
	add_patterns(c);
	add_tracepoints(c);
	if (!o->root && !o->names_only)
		catalog_try_all(c);
}

void pt_catalog_deinit(struct pt_catalog *c)
{
	for (size_t i = 0; i < c->nr; i++) {
		free(c->v[i].name);
		free(c->v[i].what);
		free(c->v[i].terms);
	}
	for (size_t i = 0; i < c->nr_missing; i++)
		free(c->missing[i]);
	free(c->v);
	free(c->missing);
	pt_event_list_deinit(&c->names);
	pt_names_free(c->texts);
	*c = (struct pt_catalog){ 0 };
}
