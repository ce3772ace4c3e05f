/* state.h - what exists at a moment, as the records so far say: the kernel's and the processes'
 * mappings, names of threads, who is whose child, BPF programs, control groups. A recording that
 * begins within a session (pt-record --rotate, --snapshot) starts with it.
 *
 *     for each record: pt_state_see(s, p, len);
 *     once rings are read: pt_state_settle(s, time of their reading);
 *     pt_state_emit(s, until, put, ctx);
 *
 * Records of several CPUs come out of order. They wait until pt_state_settle() applies them in the
 * order of time. pt_state_emit() gives first what exists, as records with time 0 (before the
 * recording), then those that still wait, as they are. Records are in this machine's byte order,
 * were checked for their size, and are copied. */
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
/* Applies the records before that time; none of them may come later. */
void pt_state_settle(struct pt_state *s, uint64_t until_ns);
/* Applies the older half if those that wait take more memory than this. Returns the time up to
 * which that was done; 0: it was not necessary. */
uint64_t pt_state_trim(struct pt_state *s, size_t max_bytes);
/* until_ns: of the records that wait. */
void pt_state_emit(struct pt_state *s, uint64_t until_ns,
		   void (*put)(void *ctx, const void *record, size_t len_bytes), void *ctx);

#endif
