/* naming.h - names for the frames of a profile (pt_profile_name()): of places of a recording or a
 * live session, or of the frames of folded lines. */
#ifndef PT_PROFILE_NAMING_H
#define PT_PROFILE_NAMING_H

#include "profile/profile.h"
#include "stack/frames.h"

struct pt_naming;
/* Addresses without a symbol are named after the unwind entry that covers them: "gzip+0x42f0"
 * begins at that address of the file; "[gzip]" is all that no entry covers. `each_address`: each is
 * named by itself. `paths`: of files, not their names alone. */
struct pt_naming *pt_naming_new(struct pt_frames *frames, bool each_address, bool paths);
void pt_naming_free(struct pt_naming *n);

/* For pt_profile_name(): ctx is the pt_naming, a place is of pt_frames_places(). */
size_t pt_naming_place(void *ctx, const void *place, const struct pt_profile_frame **frames);
/* The same; a place is a frame's interned text in a folded line, which may end in _[k], _[j] or
 * _[i]. */
size_t pt_naming_text(void *ctx, const void *place, const struct pt_profile_frame **frames);

#endif
