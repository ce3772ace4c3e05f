#include "probe/tracefs/event.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { MAX_NUMBER = 9999, NUMBER_BYTES = 5 };

static const char ret_suffix[] = "__return";

/* -- names -- */

void pt_event_group(const char *path, struct pt_buf *b)
{
	const char *base = basename(path);
	size_t len = 0, room = PT_DEF_NAME_MAX - 6;

	while (len < room && (isalnum((unsigned char)base[len]) || base[len] == '_'))
		len++;
	pt_buf_puts(b, "probe_");
	pt_buf_add(b, base, len);
}

void pt_event_name(const char *func, uint32_t line, bool ret, struct pt_buf *b)
{
	size_t from = b->len, room = PT_DEF_NAME_MAX - NUMBER_BYTES -
				     (ret ? sizeof(ret_suffix) - 1 : 0) - (line ? 12 : 0);
	/* foo.part.0, memcpy@@GLIBC_2.14 */
	const char *end = func + strcspn(func + (*func != '\0'), ".@") + (*func != '\0');

	for (; func < end && b->len - from < room; func++) {
		if (isalnum((unsigned char)*func) || *func == '_') {
			if (b->len == from && isdigit((unsigned char)*func))
				pt_buf_putc(b, '_');
			pt_buf_putc(b, *func);
		} else if (b->len > from &&
			   (b->len - from < 2 || memcmp(b->data + b->len - 2, "__",
							2))) { /* "::" stays two, "> (" does not */
			pt_buf_putc(b, '_');
		}
	}
	while (b->len > from + 1 && b->data[b->len - 1] == '_' && func[-1] != '_')
		b->data[--b->len] = '\0';
	if (b->len == from)
		pt_buf_puts(b, "probe");
	if (line)
		pt_buf_printf(b, "_L%u", line);
	if (ret)
		pt_buf_puts(b, ret_suffix);
}

int pt_event_check(const char *name, struct pt_err *e)
{
	const char *p = name;

	if (strlen(name) > PT_DEF_NAME_MAX)
		return pt_err_set(e, "%.40s...: a name has at most %d letters", name,
				  PT_DEF_NAME_MAX);
	while (isalpha((unsigned char)*p) || *p == '_' || (p > name && isdigit((unsigned char)*p)))
		p++;
	if (*p || p == name)
		return pt_err_set(
			e,
			"'%s': a name has letters, digits and underscores, and does not begin with a digit",
			name);
	return 0;
}

/* -- the plan -- */

void pt_events_deinit(struct pt_events *es)
{
	for (size_t i = 0; i < es->nr_defs; i++)
		pt_def_deinit(&es->defs[i]);
	for (size_t i = 0; i < es->nr; i++) {
		free(es->v[i].group);
		free(es->v[i].name);
		free(es->v[i].wanted);
	}
	free(es->defs);
	free(es->v);
	*es = (struct pt_events){ .nr = 0 };
}

/* Puts those that can share the event of defs[i] behind one another, each place once. Several at
 * one place with different arguments cannot share an event. */
static void event_gather(struct pt_events *es, struct pt_def *defs, size_t nr, size_t i, bool share)
{
	struct pt_new_event *ev;

	PT_GROW(es->v, es->nr, es->cap);
	ev = &es->v[es->nr++];
	*ev = (struct pt_new_event){ .group = pt_strdup(defs[i].group),
				     .name = pt_strdup(defs[i].event),
				     .first = es->nr_defs };
	for (size_t k = i; k < nr; k++) {
		bool here = k == i, twice = false;

		if (!defs[k].kind || (!here && !pt_def_shares(&es->defs[ev->first], &defs[k])))
			continue;
		for (size_t n = ev->first; n < es->nr_defs && !twice; n++) {
			twice = pt_def_same_place(&es->defs[n], &defs[k]);
			if (pt_def_same(&es->defs[n], &defs[k]))
				pt_def_deinit(&defs[k]);
		}
		if (twice || (!here && !share))
			continue;
		PT_GROW(es->defs, es->nr_defs, es->cap_defs);
		es->defs[es->nr_defs++] = defs[k];
		defs[k] = (struct pt_def){ .kind = 0 };
		ev->nr++;
	}
}

static bool ours_already(const struct pt_events *es, const struct pt_new_event *ev,
			 const char *name)
{
	for (size_t i = 0; i < es->nr && &es->v[i] != ev; i++)
		if (!strcmp(es->v[i].group, ev->group) && !strcmp(es->v[i].name, name))
			return true;
	return false;
}

