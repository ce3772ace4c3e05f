/* reader_tracedat_cpu.c - the data of trace.dat: pages, plain or compressed, as runs of samples */
#include "record/read/reader_tracedat_priv.h"

#include <stdlib.h>
#include <string.h>

/* Limits for damaged files: CPUs in all, what is held unpacked at once, names. */
enum { MAX_CPUS = 1 << 14, MAX_CHUNK = 16 << 20, MAX_HELD = 512 << 20, MAX_PAGE_BYTES = 1 << 20,
       MAX_NAMES = 1 << 17 };
enum { COMM_BYTES = 64, TRAILER_BYTES = 32 };

static void drop_chunk(struct tracedat_cpu *c)
{
	if (!c->chunk)
		return;
	pt_packed_free(&c->packed, c->chunk);
	c->file->held -= c->packed.len_bytes;
	c->chunk = NULL;
}

/* Returns the next page; NULL: there are no more, or (e is set) the rest is damaged. */
static const uint8_t *next_page(struct tracedat_cpu *c, size_t *len, struct pt_err *e)
{
	struct tracedat *f = c->file;
	const uint8_t *page;

	if (!c->compressed) {
		pt_mapfile_soon(&f->map, c->at);
		page = f->map.data + c->at;
		*len = PT_MIN(c->pages->page_bytes, c->end - c->at);
		c->at += *len;
		return *len ? page : NULL;
	}
	if (c->chunk_at == c->packed.len_bytes)
		drop_chunk(c);
	if (!c->chunk) {
		struct pt_bytes b = pt_bytes(f->map.data + c->at, c->end - c->at, f->b.swap);

		if (!c->chunks_left)
			return NULL;
		c->chunks_left--;
		if (f->held < MAX_HELD)
			c->chunk = tracedat_unpack(f, &b, MAX_CHUNK, &c->packed);
		if (!c->chunk) {
			c->chunks_left = 0;
			pt_err_set(e, "CPU %u: compressed data at 0x%llx is damaged", c->cpu,
				   (unsigned long long)c->at);
			return NULL;
		}
		c->at = (uint64_t)(b.at - f->map.data);
		c->chunk_at = 0;
		f->held += c->packed.len_bytes;
	}
	page = c->chunk + c->chunk_at;
	*len = PT_MIN(c->pages->page_bytes, c->packed.len_bytes - c->chunk_at);
	c->chunk_at += *len;
	return page;
}

static void rewind_cpu(struct tracedat_cpu *c)
{
	drop_chunk(c);
	c->at = c->off;
	c->end = c->off + c->len_bytes;
	if (c->compressed) {		/* the length does not count the number of chunks */
		struct pt_bytes b = tracedat_at(c->file, c->off);

		c->chunks_left = pt_bytes_u32(&b);
		c->at = (uint64_t)(b.at - c->file->map.data);
		c->end = c->at + PT_MIN(c->len_bytes, pt_bytes_left(&b));
	}
}

/* Converts the next page that has samples; false: there are no more. Damage is noted, and the page
 * after it tried. */
static bool next_samples(struct tracedat_cpu *c, size_t *len)
{
	struct pt_err e = PT_ERR_INIT;
	struct pt_pages_out out = { .at = c->samples };
	const uint8_t *page;
	size_t page_len;

	while ((page = next_page(c, &page_len, &e))) {
		if (pt_pages_convert(c->pages, page, page_len, c->cpu, &out, &e) < 0)
			pt_err_first(&c->file->bad, &e);
		*len = out.len_bytes;
		if (*len)
			return true;
	}
	if (*e.msg)
		pt_err_first(&c->file->bad, &e);
	return false;
}

static bool reader_tracedat_cpu_more(struct pt_run *run)
{
	struct tracedat_cpu *c = (struct tracedat_cpu *)run;
	size_t len;

	if (!next_samples(c, &len))
		return false;
	run->at = c->samples;
	run->end = c->samples + len;
	return true;
}

