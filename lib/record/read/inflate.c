#include <stdlib.h>
#include <zstd.h>

#include "base/mem.h"
#include "record/read/scan.h"

/* Limits against hostile input: a compressed record expands at most to the size of the rings (from
 * the header), and all records together to RATIO_MAX times their size. */
enum { RATIO_MAX = 1000, FREE_BYTES = 32 << 20, HELD_RATIO = 20, HELD_BYTES = 128 << 20 };
#define RECORD_MAX (64ull << 20)		/* if the header does not say */
#define RECORD_MAX_SAID (1ull << 30)

struct pt_inflate {
	ZSTD_DStream *z;
	struct pt_feed feed;
	uint64_t in, out;
	/* bytes since the last round mark; its time */
	uint64_t held, until_ns;
};

struct pt_inflate *pt_inflate_new(void)
{
	struct pt_inflate *z = pt_alloc(sizeof(*z));

	z->z = ZSTD_createDStream();
	return z;
}

void pt_inflate_free(struct pt_inflate *z)
{
	if (!z)
		return;
	ZSTD_freeDStream(z->z);
	pt_feed_deinit(&z->feed);
	free(z);
}

/* Reads the whole records of what has been expanded so far. */
static int inflate_scan(struct pt_inflate *z, struct pt_scan *s, struct pt_err *e)
{
	enum pt_scan_end how;

	do	/* a round mark in here has no meaning and does no harm */
		how = pt_feed_scan(&z->feed, s, true, e);
	while (how == PT_SCAN_ROUND);
	return how == PT_SCAN_BAD ? pt_err_context(e, "in compressed data") : 0;
}

int pt_inflate_record(struct pt_inflate *z, struct pt_scan *s, const void *p, size_t len,
		      uint64_t off, struct pt_err *e)
{
	uint64_t said = s->st->features->comp_mmap_len,
		 max = said ? PT_MIN(said, RECORD_MAX_SAID) : RECORD_MAX, out = 0;
	ZSTD_inBuffer in = { p, len, 0 };
	size_t rc, room;

	if (!z->z)
		return pt_err_set(e, "no memory to decompress");
	z->in += len;
	z->feed.off = off;
	for (;;) {
		ZSTD_outBuffer to;

		to.dst = pt_feed_room(&z->feed, &room);
		to.size = room;
		to.pos = 0;
		rc = ZSTD_decompressStream(z->z, &to, &in);
		if (ZSTD_isError(rc))
			return pt_err_set(e, "cannot decompress: %s", ZSTD_getErrorName(rc));
		z->feed.block->len += to.pos;
		out += to.pos;
		z->out += to.pos;
		if (out > max || z->out > z->in * RATIO_MAX + FREE_BYTES)
			return pt_err_set(e, "its compressed data expands to more than %llu bytes",
					  (unsigned long long)(out > max ? max : z->out));
		if (inflate_scan(z, s, e) < 0)
			return -1;
		z->held = s->until_ns != z->until_ns ? 0 : z->held + to.pos;
		z->until_ns = s->until_ns;
		if (z->held > z->in * HELD_RATIO + HELD_BYTES)
			return pt_err_set(
				e,
				"its compressed data holds %llu MB without an end of a round: that much is not kept in memory",
				(unsigned long long)(z->held >> 20));
		if (in.pos == in.size && to.pos < to.size)
			return 0;
	}
}

int pt_inflate_end(const struct pt_inflate *z, struct pt_err *e)
{
	if (z && z->feed.block && z->feed.at < z->feed.block->len)
		return pt_err_set(e, "the last compressed record is cut short");
	return 0;
}
