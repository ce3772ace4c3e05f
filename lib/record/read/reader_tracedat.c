#include "record/read/reader_tracedat_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/format/tracering.h"
#include "record/read/feature.h"

enum { MAX_OPTIONS = 1024, MAX_SECTION = 256 << 20 };	/* for damaged files */

/* Sections and options of the file, by their ids. */
enum {
	OPTION_DONE = 0, OPTION_DATE = 1, OPTION_BUFFER = 3, OPTION_TRACECLOCK = 4,
	OPTION_UNAME = 5, OPTION_OFFSET = 7, OPTION_CPUCOUNT = 8, OPTION_VERSION = 9,
	OPTION_TIME_SHIFT = 12, OPTION_TSC2NSEC = 14, OPTION_HEADERS = 16, OPTION_CMDLINES = 21,
	OPTION_BUFFER_TEXT = 22
};
enum { FLAG_COMPRESSED = 1, V6_TAG_BYTES = 10 };

static const char text_only[] =
	"made by a latency tracer: it holds text, no events (trace-cmd report shows it)";

bool pt_tracedat_is(const void *p, size_t n)
{
	return n && !memcmp(p, PT_TRACING_MAGIC, PT_MIN(n, sizeof(PT_TRACING_MAGIC) - 1));
}

/* Version 7: "u64 offset of the section, NAME\0, CLOCK\0, u32 page size, u32 CPUs, each: u32 CPU,
 * u64 offset, u64 size". Version 6: "u64 offset, NAME\0". */
static int read_buffer(struct tracedat *f, struct pt_bytes b, struct pt_err *e)
{
	uint64_t off = pt_bytes_u64(&b);
	struct pt_bytes section = tracedat_at(f, off);
	uint32_t page_bytes, nr;
	const char *clock;
	bool compressed;

	pt_bytes_str(&b, SIZE_MAX);
	if (!f->is_v7) {
		if (b.bad || f->nr_buffers == PT_NR(f->buffer_offs))
			return pt_err_set(e, "an instance is damaged, or one too many");
		f->buffer_offs[f->nr_buffers++] = off;
		return 0;
	}
	pt_bytes_u16(&section);
	compressed = pt_bytes_u16(&section) & FLAG_COMPRESSED;
	clock = pt_bytes_str(&b, SIZE_MAX);
	page_bytes = pt_bytes_u32(&b);
	nr = pt_bytes_u32(&b);
	if (nr)
		snprintf(f->clock, sizeof(f->clock), "%s", clock);
	for (uint32_t i = 0; i < nr && !b.bad && !section.bad; i++) {
		uint32_t cpu = pt_bytes_u32(&b);
		uint64_t at = pt_bytes_u64(&b), len = pt_bytes_u64(&b);

		if (!b.bad)
			tracedat_add_cpu(f, cpu, at, len, compressed, page_bytes);
	}
	return b.bad || section.bad ? pt_err_set(e, "an instance is cut short") : 0;
}

/* The chosen one is in brackets: "local [mono] boot". */
static void read_clock(struct tracedat *f, const char *text)
{
	if (sscanf(text, "%*[^[][%31[^]]", f->clock) < 1)
		sscanf(text, "[%31[^]]", f->clock);
}

/* "Linux HOST RELEASE ARCH" */
static void read_uname(struct pt_stream *st, const char *text)
{
	char words[3][65];

	if (sscanf(text, "%*s %64s %64s %64s", words[0], words[1], words[2]) != 3)
		return;
	st->info->hostname = pt_names_add(st->features->names, words[0], SIZE_MAX);
	st->info->os_release = pt_names_add(st->features->names, words[1], SIZE_MAX);
	st->info->arch = pt_names_add(st->features->names, words[2], SIZE_MAX);
}

static int read_option(struct tracedat *f, struct pt_stream *st, uint16_t id, struct pt_bytes b,
		       struct pt_err *e)
{
	char *text = pt_strndup((const char *)b.at, pt_bytes_left(&b));
	int rc = 0;

