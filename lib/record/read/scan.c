#include "record/read/scan.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "record/format/evtable.h"
#include "record/format/record.h"
#include "tracepoint/tracing.h"

enum { BLOCK_BYTES = 256 << 10, ROOM_BYTES = 64 << 10 };
enum { AHEAD_BYTES = 4096 };	/* processors do not fetch beyond the end of a page by themselves */

bool pt_magic_is(const void *p, size_t n)
{
	static const char *const magics[] = { "PERFILE2", "2ELIFREP", "PERFFILE",
					     PT_TRACING_MAGIC };

	for (size_t i = 0; i < PT_NR(magics); i++)
		if (!memcmp(p, magics[i], PT_MIN(n, (size_t)PT_MAGIC_BYTES)))
			return true;
	return false;
}

struct pt_file_run {
	struct pt_run run;		/* first member: what the order sees */
	struct pt_scan *scan;
	struct pt_block *block;
	struct pt_file_run *next;	/* in the list of spare ones */
	struct pt_file_run *older;	/* in the list of all */
};

static void unref(struct pt_block *b)
{
	if (b && !--b->refs)
		free(b);
}

void pt_scan_init(struct pt_scan *s, struct pt_stream *st, bool swap)
{
	*s = (struct pt_scan){ .st = st, .swap = swap };
}

void pt_scan_deinit(struct pt_scan *s)
{
	struct pt_file_run *r;

	while ((r = s->all)) {
		s->all = r->older;
		unref(r->block);
		free(r);
	}
	pt_buf_deinit(&s->tracing);
	pt_inflate_free(s->inflate);
}

/* Called when the order has reached the end of a run, which becomes a spare one. */
static bool run_is_empty(struct pt_run *run)
{
	struct pt_file_run *r = (struct pt_file_run *)run;

	if (r->scan->open == r)
		r->scan->open = NULL;
	unref(r->block);
	r->block = NULL;
	r->next = r->scan->spare;
	r->scan->spare = r;
	return false;
}

static void begin_run(struct pt_scan *s, const struct pt_scan_in *in, const uint8_t *at,
		      const uint8_t *end, uint64_t before_ns)
{
	struct pt_file_run *r = s->spare;

	if (r) {
		s->spare = r->next;
	} else {
		r = pt_alloc(sizeof(*r));
		r->older = s->all;
		s->all = r;
	}
	r->scan = s;
	r->block = in->block;
	if (r->block)
		r->block->refs++;
	r->run = (struct pt_run){ .at = at,
				  .end = end,
				  .time_ns = before_ns,
				  .seq = s->seq++,
				  .off = in->off + (uint64_t)(at - in->at),
				  .more = run_is_empty };
	s->open = r;
	pt_order_add(s->st->order, &r->run);
}

/* Extends the open run, or begins a new one, up to `end`. */
static void scan_end_run(struct pt_scan *s, const struct pt_scan_in *in, const uint8_t *at,
			 const uint8_t *end, uint64_t before_ns)
{
	if (s->open)
		s->open->run.end = end;
	else
		begin_run(s, in, at, end, before_ns);
}

static int scan_add_event(struct pt_scan *s, const uint8_t *p, uint32_t len, struct pt_err *e)
{
	struct pt_attr attr;
	struct pt_event *ev;
	uint32_t at;

	if (len < PT_HEADER_BYTES ||
	    !pt_attr_read(&attr, p + PT_HEADER_BYTES, len - PT_HEADER_BYTES, s->swap))
		return pt_err_set(e, "an attribute that is cut short");
	ev = pt_evtable_add(s->st->events, &attr, NULL, NULL, e);
	if (!ev)
		return -1;
	for (at = PT_HEADER_BYTES + attr.size; at + 8 <= len; at += 8)
		pt_evtable_add_id(s->st->events, ev, pt_load64(p + at, s->swap));
	if (attr.flags & PT_ATTR_USE_CLOCKID)
		s->st->info->clockid = attr.clockid;
	pt_feature_link_tracepoints(s->st);
	return 0;
}

static void show_own(const struct pt_scan *s, const struct pt_scan_in *in, uint32_t type,
		     uint32_t len)
{
	struct pt_record rec = { .type = type,
				 .misc = pt_load16(in->at + 4, s->swap),
				 .swap = s->swap,
				 .data = in->at,
				 .len_bytes = len,
				 .off = in->off,
				 .source = s->st->source };

	if (s->st->see_own)
		s->st->see_own(s->st->see_own_ctx, &rec);
}

/* Handles perf's own records. Damage in one that only describes the recording is noted, and the
 * reading goes on. */
static int take_header(struct pt_scan *s, const struct pt_scan_in *in, uint32_t type, uint32_t len,
		       struct pt_err *e)
{
	const uint8_t *p = in->at;
	struct pt_features *f = s->st->features;
	struct pt_err small = PT_ERR_INIT;
	uint64_t number;
	int rc = 0;

