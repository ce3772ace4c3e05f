/* regnames.h - the registers that samples hold, by perf's numbers and names (AX, IP; x0, lr). */
#ifndef PT_UNWIND_REGNAMES_H
#define PT_UNWIND_REGNAMES_H

#include <stdint.h>

#include "base/err.h"

/* The name of a register of an architecture (as uname -m). NULL: unknown. */
const char *pt_reg_name(const char *arch, unsigned number);
/* The bits of names with commas between them, in either case ("ax,ip"), on this CPU; NULL: of all
 * registers that its kernel provides. "?" and unknown names are errors that list the names. */
int pt_regs_parse(const char *names, uint64_t *mask, struct pt_err *e);

#endif
