/* reader_file.c - the file form of a recording, mapped: header, attributes, sections, records; also
 * a directory of such files */
#include "record/read/reader_priv.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "record/format/evtable.h"

static struct section reader_file_read_section(const struct reader *r, uint64_t at)
{
	const uint8_t *p = r->parts[0].map.data + at;

	return (struct section){ pt_load64(p, r->b.swap), pt_load64(p + 8, r->b.swap) };
}

static bool reader_file_inside(const struct reader *r, struct section s)
{
	uint64_t len = r->parts[0].map.len_bytes;

	return s.off <= len && s.len <= len - s.off;
}

/* Bit n of the header: section n exists. The recorder writes an array of `unsigned long`, so the
 * bits move with its byte order and size. As in tools/perf, the bit of the host name, which every
 * recording has, tells which layout it is. */
static void read_feature_bits(const struct reader *r, uint64_t bits[4])
{
	const uint8_t *p = r->parts[0].map.data + FEATURES_AT;
	uint64_t host = 1ull << PT_FEATURE_HOSTNAME;
	bool halves;

	for (int i = 0; i < 4; i++)
		bits[i] = pt_load64(p + 8 * i, r->b.swap);
	halves = r->b.swap && !(bits[0] & host) && bits[0] >> 32 & host;
	for (int i = 0; halves && i < 4; i++)
		bits[i] = bits[i] >> 32 | bits[i] << 32;
}

static int read_attrs(struct reader *r, struct pt_stream *st, struct pt_err *e)
{
	const uint8_t *data = r->parts[0].map.data;
	uint64_t step = pt_load64(data + 16, r->b.swap), i, j, nr;
	struct section attrs = reader_file_read_section(r, SECTIONS_AT);

	if (!reader_file_inside(r, attrs) || step < PT_ATTR_SIZE_VER0 + SECTION_BYTES ||
	    step > 65536)
		return pt_err_set(e, "attributes: %s",
				  reader_file_inside(r, attrs) ? "their size is impossible"
						   : "they lie outside the file");
	nr = attrs.len / step;
	for (i = 0; i < nr; i++) {
		uint64_t at = attrs.off + i * step;
		struct section ids = reader_file_read_section(r, at + step - SECTION_BYTES);
		struct pt_attr attr;
		struct pt_event *ev;

		if (!pt_attr_read(&attr, data + at, step - SECTION_BYTES, r->b.swap))
			return pt_err_set(e, "attribute %llu: its size is impossible",
					  (unsigned long long)i);
		ev = pt_evtable_add(st->events, &attr, NULL, NULL, e);
		if (!ev)
			return pt_err_context(e, "attribute %llu", (unsigned long long)i);
		if (attr.flags & PT_ATTR_USE_CLOCKID)
			st->info->clockid = attr.clockid;
		if (!reader_file_inside(r, ids) || ids.len / 8 > r->ids_left)
			return pt_err_set(e, "attribute %llu: its ids lie outside the file",
					  (unsigned long long)i);
		r->ids_left -= ids.len / 8;
		for (j = 0; j < ids.len / 8; j++)
			pt_evtable_add_id(st->events, ev,
					  pt_load64(data + ids.off + 8 * j, r->b.swap));
	}
	return 0;
}

/* The table of sections follows the data, with an entry for each bit. Damage in one section affects
 * only that section. */
static void read_features(struct reader *r, struct pt_stream *st, struct section data)
{
	uint64_t bits[4], at = data.off + data.len;
	struct pt_err e = PT_ERR_INIT;
	unsigned n;

	read_feature_bits(r, bits);
	for (n = 0; n < PT_NR_FEATURES; n++) {
		struct section s;

		if (!(bits[n / 64] >> n % 64 & 1))
			continue;
		if (!reader_file_inside(r, (struct section){ at, SECTION_BYTES })) {
			pt_err_set(&e, "the table of sections at 0x%llx: cut short",
				   (unsigned long long)at);
			pt_err_first(&r->bad, &e);
			return;
		}
		s = reader_file_read_section(r, at);
		at += SECTION_BYTES;
		/* reserved; pt-record uses it while it records */
		if (!n)
			continue;
		if (!reader_file_inside(r, s)) {
			pt_err_set(&e, "section %u at 0x%llx: lies outside the file", n,
				   (unsigned long long)s.off);
			pt_err_first(&r->bad, &e);
		} else if (pt_feature_read(st, n, r->parts[0].map.data + s.off, s.len, r->b.swap,
					   &e) < 0) {
			pt_err_first(&r->bad, &e);
		}
	}
}

/* Is the size missing, because the recorder was killed or is still running? (pt-record writes it as
 * it goes.) Then records go on to the end of the file, and there are no sections, though their bits
 * are set. */
static bool is_unfinished(const struct reader *r, struct section data)
{
	uint64_t bits[4];

	read_feature_bits(r, bits);
	return !data.len &&
	       (data.off < r->parts[0].map.len_bytes || bits[0] || bits[1] || bits[2] || bits[3]);
}

static void note_early_end(struct reader *r, struct section data)
{
	unsigned long long there = r->parts[0].map.len_bytes - data.off, all = data.len;
	struct pt_err e = PT_ERR_INIT;

	if (all)
		pt_err_set(
			&e,
			"the recording ends early: %llu of %llu bytes of its data are there, the rest was never written",
			there, all);
	else
		pt_err_set(
			&e,
			"the recording ends early: its recorder was killed, or still records (%llu bytes of data are there)",
			there);
	pt_err_first(&r->bad, &e);
}

