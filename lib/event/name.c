#include "event/name.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "event/sysname.h"

#define MODIFIERS "ukhHGpPDeI"
enum { MAX_WORD = 4096, MAX_PATTERNS = 4096, MAX_EVENTS = 65536 };

void pt_event_list_init(struct pt_event_list *l)
{
	*l = (struct pt_event_list){ .nr = 0 };
}

static void cut_back(struct pt_event_list *l, size_t nr)
{
	while (l->nr > nr) {
		free(l->specs[--l->nr].name);
		free(l->specs[l->nr].filter);
	}
}

void pt_event_list_deinit(struct pt_event_list *l)
{
	cut_back(l, 0);
	free(l->specs);
	pt_tp_db_free(l->db);
	pt_event_list_init(l);
}

static struct pt_event_spec *add_spec(struct pt_event_list *l, const char *name, uint32_t type, uint64_t config)
{
	struct pt_event_spec *s;

	PT_GROW(l->specs, l->nr, l->cap);
	s = &l->specs[l->nr];
	*s = (struct pt_event_spec){ .name = pt_strdup(name), .leader = (int)l->nr };
	s->attr.type = type;
	s->attr.size = sizeof(s->attr);
	s->attr.config = config;
	l->nr++;
	return s;
}

/* Two lines more, when the text holds more than the word: the text, and a caret below the word. */
static int wrong_at(const char *text, const char *at, size_t len, struct pt_err *e)
{
	struct pt_buf line = PT_BUF_INIT;
	size_t caret, from = 0;

	if (!e || (at == text && len == strlen(text)))
		return -1;
	if (at - text > 60)
		from = (size_t)(at - text) - 40;
	pt_buf_puts(&line, from ? "..." : "");
	pt_text_plain(&line, text + from, (size_t)(at - text) - from);
	caret = line.len;
	pt_text_plain(&line, at, strnlen(at, 60));
	pt_err_advice(e, "\n    %s\n    %*s^", pt_buf_str(&line), (int)caret, "");
	pt_buf_deinit(&line);
	return -1;
}

/* Names and texts of the user's in messages: as they can be shown. Cut, so that advice still fits behind. */
static const char *shown(const char *s, struct pt_buf *b)
{
	pt_buf_clear(b);
	pt_text_plain(b, s, strnlen(s, 200));
	return pt_buf_str(b);
}

static int apply_modifiers(struct pt_attr *a, const char *mods, struct pt_err *e)
{
	const uint64_t rings = PT_ATTR_EXCLUDE_USER | PT_ATTR_EXCLUDE_KERNEL | PT_ATTR_EXCLUDE_HV;
	const uint64_t worlds = PT_ATTR_EXCLUDE_HOST | PT_ATTR_EXCLUDE_GUEST;
	bool ring = false, world = false;
	unsigned precise = 0;
	const char *m;

	for (m = mods; *m; m++) {
		const uint64_t bit = *m == 'u' ? PT_ATTR_EXCLUDE_USER : *m == 'k' ? PT_ATTR_EXCLUDE_KERNEL : *m == 'h' ? PT_ATTR_EXCLUDE_HV :
				     *m == 'H' ? PT_ATTR_EXCLUDE_HOST : *m == 'G' ? PT_ATTR_EXCLUDE_GUEST : 0;

		if (bit & rings) {	/* the first one excludes the others */
			a->flags = (ring ? a->flags : a->flags | rings) & ~bit;
			ring = true;
		} else if (bit) {
			a->flags = (world ? a->flags : a->flags | worlds) & ~bit;
			world = true;
		} else if (*m == 'p' || *m == 'P') {
			precise = *m == 'P' ? 3 : precise + 1;
			if (!world)
				a->flags |= PT_ATTR_EXCLUDE_GUEST;
		} else if (*m == 'D') {
			a->flags |= PT_ATTR_PINNED;
		} else if (*m == 'e') {
			a->flags |= PT_ATTR_EXCLUSIVE;
		} else if (*m == 'I') {
			a->flags |= PT_ATTR_EXCLUDE_IDLE;
		} else {
			return pt_err_set(e, "'%c' is no modifier (those are %s)", isprint((unsigned char)*m) ? *m : '?', MODIFIERS);
		}
	}
	if (precise > 3)
		return pt_err_set(e, "modifier p comes three times at most");
	if (precise)
		a->flags = (a->flags & ~PT_ATTR_PRECISE_IP) | (uint64_t)precise << PT_ATTR_PRECISE_IP_SHIFT;
	return 0;
}

/* Expands the first {a,b} of a pattern and itself for what comes out; the patterns are added to `out`. */
struct patterns { char **v; size_t nr, cap; };

