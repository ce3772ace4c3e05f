/* interrupt.h - SIGINT and SIGTERM behind the end of a session, while what it gathered is named.
 *
 *     struct pt_interrupt *in = pt_interrupt_new();
 *     pt_frames_set_enough(frames, pt_interrupt_came, in);
 *     ... the session: it takes the first signal ...
 *     pt_interrupt_start(in);
 *     ... names are looked up ...
 *     pt_interrupt_free(in);                                  // before pt_finish()
 *
 * The first of these signals is remembered: pt_interrupt_came() says so, and what can be left out is.
 * The next one ends the process at once, with status 128 + its number, wherever the process may be: a thread
 * of its own waits for them. The first signal of all, which ended the session, is not counted here. */
#ifndef PT_CLI_INTERRUPT_H
#define PT_CLI_INTERRUPT_H

#include <stdbool.h>

struct pt_interrupt;
struct pt_source;
struct pt_interrupt *pt_interrupt_new(void);
/* From now on these signals are waited for. More calls do nothing. */
void pt_interrupt_start(struct pt_interrupt *in);
/* The same once a signal has ended the live session that `s` reads, which names while records come. */
void pt_interrupt_follow(struct pt_interrupt *in, struct pt_source *s);
/* Signals are blocked as before pt_interrupt_start(). NULL may be given. */
void pt_interrupt_free(struct pt_interrupt *in);
bool pt_interrupt_came(void *interrupt);

#endif
