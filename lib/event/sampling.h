/* sampling.h - what a tool samples by default */
#ifndef PT_EVENT_SAMPLING_H
#define PT_EVENT_SAMPLING_H

/* "cycles" if the CPU counts them for this user, else "cpu-clock". */
const char *pt_sampling_default_event(void);

#endif
