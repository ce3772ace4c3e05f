/* reader_priv.h - what the files of the reader share: reader.c opens recordings and reads streams,
 * reader_file.c the file form. */
#ifndef PT_RECORD_READER_PRIV_H
#define PT_RECORD_READER_PRIV_H

#include "base/mapfile.h"
#include "record/read/reader.h"
#include "record/read/scan.h"

/* The header of a file: magic, its own size, that of an attribute with its ids' section, sections
 * (offset, size) of attributes, data and event types, feature bits. Of a stream: magic and size
 * alone. */
enum {
	FILE_HEADER_BYTES = 104,
	STREAM_HEADER_BYTES = 16,
	SECTION_BYTES = 16,
	SECTIONS_AT = 24,
	FEATURES_AT = 72
};

struct section {
	uint64_t off, len;
};

struct part {				/* a file of records */
	char *name;
	struct pt_mapfile map;
	uint64_t at, end;
	struct pt_scan scan;
	bool done;
};

struct reader {
	struct pt_backend b;
	char *name;
	uint8_t magic[STREAM_HEADER_BYTES];
	size_t have;			/* bytes of it that were read from a stream */
	bool is_stream, is_dir;
	struct pt_err bad;		/* the first damage, reported at the end */

	int fd;				/* stream */
	struct pt_feed feed;
	struct pt_scan scan;

	struct part *parts;		/* the file itself; of a directory: `data` first */
	size_t nr_parts, cap_parts;
	uint64_t ids_left;		/* ids for which the file still has room */
};

/* reader.c: the error of a record that is not all there, always -1. */
int reader_cut_short(struct pt_scan *s, const uint8_t *p, uint64_t left, uint64_t off,
		     struct pt_err *e);

/* reader_file.c */
int reader_file_begin(struct reader *r, struct pt_stream *st, struct pt_err *e);
int reader_file_fill(struct reader *r, struct pt_stream *st, uint64_t *until_ns, struct pt_err *e);
int reader_file_check(struct pt_backend *b, struct pt_err *e);

#endif
