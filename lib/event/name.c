#include "event/name_priv.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "event/pfm.h"
#include "tracepoint/tp_filter.h"
#include "tracepoint/tracefs.h"

enum { MAX_WORD = 4096 };

void pt_event_list_init(struct pt_event_list *l)
{
	*l = (struct pt_event_list){ .nr = 0 };
}

void pt_event_list_init_at(struct pt_event_list *l, const char *root)
{
	pt_event_list_init(l);
	l->root = pt_strdup(root);
	l->tracefs = root ? pt_asprintf("%s/sys/kernel/tracing", root) : NULL;
}

void name_cut_back(struct pt_event_list *l, size_t nr)
{
	while (l->nr > nr) {
		free(l->specs[--l->nr].name);
		free(l->specs[l->nr].filter);
		free(l->specs[l->nr].cgroup);
	}
}

void pt_event_list_deinit(struct pt_event_list *l)
{
	name_cut_back(l, 0);
	free(l->specs);
	pt_tp_db_free(l->db);
	pt_pmus_free(l->pmus);
	free(l->root);
	free(l->tracefs);
	pt_event_list_init(l);
}

struct pt_pmus *pt_event_list_pmus(struct pt_event_list *l)
{
	if (!l->pmus)
		l->pmus = pt_pmus_new(l->root);
	return l->pmus;
}

int pt_event_list_tracefs(struct pt_event_list *l, const char **path, struct pt_err *e)
{
	if (!l->tracefs) {
		if (pt_tracefs_find(path, e) < 0)
			return -1;
		l->tracefs = pt_strdup(*path);
	}
	*path = l->tracefs;
	return 0;
}

struct pt_event_spec *name_add(struct pt_event_list *l, const char *name, uint32_t type,
			       uint64_t config)
{
	struct pt_event_spec *s;

	PT_GROW(l->specs, l->nr, l->cap);
	s = &l->specs[l->nr];
	*s = (struct pt_event_spec){ .name = pt_strdup(name),
				     .leader = (int)l->nr,
				     .origin = l->next_origin++ };
	s->attr.type = type;
	s->attr.size = sizeof(s->attr);
	s->attr.config = config;
	l->nr++;
	return s;
}

/* Tells where the error rc is: if the text has more than the word, two lines are added, the text
 * and a caret below the word. Missing privileges have nothing to do with words. */
static int wrong_at(const char *text, const char *at, size_t len, int rc, struct pt_err *e)
{
	struct pt_buf line = PT_BUF_INIT;
	size_t caret, from = 0;

	if (rc == 0 || !e || e->sys == EACCES || e->sys == EPERM ||
	    (at == text && len == strlen(text)))
		return rc;
	if (at - text > 60)
		from = (size_t)(at - text) - 40;
	pt_buf_puts(&line, from ? "..." : "");
	pt_text_plain(&line, text + from, (size_t)(at - text) - from);
	caret = line.len;
	pt_text_plain(&line, at, strnlen(at, 60));
	pt_err_advice(e, "\n    %s\n    %*s^", pt_buf_str(&line), (int)caret, "");
	pt_buf_deinit(&line);
	return rc;
}

static bool name_is_raw(const char *s)
{
	return s[0] == 'r' && s[1] && strlen(s) <= 17 &&
	       strspn(s + 1, "0123456789abcdefABCDEF") == strlen(s + 1);
}

/* The colon in front of the modifiers, or the end. `after`: number of colons in the name itself. */
static char *find_colon(char *s, int after)
{
	int depth = 0;

	for (; *s; s++) {
		depth += (*s == '{') - (*s == '}');
		if (*s == ':' && !depth && after-- == 0)
			break;
	}
	return s;
}

/* The length of a word: up to a comma, blank or unmatched brace. Commas between its braces and
 * slashes belong to it. */
static size_t word_len(const char *s)
{
	bool mem = !strncmp(s, "mem:", 4), slash = false;
	const char *p;
	int depth = 0;

	for (p = s; *p; p++) {
		if (slash && *p != '/')
			continue;
		if (!depth && (isspace((unsigned char)*p) || *p == ',' || *p == '}'))
			break;
		depth += (*p == '{') - (*p == '}');
		slash ^= *p == '/' && !mem;
	}
	return (size_t)(p - s);
}

