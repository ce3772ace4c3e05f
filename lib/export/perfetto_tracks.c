/* perfetto_tracks.c - rows of threads, disks and counters, and what happens on them. */
#ifdef PT_WITH_PROTOBUF

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/text.h"
#include "export/perfetto_priv.h"

enum { SLICE_BEGIN = 1, SLICE_END, INSTANT, COUNTER, UNIT_COUNT = 2 };

/* -- requests of disks -- */

static struct perfetto_device *device_of(struct pt_perfetto *p, uint32_t dev)
{
	uint64_t *slot = pt_map_put(&p->device_numbers, dev);

	if (!*slot) {
		*slot = p->nr_devices + 1;
		PT_GROW_TO(p->devices, p->nr_devices, *slot - 1);
	}
	return &p->devices[*slot - 1];
}

/* The first lane that is free when a request begins. Requests come in the order of their ends. */
static uint32_t perfetto_tracks_lane_of(struct perfetto_device *d, const struct pt_latency *lat)
{
	uint32_t lane;

	for (lane = 0; lane < d->nr && d->ends_ns[lane] > lat->start_ns; lane++)
		;
	if (lane == d->nr) {
		PT_GROW(d->ends_ns, d->nr, d->cap);
		d->nr++;
	}
	d->ends_ns[lane] = lat->end_ns;
	return lane;
}

static uint64_t lane_track(struct pt_perfetto *p, const struct pt_latency *lat,
			   const struct pt_record *rec)
{
	Pf__TrackDescriptor device = PF__TRACK_DESCRIPTOR__INIT, lane = device;

	pt_buf_clear(&p->text);
	pt_buf_puts(&p->text, "disk ");
	pt_lat_by(p->requests, "dev", lat, rec, &p->text);
	device.name = lane.name = (char *)pt_buf_str(&p->text);
	lane.has_parent_uuid = 1;
	lane.parent_uuid = perfetto_track(p, PERFETTO_DEVICE, 0, lat->dev, &device);
	return perfetto_track(p, PERFETTO_LANE,
			      perfetto_tracks_lane_of(device_of(p, lat->dev), lat), lat->dev,
			      &lane);
}

void perfetto_request(struct pt_perfetto *p, const struct pt_record *rec)
{
	static const char *const names[] = { "sector", "sectors", "error", "tid", "pid" };
	struct pt_lat_opts o = { .kind = PT_LAT_BLOCK };
	Pf__TrackEvent begin = PF__TRACK_EVENT__INIT, end = begin;
	Pf__DebugAnnotation notes[PT_NR(names)], *pointers[PT_NR(names)];
	char *category = (char *)"block";
	struct pt_latency lat;

	if (!p->requests)
		p->requests = pt_lat_new(&o, p->src);
	if (pt_lat_feed(p->requests, rec, &lat, NULL) <= 0)
		return;
	begin.track_uuid = end.track_uuid = lane_track(p, &lat, rec);
	for (size_t i = 0; i < PT_NR(names); i++) {
		const int64_t v[] = { (int64_t)lat.sector, lat.nr_sectors, lat.error,
				      (int32_t)lat.tid, (int32_t)lat.pid };

		pf__debug_annotation__init(&notes[i]);
		notes[i].name = (char *)names[i];
		notes[i].has_int_value = 1;
		notes[i].int_value = v[i];
		pointers[i] = &notes[i];
	}
	pt_buf_clear(&p->text);
	pt_lat_by(p->requests, "op", &lat, rec, &p->text);
	begin.name = perfetto_text(&p->text2, pt_buf_str(&p->text), p->text.len);
	begin.type = SLICE_BEGIN;
	begin.categories = &category;
	begin.n_categories = 1;
	begin.debug_annotations = pointers;
	begin.n_debug_annotations = PT_NR(names) - (lat.pid == UINT32_MAX ? 2 : 0);
	end.type = SLICE_END;
	perfetto_track_event(p, &begin, lat.start_ns);
	perfetto_track_event(p, &end, lat.end_ns);
}

/* -- tracepoints and probes -- */