	switch (type) {
	case PT_RECORD_HEADER_ATTR:
		return scan_add_event(s, p, len, e);
	case PT_RECORD_HEADER_TRACING_DATA:
		if (len < 12)
			return pt_err_set(e, "cut short");
		s->skip = pt_load32(p + 8, s->swap);
		s->skip_is_tracing = true;
		pt_buf_clear(&s->tracing);
		return 0;
	case PT_RECORD_AUXTRACE:
		if (len < 16)
			return pt_err_set(e, "cut short");
		s->skip = pt_load64(p + 8, s->swap);
		s->st->tally->aux_bytes += s->skip;
		s->skip_is_tracing = false;
		return 0;
	case PT_RECORD_HEADER_FEATURE:
		number = len >= 16 ? pt_load64(p + 8, s->swap) : PT_NR_FEATURES;
		if (number < PT_NR_FEATURES && len > 16)
			rc = pt_feature_read(s->st, (unsigned)number, p + 16, len - 16, s->swap,
					     &small);
		break;
	case PT_RECORD_HEADER_BUILD_ID:
		rc = pt_feature_build_id(f, p, len, s->swap);
		break;
	case PT_RECORD_EVENT_UPDATE:
		rc = pt_feature_event_update(s->st, p, len, s->swap);
		break;
	case PT_RECORD_TIME_CONV:
		rc = pt_feature_time_conv(f, p, len, s->swap);
		break;
	default:
		if (type <= PT_RECORD_BPF_METADATA)
			return 0;	/* known, but not used here */
		if (!s->st->tally->unknown_records++)
			s->st->tally->unknown_type = type;
	}
	if (rc < 0) {
		if (!*small.msg)
			pt_err_set(&small, "the record at 0x%llx (%s) is damaged",
				   (unsigned long long)in->off, pt_record_type_name(type));
		pt_err_first(&s->late, &small);
	}
	return 0;
}

static int scan_expand(struct pt_scan *s, const struct pt_scan_in *in, uint32_t type, uint32_t len,
		       struct pt_err *e)
{
	uint64_t size = len - PT_HEADER_BYTES;
	const uint8_t *data = in->at + PT_HEADER_BYTES;

	if (in->nested)
		return pt_err_set(e, "compressed twice");
	if (type == PT_RECORD_COMPRESSED2) {
		if (size < 8 || pt_load64(data, s->swap) > size - 8)
			return pt_err_set(e, "the compressed data does not lie within it");
		size = pt_load64(data, s->swap);
		data += 8;
	}
	if (!s->inflate)
		s->inflate = pt_inflate_new();
	return pt_inflate_record(s->inflate, s, data, size, in->off, e);
}

/* By perf's rule each ring is emptied once in a round, so everything older than the latest record
 * of the previous round is there now. */
static void end_round(struct pt_scan *s)
{
	s->until_ns = s->next_until_ns;
	s->next_until_ns = s->max_time_ns;
}

static enum pt_scan_end bad_record(uint32_t type, uint64_t off, struct pt_err *e)
{
	pt_err_context(e, "record at 0x%llx (%s)", (unsigned long long)off,
		       pt_record_type_name(type));
	return PT_SCAN_BAD;
}

/* Handles a record that goes to no run. */
static enum pt_scan_end take_other(struct pt_scan *s, const struct pt_scan_in *in, uint32_t type,
				   uint32_t len, struct pt_err *e)
{
	bool compressed = type == PT_RECORD_COMPRESSED || type == PT_RECORD_COMPRESSED2;
	int rc;

	if (type - PT_RECORD_HEADER_ATTR < PT_NR_OWN_RECORDS)
		s->st->tally->own_records[type - PT_RECORD_HEADER_ATTR]++;
	if (!compressed) {
		s->open = NULL;
		show_own(s, in, type, len);
	}
	if (type == PT_RECORD_FINISHED_ROUND) {
		end_round(s);
		return PT_SCAN_ROUND;
	}
	rc = compressed ? scan_expand(s, in, type, len, e) : take_header(s, in, type, len, e);
	if (rc == 0 && s->skip && in->nested)
		rc = pt_err_set(e, "data after a record that is compressed");
	if (rc < 0)
		return bad_record(type, in->off, e);
	return s->skip ? PT_SCAN_SKIP : PT_SCAN_MORE;
}

