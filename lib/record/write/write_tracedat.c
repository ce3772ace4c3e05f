#include "record/write/write_tracedat.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/newfile.h"
#include "record/format/section.h"
#include "record/format/tracering.h"
#include "record/watch/live.h"
#include "record/write/write_priv.h"

enum {
	PAGE_HEAD = 8 + sizeof(long),	/* time, bytes in use */
	DELTA_BITS = 27, MAX_WORDS = 28, TYPE_TIME_EXTEND = 30, EXTEND_BYTES = 8,
	OPTION_TRACECLOCK = 4
};
#define LOST_STORED (3ul << 30)		/* some were lost before this page; how many is behind it */

struct cpu_pages {
	FILE *file;
	uint64_t bytes;			/* in the file */
	uint8_t *page;
	size_t used;			/* of the page; 0: not begun */
	uint64_t last_ns;
	unsigned long lost;		/* before this page */
};

struct writer {
	const char *path;
	size_t page_bytes;
	struct cpu_pages *cpus;
	size_t nr_cpus;
	struct pt_map names;		/* thread -> name */
	struct pt_names *texts;
	struct pt_tracedat_written written;
};

static void writer_deinit(struct writer *w)
{
	for (size_t i = 0; i < w->nr_cpus; i++) {
		if (w->cpus[i].file)
			fclose(w->cpus[i].file);
		free(w->cpus[i].page);
	}
	free(w->cpus);
	pt_map_deinit(&w->names);
	pt_names_free(w->texts);
}

static int end_page(struct writer *w, struct cpu_pages *c, struct pt_err *e)
{
	unsigned long commit = c->used - PAGE_HEAD;

	if (!c->used)
		return 0;
	if (c->lost && c->used + sizeof(long) <= w->page_bytes) {
		memcpy(c->page + c->used, &c->lost, sizeof(long));
		commit |= LOST_STORED;
		c->lost = 0;
	}
	memcpy(c->page + 8, &commit, sizeof(long));
	c->used = 0;
	c->bytes += w->page_bytes;
	if (fwrite(c->page, w->page_bytes, 1, c->file) == 1)
		return 0;
	return pt_err_sys(e, errno, "%s: a temporary file", w->path);
}

/* A header of an event: type, or length in words, and the time since the last one. */
static void write_tracedat_put_head(struct cpu_pages *c, uint32_t type, uint64_t delta)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	uint32_t word = type << DELTA_BITS | (uint32_t)delta;
#else
	uint32_t word = (uint32_t)delta << (32 - DELTA_BITS) | type;
#endif
	pt_store32(c->page + c->used, word, false);
	c->used += 4;
}

static struct cpu_pages *write_tracedat_pages_of(struct writer *w, uint32_t cpu, struct pt_err *e)
{
	struct cpu_pages *c;

	PT_GROW_TO(w->cpus, w->nr_cpus, cpu);
	c = &w->cpus[cpu];
	if (c->file)
		return c;
	c->page = pt_alloc(w->page_bytes);
	c->file = tmpfile();
	if (!c->file)
		pt_err_sys(e, errno, "a temporary file");
	return c->file ? c : NULL;
}

static int write_tracedat_add_sample(struct writer *w, const struct pt_record *rec,
				     struct pt_err *e)
{
	size_t words = (rec->sample.raw_len + 3) / 4, need = 4 + words * 4;
	struct cpu_pages *c = write_tracedat_pages_of(w, rec->cpu, e);
	uint64_t delta;

	if (!c)
		return -1;
	need += words > MAX_WORDS ? 4 : 0;
	if (PAGE_HEAD + EXTEND_BYTES + need > w->page_bytes) {
		w->written.too_long++;
		c->lost++;
		return 0;
	}
	if (c->used + EXTEND_BYTES + need > w->page_bytes && end_page(w, c, e) < 0)
		return -1;
	if (!c->used) {
		memset(c->page, 0, w->page_bytes);
		pt_store64(c->page, rec->time_ns, false);
		c->used = PAGE_HEAD;
		c->last_ns = rec->time_ns;
	}
	/* a record that came late is as old as the one before it */
	delta = rec->time_ns > c->last_ns ? rec->time_ns - c->last_ns : 0;
	c->last_ns += delta;
	if (delta >> DELTA_BITS) {
		write_tracedat_put_head(c, TYPE_TIME_EXTEND, delta & ((1u << DELTA_BITS) - 1));
		pt_store32(c->page + c->used, (uint32_t)(delta >> DELTA_BITS), false);
		c->used += 4;
		delta = 0;
	}
	write_tracedat_put_head(c, words > MAX_WORDS ? 0 : (uint32_t)words, delta);
	if (words > MAX_WORDS) {
		pt_store32(c->page + c->used, (uint32_t)(words * 4 + 4), false);
		c->used += 4;
	}
	memcpy(c->page + c->used, rec->sample.raw, rec->sample.raw_len);
	c->used += words * 4;
	w->written.samples++;
	return 0;
}

static int add_record(struct writer *w, const struct pt_record *rec, struct pt_err *e)
{
	struct cpu_pages *c;

	switch (rec->type) {
	case PERF_RECORD_SAMPLE:
		return rec->event && rec->event->tp ? write_tracedat_add_sample(w, rec, e) : 0;
	case PERF_RECORD_COMM:
		*pt_map_put(&w->names, rec->u.comm.tid) =
			pt_word_of(pt_names_add(w->texts, rec->u.comm.comm, SIZE_MAX));
		return 0;
	case PERF_RECORD_LOST:
		if (!(rec->has & PERF_SAMPLE_CPU))
			return 0;
		c = write_tracedat_pages_of(w, rec->cpu, e);
		if (!c || end_page(w, c, e) < 0)
			return -1;
		c->lost += rec->u.lost.lost;
		return 0;
	}
	return 0;
}

