#include "record/format/pages.h"

#include <kbuffer.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"

enum {
	READABLE_BEHIND = 64,
	MAX_PAGE_BYTES = 1 << 20,
	COMMIT_MASK = (1 << 27) - 1,	/* the bits above are flags */
	TYPE_AT = 0, PID_AT = 4, COMMON_BYTES = 8,	/* common_type, common_pid */
	MAX_RAW_BYTES = 65400,		/* a record's size has 16 bits */
};

int pt_pages_init(struct pt_pages *p, struct pt_err *e)
{
	bool big = (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) != p->swap;

	if (p->page_bytes < 64 || p->page_bytes > MAX_PAGE_BYTES ||
	    (p->long_bytes != 4 && p->long_bytes != 8))
		return pt_err_set(e, "pages of %u bytes and longs of %d cannot be", p->page_bytes,
				  p->long_bytes);
	p->reader = kbuffer_alloc(p->long_bytes == 8 ? KBUFFER_LSIZE_8 : KBUFFER_LSIZE_4,
				  big ? KBUFFER_ENDIAN_BIG : KBUFFER_ENDIAN_LITTLE);
	if (!p->reader)
		return pt_err_set(e, "out of memory");
	p->copy = pt_alloc(p->page_bytes + READABLE_BEHIND);
	p->last_tid = UINT32_MAX;
	return 0;
}

void pt_pages_deinit(struct pt_pages *p)
{
	if (p->reader)
		kbuffer_free(p->reader);
	free(p->copy);
	pt_map_deinit(&p->pids);
}

static uint32_t pages_process_of(struct pt_pages *p, uint32_t tid)
{
	uint64_t *at;

	if (tid == p->last_tid)
		return p->last_pid;
	at = pt_map_get(&p->pids, tid);
	if (!at) {
		uint32_t pid = tid && p->process_of ? p->process_of(p->ctx, tid) : tid;

		at = pt_map_put(&p->pids, tid);
		*at = pid;
	}
	p->last_tid = tid;
	p->last_pid = (uint32_t)*at;
	return p->last_pid;
}

static uint64_t time_of(const struct pt_pages *p, uint64_t stamp)
{
	if (p->mult)
		stamp = (uint64_t)((unsigned __int128)stamp * p->mult >> p->shift);
	return stamp + (uint64_t)p->offset_ns;
}

static void put_header(const struct pt_pages *p, uint8_t *out, uint32_t type, size_t size)
{
	pt_store32(out, type, p->swap);
	pt_store16(out + 4, 0, p->swap);
	pt_store16(out + 6, (uint16_t)size, p->swap);
}

/* Makes a sample of the event's record. Returns the sample's bytes. */
static size_t put_sample(struct pt_pages *p, const uint8_t *raw, size_t raw_len, uint64_t time_ns,
			 uint32_t cpu, uint8_t *out)
{
	uint32_t tid = pt_load32(raw + PID_AT, p->swap);
	size_t padded = ((4 + raw_len + 7) & ~(size_t)7) - 4;

	put_header(p, out, PERF_RECORD_SAMPLE, PT_PAGE_RAW_AT + padded);
	pt_store64(out + 8, PT_PAGE_ID_BASE + pt_load16(raw + TYPE_AT, p->swap), p->swap);
	pt_store32(out + 16, pages_process_of(p, tid), p->swap);
	pt_store32(out + 20, tid, p->swap);
	pt_store64(out + 24, time_ns, p->swap);
	pt_store32(out + 32, cpu, p->swap);
	pt_store32(out + 36, 0, p->swap);
	pt_store32(out + 40, (uint32_t)padded, p->swap);
	memcpy(out + PT_PAGE_RAW_AT, raw, raw_len);
	memset(out + PT_PAGE_RAW_AT + raw_len, 0, padded - raw_len);
	return PT_PAGE_RAW_AT + padded;
}

size_t pt_pages_put_lost(struct pt_pages *p, uint64_t lost, uint64_t time_ns, uint32_t cpu,
			 uint8_t *out)
{
	/* id, lost; the trailer: TID, TIME, CPU, IDENTIFIER */
	uint64_t words[6] = { p->lost_id, lost, 0, time_ns, 0, p->lost_id };
	size_t i;

	put_header(p, out, PERF_RECORD_LOST, 8 + sizeof(words));
	for (i = 0; i < PT_NR(words); i++)
		pt_store64(out + 8 + 8 * i, words[i], p->swap);
	pt_store32(out + 8 + 8 * 4, cpu, p->swap);
	p->told_lost += lost;
	return 8 + sizeof(words);
}

int pt_pages_convert(struct pt_pages *p, const void *page, size_t page_len, uint32_t cpu,
		     struct pt_pages_out *out, struct pt_err *e)
{
	uint32_t head = 8 + (uint32_t)p->long_bytes, commit;
	const uint8_t *end, *raw;
	unsigned long long stamp;
	int missed;

	out->len_bytes = 0;
	page_len = PT_MIN(page_len, p->page_bytes);
	memcpy(p->copy, page, page_len);
	memset(p->copy + page_len, 0, p->page_bytes + READABLE_BEHIND - page_len);
	commit = (uint32_t)(p->long_bytes == 8 ? pt_load64(p->copy + 8, p->swap)
					       : pt_load32(p->copy + 8, p->swap)) & COMMIT_MASK;
	if (commit > p->page_bytes - head)
		return pt_err_set(e, "a page of CPU %u says it holds %u bytes", cpu, commit);
	end = p->copy + head + commit;
	kbuffer_load_subbuffer(p->reader, p->copy);
	out->last_ns = time_of(p, pt_load64(p->copy, p->swap));
	missed = kbuffer_missed_events(p->reader);
	if (missed > 0)
		out->len_bytes = pt_pages_put_lost(p, (uint64_t)missed, out->last_ns, cpu, out->at);
	for (raw = kbuffer_read_event(p->reader, &stamp); raw;
	     raw = kbuffer_next_event(p->reader, &stamp)) {
		int len = kbuffer_event_size(p->reader);

		if (raw < p->copy + head || raw > end || len < COMMON_BYTES ||
		    len > end - raw || len > MAX_RAW_BYTES)
			return pt_err_set(e,
					  "a page of CPU %u holds an event of %d bytes that is not within it",
					  cpu, len);
		out->last_ns = time_of(p, stamp);
		out->len_bytes += put_sample(p, raw, (size_t)len, out->last_ns, cpu,
					     out->at + out->len_bytes);
	}
	return 0;
}
