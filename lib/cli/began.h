/* began.h - what began a latency, for the longest ones: who put the request into the queue, which
 * descriptor the system call got, and the stack.
 *
 *     struct pt_began *b = pt_began_new(an, stacks);
 *     lat_opts.began = pt_began_note; lat_opts.began_ctx = b;
 *     pt_began_see(b, rec);                    // each record, before pt_lat_feed()
 *     pt_began_words(b, lat, &text);           // " inserted by 27417 dd", " fd 3 </etc/hosts>"
 *     pt_began_stack(lat, &text);              // lines "#     FUNCTION", innermost first
 *
 * A request that one task inserted and another issued has the stack of the first. The
 * descriptor's path is looked up when it is printed, of a live session alone: by then it may be
 * another file's. */
#ifndef PT_CLI_BEGAN_H
#define PT_CLI_BEGAN_H

#include "cli/analysis.h"
#include "lat/lat.h"

struct pt_began;
/* stacks: the analysis has frames (pt_analysis_frames()). an NULL: no paths, no stacks. */
struct pt_began *pt_began_new(struct pt_analysis *an, bool stacks);
void pt_began_free(struct pt_began *b);
void pt_began_see(struct pt_began *b, const struct pt_record *rec);
/* For pt_lat_opts.began: rec is the last one seen. */
const void *pt_began_note(void *began, const struct pt_record *rec);
void pt_began_words(const struct pt_began *b, const struct pt_latency *lat, struct pt_buf *out);
/* Some start had a stack. */
bool pt_began_some_stack(const struct pt_began *b);
void pt_began_stack(const struct pt_latency *lat, struct pt_buf *out);
/* Adds "inserted_by", "fd", "path" and "stack". */
void pt_began_json(const struct pt_began *b, const struct pt_latency *lat, struct pt_buf *out);

#endif
