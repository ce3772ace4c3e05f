#include "record/rawtally.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/map.h"
#include "base/mem.h"
#include "event/abi.h"

enum { MAX_MISSING = 1 << 14, NO_TIME = 0 };

#ifndef PERF_RECORD_MISC_MMAP_BUILD_ID
#define PERF_RECORD_MISC_MMAP_BUILD_ID (1 << 14)
#endif

struct figures {
	uint64_t samples, dropped, round;	/* round: walked but not committed */
	uint32_t time_off;			/* offset of the time in a sample; NO_TIME: none */
};

struct missing {
	uint32_t pid;
	uint64_t ino;
	char *path;
};

struct pt_rawtally {
	struct figures *events;
	size_t nr;
	struct pt_map ids;			/* id -> event + 1 */
	uint64_t last_id;			/* consecutive samples are mostly of one event */
	struct figures *last;
	uint64_t samples, dropped, round_records, lost, lost_chunks, throttled;
	uint64_t first_ns, last_ns;		/* first > last: none */
	struct pt_build_ids *build_ids;
	struct missing *missing;
	/* the first nr_read of them were examined */
	size_t nr_missing, cap_missing, nr_read;
	bool asks;				/* an event asks for build-ids */
	struct pt_map seen;			/* paths in `missing` */
	uint8_t *scratch;			/* for a record that wraps */
};

/* The offset of a sample's time: IDENTIFIER, IP and TID precede it. */
static uint32_t time_offset(uint64_t sample_type)
{
	uint32_t off = sizeof(struct perf_event_header);

	if (!(sample_type & PERF_SAMPLE_TIME))
		return NO_TIME;
	off += sample_type & PERF_SAMPLE_IDENTIFIER ? 8 : 0;
	off += sample_type & PERF_SAMPLE_IP ? 8 : 0;
	off += sample_type & PERF_SAMPLE_TID ? 8 : 0;
	return off;
}

struct pt_rawtally *pt_rawtally_new(const struct pt_write_event *events, size_t nr,
				    struct pt_build_ids *ids)
{
	struct pt_rawtally *t = pt_alloc(sizeof(*t));
	size_t i;

	t->nr = nr;
	t->events = pt_alloc_array(nr, sizeof(*t->events));
	t->build_ids = ids;
	t->first_ns = UINT64_MAX;
	t->scratch = pt_alloc(UINT16_MAX + 1);
	for (i = 0; i < nr; i++)
		t->asks |= events[i].attr.flags & PT_ATTR_BUILD_ID;
	for (i = 0; i < nr; i++)
		t->events[i].time_off = time_offset(events[i].attr.sample_type);
	pt_rawtally_ids(t, events, nr);
	return t;
}

void pt_rawtally_free(struct pt_rawtally *t)
{
	size_t i;

	if (!t)
		return;
	for (i = 0; i < t->nr_missing; i++)
		free(t->missing[i].path);
	free(t->missing);
	pt_map_deinit(&t->seen);
	pt_map_deinit(&t->ids);
	free(t->scratch);
	free(t->events);
	free(t);
}

void pt_rawtally_ids(struct pt_rawtally *t, const struct pt_write_event *events, size_t nr)
{
	size_t i, k;

	for (i = 0; i < nr && i < t->nr; i++)
		for (k = 0; k < events[i].nr_ids; k++)
			*pt_map_put(&t->ids, events[i].ids[k]) = i + 1;
	t->last = NULL;
}

static struct figures *event_of(struct pt_rawtally *t, uint64_t id)
{
	uint64_t *slot;

	if (t->last && id == t->last_id)
		return t->last;
	slot = pt_map_get(&t->ids, id);
	if (!slot)
		return NULL;
	t->last_id = id;
	t->last = &t->events[*slot - 1];
	return t->last;
}

static void see_time(struct pt_rawtally *t, const uint8_t *sample)
{
	struct perf_event_header h;
	struct figures *f;
	uint64_t time_ns;

	if (!sample)
		return;
	memcpy(&h, sample, sizeof(h));
	memcpy(&time_ns, sample + sizeof(h), 8);
	f = event_of(t, time_ns);
	if (!f || f->time_off == NO_TIME || f->time_off + 8u > h.size)
		return;
	memcpy(&time_ns, sample + f->time_off, 8);
	t->first_ns = PT_MIN(t->first_ns, time_ns);
	t->last_ns = PT_MAX(t->last_ns, time_ns);
}

static void note_missing(struct pt_rawtally *t, uint32_t pid, uint64_t ino, const char *path,
			 size_t len)
{
	uint64_t *seen;

	if (!ino || path[0] != '/' || path[1] == '/' || t->nr_missing >= MAX_MISSING)
		return;
	seen = pt_map_put(&t->seen, pt_hash_bytes(path, len) ^ pt_hash64(ino));
	if (*seen)
		return;
	*seen = 1;
	PT_GROW(t->missing, t->nr_missing, t->cap_missing);
	t->missing[t->nr_missing++] =
		(struct missing){ .pid = pid, .ino = ino, .path = pt_strndup(path, len) };
}