/* A directory's files data.0, data.1 ... contain records only. */
static int reader_file_open_parts(struct reader *r, struct pt_stream *st, struct pt_err *e)
{
	unsigned i;

	for (i = 0;; i++) {
		char *name = pt_asprintf("%s/data.%u", r->name, i);
		struct part *p;

		if (access(name, F_OK) < 0) {
			free(name);
			return 0;
		}
		PT_GROW(r->parts, r->nr_parts, r->cap_parts);
		p = &r->parts[r->nr_parts];
		*p = (struct part){ .name = name };
		if (pt_mapfile_open(&p->map, name, e) < 0) {
			free(name);
			return -1;
		}
		r->nr_parts++;
		p->end = p->map.len_bytes;
		pt_scan_init(&p->scan, st, r->b.swap);
	}
}

static int begin_file(struct reader *r, struct pt_stream *st, struct pt_err *e)
{
	struct part *p = &r->parts[0];
	uint64_t len = p->map.len_bytes;
	struct section data;

	if (len < FILE_HEADER_BYTES)
		return pt_err_set(e, "header: cut short (needs %d bytes, %llu are there)",
				  FILE_HEADER_BYTES, (unsigned long long)len);
	data = reader_file_read_section(r, SECTIONS_AT + SECTION_BYTES);
	r->ids_left = len / 8;
	if (read_attrs(r, st, e) < 0)
		return -1;
	if (data.off < FILE_HEADER_BYTES || data.off > len)
		return pt_err_set(e,
				  "header: the data at 0x%llx lie outside the file (0x%llx bytes)",
				  (unsigned long long)data.off, (unsigned long long)len);
	st->info->data_off = data.off;
	p->at = data.off;
	if (data.len > len - data.off || is_unfinished(r, data))
		note_early_end(r, data);
	if (!data.len)
		data.len = len - data.off;
	else if (data.len <= len - data.off)
		read_features(r, st, data);
	p->end = data.off + PT_MIN(data.len, len - data.off);
	st->info->data_len_bytes = p->end - data.off;
	pt_scan_init(&p->scan, st, r->b.swap);
	return r->is_dir ? reader_file_open_parts(r, st, e) : 0;
}

int reader_file_begin(struct reader *r, struct pt_stream *st, struct pt_err *e)
{
	if (begin_file(r, st, e) < 0)
		return pt_err_context(e, "%s", r->name);
	if (*r->bad.msg)
		pt_err_context(&r->bad, "%s", r->name);
	return 0;
}

/* Reads one round. 1: there are more; 0: the end; -1: damage. */
static int scan_part(struct part *p, struct pt_err *e)
{
	struct pt_scan *s = &p->scan;
	const uint8_t *data = p->map.data;
	struct pt_scan_in in;
	enum pt_scan_end how;

	for (;;) {
		if (s->skip)
			p->at += pt_scan_skip(s, data + p->at, p->end - p->at);
		if (s->skip)
			return reader_cut_short(s, NULL, 0, p->at, e);
		pt_mapfile_soon(&p->map, p->at);
		in = (struct pt_scan_in){ .at = data + p->at, .end = data + p->end, .off = p->at };
		how = pt_scan_run(s, &in, e);
		p->at = in.off;
		if (how == PT_SCAN_BAD)
			return -1;
		if (how == PT_SCAN_ROUND)
			return 1;
		if (how == PT_SCAN_MORE)
			break;
	}
	if (p->at < p->end)
		return reader_cut_short(s, data + p->at, p->end - p->at, p->at, e);
	return pt_inflate_end(s->inflate, e);
}

int reader_file_check(struct pt_backend *b, struct pt_err *e)
{
	struct reader *r = (struct reader *)b;
	size_t i;

	for (i = 0; i < r->nr_parts; i++)
		if (pt_mapfile_shrunk(&r->parts[i].map))
			return pt_err_set(e, "%s: the file became shorter while it was read",
					  r->parts[i].name);
	return 0;
}

static int end_of_parts(struct reader *r, struct pt_err *e)
{
	size_t i;

	for (i = 0; i < r->nr_parts; i++) {
		struct pt_scan *s = &r->parts[i].scan;

		if (*s->late.msg) {
			pt_err_context(&s->late, "%s", r->parts[i].name);
			pt_err_first(&r->bad, &s->late);
		}
	}
	if (!*r->bad.msg)
		return 0;
	*e = r->bad;
	return -1;
}

/* perf record --tail-synthesize writes kernel, processes and mappings last. They must be known
 * before the first sample, so the whole file is one round. */
static bool is_told_last(const struct pt_info *info)
{
	size_t i;

	for (i = 0; i < info->nr_cmdline; i++)
		if (!strncmp(info->cmdline[i], "--tail", 6) ||
		    !strncmp(info->cmdline[i], "--overw", 7))
			return true;
	return false;
}

int reader_file_fill(struct reader *r, struct pt_stream *st, uint64_t *until_ns, struct pt_err *e)
{
	struct pt_err bad = PT_ERR_INIT;
	size_t i;
	int rc;

	for (i = 0; i < r->nr_parts; i++) {
		struct part *p = &r->parts[i];

		while (!p->done) {
			rc = scan_part(p, &bad);
			if (rc < 0) {
				pt_err_context(&bad, "%s", p->name);
				/* a file that shrank is the better explanation */
				reader_file_check(&r->b, &bad);
				/* and replaces the note that data is missing */
				*r->bad.msg = '\0';
				pt_err_first(&r->bad, &bad);
			}
			p->done = rc <= 0;
			/* (with compressed data a single round would hold all of it) */
			if (rc > 0 && r->nr_parts == 1 &&
			    (p->scan.inflate || !is_told_last(st->info))) {
				*until_ns = p->scan.until_ns;
				return 1;
			}
		}
	}
	return end_of_parts(r, e);
}