static int exists_already(const struct pt_new_event *ev, const char *name, struct pt_err *e)
{
	return pt_err_set(
		e,
		"%s:%s exists already: `pt-probe -d %s:%s` deletes it, --force makes one more, %s_1",
		ev->group, name, ev->group, name, name);
}

static void event_set_name(struct pt_events *es, struct pt_new_event *ev, char *name)
{
	free(ev->name);
	ev->name = name;
	for (size_t i = ev->first; i < ev->first + ev->nr; i++) {
		free(es->defs[i].event);
		es->defs[i].event = pt_strdup(name);
	}
}

/* NAME, NAME_1, NAME_2 ...: the first that is free. */
static int event_find_name(struct pt_events *es, struct pt_new_event *ev, const struct pt_dyn *dyn,
			   struct pt_err *e)
{
	char *wanted = pt_strdup(ev->wanted ? ev->wanted : ev->name);
	int rc = 1;

	for (int number = 0; number <= MAX_NUMBER && rc > 0; number++) {
		char *name = number ? pt_asprintf("%.*s_%d", PT_DEF_NAME_MAX - NUMBER_BYTES, wanted,
						  number)
				    : pt_strdup(wanted);
		bool ours = ours_already(es, ev, name);

		if (!ours && (!dyn || !pt_dyn_taken(dyn, ev->group, name))) {
			ev->apart = number && ours_already(es, ev, wanted);
			if (number && !ev->wanted)
				ev->wanted = pt_strdup(wanted);
			event_set_name(es, ev, name);
			rc = 0;
			continue;
		}
		if (!number && !ours && !es->force)
			rc = exists_already(ev, name, e);
		free(name);
	}
	if (rc > 0)
		rc = pt_err_set(e, "%s:%s and %d more of that name are there already", ev->group,
				wanted, MAX_NUMBER);
	free(wanted);
	return rc;
}

int pt_events_plan(struct pt_events *es, struct pt_def *defs, size_t nr, struct pt_dyn *dyn,
		   bool force, struct pt_err *e)
{
	bool share = pt_dyn_shares_names();
	int rc = 0;

	*es = (struct pt_events){ .force = force };
	if (dyn)
		rc = pt_dyn_lock(dyn, e);
	for (size_t i = 0; i < nr && rc == 0; i++)
		rc = defs[i].kind && (pt_event_check(defs[i].group, e) < 0 ||
				      pt_event_check(defs[i].event, e) < 0)
			     ? -1
			     : 0;
	for (size_t i = 0; i < nr && rc == 0; i++)
		if (defs[i].kind)
			event_gather(es, defs, nr, i, share);
	for (size_t i = 0; i < es->nr && rc == 0; i++)
		rc = event_find_name(es, &es->v[i], dyn, e);
	for (size_t i = 0; i < nr; i++)
		pt_def_deinit(&defs[i]);
	if (rc < 0)
		pt_events_deinit(es);
	if (rc < 0 && dyn)
		pt_dyn_unlock(dyn);
	return rc;
}

/* -- made -- */

static int make_one(struct pt_events *es, struct pt_new_event *ev, struct pt_dyn *dyn,
		    struct pt_err *e)
{
	for (size_t i = ev->first; i < ev->first + ev->nr; i++) {
		if (pt_dyn_add(dyn, &es->defs[i], e) == 0) {
			ev->made = true;
			continue;
		}
		if (ev->made)
			pt_dyn_remove(dyn, ev->group, ev->name, NULL);
		ev->made = false;
		return -1;
	}
	return 0;
}

int pt_events_make(struct pt_events *es, struct pt_dyn *dyn, struct pt_err *e)
{
	enum { TRIES = 20 };
	struct pt_err why = PT_ERR_INIT;

	for (size_t i = 0; i < es->nr; i++) {
		int rc = make_one(es, &es->v[i], dyn, &why);

		/* Somebody else took the name since the list was read. */
		for (int try = 0; rc < 0 && why.sys == EEXIST && try < TRIES; try++) {
			rc = pt_dyn_read(dyn, &why) < 0 ||
					     event_find_name(es, &es->v[i], dyn, &why) < 0
				     ? -1
				     : make_one(es, &es->v[i], dyn, &why);
			if (rc < 0 && why.sys != EEXIST)
				break;
		}
		if (rc == 0)
			continue;
		while (i-- > 0)
			pt_dyn_remove(dyn, es->v[i].group, es->v[i].name, NULL);
		if (e)
			*e = why;
		pt_dyn_unlock(dyn);
		return -1;
	}
	pt_dyn_unlock(dyn);
	return 0;
}