static void see_mmap2(struct pt_rawtally *t, const uint8_t *p, const struct perf_event_header *h)
{
	struct {
		struct perf_event_header h;
		uint32_t pid, tid;
		uint64_t addr, len, pgoff;
		uint8_t id[24];
		uint64_t generation_unused;
	} r;
	/* header, pid, tid, addr, len, pgoff, id (24), prot, flags */
	const size_t name_off = 72;
	struct pt_build_id id;
	uint32_t prot;
	uint64_t ino;
	size_t len;

	if (!t->build_ids || h->size <= name_off)
		return;
	memcpy(&r, p, offsetof(__typeof__(r), generation_unused));
	memcpy(&prot, p + 64, 4);
	len = strnlen((const char *)p + name_off, h->size - name_off);
	if (!(prot & PROT_EXEC) || len == h->size - name_off)
		return;
	if (!(h->misc & PERF_RECORD_MISC_MMAP_BUILD_ID)) {
		memcpy(&ino, r.id + 8, sizeof(ino));
		note_missing(t, r.pid, ino, (const char *)p + name_off, len);
		return;
	}
	id.len = (uint8_t)PT_MIN(r.id[0], sizeof(id.bytes));
	memcpy(id.bytes, r.id + 4, sizeof(id.bytes));
	pt_build_ids_add(t->build_ids, PERF_RECORD_MISC_USER, r.pid, &id,
			 (const char *)p + name_off, len);
}

static void see_other(struct pt_rawtally *t, const uint8_t *p, const struct perf_event_header *h)
{
	uint64_t lost;

	switch (h->type) {
	case PERF_RECORD_LOST:
		if (h->size < 24)
			return;
		memcpy(&lost, p + 16, sizeof(lost));
		t->lost += lost;
		t->lost_chunks++;
		break;
	case PERF_RECORD_THROTTLE:
		t->throttled++;
		break;
	case PERF_RECORD_MMAP2:
		see_mmap2(t, p, h);
		break;
	}
}

size_t pt_rawtally_walk(struct pt_rawtally *t, uint8_t *const part[2], const size_t len[2], int nr)
{
	size_t at = 0, first = len[0], total = first + (nr > 1 ? len[1] : 0);
	uint8_t *p, *sample = NULL;
	struct perf_event_header h;
	struct figures *f;
	uint64_t id;

	if (nr < 1)
		return 0;
	while (total - at >= sizeof(h)) {
		p = at < first ? part[0] + at : part[1] + (at - first);
		memcpy(&h, p, sizeof(h));
		if (h.type == PERF_RECORD_MMAP2 && h.misc & PERF_RECORD_MISC_MMAP_BUILD_ID &&
		    !t->asks) {
			h.misc &= (uint16_t)~PERF_RECORD_MISC_MMAP_BUILD_ID;
			memcpy(p, &h, sizeof(h));
		}
		if (h.size < sizeof(h) || h.size > total - at)
			break;
		if (at < first && h.size > first - at) {
			memcpy(t->scratch, p, first - at);
			memcpy(t->scratch + (first - at), part[1], h.size - (first - at));
			p = t->scratch;
		}
		at += h.size;
		t->round_records++;
		if (h.type != PERF_RECORD_SAMPLE) {
			see_other(t, p, &h);
			continue;
		}
		if (h.size < sizeof(h) + 8)
			continue;
		memcpy(&id, p + sizeof(h), sizeof(id));
		f = event_of(t, id);
		if (!f)
			continue;
		f->round++;
		if (!sample)
			see_time(t, p);
		sample = p;
	}
	see_time(t, sample);
	return at;
}

void pt_rawtally_commit(struct pt_rawtally *t, bool written)
{
	size_t i;

	for (i = 0; i < t->nr; i++) {
		if (written)
			t->events[i].samples += t->events[i].round;
		else
			t->events[i].dropped += t->events[i].round;
		t->samples += written ? t->events[i].round : 0;
		t->events[i].round = 0;
	}
	t->dropped += written ? 0 : t->round_records;
	t->round_records = 0;
}

struct pt_raw_count pt_rawtally_event(const struct pt_rawtally *t, size_t i)
{
	return (struct pt_raw_count){ .samples = t->events[i].samples,
				      .dropped = t->events[i].dropped };
}

uint64_t pt_rawtally_samples(const struct pt_rawtally *t) { return t->samples; }
uint64_t pt_rawtally_dropped(const struct pt_rawtally *t) { return t->dropped; }
uint64_t pt_rawtally_lost(const struct pt_rawtally *t) { return t->lost; }
uint64_t pt_rawtally_lost_chunks(const struct pt_rawtally *t) { return t->lost_chunks; }
uint64_t pt_rawtally_throttled(const struct pt_rawtally *t) { return t->throttled; }

bool pt_rawtally_times(const struct pt_rawtally *t, uint64_t *first_ns, uint64_t *last_ns)
{
	*first_ns = t->first_ns;
	*last_ns = t->last_ns;
	return t->first_ns <= t->last_ns;
}

size_t pt_rawtally_missing_ids(struct pt_rawtally *t, size_t max)
{
	struct pt_build_id id;

	for (; max && t->nr_read < t->nr_missing; max--, t->nr_read++) {
		const struct missing *m = &t->missing[t->nr_read];

		if (pt_build_id_mapped((pid_t)m->pid, m->path, m->ino, &id))
			pt_build_ids_add(t->build_ids, PERF_RECORD_MISC_USER, m->pid, &id, m->path,
					 strlen(m->path));
	}
	return t->nr_missing - t->nr_read;
}
