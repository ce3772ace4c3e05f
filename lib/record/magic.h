/* magic.h - what a recording begins with.
 *
 * "PERFILE2" as a number in the byte order of the machine that recorded, so that it also reads
 * "2ELIFREP". Version 1 (perf before 3.0) has the text "PERFFILE" in front of the same header.
 * Source: tools/perf/Documentation/perf.data-file-format.txt of the kernel. */
#ifndef PT_RECORD_MAGIC_H
#define PT_RECORD_MAGIC_H

#include <stdbool.h>
#include <stddef.h>

enum { PT_MAGIC_BYTES = 8 };

/* A recording may begin with these n bytes: all that are there of the magic number agree with it */
bool pt_magic_is(const void *p, size_t n);

#endif
