/* second_unwinder.h - libunwind behind pt_unwind()'s interface, for pt-stack --once
 * --second-opinion and as an oracle in tests. Slow: it caches nothing between stacks; reads CFI
 * only through .eh_frame_hdr. Optional at build (libunwind-generic).
 *
 * result->end is COMPLETE or NO_RULE; `guessed` and `missing` are not set. */
#ifndef PT_UNWIND_SECOND_UNWINDER_H
#define PT_UNWIND_SECOND_UNWINDER_H

#include "unwind/unwind.h"

/* NULL: not in this build. */
const struct pt_unwind_by *pt_second_unwinder(void);

#endif