	if (id >= OPTION_HEADERS && id <= OPTION_CMDLINES && f->is_v7)
		f->sections[id - OPTION_HEADERS] = pt_bytes_u64(&b);
	else if (id == OPTION_DATE)	/* microseconds */
		f->offset_ns += (int64_t)(1000 * (uint64_t)strtoll(text, NULL, 0));
	else if (id == OPTION_OFFSET)
		f->offset_ns += strtoll(text, NULL, 0);
	else if (id == OPTION_BUFFER)
		rc = read_buffer(f, b, e);
	else if (id == OPTION_TRACECLOCK)
		read_clock(f, text);
	else if (id == OPTION_UNAME)
		read_uname(st, text);
	else if (id == OPTION_VERSION)
		st->info->version = pt_names_add(st->features->names, text, SIZE_MAX);
	else if (id == OPTION_CPUCOUNT)
		f->nr_cpus = pt_bytes_u32(&b);
	else if (id == OPTION_TSC2NSEC)
		f->mult = pt_bytes_u32(&b), f->shift = pt_bytes_u32(&b);
	else if (id == OPTION_TIME_SHIFT)
		rc = pt_err_set(e, "the recording of a guest: its times need those of the host, which are in the host's file");
	else if (id == OPTION_BUFFER_TEXT)
		rc = pt_err_set(e, "%s", text_only);
	free(text);
	return rc;
}

/* Reads options up to OPTION_DONE; *next is the offset of more (version 7), or 0. */
static int read_options(struct tracedat *f, struct pt_stream *st, struct pt_bytes *b,
			uint64_t *next, struct pt_err *e)
{
	*next = 0;
	for (;;) {
		uint16_t id = pt_bytes_u16(b);
		struct pt_bytes option;

		if (id == OPTION_DONE && !f->is_v7)
			break;
		option = pt_bytes_sub(b, pt_bytes_u32(b));
		if (b->bad)
			break;
		if (id == OPTION_DONE) {
			*next = pt_bytes_u64(&option);
			break;
		}
		if (read_option(f, st, id, option, e) < 0)
			return -1;
	}
	return b->bad ? pt_err_set(e, "its options are cut short") : 0;
}

/* "PID NAME" lines. */
static void take_names(struct tracedat *f)
{
	char *copy = pt_strndup(f->tracing.cmdlines, f->tracing.cmdlines_len), *save, *line;

	for (line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *name;
		uint32_t tid = (uint32_t)strtoul(line, &name, 10);

		if (name > line && *name == ' ')
			tracedat_name(f, tid, name + 1, strlen(name + 1));
	}
	free(copy);
	f->tracing.cmdlines = NULL;
}

static int read_part(struct tracedat *f, enum pt_tracing_part part, struct pt_bytes *b,
		     struct pt_err *e)
{
	if (pt_tracing_read_part(&f->tracing, part, b, e) < 0)
		return -1;
	if (f->tracing.cmdlines)
		take_names(f);
	return 0;
}

/* Version 7: "u16 id, u16 flags, u32 description, u64 size", then the content. For
 * release_section(). */
static struct pt_bytes open_section(const struct tracedat *f, uint64_t off, struct pt_packed *p,
				    uint8_t **unpacked)
{
	struct pt_bytes b = tracedat_at(f, off);
	uint16_t flags;

	*unpacked = NULL;
	pt_bytes_u16(&b);
	flags = pt_bytes_u16(&b);
	pt_bytes_u32(&b);
	b = pt_bytes_sub(&b, pt_bytes_u64(&b));
	if (b.bad || !(flags & FLAG_COMPRESSED))
		return b;
	*unpacked = tracedat_unpack(f, &b, MAX_SECTION, p);
	b = pt_bytes(*unpacked, *unpacked ? p->len_bytes : 0, f->b.swap);
	b.bad = !*unpacked;
	return b;
}

static void release_section(const struct pt_packed *p, uint8_t *unpacked)
{
	if (unpacked)
		pt_packed_free(p, unpacked);
}

