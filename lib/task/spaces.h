/* spaces.h - the memory maps of processes over time, from MMAP, MMAP2, FORK, COMM (exec) and EXIT
 * records.
 *
 *     struct pt_spaces *s = pt_spaces_new();
 *     pt_spaces_feed(s, rec);                    // every record, in the order of time
 *     m = pt_spaces_find(s, pid, addr);          // the mapping now; NULL: none is known
 *
 * A process's mappings are sorted; a new one cuts what it covers. A fork shares its parent's list
 * until one of them changes. An exec starts an empty list. A process's maps are kept for one round
 * after its last thread has exited, since samples can follow the EXIT record. Kernel mappings
 * (pid -1) are a space of their own.
 *
 * Paths are interned: equal paths are equal pointers for the life of pt_spaces. A mapping is valid
 * until the next feed. */
#ifndef PT_TASK_SPACES_H
#define PT_TASK_SPACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/notes.h"
#include "record/format/record.h"

/* A mapped file, shared by all mappings of it. */
struct pt_mapped_file {
	/* "/usr/lib/libc.so.6", "[vdso]", "//anon", "/memfd:x (deleted)" */
	const char *path;
	uint32_t maj, min;
	uint64_t ino, ino_generation;
	struct pt_build_id build_id;
	/* the first process that mapped it: the path is below its root */
	uint32_t pid;
	bool rewritten;			/* the resolver's: the file is no longer what was mapped */
};

struct pt_mapping {
	uint64_t start, end;		/* [start, end) */
	uint64_t pgoff;			/* offset of `start` in the file */
	uint32_t prot, flags;
	struct pt_mapped_file *file;
	uint64_t bias;			/* the resolver's: addr - vaddr */
	uint64_t shown;			/* the resolver's: the shown address - addr */
	enum pt_bias { PT_BIAS_UNKNOWN, PT_BIAS_KNOWN, PT_BIAS_NONE, PT_BIAS_VDSO } bias_is;
	bool shown_known, object_known;
	void *object;			/* the resolver's: what is mapped here, once object_known */
};

struct pt_spaces;
struct pt_spaces *pt_spaces_new(void);
void pt_spaces_free(struct pt_spaces *s);
void pt_spaces_feed(struct pt_spaces *s, const struct pt_record *rec);
/* Replaces what is known of a live process by its /proc/PID/maps. False: it cannot be read. */
bool pt_spaces_reread(struct pt_spaces *s, uint32_t pid);

/* A sample in user mode shows that an exec is over. Until then the registers are those of the call
 * of execve(), so addresses that the new program has not mapped are looked up in the old maps.
 * True: they were until now. */
bool pt_spaces_runs(struct pt_spaces *s, uint32_t pid);

const struct pt_mapping *pt_spaces_find(struct pt_spaces *s, uint32_t pid, uint64_t addr);
/* All mappings of a process, sorted; NULL and 0 if none is known. */
const struct pt_mapping *pt_spaces_of(struct pt_spaces *s, uint32_t pid, size_t *nr);
/* Changes with each exec of pid: what a caller has kept about its code (JIT symbols) is invalid
 * then. */
uint64_t pt_spaces_generation(const struct pt_spaces *s, uint32_t pid);

#endif
