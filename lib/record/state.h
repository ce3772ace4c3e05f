/* state.h - what exists at a moment, from the records that told it: the kernel's and the processes'
 * mappings, names of threads, who is whose child, BPF programs, control groups. A recording that
 * begins in the midst of a session (pt-record --rotate) starts with it.
 *
 *     for each record: pt_state_see(s, p, len);
 *     once rings are read: pt_state_settle(s, time of their reading);
 *     pt_state_emit(s, until, put, ctx);
 *
 * Records of several CPUs come out of order, so those that were seen are kept until settle() takes
 * them by time. Those that were not settled are emitted as they are, up to the given time, behind
 * the others, which have time 0: what happened before the recording. Records are in this machine's
 * byte order, were checked for their size, and are copied. */
#ifndef PT_RECORD_STATE_H
#define PT_RECORD_STATE_H

#include <stddef.h>
#include <stdint.h>

struct pt_state;

/* sample_type: of the event that such records belong to; with PT_ATTR_SAMPLE_ID_ALL. */
struct pt_state *pt_state_new(uint64_t sample_type);
void pt_state_free(struct pt_state *s);
/* Records of other types are left alone. */
void pt_state_see(struct pt_state *s, const void *record, size_t len_bytes);
/* All records that are older were seen. */
void pt_state_settle(struct pt_state *s, uint64_t until_ns);
/* Settles the older half if those that wait take more memory than this. Returns the time up to
 * which that was done; 0: there is no need. */
uint64_t pt_state_trim(struct pt_state *s, size_t max_bytes);
void pt_state_emit(struct pt_state *s, uint64_t until_ns,
		   void (*put)(void *ctx, const void *record, size_t len_bytes), void *ctx);

#endif
