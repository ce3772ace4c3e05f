/* decode.h - a stored record -> struct pt_record.
 *
 * The decoder keeps one record, which the next call overwrites; what has to be converted (foreign
 * byte order, counter values, arrays that are not aligned) lies in its scratch memory until then.
 * Source of the layouts: linux/perf_event.h. */
#ifndef PT_RECORD_DECODE_H
#define PT_RECORD_DECODE_H

#include "record/format/evtable.h"
#include "record/format/info.h"
#include "record/format/record.h"

struct pt_decoder {
	struct pt_evtable *events;
	struct pt_tally *tally;		/* no_event, unknown records */
	bool swap;
	bool own_records;		/* PT_RECORD_TICK and the like are accepted */
	struct pt_record rec;
	uint64_t *scratch;
	size_t used;			/* of scratch, in words */
};

void pt_decoder_init(struct pt_decoder *d, struct pt_evtable *events, struct pt_tally *tally,
		     bool swap, bool own_records);
void pt_decoder_deinit(struct pt_decoder *d);
/* Decodes the record at p, whose header and size were checked, into d->rec. 1: done; 0: skipped and
 * counted; -1: damaged, *why says how. */
int pt_decode(struct pt_decoder *d, const uint8_t *p, uint64_t off, const char **why);

#endif