void tracedat_name(struct tracedat *f, uint32_t tid, const char *name, size_t len)
{
	uint8_t record[PT_HEADER_BYTES + 8 + COMM_BYTES + TRAILER_BYTES] = { 0 };
	size_t size;

	len = PT_MIN(len, (size_t)COMM_BYTES - 1);
	if (!tid || !len || f->named.nr == MAX_NAMES || pt_map_get(&f->named, tid))
		return;
	*pt_map_put(&f->named, tid) = 1;
	size = PT_HEADER_BYTES + 8 + ((len + 8) & ~(size_t)7) + TRAILER_BYTES;
	pt_store32(record, PERF_RECORD_COMM, f->b.swap);
	pt_store16(record + 6, (uint16_t)size, f->b.swap);
	pt_store32(record + 8, tid, f->b.swap);
	pt_store32(record + 12, tid, f->b.swap);
	memcpy(record + 16, name, len);
	pt_buf_add(&f->comm_records, record, size);
}

/* Events that tell names of tasks; saved_cmdlines holds the last 128 only. */
struct name_source {
	const char *event, *tid, *name;
	uint64_t id;			/* 0: the recording does not have it */
	const struct pt_tp_field *tid_field, *name_field;
};

static void find_name_sources(struct pt_tp_db *db, struct name_source *sources, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const struct pt_tp *tp = pt_tp_db_find(db, "sched", sources[i].event, NULL);

		if (!tp)
			continue;
		sources[i].tid_field = pt_tp_field(tp, sources[i].tid);
		sources[i].name_field = pt_tp_field(tp, sources[i].name);
		if (sources[i].tid_field && sources[i].name_field)
			sources[i].id = PT_PAGE_ID_BASE + (uint64_t)tp->id;
	}
}

static void learn_name(struct tracedat *f, const struct name_source *s, const uint8_t *raw,
		       size_t raw_len)
{
	const void *name;
	uint64_t tid;
	size_t len;

	if (pt_tp_value(s->tid_field, raw, raw_len, f->b.swap, &tid) &&
	    !pt_map_get(&f->named, tid) &&
	    pt_tp_data(s->name_field, raw, raw_len, f->b.swap, &name, &len))
		tracedat_name(f, (uint32_t)tid, name, len);
}

static void reader_tracedat_cpu_look_at(struct tracedat *f, const uint8_t *p,
					const struct name_source *sources, size_t nr,
					struct pt_info *info)
{
	uint64_t id = pt_load64(p + 8, f->b.swap), time_ns = pt_load64(p + 24, f->b.swap);

	if (id != f->last_seen)
		*pt_map_put(&f->seen, id) = 1;
	f->last_seen = id;
	info->last_time_ns = PT_MAX(info->last_time_ns, time_ns);
	if (!info->first_time_ns || time_ns < info->first_time_ns)
		info->first_time_ns = time_ns;
	for (size_t i = 0; i < nr; i++)
		if (sources[i].id == id)
			learn_name(f, &sources[i], p + PT_PAGE_RAW_AT,
				   pt_load16(p + 6, f->b.swap) - PT_PAGE_RAW_AT);
}

