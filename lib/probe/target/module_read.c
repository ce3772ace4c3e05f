/* module_read.c - a module's file, unpacked: distributions compress them by xz, gzip or zstd */
#include <errno.h>
#include <lzma.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/mem.h"
#include "probe/target/module_priv.h"

/* The largest modules with debug information have 500 MB; a small file that expands to more than
 * this many times its size is no module. */
enum { MAX_BYTES = 1 << 30, MAX_RATIO = 200, STEP = 1 << 20, XZ_MEMORY = 256 << 20 };

enum packing { PLAIN, XZ, GZIP, ZSTD };

static enum packing packing_of(const uint8_t *p, size_t len)
{
	static const struct { const char *magic; uint8_t len; enum packing packing; } known[] = {
		{ "\xfd""7zXZ", 6, XZ }, { "\x1f\x8b", 2, GZIP }, { "\x28\xb5\x2f\xfd", 4, ZSTD },
	};

	for (size_t i = 0; i < PT_NR(known); i++)
		if (len >= known[i].len && !memcmp(p, known[i].magic, known[i].len))
			return known[i].packing;
	return PLAIN;
}

bool module_is_packed(const void *head, size_t len)
{
	return packing_of(head, len) != PLAIN;
}

/* Makes room for another step; false: too large. */
static bool room(struct pt_buf *out, size_t in_bytes)
{
	if (out->len >= MAX_BYTES || out->len / MAX_RATIO > in_bytes)
		return false;
	pt_buf_grow(out, STEP);
	return true;
}

/* Each returns true if everything was unpacked. */
static bool from_xz(const struct pt_buf *in, struct pt_buf *out)
{
	lzma_stream s = LZMA_STREAM_INIT;
	lzma_ret rc = lzma_stream_decoder(&s, XZ_MEMORY, LZMA_CONCATENATED);

	s.next_in = (const uint8_t *)in->data;
	s.avail_in = in->len;
	while (rc == LZMA_OK && room(out, in->len)) {
		s.next_out = (uint8_t *)out->data + out->len;
		s.avail_out = STEP;
		rc = lzma_code(&s, LZMA_FINISH);
		out->len += STEP - s.avail_out;
	}
	lzma_end(&s);
	return rc == LZMA_STREAM_END;
}

static bool from_gzip(const struct pt_buf *in, struct pt_buf *out)
{
	z_stream s = { .next_in = (uint8_t *)in->data, .avail_in = (uInt)in->len };
	int rc = inflateInit2(&s, 16 + MAX_WBITS);

	if (rc != Z_OK)
		return false;
	while (rc == Z_OK && room(out, in->len)) {
		s.next_out = (uint8_t *)out->data + out->len;
		s.avail_out = STEP;
		rc = inflate(&s, Z_NO_FLUSH);
		out->len += STEP - s.avail_out;
	}
	inflateEnd(&s);
	return rc == Z_STREAM_END;
}

static bool from_zstd(const struct pt_buf *in, struct pt_buf *out)
{
	ZSTD_DStream *s = ZSTD_createDStream();
	ZSTD_inBuffer from = { in->data, in->len, 0 };
	size_t rc = 1, before, at;

	while (s && rc && !ZSTD_isError(rc) && room(out, in->len)) {
		ZSTD_outBuffer to = { out->data + out->len, STEP, 0 };

		before = from.pos;
		rc = ZSTD_decompressStream(s, &to, &from);
		at = to.pos;
		out->len += at;
		if (!at && from.pos == before)
			break;		/* truncated */
	}
	ZSTD_freeDStream(s);
	return rc == 0;
}

static int read_all(int fd, const char *path, struct pt_buf *b, struct pt_err *e)
{
	struct stat st;
	ssize_t n = 0;

	if (fstat(fd, &st) < 0)
		return pt_err_sys(e, errno, "%s", path);
	if (!S_ISREG(st.st_mode) || st.st_size > MAX_BYTES)
		return pt_err_set(e, "%s: %s", path,
				  S_ISREG(st.st_mode) ? "too large for a module"
						      : "no regular file");
	pt_buf_grow(b, (size_t)st.st_size);
	while (b->len < (size_t)st.st_size &&
	       (n = pread(fd, b->data + b->len, (size_t)st.st_size - b->len, (off_t)b->len)) > 0)
		b->len += (size_t)n;
	return n < 0 ? pt_err_sys(e, errno, "%s", path) : 0;
}

int module_read(int fd, const char *path, struct pt_buf *out, struct pt_err *e)
{
	struct pt_buf in = PT_BUF_INIT;
	bool all = true;

	if (read_all(fd, path, &in, e) < 0) {
		pt_buf_deinit(&in);
		return -1;
	}
	switch (packing_of((const uint8_t *)in.data, in.len)) {
	case PLAIN:
		*out = in;
		return 0;
	case XZ:
		all = from_xz(&in, out);
		break;
	case GZIP:
		all = from_gzip(&in, out);
		break;
	case ZSTD:
		all = from_zstd(&in, out);
		break;
	}
	pt_buf_deinit(&in);
	return all ? 0
		   : pt_err_set(
			     e,
			     "%s: it cannot be unpacked: damaged, cut short, or larger than a module is",
			     path);
}
