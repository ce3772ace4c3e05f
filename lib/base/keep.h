/* keep.h - what was costly to work out, kept on disk for the next time: symbol tables, kernel
 * symbols, tables of inlined functions.
 *
 * One file an item in `$XDG_CACHE_HOME/pt` (~/.cache/pt without it), read-only mapped when it is
 * wanted again. Nothing depends on it: no directory, a full disk, a damaged file mean that the work
 * is done again. PT_CACHE=off in the environment: nothing is kept or looked for.
 *
 * - The directory is used when it (or the one it is to be made in) is the user's own and writable
 *   for nobody else: under sudo with the user's HOME, nothing is kept. It is reached by steps that
 *   only root and the user can change, and held by its descriptor from then on: a link put in its
 *   place leads nowhere.
 * - Only files made here are removed: their names, their owner and their first bytes tell.
 * - An item has a name (of its file), a version of its format and a key: everything that it was
 *   made from. Where one of these differs it is as if it were not there.
 * - Before it is given out: sizes and a checksum of key and content. Offsets in the content are
 *   still the reader's to check: the sum guards against damage only.
 * - Written to a file of its own and renamed, so that readers and other writers never see half of
 *   one.
 * - The directory's size is bounded: what was not used for longest goes first.
 *
 *     struct pt_keep *k = pt_keep_open();
 *     if (pt_keep_get(k, "sym-1234", 1, key, key_len, &kept)) { ... kept.data, kept.len_bytes ...
 *             pt_kept_release(&kept); }
 *     else { ... pt_keep_put(k, "sym-1234", 1, key, key_len, parts, nr); }
 *     pt_keep_close(k);
 *
 * Every function takes k == NULL: nothing is there. */
#ifndef PT_BASE_KEEP_H
#define PT_BASE_KEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "base/mapfile.h"

enum { PT_KEEP_KEY_MAX = 1024 };

struct pt_keep;
struct pt_keep *pt_keep_open(void);	/* NULL: nothing can be kept */
/* In a directory of the caller's; what is in it may grow to `limit_bytes`. */
struct pt_keep *pt_keep_open_in(const char *dir, uint64_t limit_bytes);
void pt_keep_close(struct pt_keep *k);	/* makes room, when something was put */

struct pt_kept {
	const uint8_t *data;		/* aligned to 64 bytes */
	size_t len_bytes;
	struct pt_mapfile file;
};

/* `name`: letters, digits, '-', '.', '_'; at most 200 bytes. False: not there, of another version
 * or key, damaged. */
bool pt_keep_get(struct pt_keep *k, const char *name, uint32_t version, const void *key,
		 size_t key_len, struct pt_kept *out);
void pt_kept_release(struct pt_kept *kept);
/* The parts, one behind the other, replace what was there. False: not kept. */
bool pt_keep_put(struct pt_keep *k, const char *name, uint32_t version, const void *key,
		 size_t key_len, const struct iovec *parts, size_t nr_parts);

#endif