/* 1: built without libpfm4, or it does not know the name. */
static int pfm_event(struct pt_event_list *l, const char *name, struct pt_err *e)
{
	struct pt_attr attr = { .type = 0 };
	/* a test's machine has no CPU to ask */
	int rc = l->root ? 1 : pt_pfm_find(name, &attr, e);

	if (rc)
		return rc;
	attr.size = sizeof(attr);
	if (attr.type == PERF_TYPE_RAW || attr.type == PERF_TYPE_HARDWARE ||
	    attr.type == PERF_TYPE_HW_CACHE)
		attr.flags |= PT_ATTR_EXCLUDE_GUEST;
	name_add(l, name, attr.type, attr.config)->attr = attr;
	return 0;
}

static int no_vendor_event(struct pt_event_list *l, const char *name, struct pt_err *e)
{
	char version[32];
	struct pt_buf b = PT_BUF_INIT;

	if (pt_pfm_version(version))
		return name_no_such(l, name, e);
	pt_err_set(e, "pfm:%s: vendors' names need libpfm4, which is not there (see `pt-doctor`)",
		   name_shown(name, &b));
	pt_buf_deinit(&b);
	return -1;
}

/* The kernel's fixed names: software, hardware, caches, raw. False: none of these. */
static bool name_add_fixed(struct pt_event_list *l, const char *name, const char *mods)
{
	struct pt_attr fixed = { .type = 0 };
	enum pt_tool_event tool = PT_TOOL_NONE;
	char *whole;

	if (name_is_raw(name)) {
		fixed.type = PERF_TYPE_RAW;
		fixed.config = strtoull(name + 1, NULL, 16);
	} else if (!pt_sysname_find(name, &fixed, &tool)) {
		return false;
	}
	if (fixed.type != PERF_TYPE_SOFTWARE) {
		name_hardware(l, name, mods, &fixed);
		return true;
	}
	whole = pt_asprintf("%s%s%s", name, *mods ? ":" : "", mods);
	name_add(l, whole, fixed.type, fixed.config)->tool = tool;
	free(whole);
	return true;
}

/* True if tracepoints of this system exist, or it is a pattern: then it is no vendors' EVENT:UMASK.
 */
static bool has_system(struct pt_event_list *l, const char *word, size_t len)
{
	const char *tracefs;
	char *path;
	bool yes;

	if (strpbrk(word, "*?[{%"))
		return true;
	if (pt_event_list_tracefs(l, &tracefs, NULL) < 0)
		return false;
	path = pt_asprintf("%s/events/%.*s", tracefs, (int)len, word);
	yes = !access(path, F_OK);
	free(path);
	return yes;
}

/* SYSTEM:NAME[:MODS], or vendors' EVENT:UMASK[:MODS], which looks alike. */
static int add_with_colon(struct pt_event_list *l, char *word, struct name_word *w,
			  struct pt_err *e)
{
	char *colon = find_colon(word, 0), *mods;
	size_t first = l->nr;
	int rc;

	if (!has_system(l, word, (size_t)(colon - word))) {
		rc = pfm_event(l, word, e);
		if (rc <= 0)
			return rc;
	}
	mods = find_colon(word, 1);
	if (*mods)
		*mods++ = '\0';
	rc = name_tracepoints(l, *word == '%' ? word + 1 : word, e);
	for (size_t i = first; i < l->nr && rc == 0; i++)
		rc = name_modify(&l->specs[i], w->text + (mods - word), strlen(mods), &w->blame, e);
	return rc;
}

/* A name without slashes, with modifiers behind a colon. Searched in this order: fixed names, PMUs
 * in sysfs, tracepoints, vendors' events. */
static int name_add_plain(struct pt_event_list *l, char *word, struct name_word *w,
			  struct pt_err *e)
{
	char *colon = find_colon(word, 0), *mods = *colon ? colon + 1 : colon, *whole;
	size_t first = l->nr;
	bool had = *colon;
	int rc;

