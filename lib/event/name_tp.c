/* name_tp.c - tracepoints: SYSTEM:NAME, globs, {a,b}; also probes and SDT markers that were made
 * into events */
#include "event/name_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { MAX_PATTERNS = 4096 };

/* Expands the first {a,b} of a pattern, then the rest of each result; adds the patterns to `out`.
 */
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
	for (p = open; *p; p++)	/* the closing brace */
		if ((depth += (*p == '{') - (*p == '}')) == 0)
			break;
	if (!*p)
		return pt_err_set(e, "a brace is not closed");
	for (from = open + 1, depth = 0; rc == 0; ) {
		const char *to = from;
		char *one;

		for (; to < p && (depth || *to != ','); to++)
			depth += (*to == '{') - (*to == '}');
		one = pt_asprintf("%.*s%.*s%s", (int)(open - pattern), pattern, (int)(to - from),
				  from, p + 1);
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
	struct pt_err e;	/* of the last one that cannot be used */
};

static void name_tp_add_tracepoint(void *arg, const char *system, const char *name)
{
	struct found *f = arg;
	const struct pt_tp *tp;
	char *full;

	if (f->l->nr >= PT_NAME_MAX_EVENTS)
		return;
	tp = pt_tp_db_find(f->l->db, system, name, &f->e);
	if (!tp)
		return;
	full = pt_asprintf("%s:%s", system, name);
	name_add(f->l, full, PERF_TYPE_TRACEPOINT, (uint64_t)tp->id)->tp = tp;
	free(full);
	f->nr++;
}

static int open_db(struct pt_event_list *l, struct pt_err *e)
{
	const char *tracefs;

	if (l->db)
		return 0;
	if (pt_event_list_tracefs(l, &tracefs, e) < 0)
		return -1;
	l->db = pt_tp_db_new_at(tracefs);
	return 0;
}

/* One "SYSTEM:NAME" without braces. */
static int add_pattern(struct pt_event_list *l, const char *pattern, struct pt_err *e)
{
	const char *colon = strchr(pattern, ':'), *name = colon + 1;
	char *system = pt_strndup(pattern, (size_t)(colon - pattern));
	struct found f = { l, 0, PT_ERR_INIT };
	struct pt_buf b = PT_BUF_INIT;
	int rc = 0;

	if (open_db(l, e) < 0) {
		rc = -1;
	} else if (strpbrk(pattern, "*?[")) { /* of what it matches, the few that cannot be had are
						 left out */
		if (pt_sysname_tracepoints(l->tracefs, system, name, name_tp_add_tracepoint, &f,
					   e) < 0)
			rc = -1;
		else if (!f.nr && (rc = -1) && f.e.msg[0] && e)
			*e = f.e;
		else if (!f.nr)
			pt_err_set(e, "no tracepoint matches %s", name_shown(pattern, &b));
	} else {
		name_tp_add_tracepoint(&f, system, name);
		if (!f.nr && (!f.e.sys || f.e.sys == ENOENT)) {
			rc = name_no_such(l, pattern, e);
			if (!strncmp(system, "sdt_", 4))
				pt_err_advice(
					e,
					" (a marker of a program is an event once there is a probe at it; `pt-list -x PROGRAM` shows the markers)");
		} else if (!f.nr && (rc = -1) && e) {
			*e = f.e;
		}
	}
	if (rc == 0 && l->nr >= PT_NAME_MAX_EVENTS)
		rc = pt_err_set(e, "more than %d events", PT_NAME_MAX_EVENTS);
	pt_buf_deinit(&b);
	free(system);
	return rc;
}

int name_tracepoints(struct pt_event_list *l, const char *pattern, struct pt_err *e)
{
	struct patterns names = { NULL, 0, 0 };
	int rc = expand_braces(&names, pattern, e);

	for (size_t i = 0; i < names.nr && rc == 0; i++)
		rc = strchr(names.v[i], ':') ? add_pattern(l, names.v[i], e)
					     : name_no_such(l, names.v[i], e);
	for (size_t i = 0; i < names.nr; i++)
		free(names.v[i]);
	free(names.v);
	return rc;
}
