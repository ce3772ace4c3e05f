/* smallfile.h - files of /proc, /sys and tracefs, which have no size: read whole, as text or as a
 * number.
 *
 *     if (!pt_file_text("/proc/4711/comm", comm, sizeof(comm))) ... "make"
 *     rate = pt_file_number("/proc/sys/kernel/perf_event_max_sample_rate", 100000);
 */
#ifndef PT_BASE_SMALLFILE_H
#define PT_BASE_SMALLFILE_H

#include <stdint.h>

#include "base/buf.h"

/* The first `size` - 1 bytes, without blanks and newlines at their end. 0, or the errno: the text
 * is empty then. */
int pt_file_text(const char *path, char *text, size_t size);
/* The same of a file in the folder `dir` (openat(2)). */
int pt_file_text_at(int dir, const char *name, char *text, size_t size);
/* The number that the file begins with, decimal; `none` where it cannot be read. */
int64_t pt_file_number(const char *path, int64_t none);
/* Adds the whole file, but no more than about `max_bytes`. 0, or the errno: nothing was added
 * then. */
int pt_file_add(const char *path, size_t max_bytes, struct pt_buf *b);

#endif
