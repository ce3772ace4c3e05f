#include "rec.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bytes.h"

/* Fuzz targets and helper programs link this too: no test.h. */
#define FAIL(...) (fprintf(stderr, __VA_ARGS__), fputc('\n', stderr), abort())

void rec_bytes(struct rec *r, const void *p, size_t len)
{
	if (len)
		pt_buf_add(&r->b, p, len);
}

void rec_u8(struct rec *r, uint8_t v)
{
	rec_bytes(r, &v, 1);
}

void rec_u16(struct rec *r, uint16_t v)
{
	v = r->swap ? bswap_16(v) : v;
	rec_bytes(r, &v, 2);
}

void rec_u32(struct rec *r, uint32_t v)
{
	v = r->swap ? bswap_32(v) : v;
	rec_bytes(r, &v, 4);
}

void rec_u64(struct rec *r, uint64_t v)
{
	v = r->swap ? bswap_64(v) : v;
	rec_bytes(r, &v, 8);
}

void rec_u64s(struct rec *r, size_t nr, const uint64_t *v)
{
	size_t i;

	for (i = 0; i < nr; i++)
		rec_u64(r, v[i]);
}

static void pad(struct rec *r, size_t written, size_t to)
{
	for (; written % to; written++)
		rec_u8(r, 0);
}

void rec_str(struct rec *r, const char *s)
{
	rec_bytes(r, s, strlen(s) + 1);
	pad(r, strlen(s) + 1, 8);
}

void rec_section_str(struct rec *r, const char *s)
{
	size_t len = strlen(s) + 1;

	rec_u32(r, (uint32_t)((len + 63) / 64 * 64));
	rec_bytes(r, s, len);
	pad(r, len, 64);
}

/* Bit n as a compiler of the other byte order places it: the first bit of a byte is its highest one. */
static void flags(struct rec *r, uint64_t v)
{
	int i, bit;

	for (i = 0; i < 8; i++) {
		uint8_t out = 0;

		for (bit = 0; bit < 8; bit++)
			if (v >> (8 * i + bit) & 1)
				out |= (uint8_t)(r->swap ? 0x80 >> bit : 1 << bit);
		rec_u8(r, out);
	}
}

void rec_attr(struct rec *r, const struct pt_attr *a, uint32_t bytes)
{
	struct rec t = REC(r->swap);
	uint64_t fl = a->flags;

	if (r->swap)	/* the field of two bits: its higher one comes first */
		fl = (fl & ~PT_ATTR_PRECISE_IP) | (fl >> 15 & 1) << 16 | (fl >> 16 & 1) << 15;
	rec_u32(&t, a->type);
	rec_u32(&t, bytes);
	rec_u64s(&t, 4, &a->config);
	flags(&t, fl);
	rec_u32(&t, a->wakeup_events);
	rec_u32(&t, a->bp_type);
	rec_u64s(&t, 4, &a->config1);
	rec_u32(&t, a->sample_stack_user);
	rec_u32(&t, (uint32_t)a->clockid);
	rec_u64(&t, a->sample_regs_intr);
	rec_u32(&t, a->aux_watermark);
	rec_u16(&t, a->sample_max_stack);
	rec_u16(&t, 0);
	rec_u32(&t, a->aux_sample_size);
	rec_u32(&t, a->aux_action);
	rec_u64(&t, a->sig_data);
	rec_u64(&t, a->config3);
	while (t.b.len < bytes)
		rec_u8(&t, 0x5a);	/* of a later kernel */
	rec_bytes(r, t.b.data, bytes);
	rec_free(&t);
}

void rec_begin(struct rec *r, uint32_t type, uint16_t misc)
{
	r->begun = r->b.len;
	rec_u32(r, type);
	rec_u16(r, misc);
	rec_u16(r, 0);
}

