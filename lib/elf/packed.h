/* packed.h - compressed ELF sections (SHF_COMPRESSED): a header, then zlib's or zstd's bytes. Also
 * pieces of trace.dat, which have a header of their own.
 * Untrusted: what would grow further than compression can is refused. Source: the gABI, "Section
 * Compression" (Elf64_Chdr, Elf32_Chdr). */
#ifndef PT_ELF_PACKED_H
#define PT_ELF_PACKED_H

#include <stdbool.h>
#include <stdint.h>

struct pt_packed {
	bool zstd;			/* else zlib */
	const uint8_t *data;		/* behind the header */
	uint64_t data_bytes, len_bytes;	/* compressed, and unpacked */
};

/* The section's header. False: truncated, unknown, or an impossible length. */
bool pt_packed_head(const uint8_t *section, uint64_t len_bytes, bool is64, bool swap,
		    struct pt_packed *p);
/* Can so many bytes come of so few? */
bool pt_packed_sane(uint64_t data_bytes, uint64_t len_bytes);
/* All p->len_bytes, for pt_packed_free(). NULL: damaged. */
uint8_t *pt_packed_all(const struct pt_packed *p);
void pt_packed_free(const struct pt_packed *p, uint8_t *out);

#endif