	if (strchr(word, '{') && !had)
		return name_tracepoints(l, word, e);
	*colon = '\0';
	if (!strcmp(word, "pfm") && had) {
		rc = pfm_event(l, mods, e);
		return rc > 0 ? no_vendor_event(l, mods, e) : rc;
	}
	if (!name_add_fixed(l, word, mods)) {
		whole = pt_asprintf("%s%s%s", word, had ? ":" : "", mods);
		rc = !had || name_all_modifiers(mods) ? name_pmu_event(l, word, whole, e) : 1;
		free(whole);
		if (rc < 0)
			return -1;
		if (rc > 0 && had) {
			*colon = ':';
			return add_with_colon(l, word, w, e);
		}
		if (rc > 0 && (rc = pfm_event(l, word, e)) != 0)
			return rc < 0 ? -1 : name_no_such(l, word, e);
	}
	for (rc = 0; first < l->nr && rc == 0; first++)
		rc = name_modify(&l->specs[first], w->text + (mods - word), strlen(mods), &w->blame,
				 e);
	return rc;
}

/* NAME/TERMS/MODS: of a PMU, else any other name with the terms that all events have. */
static int add_with_terms(struct pt_event_list *l, struct name_word *w, struct pt_err *e)
{
	size_t first = l->nr;
	int rc = name_pmu_terms(l, w, e);

	if (rc > 0) {
		struct pt_attr unused = { .type = 0 };

		if (!strchr(w->name, ':') && !name_is_raw(w->name) &&
		    !pt_sysname_find(w->name, &unused, NULL) && strcmp(w->name, "")) {
			rc = name_pmu_event(l, w->name, w->name, e);
			if (rc > 0)
				return name_no_such_pmu(l, w, e);
		} else {
			char *word = pt_strdup(w->name);

			rc = *word ? name_add_plain(l, word, w, e) : name_no_such_pmu(l, w, e);
			free(word);
		}
		/* a tracepoint has its own name */
		if (rc == 0 && l->nr == first + 1 && !l->specs[first].tp) {
			free(l->specs[first].name);
			l->specs[first].name = pt_strndup(w->text, w->len);
		}
		if (rc == 0)
			rc = name_general_terms(l, first, w, e);
	}
	for (; first < l->nr && rc == 0; first++)
		rc = name_modify(&l->specs[first], w->mods, w->mods_len, &w->blame, e);
	return rc;
}

static int name_add_word(struct pt_event_list *l, struct name_word *w, struct pt_err *e)
{
	const char *slash = memchr(w->text, '/', w->len), *close;
	int rc;

	w->blame = (struct pt_blame){ w->text, w->len };
	if (w->len > MAX_WORD)
		return pt_err_set(e, "a name of more than %d characters", MAX_WORD);
	if (!strncmp(w->text, "mem:", 4)) {
		w->name = pt_strndup(w->text, w->len);
		rc = name_mem(l, w, e);
	} else if (!slash) {
		w->name = pt_strndup(w->text, w->len);
		rc = name_add_plain(l, w->name, w, e);
	} else {
		close = memchr(slash + 1, '/', w->len - (size_t)(slash + 1 - w->text));
		if (!close) {
			w->blame = (struct pt_blame){ slash, 1 };
			return pt_err_set(e, "no second slash closes the terms of PMU/TERMS/");
		}
		w->name = pt_strndup(w->text, (size_t)(slash - w->text));
		w->terms = slash + 1;
		w->terms_len = (size_t)(close - w->terms);
		w->mods = close + 1 + (close[1] == ':');
		w->mods_len = (size_t)(w->text + w->len - w->mods);
		rc = add_with_terms(l, w, e);
	}
	free(w->name);
	if (rc == 0 && l->nr >= PT_NAME_MAX_EVENTS)
		rc = pt_err_set(e, "more than %d events", PT_NAME_MAX_EVENTS);
	return rc;
}

struct reader {
	struct pt_event_list *l;
	const char *text, *at;
	struct pt_err *e;
};

static int read_word(struct reader *r)
{
	struct name_word w = { .text = r->at, .len = word_len(r->at) };

	if (name_add_word(r->l, &w, r->e) < 0)
		return wrong_at(r->text, w.blame.at, w.blame.len, -1, r->e);
	r->at += w.len;
	return 0;
}

/* A group counts on one PMU. One that spans several is divided into a group for each, in the order
 * of their first events. Events without a PMU (software) stay with the first. */
