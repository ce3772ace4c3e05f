/* branches.h - `-j any,u`: which branches the hardware keeps for each sample, as
 * PERF_SAMPLE_BRANCH_* of linux/perf_event.h. */
#ifndef PT_CLI_BRANCHES_H
#define PT_CLI_BRANCHES_H

#include <stdint.h>

#include "base/words.h"

extern const struct pt_word pt_branches_words[];
/* The bits of all options: where none names a kind of branch (`-j u`), it is any. */
uint64_t pt_branches_kinds(uint64_t bits);

#endif
