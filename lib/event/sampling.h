/* sampling.h - what a tool samples by default */
#ifndef PT_EVENT_SAMPLING_H
#define PT_EVENT_SAMPLING_H

#include <stdint.h>

/* "cycles" if the CPU counts them for this user, else "cpu-clock". */
const char *pt_sampling_default_event(void);
/* attr.sample_regs_user: all general registers of this CPU, for unwinding. 0: an unknown CPU. */
uint64_t pt_sampling_user_registers(void);
/* The same for frame-pointer call chains, which miss the caller of a function without a frame if it
 * is in a link register. 0: none is needed. */
uint64_t pt_sampling_chain_registers(void);

#endif
