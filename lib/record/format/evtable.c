#include "record/format/evtable.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define KNOWN_FIELDS ((PT_SAMPLE_WEIGHT_STRUCT << 1) - 1)

struct pt_evtable *pt_evtable_new(void)
{
	struct pt_evtable *t = pt_alloc(sizeof(*t));

	t->names = pt_names_new();
	t->time_at = t->time_end = t->id_at = t->id_end = PT_PLACE_NONE;
	return t;
}

void pt_evtable_free(struct pt_evtable *t)
{
	size_t i;

	if (!t)
		return;
	for (i = 0; i < t->nr; i++) {
		free((void *)t->evs[i]->ev.ids);
		free(t->evs[i]);
	}
	free(t->evs);
	pt_map_deinit(&t->ids);
	pt_names_free(t->names);
	free(t);
}

static int bits(uint64_t v)
{
	return __builtin_popcountll(v);
}

int pt_sample_time_at(uint64_t sample_type)
{
	uint64_t before = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID;

	return sample_type & PERF_SAMPLE_TIME ? PT_HEADER_BYTES + 8 * bits(sample_type & before)
					      : PT_PLACE_NONE;
}

/* The order of fields is in perf_event.h: PERF_RECORD_SAMPLE and struct sample_id. Each of these
 * fields takes 8 bytes. */
static void evtable_lay_out(struct pt_evt *v)
{
	const struct pt_attr *a = &v->ev.attr;
	uint64_t st = a->sample_type;
	uint64_t before_id = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR;
	uint64_t behind_time =
		PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;

	v->fields = st & KNOWN_FIELDS;
	v->fixed_len = 8 * (uint32_t)bits(st & PT_FIXED_FIELDS);
	v->trailer = a->flags & PT_ATTR_SAMPLE_ID_ALL ? st & PT_TRAILER_FIELDS : 0;
	v->trailer_len = 8 * (uint32_t)bits(v->trailer);
	v->time_at = pt_sample_time_at(st);
	v->time_end =
		v->trailer & PERF_SAMPLE_TIME ? 8 + 8 * bits(st & behind_time) : PT_PLACE_NONE;
	v->id_at = st & PERF_SAMPLE_IDENTIFIER ? PT_HEADER_BYTES :
		st & PERF_SAMPLE_ID ? PT_HEADER_BYTES + 8 * bits(st & before_id) : PT_PLACE_NONE;
	v->id_end = v->trailer & PERF_SAMPLE_IDENTIFIER ? 8
		    : v->trailer & PERF_SAMPLE_ID
			    ? 8 + 8 * bits(st & (PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU))
			    : PT_PLACE_NONE;
}

bool pt_event_shares_samples(const struct pt_attr *a)
{
	return a->type == PERF_TYPE_SOFTWARE && a->config != PERF_COUNT_SW_CPU_CLOCK &&
	       a->config != PERF_COUNT_SW_TASK_CLOCK && a->config != PERF_COUNT_SW_DUMMY &&
	       a->config != PERF_COUNT_SW_BPF_OUTPUT;
}

/* Takes the event over. */
static struct pt_event *evtable_append(struct pt_evtable *t, struct pt_evt *v, const char *name)
{
	v->ev.index = v->ev.leader = (unsigned)t->nr;
	v->ev.name = pt_names_add(t->names, name, strlen(name));
	if (t->nr) {
		t->time_at = t->time_at == v->time_at ? v->time_at : PT_PLACE_DIFFERS;
		t->time_end = t->time_end == v->time_end ? v->time_end : PT_PLACE_DIFFERS;
		t->id_end = t->id_end == v->id_end ? v->id_end : PT_PLACE_NONE;
		t->trailer_len = t->trailer_len == v->trailer_len ? v->trailer_len : 0;
	} else {
		t->time_at = v->time_at;
		t->time_end = v->time_end;
		t->id_at = v->id_at;
		t->id_end = v->id_end;
		t->trailer_len = v->trailer_len;
	}
	if (pt_event_shares_samples(&v->ev.attr))
		t->sharing = t->nr_sharing++ ? NULL : v;
	PT_GROW(t->evs, t->nr, t->cap);
	t->evs[t->nr++] = v;
	memset(t->cache, 0, sizeof(t->cache));
	return &v->ev;
}

struct pt_event *pt_evtable_add(struct pt_evtable *t, const struct pt_attr *attr, const char *name,
				const struct pt_tp *tp, struct pt_err *e)
{
	struct pt_evt *v = pt_alloc(sizeof(*v)), *first = t->nr ? t->evs[0] : NULL;
	struct pt_event *ev;
	char *made = name && *name ? NULL
		     : tp          ? pt_asprintf("%s:%s", tp->system, tp->name)
				   : pt_attr_name(attr);
	const char *use = made ? made : name;

	v->ev.attr = *attr;
	v->ev.tp = tp;
	v->ev.side_band = attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_DUMMY;
	v->named = !made || tp;
	evtable_lay_out(v);
	if (first && attr->sample_type != first->ev.attr.sample_type &&
	    (v->id_at < 0 || v->id_at != t->id_at)) {
		pt_err_set(
			e,
			"event %s: its sample type 0x%llx differs from that of %s (0x%llx), and no id tells their records apart",
			use, (unsigned long long)attr->sample_type, first->ev.name,
			(unsigned long long)first->ev.attr.sample_type);
		free(made);
		free(v);
		return NULL;
	}
	ev = evtable_append(t, v, use);
	free(made);
	return ev;
}

