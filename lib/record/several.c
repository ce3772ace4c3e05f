/* several.c - several recordings as one stream, ordered by time: the files of pt-record --rotate,
 * or of sessions that ran side by side.
 *
 * Each is a source of its own, with its own events, order and damage. The next record is the oldest
 * of their next ones. A recording begins with what existed before it (tasks, mappings), without a
 * time or with time 0. These records are delivered at the recording's start, which is its first
 * record with a time; to find it, each recording is read up to there when it is opened. */
#include "record/several_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { MAX_COMPARED = 1024 };

void several_free(struct pt_several *v)
{
	size_t i;

	for (i = 0; i < v->nr; i++) {
		pt_source_free(v->parts[i].src);
		pt_source_free(v->parts[i].ahead);
		free(v->parts[i].events);
	}
	free(v->parts);
	for (i = 0; i < v->nr_events; i++) {
		free((void *)(uintptr_t)v->events[i]->ev.ids);
		free(v->events[i]->members);
		free(v->events[i]);
	}
	free(v->events);
	pt_map_deinit(&v->ids);
	free(v->build_ids);
	free(v);
}

/* -- events -- */

static bool same_format(const struct pt_tp *a, const struct pt_tp *b)
{
	size_t i;

	if (!a || !b)
		return a == b;
	if (strcmp(a->print_fmt, b->print_fmt) || a->nr_fields != b->nr_fields)
		return false;
	for (i = 0; i < a->nr_fields; i++) {
		const struct pt_tp_field *x = &a->fields[i], *y = &b->fields[i];

		if (strcmp(x->name, y->name) || strcmp(x->type, y->type) || x->off != y->off ||
		    x->size_bytes != y->size_bytes || x->flags != y->flags)
			return false;
	}
	return true;
}

/* A recording that is cut has lost the names of its events. */
static bool same_name(const struct pt_event *known, const struct pt_event *ev)
{
	return !strcmp(known->name, ev->name) || !((const struct pt_evt *)ev)->named;
}

/* The same event of an earlier recording; NULL: it is new. Mostly they have the same order, so the
 * search begins at the same index. Of equal events in one recording each has its own. */
static struct joined_event *find_known(const struct pt_several *v, const struct part *p,
				       const struct pt_event *ev)
{
	for (size_t i = 0; i < v->nr_events && i < MAX_COMPARED; i++) {
		struct joined_event *j = v->events[(p->nr_events + i) % v->nr_events];

		if (j->last != p && !memcmp(&j->ev.attr, &ev->attr, sizeof(ev->attr)) &&
		    same_name(&j->ev, ev) && same_format(j->ev.tp, ev->tp))
			return j;
	}
	return NULL;
}

static struct joined_event *join(struct pt_several *v, struct part *p, const struct pt_event *ev)
{
	struct joined_event *j = find_known(v, p, ev);

	if (!j) {
		j = pt_alloc(sizeof(*j));
		j->ev = *ev;
		j->ev.ids = NULL;
		j->ev.nr_ids = 0;
		j->ev.index = j->ev.leader = (unsigned)v->nr_events;
		if (ev->leader < p->nr_events)
			j->ev.leader = p->events[ev->leader]->ev.index;
		PT_GROW(v->events, v->nr_events, v->cap_events);
		v->events[v->nr_events++] = j;
	}
	j->last = p;
	PT_GROW(j->members, j->nr_members, j->cap_members);
	j->members[j->nr_members++] = (struct member){ p, p->nr_events };
	return j;
}

static void add_ids(struct pt_several *v, struct joined_event *j, const struct pt_event *ev)
{
	uint64_t *ids = (uint64_t *)(uintptr_t)j->ev.ids;
	size_t i;

	for (i = 0; i < ev->nr_ids; i++) {
		uint64_t *seen = pt_map_put(&v->ids, ev->ids[i]);

		if (*seen)
			continue;
		*seen = 1;
		PT_GROW(ids, j->ev.nr_ids, j->cap_ids);
		ids[j->ev.nr_ids++] = ev->ids[i];
	}
	j->ev.ids = ids;
}

void several_take_news(struct pt_several *v, struct part *p)
{
	while (p->nr_events < pt_source_nr_events(p->src)) {
		const struct pt_event *ev = pt_source_event(p->src, p->nr_events);
		struct joined_event *j = join(v, p, ev);

		add_ids(v, j, ev);
		PT_GROW(p->events, p->nr_events, p->cap_events);
		p->events[p->nr_events++] = j;
	}
	while (p->nr_build_ids < pt_source_nr_build_ids(p->src)) {
		PT_GROW(v->build_ids, v->nr_build_ids, v->cap_build_ids);
		v->build_ids[v->nr_build_ids++] = *pt_source_build_id(p->src, p->nr_build_ids++);
	}
}