static int expand_braces(struct patterns *out, const char *pattern, struct pt_err *e)
{
	const char *open = strchr(pattern, '{'), *p, *from;
	int depth = 0, rc = 0;

	if (!open) {
		if (out->nr >= MAX_PATTERNS)
			return pt_err_set(e, "more than %d names from braces", MAX_PATTERNS);
		PT_GROW(out->v, out->nr, out->cap);
		out->v[out->nr++] = pt_strdup(pattern);
		return 0;
	}
	for (p = open; *p; p++)	/* the brace that closes it */
		if ((depth += (*p == '{') - (*p == '}')) == 0)
			break;
	if (!*p)
		return pt_err_set(e, "a brace is not closed");
	for (from = open + 1, depth = 0; rc == 0; ) {
		const char *to = from;
		char *one;

		for (; to < p && (depth || *to != ','); to++)
			depth += (*to == '{') - (*to == '}');
		one = pt_asprintf("%.*s%.*s%s", (int)(open - pattern), pattern, (int)(to - from), from, p + 1);
		rc = expand_braces(out, one, e);
		free(one);
		if (to == p)
			break;
		from = to + 1;
	}
	return rc;
}

struct found {
	struct pt_event_list *l;
	size_t nr;
	struct pt_err e;	/* the last one's that could not be had */
};

static void add_tracepoint(void *arg, const char *system, const char *name)
{
	struct found *f = arg;
	const struct pt_tp *tp;
	char *full;

	if (f->l->nr >= MAX_EVENTS)
		return;
	tp = pt_tp_db_find(f->l->db, system, name, &f->e);
	if (!tp)
		return;
	full = pt_asprintf("%s:%s", system, name);
	add_spec(f->l, full, PERF_TYPE_TRACEPOINT, (uint64_t)tp->id)->tp = tp;
	free(full);
	f->nr++;
}

static int no_such_event(const char *name, struct pt_err *e)
{
	struct pt_buf b = PT_BUF_INIT, near = PT_BUF_INIT;

	if (e) {
		pt_err_set(e, "no event %s", shown(name, &b));
		pt_sysname_nearest(name, &near);
		if (near.len)
			pt_err_advice(e, "; did you mean %s?", pt_buf_str(&near));
	}
	pt_buf_deinit(&b);
	pt_buf_deinit(&near);
	return -1;
}

static bool is_glob(const char *s)
{
	return strpbrk(s, "*?[") != NULL;
}

/* One "SYSTEM:NAME" without braces. */
static int add_tracepoints(struct pt_event_list *l, const char *pattern, struct pt_err *e)
{
	const char *colon = strchr(pattern, ':');
	char *system = pt_strndup(pattern, (size_t)(colon - pattern));
	const char *name = colon + 1;
	struct found f = { l, 0, PT_ERR_INIT };
	struct pt_buf b = PT_BUF_INIT;
	int rc = 0;

	if (!l->db && pt_tp_db_open_local(&l->db, e) < 0) {
		rc = -1;
	} else if (is_glob(pattern)) {	/* of what it matches, the few that cannot be had are left out */
		if (pt_sysname_tracepoints(system, name, add_tracepoint, &f, e) < 0)
			rc = -1;
		else if (!f.nr)
			rc = f.e.msg[0] ? pt_err_set(e, "%s", f.e.msg) : pt_err_set(e, "no tracepoint matches %s", shown(pattern, &b));
	} else {
		add_tracepoint(&f, system, name);
		if (!f.nr && (!f.e.sys || f.e.sys == ENOENT))
			rc = no_such_event(pattern, e);
		else if (!f.nr && (rc = -1) && e)
			*e = f.e;
	}
	if (l->nr >= MAX_EVENTS)
		rc = pt_err_set(e, "more than %d events", MAX_EVENTS);
	pt_buf_deinit(&b);
	free(system);
	return rc;
}

static bool is_raw(const char *s)
{
	return s[0] == 'r' && s[1] && strlen(s) <= 17 && strspn(s + 1, "0123456789abcdefABCDEF") == strlen(s + 1);
}

/* The colon in front of the modifiers, or the end. `after`: colons of the name itself. */
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

