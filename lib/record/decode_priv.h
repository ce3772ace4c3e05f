/* decode_priv.h - what the files of the decoder share. */
#ifndef PT_RECORD_DECODE_PRIV_H
#define PT_RECORD_DECODE_PRIV_H

#include "record/decode.h"

/* The fields of a sample behind the fixed ones, in their order. b->bad: they do not fit. */
void decode_fields(struct pt_decoder *d, struct pt_bytes *b, const struct pt_evt *v, uint64_t f);
/* The next n words of the record: where they lie, or put right in scratch. NULL: they are not
 * there. */
const uint64_t *decode_words(struct pt_decoder *d, struct pt_bytes *b, uint64_t n);
/* struct read_format of the kernel's header, into scratch. */
const struct pt_read_value *decode_values(struct pt_decoder *d, struct pt_bytes *b, uint64_t format,
					  uint32_t *nr, uint64_t *enabled_ns, uint64_t *running_ns);

#endif