int tracedat_look_through(struct tracedat *f, struct pt_info *info, struct pt_err *e)
{
	struct name_source sources[] = {
		{ .event = "sched_switch", .tid = "prev_pid", .name = "prev_comm" },
		{ .event = "sched_switch", .tid = "next_pid", .name = "next_comm" },
		{ .event = "sched_waking", .tid = "pid", .name = "comm" },
		{ .event = "sched_wakeup", .tid = "pid", .name = "comm" },
		{ .event = "sched_wakeup_new", .tid = "pid", .name = "comm" },
	};
	size_t len, at;

	find_name_sources(f->tracing.db, sources, PT_NR(sources));
	for (size_t i = 0; i < f->nr_pages; i++) {
		struct pt_pages *p = f->pages[i];

		p->long_bytes = f->tracing.kernel_long_bytes ? f->tracing.kernel_long_bytes
							     : f->tracing.long_bytes;
		p->mult = f->shift < 64 ? f->mult : 0;
		p->shift = f->shift;
		p->offset_ns = f->offset_ns;
		if (pt_pages_init(p, e) < 0)
			return -1;
	}
	for (size_t i = 0; i < f->nr; i++) {
		struct tracedat_cpu *c = f->cpus[i];

		info->nr_cpus_avail = PT_MAX(info->nr_cpus_avail, c->cpu + 1);
		rewind_cpu(c);
		while (next_samples(c, &len))
			for (at = 0; at < len; at += pt_load16(c->samples + at + 6, f->b.swap))
				if (pt_load32(c->samples + at, f->b.swap) == PERF_RECORD_SAMPLE)
					reader_tracedat_cpu_look_at(f, c->samples + at, sources,
								    PT_NR(sources), info);
		rewind_cpu(c);
	}
	info->nr_cpus_avail = PT_MAX(info->nr_cpus_avail, f->nr_cpus);
	return 0;
}

void tracedat_free_cpus(struct tracedat *f)
{
	for (size_t i = 0; i < f->nr; i++) {
		drop_chunk(f->cpus[i]);
		free(f->cpus[i]->samples);
		free(f->cpus[i]);
	}
	for (size_t i = 0; i < f->nr_pages; i++) {
		pt_pages_deinit(f->pages[i]);
		free(f->pages[i]);
	}
	free(f->cpus);
	free(f->pages);
}

/* pt_pages_init() follows when all of the header is known. */
static struct pt_pages *reader_tracedat_cpu_pages_of(struct tracedat *f, uint32_t page_bytes)
{
	struct pt_pages *p;

	for (size_t i = 0; i < f->nr_pages; i++)
		if (f->pages[i]->page_bytes == page_bytes)
			return f->pages[i];
	p = pt_alloc(sizeof(*p));
	*p = (struct pt_pages){ .swap = f->b.swap,
				.page_bytes = page_bytes,
				.lost_id = PT_PAGE_ID_BASE };
	PT_GROW(f->pages, f->nr_pages, f->cap_pages);
	return f->pages[f->nr_pages++] = p;
}

void tracedat_add_cpu(struct tracedat *f, uint32_t cpu, uint64_t off, uint64_t len_bytes,
		      bool compressed, uint32_t page_bytes)
{
	uint64_t samples = (uint64_t)PT_PAGE_GROWTH * page_bytes, left;
	struct pt_err e = PT_ERR_INIT;
	struct tracedat_cpu *c;

	if (!len_bytes)
		return;
	left = off < f->map.len_bytes ? PT_MIN(f->map.len_bytes - off, f->data_left) : 0;
	if (len_bytes > left) {
		pt_err_set(&e, "the data of CPU %u at 0x%llx are cut short (%llu bytes are missing)",
			   cpu, (unsigned long long)off, (unsigned long long)(len_bytes - left));
		pt_err_first(&f->bad, &e);
	}
	if (!left || page_bytes > MAX_PAGE_BYTES || f->nr == MAX_CPUS ||
	    f->held + samples > MAX_HELD)
		return;
	c = pt_alloc(sizeof(*c));
	*c = (struct tracedat_cpu){ .run = { .more = reader_tracedat_cpu_more, .seq = f->nr + 1 },
				    .file = f,
				    .pages = reader_tracedat_cpu_pages_of(f, page_bytes),
				    .cpu = cpu,
				    .compressed = compressed,
				    .off = off,
				    .len_bytes = PT_MIN(len_bytes, left),
				    .samples = pt_alloc(samples) };
	f->data_left -= c->len_bytes;
	f->held += samples;
	PT_GROW(f->cpus, f->nr, f->cap);
	f->cpus[f->nr++] = c;
}
