/* reader_tracedat_priv.h - what the files of the trace.dat reader share: reader_tracedat.c reads
 * the container (header, options, sections), reader_tracedat_cpu.c the pages of each CPU. */
#ifndef PT_RECORD_READER_TRACEDAT_PRIV_H
#define PT_RECORD_READER_TRACEDAT_PRIV_H

#include "base/bytes.h"
#include "base/mapfile.h"
#include "base/mem.h"
#include "elf/packed.h"
#include "record/format/pages.h"
#include "record/read/reader_tracedat.h"
#include "tracepoint/tracing.h"

/* What one CPU of one instance has recorded: pages, or chunks of compressed pages. */
struct tracedat_cpu {
	struct pt_run run;		/* first: what the order sees */
	struct tracedat *file;
	struct pt_pages *pages;		/* shared by all of one page size */
	uint32_t cpu;
	bool compressed;
	uint64_t off, len_bytes;	/* in the file */
	uint64_t at, end;		/* what is left of it */
	uint32_t chunks_left;
	struct pt_packed packed;	/* the chunk that is unpacked, and how far it was read */
	uint8_t *chunk;
	size_t chunk_at;
	uint8_t *samples;		/* the samples that one page was made into */
};

struct tracedat {
	struct pt_backend b;
	char *name;
	struct pt_mapfile map;
	struct pt_tracing tracing;
	bool is_v7, is_zstd;
	uint64_t options_off;		/* version 7: where the options are in the file */
	uint32_t nr_cpus;		/* of an instance, version 6 */
	char clock[32];
	uint32_t mult, shift;
	int64_t offset_ns;
	uint64_t sections[PT_TRACING_NR];	/* version 7; 0: not there */
	uint64_t buffer_offs[64];	/* instances of version 6 */
	size_t nr_buffers;
	struct tracedat_cpu **cpus;
	size_t nr, cap;
	struct pt_pages **pages;
	size_t nr_pages, cap_pages;
	uint64_t data_left;		/* CPUs' data cannot be more than the file */
	uint64_t held;			/* bytes unpacked, and of samples */
	struct pt_run comms;
	struct pt_buf comm_records;
	struct pt_map named;		/* threads that have a COMM record already */
	struct pt_map seen;		/* ids of tracepoints that occur */
	uint64_t last_seen;
	struct pt_err bad;		/* the first damage, reported at the end */
};

static inline struct pt_bytes tracedat_at(const struct tracedat *f, uint64_t off)
{
	uint64_t len = f->map.len_bytes;
	struct pt_bytes b = pt_bytes(f->map.data + PT_MIN(off, len), len - PT_MIN(off, len),
				     f->b.swap);

	b.bad = off >= len;
	return b;
}

/* Unpacks "u32 compressed size, u32 size, data", if it is no more than `max` bytes. NULL: damaged.
 */
static inline uint8_t *tracedat_unpack(const struct tracedat *f, struct pt_bytes *b,
				       uint32_t max, struct pt_packed *p)
{
	p->zstd = f->is_zstd;
	p->data_bytes = pt_bytes_u32(b);
	p->len_bytes = pt_bytes_u32(b);
	p->data = pt_bytes_take(b, p->data_bytes);
	if (!p->data || p->len_bytes > max || !pt_packed_sane(p->data_bytes, p->len_bytes))
		return NULL;
	return pt_packed_all(p);
}

/* reader_tracedat_cpu.c. Adds the data of a CPU of an instance; of a file that was cut, what is
 * there. */
void tracedat_add_cpu(struct tracedat *f, uint32_t cpu, uint64_t off, uint64_t len_bytes,
		      bool compressed, uint32_t page_bytes);
/* Adds a COMM record, unless this thread has a name. */
void tracedat_name(struct tracedat *f, uint32_t tid, const char *name, size_t len);
/* Called when all of the header is known. Finds which events occur, the first and last time, names
 * of tasks, and damage. */
int tracedat_look_through(struct tracedat *f, struct pt_info *info, struct pt_err *e);
void tracedat_free_cpus(struct tracedat *f);

#endif
