/* buildcache.h - perf's cache of files by build-id (pt_build_cache_dir()), from which
 * `perf archive` takes what a recording names: DIR/PATH/BUILDID/elf (kallsyms for the kernel), and
 * DIR/.build-id/xx/yyy, a link to it. */
#ifndef PT_RECORD_BUILDCACHE_H
#define PT_RECORD_BUILDCACHE_H

#include "base/err.h"
#include "record/format/buildid.h"

/* Puts the kernel's symbols and all files of the list that still have their build-id there: hard
 * links where the file system allows it, else copies. Files that are gone, or may not be read, are
 * left out. -1: the cache cannot be written. */
int pt_build_cache_add(const char *dir, const struct pt_build_ids *l, struct pt_err *e);

#endif
