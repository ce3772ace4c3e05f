#include "elf/packed.h"

#include <elf.h>
#include <zlib.h>
#include <zstd.h>
#ifdef PT_WITH_LIBDEFLATE
#include <libdeflate.h>
#endif

#include "base/bytes.h"
#include "base/mem.h"

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

/* Deflate cannot exceed 1:1032; zstd can, but compilers' output never comes near it. */
enum { MAX_RATIO = 1100 };

bool pt_packed_sane(uint64_t data_bytes, uint64_t len_bytes)
{
	return len_bytes && data_bytes >= 2 && len_bytes / MAX_RATIO <= data_bytes;
}

bool pt_packed_head(const uint8_t *section, uint64_t len_bytes, bool is64, bool swap,
		    struct pt_packed *p)
{
	struct pt_bytes b = pt_bytes(section, len_bytes, swap);
	uint32_t type = pt_bytes_u32(&b);

	if (is64)
		pt_bytes_u32(&b);
	p->len_bytes = pt_bytes_number(&b, is64 ? 8 : 4);
	pt_bytes_take(&b, is64 ? 8 : 4);	/* alignment */
	p->zstd = type == ELFCOMPRESS_ZSTD;
	p->data = b.at;
	p->data_bytes = pt_bytes_left(&b);
	return !b.bad && (p->zstd || type == ELFCOMPRESS_ZLIB) &&
	       pt_packed_sane(p->data_bytes, p->len_bytes);
}

/* libdeflate takes half of zlib's time. */
static bool unpack_zlib(const struct pt_packed *p, uint8_t *out)
{
#ifdef PT_WITH_LIBDEFLATE
	struct libdeflate_decompressor *x = libdeflate_alloc_decompressor();
	bool good = x && libdeflate_zlib_decompress(x, p->data, p->data_bytes, out, p->len_bytes,
						    NULL) == LIBDEFLATE_SUCCESS;

	libdeflate_free_decompressor(x);
	return good;
#else
	uLongf got = p->len_bytes;

	return uncompress(out, &got, p->data, p->data_bytes) == Z_OK && got == p->len_bytes;
#endif
}

/* Freeing large sections page by page would take as long as unpacking them. */
void pt_packed_free(const struct pt_packed *p, uint8_t *out)
{
	pt_free_table(out, p->len_bytes);
}

uint8_t *pt_packed_all(const struct pt_packed *p)
{
	uint8_t *out = pt_alloc_table(p->len_bytes);

	if (p->zstd ? ZSTD_decompress(out, p->len_bytes, p->data, p->data_bytes) == p->len_bytes
		    : unpack_zlib(p, out))
		return out;
	pt_packed_free(p, out);
	return NULL;
}
