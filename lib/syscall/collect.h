/* collect.h - collects system calls by BPF programs (programs.h): loads them, and gives what they
 * write to a live session.
 *
 *     struct pt_collect *c;
 *     if (pt_collect_open(&c, &opts, &e) < 0) ...   // e says why there is no BPF here
 *     watch.collector = pt_collect_collector(c);    // then pt_source_open_live()
 *     ... records of the event "syscalls" are for pt_calls_feed() ...
 *     pt_collect_free(c);                           // after the source is freed
 *
 * Programs and maps are descriptors of this process: nothing stays when it ends, however it
 * does. */
#ifndef PT_SYSCALL_COLLECT_H
#define PT_SYSCALL_COLLECT_H

#include "record/watch/collector.h"
#include "syscall/collect_opts.h"

#define PT_COLLECT_EVENT "pt:syscall"

struct pt_collect;
int pt_collect_open(struct pt_collect **c, const struct pt_collect_opts *o, struct pt_err *e);
void pt_collect_free(struct pt_collect *c);
struct pt_collector *pt_collect_collector(struct pt_collect *c);
/* Each row of the sums so far. */
int pt_collect_sums(struct pt_collect *c,
		    void (*each)(void *arg, const struct pt_sum_key *key,
				 const struct pt_sum_value *value),
		    void *arg, struct pt_err *e);
/* False: the kernel is locked down. Descriptors have no paths, signals no siginfo_t. */
bool pt_collect_reads_kernel(const struct pt_collect *c);
/* What went wrong after it had begun; NULL: nothing. */
const struct pt_err *pt_collect_error(const struct pt_collect *c);
/* After the end: the tasks that are watched, one after the other, for pt_calls_of_task(). *tid is 0
 * at first. False: there are no more. */
bool pt_collect_task(struct pt_collect *c, uint32_t *tid, struct pt_task_state *state);
uint64_t pt_collect_stat(struct pt_collect *c, enum pt_stat_row row);

#endif
