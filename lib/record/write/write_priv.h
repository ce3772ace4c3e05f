/* write_priv.h - what the files of the writer share. */
#ifndef PT_RECORD_WRITE_PRIV_H
#define PT_RECORD_WRITE_PRIV_H

#include <sys/uio.h>
#include <zstd.h>

#include "base/outqueue.h"
#include "record/write/write.h"

#define WRITE_MAGIC "PERFILE2"

enum { WRITE_MAX_RECORD = 65528 };	/* the size in a record's header has 16 bits */

struct section { uint64_t off, len; };

struct file_header {			/* struct perf_file_header */
	char magic[8];
	uint64_t size, attr_size;
	struct section attrs, data, event_types;
	uint64_t features[4];
};
_Static_assert(sizeof(struct file_header) == 104, "the header of perf.data");

struct pt_writer {
	char *path;
	int fd;
	bool stream;
	bool nameless;			/* the file gets its name once it is readable */
	bool is_new;			/* none of that name may be there */
	int level;
	struct file_header header;
	uint32_t nr_events;

	/* File: the data's end in the file; the table follows it, before the next
	 * round. */
	uint64_t end;
	struct pt_buf table;
	struct pt_buf late_attrs;	/* ids and attributes that come at the end */
	size_t attrs_at;		/* of the attributes in there */

	/* Stream */
	struct pt_outqueue *queue;
	uint64_t streamed;

	/* What was added since the last flush. */
	struct iovec *iov;
	size_t nr_iov, cap_iov;
	uint64_t added_bytes;
	unsigned empty_rounds;		/* one after the other */
	struct pt_buf own;		/* records of the writer's own that a flush adds */

	ZSTD_CCtx *zstd;
	struct pt_buf packed;
	uint64_t unpacked_bytes, packed_bytes;
};

static inline void write_header(struct pt_buf *b, uint32_t type, uint16_t misc, size_t size)
{
	struct perf_event_header h = { .type = type, .misc = misc, .size = (uint16_t)size };

	pt_buf_add(b, &h, sizeof(h));
}

static inline void write_align8(struct pt_buf *b)
{
	pt_buf_fill(b, 0, -b->len & 7);
}

/* write_file.c */
/* To PATH.old. */
int write_rename_old(const char *path, struct pt_err *e);
/* Opens w->path; sets w->stream when it is no regular file. */
int write_file_open(struct pt_writer *w, struct pt_err *e);
int write_file_begin(struct pt_writer *w, const struct pt_write_event *events, size_t nr,
		     struct pt_sections *s, struct pt_err *e);
void write_file_events(struct pt_writer *w, const struct pt_write_event *events, size_t nr);
int write_file_flush(struct pt_writer *w, struct pt_err *e);
int write_file_end(struct pt_writer *w, struct pt_sections *s, struct pt_err *e);

/* write_stream.c */
int write_stream_begin(struct pt_writer *w, const struct pt_write_event *events, size_t nr,
		       struct pt_sections *s, struct pt_err *e);
int write_stream_events(struct pt_writer *w, const struct pt_write_event *events, size_t nr,
			struct pt_err *e);
int write_stream_put(struct pt_writer *w, const struct iovec *iov, size_t nr, bool wait,
		     struct pt_err *e);
int write_stream_end(struct pt_writer *w, struct pt_sections *s, struct pt_err *e);

#endif