size_t several_nr_events(const struct pt_several *v) { return v->nr_events; }

const struct pt_event *several_event(const struct pt_several *v, size_t i)
{
	return i < v->nr_events ? &v->events[i]->ev : NULL;
}

struct pt_tp_db *several_tps(const struct pt_several *v) { return v->parts[0].src->st.tps; }

size_t several_nr_build_ids(const struct pt_several *v) { return v->nr_build_ids; }

const struct pt_build_id_entry *several_build_id(const struct pt_several *v, size_t i)
{
	return i < v->nr_build_ids ? &v->build_ids[i] : NULL;
}

/* -- records -- */

void several_note_damage(struct pt_several *v, const struct pt_err *e)
{
	pt_err_first(&v->bad, e);
	v->nr_bad++;
}

static void advance(struct pt_several *v, struct part *p)
{
	struct pt_err e = PT_ERR_INIT;
	int rc = pt_source_next(p->src, &p->next, &e);
	struct pt_record *rec = &p->src->decoder.rec;

	if (rc <= 0) {
		p->next = NULL;
		p->over = true;
		if (rc < 0)
			several_note_damage(v, &e);
		return;
	}
	several_take_news(v, p);
	if (rec->event)
		rec->event = &p->events[rec->event->index]->ev;
	if (several_has_time(rec) && rec->time_ns > p->time_ns)
		p->time_ns = rec->time_ns;
}

/* The one with the oldest next record; NULL: all are over. */
static struct part *oldest(struct pt_several *v)
{
	struct part *best, *p;
	size_t i;

	for (;;) {
		best = NULL;
		while (v->first < v->nr_begun && v->parts[v->first].over)
			v->first++;
		for (i = v->first; i < v->nr_begun; i++) {
			p = &v->parts[i];
			if (!p->over && (!best || p->time_ns < best->time_ns))
				best = p;
		}
		if (v->nr_begun == v->nr ||
		    (best && best->time_ns <= v->parts[v->nr_begun].start_ns))
			return best;
		p = &v->parts[v->nr_begun++];
		p->time_ns = p->start_ns;
		advance(v, p);
	}
}

/* At the end, reports what was wrong. */
static int end(struct pt_several *v, struct pt_err *e)
{
	v->over = true;
	if (!v->nr_bad)
		return 0;
	if (e)
		*e = v->bad;
	if (v->nr_bad > 1)
		pt_err_advice(e, " (and %zu more of the recordings could not be read as a whole)",
			      v->nr_bad - 1);
	return -1;
}

int several_next(struct pt_source *s, const struct pt_record **rec, struct pt_err *e)
{
	struct pt_several *v = s->several;

	if (v->over)
		return 0;
	if (__atomic_load_n(&s->st.stop, __ATOMIC_RELAXED)) {
		v->over = true;
		return pt_err_set(e, "the recordings: interrupted: what follows was not read");
	}
	if (v->last)
		advance(v, v->last);
	v->last = oldest(v);
	if (!v->last)
		return end(v, e);
	*rec = v->last->next;
	return 1;
}

/* -- figures -- */

const struct pt_tally *several_tally(struct pt_source *s)
{
	struct pt_tally *sum = &s->shown;
	size_t i, k;

	*sum = (struct pt_tally){ 0 };
	for (i = 0; i < s->several->nr; i++) {
		const struct pt_tally *t = pt_source_tally(s->several->parts[i].src);

		sum->samples += t->samples;
		sum->lost += t->lost;
		sum->undelivered += t->undelivered;
		sum->lost_unknown += t->lost_unknown;
		sum->late += t->late;
		sum->aux_bytes += t->aux_bytes;
		sum->throttled += t->throttled;
		sum->unknown_records += t->unknown_records;
		sum->unknown_type = sum->unknown_type ? sum->unknown_type : t->unknown_type;
		sum->no_event += t->no_event;
		sum->dropped += t->dropped;
		for (k = 0; k < PT_NR_OWN_RECORDS; k++)
			sum->own_records[k] += t->own_records[k];
	}
	return sum;
}

struct pt_event_tally several_event_tally(const struct pt_several *v, const struct pt_event *ev)
{
	const struct joined_event *j = v->events[ev->index];
	struct pt_event_tally sum = { 0 };

	for (size_t i = 0; i < j->nr_members; i++) {
		const struct member *m = &j->members[i];
		struct pt_event_tally t = pt_source_event_tally(
			m->part->src, pt_source_event(m->part->src, m->index));

		sum.samples += t.samples;
		sum.lost += t.lost;
		sum.dropped += t.dropped;
		sum.undelivered += t.undelivered;
	}
	return sum;
}