struct pt_event *pt_evtable_copy(struct pt_evtable *t, const struct pt_event *ev)
{
	struct pt_evt *v = pt_alloc(sizeof(*v));

	v->ev = (struct pt_event){ .attr = ev->attr, .tp = ev->tp, .side_band = ev->side_band };
	evtable_lay_out(v);
	return evtable_append(t, v, ev->name);
}

void pt_evtable_add_id(struct pt_evtable *t, struct pt_event *ev, uint64_t id)
{
	struct pt_evt *v = (struct pt_evt *)ev;
	uint64_t *ids = (uint64_t *)ev->ids;

	PT_GROW(ids, ev->nr_ids, v->cap_ids);
	ids[ev->nr_ids++] = id;
	ev->ids = ids;
	*pt_map_put(&t->ids, id) = ev->index;
	t->cache[id % PT_ID_CACHE].evt = NULL;
}

void pt_evtable_set_name(struct pt_evtable *t, struct pt_event *ev, const char *name)
{
	ev->name = pt_names_add(t->names, name, strlen(name));
	((struct pt_evt *)ev)->named = true;
}

/* A single event of an old recording may have no ids. Records that perf itself adds have the id 0.
 */
struct pt_evt *pt_evtable_find(struct pt_evtable *t, uint64_t id)
{
	uint64_t *index = pt_map_get(&t->ids, id);
	struct pt_evt *v = index                                          ? t->evs[*index]
			   : t->nr && (!id || (t->nr == 1 && !t->ids.nr)) ? t->evs[0]
									  : t->sharing;

	if (v) {
		t->cache[id % PT_ID_CACHE].id = id;
		t->cache[id % PT_ID_CACHE].evt = v;
	}
	return v;
}

struct pt_event *pt_evtable_by_id(const struct pt_evtable *t, uint64_t id)
{
	uint64_t *index = pt_map_get(&t->ids, id);

	return index ? &t->evs[*index]->ev : NULL;
}

uint32_t pt_record_len(const uint8_t *p, uint32_t len, uint32_t trailer_len, bool swap)
{
	enum { NAME_AT = 24, BPF_BYTES = 24, POKE_LENS_AT = 16, POKE_BYTES_AT = 20 };
	uint32_t type = pt_load32(p, swap), own;

	if (type == PERF_RECORD_KSYMBOL && len > NAME_AT)
		own = NAME_AT + (uint32_t)strnlen((const char *)p + NAME_AT, len - NAME_AT) + 1;
	else if (type == PERF_RECORD_BPF_EVENT)
		own = BPF_BYTES;
	else if (type == PERF_RECORD_TEXT_POKE && len > POKE_BYTES_AT)
		own = POKE_BYTES_AT + pt_load16(p + POKE_LENS_AT, swap) +
		      pt_load16(p + POKE_LENS_AT + 2, swap);
	else
		return len;
	return PT_MIN(len, (own + 7) / 8 * 8 + trailer_len);
}

bool pt_evtable_time_slow(struct pt_evtable *t, const uint8_t *p, uint32_t type, uint32_t len,
			  bool swap, uint64_t *time_ns)
{
	bool sample = type == PERF_RECORD_SAMPLE;
	int place = sample ? t->time_at : t->time_end;
	struct pt_evt *v;
	uint64_t at;

	if (type >= PT_RECORD_TICK && type <= PT_RECORD_CHILD_EXIT) {	/* struct pt_own_record */
		at = PT_HEADER_BYTES;
	} else if (type >= PT_RECORD_HEADER_ATTR || place != PT_PLACE_DIFFERS) {
		return false;	/* no time, or a record that is too short for it */
	} else {
		if (!sample)
			len = pt_evtable_len(t, p, len, swap);
		v = sample ? pt_evtable_of_sample(t, p, len, swap)
			   : pt_evtable_of_other(t, p, len, swap);
		if (!v || (sample ? v->time_at : v->time_end) < 0 ||
		    (!sample && len < (uint32_t)v->time_end + PT_HEADER_BYTES))
			return false;
		at = sample ? (uint64_t)v->time_at : len - (uint64_t)v->time_end;
	}
	if (at + 8 > len)
		return false;
	*time_ns = pt_load64(p + at, swap);
	return *time_ns - 1 < UINT64_MAX - 1 || pt_evtable_is_state(type, *time_ns);
}
