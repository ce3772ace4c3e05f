/* typename.h - names of the types of records, for messages. */
#ifndef PT_RECORD_TYPENAME_H
#define PT_RECORD_TYPENAME_H

#include <stdint.h>

/* "MMAP2", "SAMPLE", "HEADER_ATTR"; of an unknown one "of an unknown type". Never NULL.
 * Sources: enum perf_event_type of linux/perf_event.h; perf.data specification, for those from 64
 * on. */
const char *pt_record_type_name(uint32_t type);

#endif
