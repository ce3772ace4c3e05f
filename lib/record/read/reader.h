/* reader.h - recordings as backends of a source.
 *
 * A file is mapped and its records stay where they are. A stream is read into blocks, and whatever
 * has come is passed on at once. The directory form is a file with the header and files with
 * nothing but records, all of them one round. */
#ifndef PT_RECORD_READER_H
#define PT_RECORD_READER_H

#include "base/err.h"
#include "record/read/backend.h"

/* Looks at the header only; begin() reads attributes and sections. */
struct pt_backend *pt_reader_open(const char *path, struct pt_err *e);
/* The fd becomes the reader's, also on failure. `start`: what was read from it already, up to 8
 * bytes; of a pipe or a socket. */
struct pt_backend *pt_reader_open_fd(int fd, const char *name, const char *start, size_t start_len,
				     struct pt_err *e);

#endif
