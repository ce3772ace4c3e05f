/* frames_jit_priv.h - a program's code made at run time: frames_jit.c reads its files,
 * frames_jitcode.c answers for addresses. */
#ifndef PT_STACK_FRAMES_JIT_PRIV_H
#define PT_STACK_FRAMES_JIT_PRIV_H

#include "base/budget.h"
#include "base/mapfile.h"
#include "stack/frames_priv.h"
#include "stack/jitcode.h"
#include "stack/jitdump.h"

struct pt_jit {				/* of a program: a process from its exec or fork on */
	uint32_t pid, inner_pid;	/* inner: in its own pid namespace, which names its files */
	bool live;
	bool looked;			/* recorded: it is known whether the process still runs */
	uint32_t owner;			/* the user of a running process; else UINT32_MAX */
	uint64_t born_ns;		/* recorded: when its program began; 0: unknown */
	/* perf-PID.map */
	struct pt_jitcodes *map;
	uint64_t map_ino;
	off_t read_bytes;
	/* they have joined the budgets whose `all` is set */
	struct pt_budget map_budget, dump_budget;
	bool map_done;			/* recorded: it will not change any more */
	bool refused;			/* and counted */
	bool is_jvm;			/* a Java virtual machine */
	bool asked;			/* it was, for its map; or the user was told of --jvm */
	/* jitdump */
	char *dump_path;		/* NULL: none */
	struct pt_mapfile file;
	struct pt_jitdump *dump;
	bool dump_done;
	/* offset of the process's time namespace, in which it wrote its dump */
	int64_t clock_offset_ns;
	/* of the last reading, on the recording's clock: all that was written before is known */
	uint64_t looked_ns;
	uint64_t readings;		/* how many readings of its files found something new */
};

struct pt_jit *pt_jit_of(struct pt_frames *f, uint32_t pid, uint64_t generation);
/* Read on from the last time; true: there was more. */
bool pt_jit_read_map(struct pt_frames *f, struct pt_jit *j);
bool pt_jit_read_dump(struct pt_frames *f, struct pt_jit *j);

#endif