/* Puts records into runs, up to the first that belongs into none. */
PT_INLINE void take_runs(struct pt_scan *s, struct pt_scan_in *in, bool swap)
{
	struct pt_evtable *t = s->st->events;
	const uint8_t *p = in->at, *end = in->end, *first = p;
	uint64_t last = s->last_time_ns, max = s->max_time_ns, before = last, time_ns;

	if (end - p < PT_HEADER_BYTES || pt_load32(p, swap) >= PT_RECORD_HEADER_ATTR)
		return;
	if (s->open && (s->open->run.end != p || s->open->block != in->block))
		s->open = NULL;
	while (end - p >= PT_HEADER_BYTES) {
		uint32_t type = pt_load32(p, swap), len = pt_load16(p + 6, swap);

		__builtin_prefetch(p + AHEAD_BYTES);
		if (type >= PT_RECORD_HEADER_ATTR || len < PT_HEADER_BYTES ||
		    len > (size_t)(end - p))
			break;
		if (pt_evtable_time_in(t, p, type, len, swap, &time_ns)) {
			if (time_ns < last && p > first) {
				scan_end_run(s, in, first, p, before);
				s->open = NULL;
				before = last;
				first = p;
			} else if (time_ns < last) {
				s->open = NULL;
			}
			last = time_ns;
			if (time_ns > max)
				max = time_ns;
		}
		p += len;
	}
	if (p > first)
		scan_end_run(s, in, first, p, before);
	s->last_time_ns = last;
	s->max_time_ns = max;
	in->off += (uint64_t)(p - in->at);
	in->at = p;
}

enum pt_scan_end pt_scan_run(struct pt_scan *s, struct pt_scan_in *in, struct pt_err *e)
{
	enum pt_scan_end how;
	uint32_t type, len;

	for (;;) {
		if (s->swap)
			take_runs(s, in, true);
		else
			take_runs(s, in, false);
		if (in->end - in->at < PT_HEADER_BYTES)
			return PT_SCAN_MORE;
		type = pt_load32(in->at, s->swap);
		len = pt_load16(in->at + 6, s->swap);
		if (len < PT_HEADER_BYTES) {
			pt_err_set(e, "its size %u is impossible", len);
			return bad_record(type, in->off, e);
		}
		if (pt_magic_is(in->at, PT_MAGIC_BYTES)) {
			pt_err_set(e, "at 0x%llx another recording begins: each is read by itself",
				   (unsigned long long)in->off);
			return PT_SCAN_BAD;
		}
		if (len > (size_t)(in->end - in->at))
			return PT_SCAN_MORE;
		how = take_other(s, in, type, len, e);
		if (how == PT_SCAN_BAD)
			return how;
		in->at += len;
		in->off += len;
		if (how != PT_SCAN_MORE)
			return how;
	}
}

size_t pt_scan_skip(struct pt_scan *s, const uint8_t *p, size_t len)
{
	size_t n = (size_t)PT_MIN(s->skip, (uint64_t)len);
	struct pt_err e = PT_ERR_INIT;

	if (s->skip_is_tracing)
		pt_buf_add(&s->tracing, p, n);
	s->skip -= n;
	if (!s->skip && s->skip_is_tracing) {
		if (pt_feature_read(s->st, PT_FEATURE_TRACING_DATA, s->tracing.data, s->tracing.len,
				    s->swap, &e) < 0)
			pt_err_first(&s->late, &e);
		pt_buf_deinit(&s->tracing);
		s->skip_is_tracing = false;
	}
	return n;
}

uint8_t *pt_feed_room(struct pt_feed *f, size_t *room)
{
	struct pt_block *old = f->block, *b;
	size_t left = old ? old->len - f->at : 0, cap;

	if (old && old->refs == 1 && f->at) {	/* nobody else uses it */
		memmove(old->data, old->data + f->at, left);
		old->len = left;
		f->at = 0;
	}
	if (!old || old->cap - old->len < ROOM_BYTES) {
		cap = left + ROOM_BYTES > BLOCK_BYTES ? left + ROOM_BYTES : BLOCK_BYTES;
		b = pt_realloc(NULL, sizeof(*b) + cap, 1);
		b->refs = 1;
		b->cap = cap;
		b->len = left;
		if (left)
			memcpy(b->data, old->data + f->at, left);
		unref(old);
		f->block = b;
		f->at = 0;
	}
	*room = f->block->cap - f->block->len;
	return f->block->data + f->block->len;
}

enum pt_scan_end pt_feed_scan(struct pt_feed *f, struct pt_scan *s, bool nested, struct pt_err *e)
{
	struct pt_block *b = f->block;
	struct pt_scan_in in = { b, b->data + f->at, b->data + b->len, f->off, nested };
	enum pt_scan_end how = PT_SCAN_SKIP;
	size_t n;

	if (s->skip) {
		n = pt_scan_skip(s, in.at, (size_t)(in.end - in.at));
		in.at += n;
		in.off += n;
	} else {
		how = pt_scan_run(s, &in, e);
	}
	f->at = (size_t)(in.at - b->data);
	f->off = in.off;
	return how;
}

void pt_feed_deinit(struct pt_feed *f)
{
	unref(f->block);
	f->block = NULL;
}