void rec_end(struct rec *r)
{
	uint16_t len = (uint16_t)(r->b.len - r->begun);

	if (r->b.len - r->begun > 65535)
		FAIL("the record is too long");
	len = r->swap ? bswap_16(len) : len;
	memcpy(r->b.data + r->begun + 6, &len, 2);
}

void rec_round(struct rec *r)
{
	rec_begin(r, PT_RECORD_FINISHED_ROUND, 0);
	rec_end(r);
}

void rec_free(struct rec *r)
{
	pt_buf_deinit(&r->b);
}

static void magic(struct rec *f)
{
	bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

	rec_bytes(f, little != f->swap ? "PERFILE2" : "2ELIFREP", 8);
}

void rec_file(struct rec *f, const struct rec_event *ev, size_t nr, const struct rec *data, const struct rec_section *sec, size_t nr_sec)
{
	uint32_t attr_bytes = nr && ev[0].attr_bytes ? ev[0].attr_bytes : PT_ATTR_SIZE_VER8;
	uint64_t at = 104, attrs, data_at, bits[4] = { 0 };
	size_t i;

	for (i = 0; i < nr; i++)
		at += 8 * ev[i].nr_ids;
	attrs = at;
	data_at = attrs + nr * (attr_bytes + 16);
	for (i = 0; i < nr_sec; i++)
		bits[sec[i].number / 64] |= 1ull << sec[i].number % 64;
	magic(f);
	rec_u64(f, 104);
	rec_u64(f, attr_bytes + 16);
	rec_u64(f, attrs);
	rec_u64(f, nr * (attr_bytes + 16));
	rec_u64(f, data_at);
	rec_u64(f, data->b.len);
	rec_u64(f, 0);
	rec_u64(f, 0);
	rec_u64s(f, 4, bits);
	for (i = 0; i < nr; i++)
		rec_u64s(f, ev[i].nr_ids, ev[i].ids);
	for (at = 104, i = 0; i < nr; i++) {
		rec_attr(f, &ev[i].attr, attr_bytes);
		rec_u64(f, at);
		rec_u64(f, 8 * ev[i].nr_ids);
		at += 8 * ev[i].nr_ids;
	}
	rec_bytes(f, data->b.data, data->b.len);
	for (at = f->b.len + 16 * nr_sec, i = 0; i < nr_sec; i++) {
		rec_u64(f, at);
		rec_u64(f, sec[i].content->len);
		at += sec[i].content->len;
	}
	for (i = 0; i < nr_sec; i++)
		rec_bytes(f, sec[i].content->data, sec[i].content->len);
}

void rec_stream(struct rec *f, const struct rec_event *ev, size_t nr)
{
	size_t i;

	magic(f);
	rec_u64(f, 16);
	for (i = 0; i < nr; i++) {
		rec_begin(f, PT_RECORD_HEADER_ATTR, 0);
		rec_attr(f, &ev[i].attr, ev[i].attr_bytes ? ev[i].attr_bytes : PT_ATTR_SIZE_VER8);
		rec_u64s(f, ev[i].nr_ids, ev[i].ids);
		rec_end(f);
	}
}

int rec_memfd(const void *p, size_t len)
{
	int fd = memfd_create("rec", MFD_CLOEXEC);

	if (fd < 0 || write(fd, p, len) != (ssize_t)len || lseek(fd, 0, SEEK_SET) < 0)
		FAIL("no memory for a recording");
	return fd;
}

struct pt_source *rec_open(const struct rec *f)
{
	struct pt_err e = PT_ERR_INIT;
	struct pt_source *s;

	if (pt_source_open_fd(&s, rec_memfd(f->b.data, f->b.len), "made", NULL, &e) < 0)
		FAIL("cannot open: %s", e.msg);
	return s;
}

int rec_drain(struct pt_source *s, size_t *nr, struct pt_err *e)
{
	const struct pt_record *rec;
	int rc;

	*nr = 0;
	while ((rc = pt_source_next(s, &rec, e)) > 0)
		++*nr;
	return rc;
}