static void split_group(struct pt_event_list *l, size_t first)
{
	struct pt_event_spec *sorted = pt_alloc_array(l->nr - first, sizeof(*sorted));
	const struct pt_pmu *of = NULL;
	size_t nr = 0, total = l->nr - first, i, leader;

	for (i = first; i < l->nr && !of; i++)
		of = l->specs[i].pmu;
	while (nr < total) {
		const struct pt_event_spec *rest = NULL;

		for (i = first, leader = nr; i < l->nr; i++) {
			struct pt_event_spec *s = &l->specs[i];

			if (s->name && (s->pmu == of || (!leader && !s->pmu))) {
				sorted[nr] = *s;
				sorted[nr++].leader = (int)(first + leader);
				s->name = NULL;
			} else if (s->name && !rest) {
				rest = s;
			}
		}
		of = rest ? rest->pmu : NULL;
	}
	memcpy(l->specs + first, sorted, total * sizeof(*sorted));
	free(sorted);
}

/* {a,b,...}:MODS */
static int read_group(struct reader *r)
{
	const char *open = r->at++;
	size_t first = r->l->nr, len, i;
	struct pt_blame blame;
	int rc = 0;

	for (;;) {
		while (isspace((unsigned char)*r->at) || *r->at == ',')
			r->at++;
		if (*r->at == '}')
			break;
		if (!*r->at)
			return wrong_at(r->text, open, 0,
					pt_err_set(r->e, "a group that no brace closes"), r->e);
		if (*r->at == '{')
			return wrong_at(r->text, r->at, 0,
					pt_err_set(r->e, "a group within a group"), r->e);
		if (read_word(r) < 0)
			return -1;
	}
	r->at++;
	if (r->l->nr == first)
		return wrong_at(r->text, open, 0, pt_err_set(r->e, "a group without events"), r->e);
	split_group(r->l, first);
	if (*r->at != ':')
		return 0;
	len = word_len(r->at);
	blame = (struct pt_blame){ r->at, len };
	for (i = first; i < r->l->nr && rc == 0; i++)
		rc = name_modify(&r->l->specs[i], r->at + 1, len - 1, &blame, r->e);
	r->at += len;
	return wrong_at(r->text, blame.at, blame.len, rc, r->e);
}

int pt_event_list_add(struct pt_event_list *l, const char *text, struct pt_err *e)
{
	struct reader r = { l, text, text, e };
	size_t before = l->nr;
	int rc = 0;

	while (rc == 0) {
		while (isspace((unsigned char)*r.at) || *r.at == ',')
			r.at++;
		if (!*r.at)
			break;
		if (*r.at == '{') {
			rc = read_group(&r);
		} else if (*r.at == '}') {
			rc = wrong_at(text, r.at, 0, pt_err_set(e, "a brace that closes nothing"),
				      e);
		} else {
			rc = read_word(&r);
		}
		if (rc == 0 && *r.at && *r.at != ',' && !isspace((unsigned char)*r.at))
			rc = wrong_at(text, r.at, 0, pt_err_set(e, "a comma is missing"), e);
	}
	if (rc == 0 && l->nr == before)
		rc = pt_err_set(e, "no event is named");
	if (rc < 0)
		name_cut_back(l, before);
	else
		l->last = before;
	return rc;
}

int pt_event_list_filter(struct pt_event_list *l, const char *filter, struct pt_err *e)
{
	size_t i, nr = 0;

	for (i = l->last; i < l->nr; i++) {
		struct pt_event_spec *s = &l->specs[i];
		char *old = s->filter, *new;
		const char *number;

		if (!s->tp)
			continue;
		number = pt_tp_filter_float(s->tp, filter);
		if (number)
			return pt_err_set(
				e,
				"--filter: %s is a floating-point number, of which the kernel has the bits alone: choose among the printed lines",
				number);
		new = pt_tp_filter_kernel(filter);
		if (pt_tp_filter_cpu_bits(s->tp, new)) {
			free(new);
			return pt_err_set(
				e,
				"--filter: the kernel cannot test bits of cpu: use cpu == N, or -C CPUS");
		}
		s->filter = old ? pt_asprintf("(%s) && (%s)", old, new) : pt_strdup(new);
		free(new);
		free(old);
		nr++;
	}
	if (!nr)
		return pt_err_set(
			e,
			"--filter is for the tracepoints of the -e before it, and there are none");
	return 0;
}
