/* sampling.h - what a tool samples when nothing else is asked for. */
#ifndef PT_EVENT_SAMPLING_H
#define PT_EVENT_SAMPLING_H

#include <stdint.h>

/* "cycles" where the CPU counts them for this user, else "cpu-clock". */
const char *pt_sampling_default_event(void);
/* attr.sample_regs_user: the registers that unwinding needs, all general ones of this CPU. 0: a CPU
 * that is not known here. */
uint64_t pt_sampling_user_registers(void);
/* The same for call chains by frame pointer, which lack the caller of a function without a frame of
 * its own where it is in a link register. 0: nothing is needed. */
uint64_t pt_sampling_chain_registers(void);

#endif
