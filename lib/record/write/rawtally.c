#include "record/write/rawtally.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "event/abi.h"
#include "record/format/evtable.h"
#include "record/write/state.h"

enum { MAX_MISSING = 1 << 14 };

struct pt_rawtally *pt_rawtally_new(const struct pt_write_event *events, size_t nr,
				    struct pt_build_ids *ids)
{
	struct pt_rawtally *t = pt_alloc(sizeof(*t));
	size_t i, nr_shared = 0;

	t->nr = nr;
	t->events = pt_alloc_array(nr, sizeof(*t->events));
	t->build_ids = ids;
	t->first_ns = UINT64_MAX;
	t->scratch = pt_alloc(UINT16_MAX + 1);
	for (i = 0; i < nr; i++) {
		t->asks |= events[i].attr.flags & PT_ATTR_BUILD_ID;
		t->events[i].time_at = pt_sample_time_at(events[i].attr.sample_type);
		if (pt_event_shares_samples(&events[i].attr) && !nr_shared++)
			t->shared = &t->events[i];
	}
	if (nr_shared > 1)
		t->shared = NULL;
	pt_rawtally_ids(t, events, nr);
	return t;
}

static void forget_missing(struct pt_rawtally *t)
{
	for (size_t i = 0; i < t->nr_missing; i++)
		free(t->missing[i].path);
	t->nr_missing = t->nr_read = 0;
	pt_map_clear(&t->seen);
}

void pt_rawtally_next_file(struct pt_rawtally *t, struct pt_build_ids *ids)
{
	forget_missing(t);
	t->build_ids = ids;
	t->first_ns = UINT64_MAX;
	t->last_ns = 0;
}

void pt_rawtally_free(struct pt_rawtally *t)
{
	if (!t)
		return;
	forget_missing(t);
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

static struct pt_raw_count *rawtally_event_of(struct pt_rawtally *t, uint64_t id)
{
	uint64_t *slot;

	if (t->last && id == t->last_id)
		return t->last;
	slot = pt_map_get(&t->ids, id);
	if (!slot)
		return t->shared;
	t->last_id = id;
	t->last = &t->events[*slot - 1];
	return t->last;
}

static void see_time(struct pt_rawtally *t, const uint8_t *sample)
{
	struct pt_raw_count *f = sample ? rawtally_event_of(t, pt_load64(sample + 8, false)) : NULL;
	uint64_t time_ns;

	if (!f || f->time_at < 0 || f->time_at + 8 > pt_load16(sample + 6, false))
		return;
	time_ns = pt_load64(sample + f->time_at, false);
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
		(struct pt_raw_file){ .pid = pid, .ino = ino, .path = pt_strndup(path, len) };
}

/* header, pid, tid, addr, len, pgoff, 24 bytes of build-id or device and inode, prot, flags,
 * name */
static void see_mmap2(struct pt_rawtally *t, const uint8_t *p, const struct perf_event_header *h)
{
	enum { PID_AT = 8, ID_AT = 40, INO_AT = 48, PROT_AT = 64, NAME_AT = 72 };
	const char *name = (const char *)p + NAME_AT;
	struct pt_build_id id;
	size_t len;

	if (!t->build_ids || h->size <= NAME_AT)
		return;
	len = strnlen(name, h->size - NAME_AT);
	if (!(pt_load32(p + PROT_AT, false) & PROT_EXEC) || len == (size_t)h->size - NAME_AT)
		return;
	if (!(h->misc & PERF_RECORD_MISC_MMAP_BUILD_ID)) {
		note_missing(t, pt_load32(p + PID_AT, false), pt_load64(p + INO_AT, false), name,
			     len);
		return;
	}
	id.len = (uint8_t)PT_MIN(p[ID_AT], sizeof(id.bytes));
	memcpy(id.bytes, p + ID_AT + 4, sizeof(id.bytes));
	pt_build_ids_add(t->build_ids, PERF_RECORD_MISC_USER, &id, name, len);
}

static void rawtally_see_other(struct pt_rawtally *t, const uint8_t *p,
			       const struct perf_event_header *h)
{
	if (h->type == PERF_RECORD_LOST && h->size >= 24)
		t->lost += pt_load64(p + 16, false);
	t->throttled += h->type == PERF_RECORD_THROTTLE;
	if (h->type == PERF_RECORD_MMAP2)
		see_mmap2(t, p, h);
	if (t->state)
		pt_state_see(t->state, p, h->size);
}

size_t pt_rawtally_walk(struct pt_rawtally *t, uint8_t *const part[2], const size_t len[2], int nr)
{
	size_t at = 0, first = len[0], total = first + (nr > 1 ? len[1] : 0);
	uint8_t *p, *sample = NULL;
	struct perf_event_header h;
	struct pt_raw_count *f;

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
			rawtally_see_other(t, p, &h);
			continue;
		}
		if (h.size < sizeof(h) + 8)
			continue;
		f = rawtally_event_of(t, pt_load64(p + sizeof(h), false));
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
		*(written ? &t->events[i].samples : &t->events[i].dropped) += t->events[i].round;
		t->samples += written ? t->events[i].round : 0;
		t->events[i].round = 0;
	}
	t->dropped += written ? 0 : t->round_records;
	t->round_records = 0;
}

size_t pt_rawtally_missing_ids(struct pt_rawtally *t, size_t max)
{
	struct pt_build_id id;

	for (; max && t->nr_read < t->nr_missing; max--, t->nr_read++) {
		const struct pt_raw_file *m = &t->missing[t->nr_read];

		if (pt_build_id_mapped((pid_t)m->pid, m->path, m->ino, &id))
			pt_build_ids_add(t->build_ids, PERF_RECORD_MISC_USER, &id, m->path,
					 strlen(m->path));
	}
	return t->nr_missing - t->nr_read;
}