static int read_v7(struct tracedat *f, struct pt_stream *st, struct pt_err *e)
{
	struct pt_packed packed;
	uint64_t next = f->options_off;
	uint8_t *unpacked;
	int rc = 0;

	for (int i = 0; next && rc == 0 && i < MAX_OPTIONS; i++) {
		struct pt_bytes b = open_section(f, next, &packed, &unpacked);

		rc = read_options(f, st, &b, &next, e);
		release_section(&packed, unpacked);
	}
	for (int part = 0; part < PT_TRACING_NR && rc == 0; part++) {
		struct pt_err bad = PT_ERR_INIT;
		struct pt_bytes b;

		if (!f->sections[part])
			continue;
		b = open_section(f, f->sections[part], &packed, &unpacked);
		if (read_part(f, (enum pt_tracing_part)part, &b, &bad) < 0)
			pt_err_first(&f->bad, &bad);
		release_section(&packed, unpacked);
	}
	return rc;
}

/* Version 6: "flyrecord\0", each CPU: u64 offset, u64 size. */
static int read_v6_cpus(struct tracedat *f, struct pt_bytes *b, struct pt_err *e)
{
	const char *tag = pt_bytes_take(b, V6_TAG_BYTES);

	if (tag && !strncmp(tag, "latency", 7))
		return pt_err_set(e, "%s", text_only);
	if (!tag || strncmp(tag, "flyrecord", V6_TAG_BYTES))
		return pt_err_set(e, "cut short before its data");
	for (uint32_t i = 0; i < f->nr_cpus && !b->bad; i++) {
		uint64_t at = pt_bytes_u64(b), len = pt_bytes_u64(b);

		if (!b->bad)
			tracedat_add_cpu(f, i, at, len, false, f->tracing.page_bytes);
	}
	return b->bad ? pt_err_set(e, "its table of CPUs is cut short") : 0;
}

static int read_v6(struct tracedat *f, struct pt_stream *st, struct pt_bytes b, struct pt_err *e)
{
	uint64_t none;

	for (int part = 0; part < PT_TRACING_NR; part++)
		if (read_part(f, (enum pt_tracing_part)part, &b, e) < 0)
			return -1;
	f->nr_cpus = pt_bytes_u32(&b);
	if (pt_bytes_left(&b) > V6_TAG_BYTES && !strncmp((const char *)b.at, "options", 7)) {
		pt_bytes_take(&b, V6_TAG_BYTES);
		if (read_options(f, st, &b, &none, e) < 0)
			return -1;
	}
	if (read_v6_cpus(f, &b, e) < 0)
		return -1;
	for (size_t i = 0; i < f->nr_buffers; i++) {
		b = tracedat_at(f, f->buffer_offs[i]);
		if (read_v6_cpus(f, &b, e) < 0)
			return -1;
	}
	return 0;
}

/* Adds the events that occur, in the order of the formats. */
static int reader_tracedat_add_events(struct tracedat *f, struct pt_stream *st, struct pt_err *e)
{
	for (size_t i = 0; i < pt_tp_db_nr(st->tps); i++) {
		const struct pt_tp *tp = pt_tp_db_at(st->tps, i);
		struct pt_attr attr = { .type = PERF_TYPE_TRACEPOINT,
					.size = sizeof(attr),
					.config = (uint64_t)tp->id,
					.sample_period = 1,
					.sample_type = PT_PAGE_FIELDS,
					.flags = PT_ATTR_SAMPLE_ID_ALL };
		uint64_t id = PT_PAGE_ID_BASE + (uint64_t)tp->id;
		struct pt_event *ev;

		if (!pt_map_get(&f->seen, id) || pt_tp_db_by_id(st->tps, tp->id) != tp)
			continue;
		ev = pt_evtable_add(st->events, &attr, NULL, tp, e);
		if (!ev)
			return -1;
		pt_evtable_add_id(st->events, ev, id);
	}
	return 0;
}