/* The elements of an array, with commas between them. */
static void add_elements(struct pt_buf *b, const struct pt_tp_field *f, const uint8_t *data,
			 size_t len, bool swap)
{
	uint32_t size = pt_is_number_size(f->elem_bytes) ? f->elem_bytes : 1;

	for (size_t i = 0; i + size <= len; i += size) {
		uint64_t v = pt_load_number(data + i, size, f->flags & PT_TP_SIGNED, swap);

		if (i)
			pt_buf_putc(b, ',');
		if (f->flags & PT_TP_SIGNED)
			pt_buf_dec_signed(b, (int64_t)v);
		else
			pt_buf_dec(b, v);
	}
}

/* Sets the value of a field; appends texts to p->text, ended by a NUL. False: it has none. */
static bool perfetto_tracks_add_value(struct pt_perfetto *p, const struct pt_tp_field *f,
				      const struct pt_record *rec, Pf__DebugAnnotation *note,
				      size_t *text)
{
	const struct pt_sample *s = &rec->sample;
	const void *data = PT_TP_FAULT;
	size_t len = sizeof(PT_TP_FAULT) - 1;
	uint64_t v;

	if (!pt_tp_faulted(f, s->raw, s->raw_len, rec->swap) &&
	    !(f->flags & (PT_TP_ARRAY | PT_TP_DYNAMIC | PT_TP_STRING))) {
		if (!pt_tp_value(f, s->raw, s->raw_len, rec->swap, &v))
			return false;
		note->has_pointer_value = (f->flags & PT_TP_POINTER) != 0;
		note->has_int_value = !note->has_pointer_value && f->flags & PT_TP_SIGNED;
		note->has_uint_value = !note->has_pointer_value && !note->has_int_value;
		note->pointer_value = note->uint_value = v;
		note->int_value = (int64_t)v;
		return true;
	}
	*text = p->text.len + 1;
	if (pt_tp_faulted(f, s->raw, s->raw_len, rec->swap))
		pt_text_valid(&p->text, data, len);
	else if (!pt_tp_data(f, s->raw, s->raw_len, rec->swap, &data, &len))
		return false;
	else if (f->flags & PT_TP_STRING)
		pt_text_valid(&p->text, data, len);
	else
		add_elements(&p->text, f, data, len, rec->swap);
	pt_buf_putc(&p->text, '\0');
	return true;
}

static size_t add_values(struct pt_perfetto *p, const struct pt_record *rec)
{
	const struct pt_tp *tp = rec->event->tp;
	size_t nr = 0, i;

	if (p->cap_notes < tp->nr_fields) {
		p->cap_notes = tp->nr_fields;
		p->notes = pt_realloc(p->notes, p->cap_notes, sizeof(*p->notes));
		p->note_pointers =
			pt_realloc(p->note_pointers, p->cap_notes, sizeof(*p->note_pointers));
		p->note_texts = pt_realloc(p->note_texts, p->cap_notes, sizeof(*p->note_texts));
	}
	pt_buf_clear(&p->text);
	for (i = tp->nr_common; i < tp->nr_fields && rec->has & PERF_SAMPLE_RAW; i++) {
		Pf__DebugAnnotation *note = &p->notes[nr];

		pf__debug_annotation__init(note);
		p->note_texts[nr] = 0;
		if (!perfetto_tracks_add_value(p, &tp->fields[i], rec, note, &p->note_texts[nr]))
			continue;
		note->name = perfetto_name(p, tp->fields[i].name);
		p->note_pointers[nr++] = note;
	}
	/* Only now: the buffer moves while it grows. */
	for (i = 0; i < nr; i++)
		if (p->note_texts[i])
			p->notes[i].string_value = p->text.data + p->note_texts[i] - 1;
	return nr;
}

