/* several.c - several recordings as one stream, ordered by time: the files of pt-record --rotate,
 * or of sessions that ran side by side.
 *
 * Each is a source of its own, with its own events, order and damage. The next record is the oldest
 * of their next ones. A recording begins with what existed before it (tasks, mappings), without a
 * time or with time 0. These records are delivered at the recording's start, which is its first
 * record with a time; to find it, each recording is read up to there when it is opened. */
#include "record/read/several_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { MAX_COMPARED = 1024 };

void several_free(struct pt_several *v)
{
	if (!v)
		return;
	for (size_t i = 0; i < v->nr; i++) {
		pt_source_free(v->parts[i].src);
		pt_source_free(v->parts[i].ahead);
		free(v->parts[i].events);
	}
	free(v->parts);
	for (size_t i = 0; i < v->nr_joined; i++)
		free(v->joined[i].members);
	free(v->joined);
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
static bool several_same_name(const struct pt_event *known, const struct pt_event *ev)
{
	return !strcmp(known->name, ev->name) || !((const struct pt_evt *)ev)->named;
}

/* The same event of an earlier recording; NULL: it is new. Mostly they have the same order, so the
 * search begins at the same index. Of equal events in one recording each has its own. */
static struct pt_event *find_known(const struct pt_source *s, const struct part *p,
				   const struct pt_event *ev)
{
	size_t nr = s->st.events->nr;

	for (size_t i = 0; i < nr && i < MAX_COMPARED; i++) {
		size_t at = (p->nr_events + i) % nr;
		struct pt_event *known = &s->st.events->evs[at]->ev;

		if (s->several->joined[at].last != p &&
		    !memcmp(&known->attr, &ev->attr, sizeof(ev->attr)) &&
		    several_same_name(known, ev) && same_format(known->tp, ev->tp))
			return known;
	}
	return NULL;
}

static struct pt_event *several_join(struct pt_source *s, struct part *p, const struct pt_event *ev)
{
	struct pt_several *v = s->several;
	struct pt_event *known = find_known(s, p, ev);
	struct joined *j;

	if (!known) {
		known = pt_evtable_copy(s->st.events, ev);
		if (ev->leader < p->nr_events)
			known->leader = p->events[ev->leader]->index;
	}
	PT_GROW_TO(v->joined, v->nr_joined, known->index);
	j = &v->joined[known->index];
	j->last = p;
	PT_GROW(j->members, j->nr, j->cap);
	j->members[j->nr++] = (struct member){ p, p->nr_events };
	return known;
}

void several_take_events(struct pt_source *s, struct part *p)
{
	struct pt_features *f = &s->features;

	while (p->nr_events < pt_source_nr_events(p->src)) {
		const struct pt_event *ev = pt_source_event(p->src, p->nr_events);
		struct pt_event *known = several_join(s, p, ev);

		for (size_t i = 0; i < ev->nr_ids; i++)
			if (!pt_evtable_by_id(s->st.events, ev->ids[i]))
				pt_evtable_add_id(s->st.events, known, ev->ids[i]);
		PT_GROW(p->events, p->nr_events, p->cap_events);
		p->events[p->nr_events++] = known;
	}
	while (p->nr_build_ids < pt_source_nr_build_ids(p->src)) {
		PT_GROW(f->build_ids, f->nr_build_ids, f->cap_build_ids);
		f->build_ids[f->nr_build_ids++] = *pt_source_build_id(p->src, p->nr_build_ids++);
	}
	s->st.tps = s->several->parts[0].src->st.tps;
}

/* -- records -- */

void several_note_damage(struct pt_several *v, const struct pt_err *e)
{
	pt_err_first(&v->bad, e);
	v->nr_bad++;
}

static void several_advance(struct pt_source *s, struct part *p)
{
	struct pt_err e = PT_ERR_INIT;
	int rc = pt_source_next(p->src, &p->next, &e);
	struct pt_record *rec = &p->src->decoder.rec;

	if (rc <= 0) {
		p->next = NULL;
		p->over = true;
		if (rc < 0)
			several_note_damage(s->several, &e);
		return;
	}
	several_take_events(s, p);
	if (rec->event)
		rec->event = p->events[rec->event->index];
	if (several_has_time(rec) && rec->time_ns > p->time_ns)
		p->time_ns = rec->time_ns;
}

void several_see_own(struct pt_several *v, void (*see)(void *ctx, const struct pt_record *rec),
		     void *ctx)
{
	for (size_t i = 0; i < v->nr; i++)
		pt_source_see_own(v->parts[i].src, see, ctx);
}

/* The one with the oldest next record; NULL: all are over. */
static struct part *oldest(struct pt_source *s)
{
	struct pt_several *v = s->several;
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
		several_advance(s, p);
	}
}

/* At the end, reports what was wrong. */
static int report_damage(struct pt_several *v, struct pt_err *e)
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
		several_advance(s, v->last);
	v->last = oldest(s);
	if (!v->last)
		return report_damage(v, e);
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
	const struct joined *j = &v->joined[ev->index];
	struct pt_event_tally sum = { 0 };

	for (size_t i = 0; i < j->nr; i++) {
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
