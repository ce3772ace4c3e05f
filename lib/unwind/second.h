/* second.h - libunwind behind pt_unwind()'s interface, on the same registers and memory. It serves
 * pt-stack --once --second-opinion and is an oracle in tests. It is slow, since it caches nothing
 * between stacks, and reads CFI only through .eh_frame_hdr. Optional at build (libunwind-generic).
 *
 * Frames are as from pt_unwind(). result->end is COMPLETE or NO_RULE; `guessed` and `missing` are
 * not set. */
#ifndef PT_UNWIND_SECOND_H
#define PT_UNWIND_SECOND_H

#include "unwind/unwind.h"

/* NULL: not in this build. */
const struct pt_unwind_by *pt_second_unwinder(void);

#endif
