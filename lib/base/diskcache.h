/* diskcache.h - the cache on disk for results that are costly to compute: symbol tables, kernel
 * symbols, tables of inlined functions.
 *
 * Each item is a file in `$XDG_CACHE_HOME/pt` (or ~/.cache/pt) and is mapped read-only when it is
 * needed again. The cache is optional: without a directory, on a full disk or with a damaged file
 * the result is computed again. PT_CACHE=off in the environment turns it off.
 *
 * - The directory must belong to the user and be writable for nobody else (so nothing is kept under
 *   sudo with the user's HOME). Only root and the user may be able to change its path. It is then
 *   used through its descriptor, so that a symbolic link put in its place has no effect.
 * - Only files that were made here are removed. Their name, owner and first bytes are checked.
 * - An item has a name (of its file), a format version and a key that holds everything it was made
 *   from. If one of these differs, the item is treated as missing.
 * - Sizes and a checksum of key and content are checked before an item is returned. The checksum
 *   detects damage only, so the reader must still check offsets in the content.
 * - Items are written to a temporary file and renamed, so that nobody sees an incomplete one.
 * - The directory's size is bounded. The least recently used items are removed first.
 *
 *     struct pt_diskcache *k = pt_diskcache_open();
 *     if (pt_diskcache_get(k, "sym-1234", 1, key, key_len, &kept)) {
 *             ... kept.data, kept.len_bytes ...
 *             pt_cached_release(&kept);
 *     } else {
 *             ... pt_diskcache_put(k, "sym-1234", 1, key, key_len, parts, nr);
 *     }
 *     pt_diskcache_close(k);
 *
 * Every function accepts k == NULL, an empty cache. */
#ifndef PT_BASE_DISKCACHE_H
#define PT_BASE_DISKCACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "base/mapfile.h"

enum { PT_DISKCACHE_KEY_MAX = 1024 };

struct pt_diskcache;
struct pt_diskcache *pt_diskcache_open(void);	/* NULL: there is no cache */
/* Uses a directory of the caller, up to `limit_bytes`. */
struct pt_diskcache *pt_diskcache_open_in(const char *dir, uint64_t limit_bytes);
void pt_diskcache_close(struct pt_diskcache *k);	/* removes old items if something was put */

struct pt_cached {
	const uint8_t *data;		/* aligned to 64 bytes */
	size_t len_bytes;
	struct pt_mapfile file;
};

/* `name`: letters, digits, '-', '.', '_'; at most 200 bytes. False: no such item, another version
 * or key, or damaged. */
bool pt_diskcache_get(struct pt_diskcache *k, const char *name, uint32_t version, const void *key,
		      size_t key_len, struct pt_cached *out);
void pt_cached_release(struct pt_cached *kept);
/* Stores the parts, one after the other, in place of the old item. False: not stored. */
bool pt_diskcache_put(struct pt_diskcache *k, const char *name, uint32_t version, const void *key,
		      size_t key_len, const struct iovec *parts, size_t nr_parts);

#endif