static void write_tracedat_add_names(const struct writer *w, struct pt_buf *b)
{
	struct pt_buf lines = PT_BUF_INIT;
	struct pt_map_slot *slot;
	size_t i = 0;

	while ((slot = pt_map_each(&w->names, &i)))
		pt_buf_printf(&lines, "%llu %s\n", (unsigned long long)slot->key,
			      (const char *)pt_pointer(slot->value));
	pt_buf_u64(b, lines.len);
	pt_buf_join(b, &lines);
	pt_buf_deinit(&lines);
}

static void add_clock(const char *clock, struct pt_buf *b)
{
	uint16_t id = OPTION_TRACECLOCK;
	char text[32];

	if (!clock)
		return;
	snprintf(text, sizeof(text), "[%s]", clock);
	pt_buf_add(b, &id, sizeof(id));
	pt_buf_u32(b, (uint32_t)strlen(text) + 1);
	pt_buf_add(b, text, strlen(text) + 1);
}

/* All that is in front of the pages. */
static int make_header(const struct writer *w, const struct pt_source *s, struct pt_buf *b,
		       struct pt_err *e)
{
	const struct pt_tp **tps = pt_alloc_array(pt_source_nr_events(s), sizeof(*tps));
	size_t nr = 0;
	uint64_t at;
	int rc;

	for (size_t i = 0; i < pt_source_nr_events(s); i++)
		if (pt_source_event(s, i)->tp)
			tps[nr++] = pt_source_event(s, i)->tp;
	rc = pt_tracing_data_of_tracedat(b, tps, nr, e);
	free(tps);
	if (rc < 0)
		return -1;
	write_tracedat_add_names(w, b);
	pt_buf_u32(b, (uint32_t)w->nr_cpus);
	pt_buf_add(b, "options  ", 10);
	add_clock(pt_tracering_clock(pt_source_info(s)->clockid), b);
	pt_buf_fill(b, 0, 2);
	pt_buf_add(b, "flyrecord", 10);
	at = b->len + 16 * w->nr_cpus;
	at += -at & (w->page_bytes - 1);
	for (size_t i = 0; i < w->nr_cpus; at += w->cpus[i++].bytes) {
		pt_buf_u64(b, at);
		pt_buf_u64(b, w->cpus[i].bytes);
	}
	pt_buf_fill(b, 0, -b->len & (w->page_bytes - 1));
	return 0;
}

static int copy_pages(struct writer *w, struct pt_newfile *file, struct pt_err *e)
{
	enum { STEP = 1 << 20 };
	uint8_t *step = pt_alloc(STEP);
	int rc = 0;

	for (size_t i = 0; i < w->nr_cpus && rc == 0; i++) {
		FILE *from = w->cpus[i].file;
		size_t n;

		if (!from)
			continue;
		rewind(from);
		while (rc == 0 && (n = fread(step, 1, STEP, from)))
			rc = pt_newfile_write(file, step, n, e);
		if (rc == 0 && ferror(from))
			rc = pt_err_sys(e, errno, "%s: a temporary file", w->path);
	}
	free(step);
	return rc;
}

/* With the formats of the source's events. */
static int write_tracedat_write_file(struct writer *w, const struct pt_source *s, struct pt_err *e)
{
	struct pt_buf header = PT_BUF_INIT;
	struct pt_newfile file;
	struct stat st;
	int rc = 0;

	for (size_t i = 0; i < w->nr_cpus && rc == 0; i++) {
		rc = end_page(w, &w->cpus[i], e);
		w->written.bytes += w->cpus[i].bytes;
	}
	if (rc == 0)
		rc = make_header(w, s, &header, e);
	if (rc == 0)
		rc = pt_newfile_open(&file, w->path, 0600, e);
	if (rc == 0) {
		if (pt_newfile_write(&file, header.data, header.len, e) < 0 ||
		    copy_pages(w, &file, e) < 0 ||
		    (lstat(w->path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
		     write_rename_old(w->path, e) < 0)) {
			pt_newfile_abandon(&file);
			rc = -1;
		} else {
			rc = pt_newfile_publish(&file, e);
		}
	}
	w->written.bytes += header.len;
	pt_buf_deinit(&header);
	return rc;
}

int pt_tracedat_check(const struct pt_watch *w, struct pt_err *e)
{
	bool chains = w->sample_type & PERF_SAMPLE_CALLCHAIN;

	if (w->sample_type || w->intr_regs || w->user_regs)
		return pt_err_set(e, "keeps the fields of tracepoints, not %s",
				  chains ? "call chains"
					 : "what -b, -d, -I, -W and the like ask for");
	for (size_t i = 0; i < w->events.nr; i++)
		if (!w->events.specs[i].tp || w->events.specs[i].chain > PT_CHAIN_NO)
			return pt_err_set(
				e,
				"holds tracepoints without call chains, and %s is something else",
				w->events.specs[i].name);
	return 0;
}

int pt_tracedat_record(const char *path, struct pt_watch *watch, struct pt_source **s,
		       struct pt_tracedat_written *written, struct pt_err *e)
{
	struct writer w = { .path = path,
			    .page_bytes = (size_t)sysconf(_SC_PAGESIZE),
			    .texts = pt_names_new() };
	const struct pt_record *rec;
	int rc;

	watch->want_maps = watch->want_build_ids = watch->want_switches = false;
	watch->no_kernel_map = true;
	rc = pt_source_open_live(s, watch, e);
	while (rc == 0 && (rc = pt_source_next(*s, &rec, e)) > 0)
		rc = add_record(&w, rec, e);
	if (rc == 0)
		rc = write_tracedat_write_file(&w, *s, e);
	*written = w.written;
	writer_deinit(&w);
	return rc;
}
