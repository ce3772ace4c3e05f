/* synth.h - records for what was there before the recording: the kernel and its modules (MMAP),
 * tasks (FORK, COMM) and their executable mappings (MMAP2), made from /proc.
 *
 *     struct pt_synth s = { .emit = keep, .ctx = &list, .trailer = zeros, .trailer_len = 32,
 *             .want_maps = true };
 *     pt_synth_kernel(&s, NULL); pt_synth_watched(&s, watch);
 *     pt_synth_deinit(&s);
 *
 * Nothing here fails: a task that ends meanwhile, a file that this user may not read, is left out.
 * A record given to emit() lives until it returns. */
#ifndef PT_RECORD_SYNTH_H
#define PT_RECORD_SYNTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/map.h"
#include "record/format/buildid.h"
#include "record/watch/session.h"

struct pt_synth {
	void (*emit)(void *ctx, const void *record, size_t len_bytes);
	void *ctx;
	/* sample_id of the event that such records belong to; the caller's */
	const void *trailer;
	size_t trailer_len;		/* multiple of 8 */
	bool want_maps;			/* MMAP2 of executable mappings */
	bool want_data_maps;		/* the others, too */
	bool build_ids;			/* MMAP2 with build-ids where a file has one */

	size_t max_files;		/* whose build-ids are remembered; 0: 65,536 */

	/* synth.c's own */
	struct pt_buf record;
	struct pt_map files;		/* hash of device and inode -> index into ids + 1 */
	struct pt_build_id *ids;
	size_t nr_ids, cap_ids;
	struct pt_build_id last_id;	/* of a file beyond max_files */
};

void pt_synth_deinit(struct pt_synth *s);
/* [kernel.kallsyms] where addresses may be seen (else nothing), and the modules. `ids` may be NULL;
 * gets the build-ids of both. */
void pt_synth_kernel(struct pt_synth *s, struct pt_build_ids *ids);
/* The control groups that there are (CGROUP): their ids and paths. */
void pt_synth_cgroups(struct pt_synth *s);
/* A process: the names of all its threads (COMM) and its mappings. */
void pt_synth_process(struct pt_synth *s, pid_t pid);
/* Returns the process of a thread; the thread itself when that cannot be seen. */
pid_t pt_synth_leader(pid_t tid);
/* All processes, with FORK records: who is whose child. */
void pt_synth_all(struct pt_synth *s);
/* The tasks that a session watches. */
void pt_synth_watched(struct pt_synth *s, const struct pt_watch *w);

#endif
