/* buildid.h - build-ids of files that processes map, and the list that becomes the BUILD_ID
 * section. The files are untrusted. */
#ifndef PT_RECORD_BUILDID_H
#define PT_RECORD_BUILDID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "elf/notes.h"

/* A file that a process maps: below its root, if it is still that inode; of a process that is gone,
 * below our own root. False: it has none, or cannot be read. */
bool pt_build_id_mapped(pid_t pid, const char *path, uint64_t ino, struct pt_build_id *id);
/* The same by the place of the mapping, even if the file's name is gone. Needs privileges. */
bool pt_build_id_mapping(pid_t pid, uint64_t start, uint64_t end, struct pt_build_id *id);
/* Of an open file, which stays open. */
bool pt_build_id_file(int fd, struct pt_build_id *id);

/* A list of objects with their ids, each pair once. */
struct pt_build_ids;
struct pt_build_ids *pt_build_ids_new(void);
void pt_build_ids_free(struct pt_build_ids *l);
/* misc: PERF_RECORD_MISC_KERNEL or _USER. */
void pt_build_ids_add(struct pt_build_ids *l, uint16_t misc, const struct pt_build_id *id,
		      const char *path, size_t path_len);
/* The content of the BUILD_ID section. */
void pt_build_ids_section(const struct pt_build_ids *l, struct pt_buf *b);
/* One after the other, from *at = 0 on; false: there are no more. */
bool pt_build_ids_next(const struct pt_build_ids *l, size_t *at, struct pt_build_id *id,
		       const char **path);
size_t pt_build_ids_nr(const struct pt_build_ids *l);

#endif