static uint64_t task_track(struct pt_perfetto *p, const struct pt_record *rec)
{
	Pf__TrackDescriptor track = PF__TRACK_DESCRIPTOR__INIT;
	Pf__ThreadDescriptor thread = PF__THREAD_DESCRIPTOR__INIT;
	uint32_t cpu = rec->has & PERF_SAMPLE_CPU ? rec->cpu : 0;
	char name[32];

	if (rec->has & PERF_SAMPLE_TID && rec->tid && rec->tid != UINT32_MAX) {
		thread.pid = (int32_t)rec->pid;
		thread.tid = (int32_t)rec->tid;
		track.thread = &thread;
		return perfetto_track(p, PERFETTO_THREAD, rec->pid, rec->tid, &track);
	}
	/* the idle task, of which each CPU has one */
	snprintf(name, sizeof(name), "idle, CPU %u", cpu);
	track.name = name;
	return perfetto_track(p, PERFETTO_CPU, 0, cpu, &track);
}

void perfetto_instant(struct pt_perfetto *p, const struct pt_record *rec)
{
	const struct pt_tp *tp = rec->event->tp;
	Pf__TrackEvent ev = PF__TRACK_EVENT__INIT;
	char *category = perfetto_name(p, tp->system);

	ev.track_uuid = task_track(p, rec);
	ev.type = INSTANT;
	ev.name = perfetto_name(p, tp->name);
	ev.categories = &category;
	ev.n_categories = 1;
	ev.n_debug_annotations = add_values(p, rec);
	ev.debug_annotations = p->note_pointers;
	perfetto_track_event(p, &ev, rec->time_ns);
}

/* -- counters -- */

static const struct pt_event *perfetto_tracks_event_of_id(struct pt_perfetto *p, uint64_t id)
{
	const uint64_t *slot;

	for (; p->nr_ids_of < pt_source_nr_events(p->src); p->nr_ids_of++) {
		const struct pt_event *ev = pt_source_event(p->src, p->nr_ids_of);

		for (size_t i = 0; i < ev->nr_ids; i++)
			*pt_map_put(&p->ids, ev->ids[i]) = p->nr_ids_of + 1;
	}
	slot = pt_map_get(&p->ids, id);
	return slot ? pt_source_event(p->src, *slot - 1) : NULL;
}

/* One row for each counter. If several tasks are counted on a CPU, an event has several there. */
static uint64_t counter_track(struct pt_perfetto *p, const struct pt_event *ev, uint64_t id,
			      const struct pt_record *rec)
{
	Pf__TrackDescriptor track = PF__TRACK_DESCRIPTOR__INIT;
	Pf__CounterDescriptor counter = PF__COUNTER_DESCRIPTOR__INIT;
	uint32_t cpu = rec->has & PERF_SAMPLE_CPU ? rec->cpu : UINT32_MAX;
	uint64_t *first = pt_map_put(&p->counters, (uint64_t)ev->index << 32 | cpu);

	if (!*first)
		*first = id + 1;
	pt_buf_clear(&p->text);
	pt_text_valid(&p->text, ev->name, strlen(ev->name));
	if (cpu != UINT32_MAX)
		pt_buf_printf(&p->text, ", CPU %u", cpu);
	if (*first != id + 1)
		pt_buf_printf(&p->text, ", counter %llu", (unsigned long long)id);
	track.name = (char *)pt_buf_str(&p->text);
	counter.unit = UNIT_COUNT;
	track.counter = &counter;
	/* Ids are small numbers; those of a recording may be any. */
	return perfetto_track(p, PERFETTO_COUNTER, (uint32_t)(id >> 32), (uint32_t)id, &track);
}

void perfetto_counters(struct pt_perfetto *p, const struct pt_record *rec)
{
	for (uint32_t i = 0; i < rec->sample.nr_read; i++) {
		const struct pt_read_value *v = &rec->sample.read[i];
		const struct pt_event *of =
			v->id ? perfetto_tracks_event_of_id(p, v->id) : rec->event;
		Pf__TrackEvent ev = PF__TRACK_EVENT__INIT;

		if (!of)
			continue;
		ev.track_uuid = counter_track(p, of, v->id ? v->id : rec->id, rec);
		ev.type = COUNTER;
		ev.has_counter_value = 1;
		ev.counter_value = (int64_t)v->value;
		perfetto_track_event(p, &ev, rec->time_ns);
	}
}

#endif