static int add_word(struct pt_event_list *l, char *word, struct pt_err *e)
{
	struct patterns names = { NULL, 0, 0 };
	char *colon = find_colon(word, 0), *mods;
	struct pt_event_spec *s;
	struct pt_attr fixed = { .type = 0 };
	size_t first = l->nr, i;
	char saved = *colon;
	int rc = 0;

	if (strchr(word, '/'))
		return pt_err_set(e, "events of the form PMU/TERMS/ are not understood by this version; rNNN takes a raw number");
	if (!strncmp(word, "mem:", 4))
		return pt_err_set(e, "breakpoint events (mem:ADDR) are not understood by this version");
	*colon = '\0';
	mods = saved ? colon + 1 : colon;
	if (is_raw(word)) {
		fixed.type = PERF_TYPE_RAW;
		fixed.config = strtoull(word + 1, NULL, 16);
	} else if (!pt_sysname_find(word, &fixed.type, &fixed.config)) {
		*colon = saved;
		if (!saved)
			return no_such_event(word, e);
		mods = find_colon(word, 1);
		if (*mods)
			*mods++ = '\0';
		rc = expand_braces(&names, word, e);
		for (i = 0; i < names.nr && rc == 0; i++)
			rc = strchr(names.v[i], ':') ? add_tracepoints(l, names.v[i], e) : no_such_event(names.v[i], e);
		for (i = 0; i < names.nr; i++)
			free(names.v[i]);
		free(names.v);
		for (i = first; i < l->nr && rc == 0; i++)
			rc = apply_modifiers(&l->specs[i].attr, mods, e);
		return rc;
	}
	*colon = saved;
	s = add_spec(l, word, fixed.type, fixed.config);
	if (fixed.type != PERF_TYPE_SOFTWARE)
		s->attr.flags |= PT_ATTR_EXCLUDE_GUEST;	/* as perf: the guests' share only with :G */
	return apply_modifiers(&s->attr, mods, e);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* How far a word goes: to a comma, a blank or a brace that it did not open itself. Commas between its braces and slashes belong to it. */
static size_t word_len(const char *s)
{
	const char *p;
	int depth = 0;
	bool slash = false;

	for (p = s; *p && !(is_blank(*p) && !depth); p++) {
		if (*p == ',' && !depth && !slash)
			break;
		if (*p == '}' && !depth)
			break;
		depth += (*p == '{') - (*p == '}');
		slash ^= *p == '/';
	}
	return (size_t)(p - s);
}

struct reader {
	struct pt_event_list *l;
	const char *text, *at;
	struct pt_err *e;
};

static int read_word(struct reader *r)
{
	size_t len = word_len(r->at);
	char *word;
	int rc;

	if (len > MAX_WORD) {
		pt_err_set(r->e, "a name of more than %d characters", MAX_WORD);
		return wrong_at(r->text, r->at, len, r->e);
	}
	word = pt_strndup(r->at, len);
	rc = add_word(r->l, word, r->e);
	free(word);
	if (rc < 0)
		return wrong_at(r->text, r->at, len, r->e);
	r->at += len;
	return 0;
}

/* {a,b,...}:MODS */
static int read_group(struct reader *r)
{
	const char *open = r->at++;
	size_t first = r->l->nr, len, i;
	char *mods;
	int rc = 0;

	for (;;) {
		while (is_blank(*r->at) || *r->at == ',')
			r->at++;
		if (*r->at == '}')
			break;
		if (!*r->at) {
			pt_err_set(r->e, "a group that no brace closes");
			return wrong_at(r->text, open, 0, r->e);
		}
		if (*r->at == '{') {
			pt_err_set(r->e, "a group within a group");
			return wrong_at(r->text, r->at, 0, r->e);
		}
		if (read_word(r) < 0)
			return -1;
	}
	r->at++;
	if (r->l->nr == first) {
		pt_err_set(r->e, "a group without events");
		return wrong_at(r->text, open, 0, r->e);
	}
	for (i = first; i < r->l->nr; i++)
		r->l->specs[i].leader = (int)first;
	if (*r->at != ':')
		return 0;
	len = word_len(r->at);
	mods = pt_strndup(r->at + 1, len - 1);
	for (i = first; i < r->l->nr && rc == 0; i++)
		rc = apply_modifiers(&r->l->specs[i].attr, mods, r->e);
	free(mods);
	if (rc < 0)
		return wrong_at(r->text, r->at, len, r->e);
	r->at += len;
	return 0;
}

int pt_event_list_add(struct pt_event_list *l, const char *text, struct pt_err *e)
{
	struct reader r = { l, text, text, e };
	size_t before = l->nr;
	int rc = 0;

	while (rc == 0) {
		while (is_blank(*r.at) || *r.at == ',')
			r.at++;
		if (!*r.at)
			break;
		if (*r.at == '{') {
			rc = read_group(&r);
		} else if (*r.at == '}') {
			pt_err_set(e, "a brace that closes nothing");
			rc = wrong_at(text, r.at, 0, e);
		} else {
			rc = read_word(&r);
		}
		if (rc == 0 && *r.at && *r.at != ',' && !is_blank(*r.at)) {
			pt_err_set(e, "a comma is missing");
			rc = wrong_at(text, r.at, 0, e);
		}
	}
	if (rc == 0 && l->nr == before)
		rc = pt_err_set(e, "no event is named");
	if (rc < 0)
		cut_back(l, before);
	else
		l->last = before;
	return rc;
}

int pt_event_list_filter(struct pt_event_list *l, const char *filter, struct pt_err *e)
{
	size_t i, nr = 0;

	for (i = l->last; i < l->nr; i++) {
		struct pt_event_spec *s = &l->specs[i];
		char *old = s->filter;

		if (!s->tp)
			continue;
		s->filter = old ? pt_asprintf("(%s) && (%s)", old, filter) : pt_strdup(filter);
		free(old);
		nr++;
	}
	if (!nr)
		return pt_err_set(e, "--filter is for the tracepoints of the -e in front of it, and there are none");
	return 0;
}