static int reader_tracedat_read_header(struct tracedat *f, struct pt_stream *st, struct pt_err *e)
{
	struct pt_bytes b = pt_bytes(f->map.data, f->map.len_bytes, false);
	struct pt_tracing *t = &f->tracing;

	if (pt_tracing_read_header(t, &b, e) < 0)
		return -1;
	f->data_left = f->map.len_bytes;
	st->info->swap = t->swap;
	st->info->long_bytes = t->long_bytes;
	t->db = st->tps = pt_tp_db_new(t->swap, t->long_bytes);
	st->own_tps = true;
	if (f->is_v7) {
		const char *packer = pt_bytes_str(&b, SIZE_MAX);

		f->is_zstd = !strcmp(packer, "zstd");
		if (!f->is_zstd && strcmp(packer, "zlib") && strcmp(packer, "none"))
			return pt_err_set(e, "compressed by \"%.32s\", known are zstd and zlib",
					  packer);
		pt_bytes_str(&b, SIZE_MAX);
		f->options_off = pt_bytes_u64(&b);
	}
	if ((f->is_v7 ? read_v7(f, st, e) : read_v6(f, st, b, e)) < 0)
		return -1;
	st->info->clockid = pt_tracering_clockid(f->clock);
	return 0;
}

/* Reads header and sections, and looks through all pages. */
static int reader_tracedat_begin(struct pt_backend *b, struct pt_stream *st, struct pt_err *e)
{
	struct tracedat *f = (struct tracedat *)b;
	struct pt_err bad = PT_ERR_INIT;

	if (reader_tracedat_read_header(f, st, e) < 0 ||
	    tracedat_look_through(f, st->info, e) < 0 || reader_tracedat_add_events(f, st, e) < 0)
		return pt_err_context(e, "%s", f->name);
	if (pt_tracing_check(&f->tracing, &bad) < 0)
		pt_err_first(&f->bad, &bad);
	return 0;
}

static int reader_tracedat_fill(struct pt_backend *b, struct pt_stream *st, uint64_t *until_ns,
				struct pt_err *e)
{
	struct tracedat *f = (struct tracedat *)b;

	*until_ns = 0;
	if (f->comm_records.len && st->events->nr) {
		f->comms.at = (const uint8_t *)f->comm_records.data;
		f->comms.end = f->comms.at + f->comm_records.len;
		pt_order_add(st->order, &f->comms);
	}
	for (size_t i = 0; i < f->nr; i++)
		pt_order_add(st->order, &f->cpus[i]->run);
	if (!*f->bad.msg)
		return 0;
	*e = f->bad;
	return pt_err_context(e, "%s", f->name);
}

static int reader_tracedat_check(struct pt_backend *b, struct pt_err *e)
{
	struct tracedat *f = (struct tracedat *)b;

	if (pt_mapfile_shrunk(&f->map))
		return pt_err_set(e, "%s: the file became shorter while it was read", f->name);
	return 0;
}

static void free_tracedat(struct pt_backend *b)
{
	struct tracedat *f = (struct tracedat *)b;

	tracedat_free_cpus(f);
	pt_buf_deinit(&f->comm_records);
	pt_map_deinit(&f->named);
	pt_map_deinit(&f->seen);
	pt_mapfile_close(&f->map);
	free(f->name);
	free(f);
}

struct pt_backend *pt_tracedat_open_fd(int fd, const char *name, struct pt_err *e)
{
	static const struct pt_backend_ops ops = { .begin = reader_tracedat_begin,
						   .fill = reader_tracedat_fill,
						   .check = reader_tracedat_check,
						   .free = free_tracedat };
	struct tracedat *f = pt_alloc(sizeof(*f));
	struct pt_tracing t = { .first_bad = PT_ERR_INIT };
	struct pt_bytes b;

	f->b.ops = &ops;
	f->name = pt_strdup(name);
	if (pt_mapfile_open_fd(&f->map, fd, name, e) == 0) {
		b = pt_bytes(f->map.data, f->map.len_bytes, false);
		if (pt_tracing_read_header(&t, &b, e) < 0) {
			pt_err_context(e, "%s", name);
		} else if (strcmp(t.version, "6") && strcmp(t.version, "7")) {
			pt_err_set(e, "%s: a trace.dat of version %s, known are 6 and 7", name,
				   t.version);
		} else {
			f->is_v7 = t.version[0] == '7';
			f->b.swap = t.swap;
			return &f->b;
		}
	}
	free_tracedat(&f->b);
	return NULL;
}
