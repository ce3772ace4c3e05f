/* recorder_counts.c - what the kernel counted and lost, event by event, as recordings report it */
#include "record/write/recorder_priv.h"

#include "base/mem.h"
#include "event/abi.h"

uint64_t recorder_id(const struct pt_write_event *ev)
{
	return ev->nr_ids ? ev->ids[0] : 0;
}

size_t recorder_trailer(const struct pt_write_event *ev, uint64_t time_ns,
			uint64_t words[RECORDER_TRAILER_WORDS])
{
	static const uint64_t fields[RECORDER_TRAILER_WORDS] = {
		PERF_SAMPLE_TID,       PERF_SAMPLE_TIME, PERF_SAMPLE_ID,
		PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU,	 PERF_SAMPLE_IDENTIFIER
	};
	uint64_t type = ev->attr.sample_type, id = recorder_id(ev);
	size_t n = 0;

	if (!(ev->attr.flags & PT_ATTR_SAMPLE_ID_ALL))
		return 0;
	for (size_t i = 0; i < PT_NR(fields); i++)
		if (type & fields[i])
			words[n++] = fields[i] & (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER) ? id
				     : fields[i] == PERF_SAMPLE_TIME ? time_ns : 0;
	return n * sizeof(*words);
}

void recorder_put(struct pt_recorder *r, uint32_t type, size_t i, uint64_t time_ns,
		  const uint64_t *v, size_t nr)
{
	uint64_t words[RECORDER_TRAILER_WORDS];
	size_t len = recorder_trailer(&r->events[i], time_ns, words);
	struct perf_event_header h = { .type = type };

	h.size = (uint16_t)(sizeof(h) + nr * sizeof(*v) + len);
	pt_buf_add(&r->own, &h, sizeof(h));
	pt_buf_add(&r->own, v, nr * sizeof(*v));
	pt_buf_add(&r->own, words, len);
}

/* A kernel that counts each event's losses gives the total. Otherwise LOST records are all there
 * is; with a single event they are its own. */
int recorder_read_counts(struct pt_recorder *r, struct pt_err *e)
{
	uint64_t told = r->tally->lost;
	struct pt_session_count c;
	size_t i, watched = r->nr_events - 1;

	for (i = 0; i < r->nr_events; i++) {
		struct figures *f = &r->figures[i];

		if (pt_session_count(r->session, i, &c, e) < 0)
			return -1;
		r->has_lost = r->has_lost || c.has_lost;
		f->lost = c.has_lost ? c.lost : watched == 1 && i != r->side_band ? told : 0;
		f->count = c.count;
		f->counted = c.exact && i != r->side_band && (c.has_lost || watched == 1 || !told);
	}
	r->lost_unknown = !r->has_lost && watched > 1 ? told : 0;
	return 0;
}

/* Returns the losses that have no LOST record yet: the kernel writes one when the ring has room
 * again. They are left to the next file, which will have the record, so that in each file the LOST
 * records and the events' losses agree. */
static uint64_t losses_without_record(const struct pt_recorder *r)
{
	uint64_t all = 0;

	for (size_t i = 0; i < r->nr_events; i++)
		all += r->figures[i].lost;
	return r->has_lost && all > r->tally->lost ? all - r->tally->lost : 0;
}

/* Between two files the counts are read before the last samples are written. So a file that is not
 * the last one reports as never delivered only what is certain; the last file reports the rest. */
void recorder_settle_counts(struct pt_recorder *r, bool is_last)
{
	uint64_t for_next = is_last ? 0 : losses_without_record(r);

	for (size_t i = 0; i < r->nr_events; i++) {
		const struct pt_raw_count *raw = &r->tally->events[i];
		struct figures *f = &r->figures[i];
		uint64_t seen = raw->samples + raw->dropped, held,
			 count = f->count, never = 0;

		if (f->counted && count > seen + f->lost)
			never = count - seen - f->lost;
		f->undelivered = never;
		held = PT_MIN(for_next, f->lost - PT_MIN(f->lost, f->in_files.lost));
		for_next -= held;
		f->in_file.lost = f->lost - held - PT_MIN(f->lost - held, f->in_files.lost);
		if (!is_last)
			count = seen + f->lost - held + never;
		f->in_file.count = count - PT_MIN(count, f->in_files.count);
		f->in_files.lost += f->in_file.lost;
		f->in_files.count += f->in_file.count;
	}
}

/* Writes the event's final count as a READ record of no task (pid and tid -1), from which readers
 * compute what was never delivered. Its time is the end of the file: until then, waits that have
 * not ended last. perf skips it. PERF_RECORD_STAT would fit, but makes perf 6.1 read counts that
 * the recording does not have. Layout: perf_event_open(2), PERF_RECORD_READ. */
static void recorder_counts_put_count(struct pt_recorder *r, size_t i)
{
	uint64_t format = r->events[i].attr.read_format, v[8];
	const struct reported *file = &r->figures[i].in_file;
	size_t n = 0;

	v[n++] = UINT64_MAX;		/* pid and tid */
	v[n++] = format & PERF_FORMAT_GROUP ? 1 : file->count;
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		v[n++] = 0;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		v[n++] = 0;
	if (format & PERF_FORMAT_GROUP)
		v[n++] = file->count;
	if (format & PERF_FORMAT_ID)
		v[n++] = recorder_id(&r->events[i]);
	if (format & PT_FORMAT_LOST)
		v[n++] = file->lost;
	recorder_put(r, PERF_RECORD_READ, i, pt_session_clock_ns(r->session), v, n);
}

/* One of several files also says that nothing was lost: its LOST records may then be of losses that
 * an earlier file has reported. */
void recorder_put_counts(struct pt_recorder *r)
{
	size_t i;

	pt_buf_clear(&r->own);
	for (i = 0; i < r->nr_events; i++) {
		uint64_t lost = r->figures[i].in_file.lost + r->tally->events[i].dropped;

		if (lost || (r->tally->state && r->has_lost))
			recorder_put(r, PERF_RECORD_LOST_SAMPLES, i, 0, &lost, 1);
		if (r->figures[i].counted)
			recorder_counts_put_count(r, i);
	}
}
