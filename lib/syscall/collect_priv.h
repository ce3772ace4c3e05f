/* collect_priv.h - what the files of collect.c share. */
#ifndef PT_SYSCALL_COLLECT_PRIV_H
#define PT_SYSCALL_COLLECT_PRIV_H

#include <bpf/btf.h>

#include "syscall/collect.h"
#include "syscall/programs.h"

enum { PT_COLLECT_SAMPLE_ID = 0x7074 };	/* perf's own ids are counted from 1 */

struct pt_bpf_ring;

struct pt_collect {
	struct pt_collector collector;
	struct pt_collect_opts o;
	struct pt_programs p;
	struct btf *functions;		/* of the programs, which have loops */
	int programs[PT_PROGRAM_KINDS], links[PT_PROGRAM_KINDS];
	struct pt_bpf_ring *rings;	/* by CPU; NULL: sums alone, or perf's rings */
	int nr_cpus;
	size_t page;
	int epoll_fd;
	uint64_t stats[PT_NR_STATS];	/* once stopped */
	bool stopped;
	uint64_t attach_at_ns;		/* the delayed programs; 0: they are */
	bool failed;			/* error says why */
	struct pt_err error;
};

static inline bool pt_collect_needs(const struct pt_collect *c, size_t program)
{
	const struct pt_program_kind *kind = &pt_program_kinds[program];

	return !kind->needed || kind->needed(&c->p);
}

/* collect_load.c: makes the maps and loads the programs. */
int pt_collect_load(struct pt_collect *c, struct pt_err *e);

/* collect_rings.c */
int pt_collect_new_rings(struct pt_collect *c, struct pt_err *e);
/* Gives the records that are there to the stream; how full the fullest ring is, of 256. */
uint64_t pt_collect_take_rings(struct pt_collect *c, struct pt_stream *st);
void pt_collect_free_rings(struct pt_collect *c);

#endif
