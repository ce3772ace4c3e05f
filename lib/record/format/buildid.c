#include "record/format/buildid.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/untrusted.h"
#include "elf/object.h"
#include "event/abi.h"

enum { MAX_IDS = 1 << 18, PATH_ALIGN = 64 };

/* The pid is that of a virtual machine, or this: perf does not find ids of other ones. */
#define HOST UINT32_MAX
#define MISC_BUILD_ID_SIZE (1u << 15)	/* the 21st byte of the id holds its length */

/* Closes the fd. ino 0: any. */
static bool buildid_read_file(int fd, uint64_t ino, struct pt_build_id *id)
{
	struct pt_object *o;
	bool found;

	if (fd < 0 || pt_object_open_fd(&o, fd, "", NULL) < 0)
		return false;
	*id = o->build_id;
	found = id->len && (!ino || o->stamp->ino == ino);
	pt_object_put(o);
	return found;
}

bool pt_build_id_file(int fd, struct pt_build_id *id)
{
	return buildid_read_file(fcntl(fd, F_DUPFD_CLOEXEC, 0), 0, id);
}

bool pt_build_id_mapped(pid_t pid, const char *path, uint64_t ino, struct pt_build_id *id)
{
	struct pt_root *root = pt_root_new_process(pid);
	bool found = buildid_read_file(pt_untrusted_open(root, path, 0, NULL), ino, id);

	pt_root_put(root);
	return found;
}

bool pt_build_id_mapping(pid_t pid, uint64_t start, uint64_t end, struct pt_build_id *id)
{
	char path[96];

	snprintf(path, sizeof(path), "/proc/%d/map_files/%llx-%llx", (int)pid,
		 (unsigned long long)start, (unsigned long long)end);
	return buildid_read_file(pt_untrusted_open(NULL, path, PT_UNTRUSTED_KERNEL_LINK, NULL), 0,
				 id);
}

struct entry {				/* the path follows */
	struct perf_event_header header;
	uint32_t pid;
	uint8_t id[20], id_len, reserved[3];
};

struct pt_build_ids {
	struct pt_buf records;		/* the section's content */
	size_t nr;
	struct pt_map seen;		/* hash of path and id */
};

struct pt_build_ids *pt_build_ids_new(void)
{
	return pt_alloc(sizeof(struct pt_build_ids));
}

void pt_build_ids_free(struct pt_build_ids *l)
{
	if (!l)
		return;
	pt_buf_deinit(&l->records);
	pt_map_deinit(&l->seen);
	free(l);
}

size_t pt_build_ids_nr(const struct pt_build_ids *l) { return l->nr; }

void pt_build_ids_add(struct pt_build_ids *l, uint16_t misc, const struct pt_build_id *id,
		      const char *path, size_t path_len)
{
	size_t padded = (path_len + PATH_ALIGN) / PATH_ALIGN * PATH_ALIGN;
	struct entry r = {
		.header.misc = (uint16_t)(misc | MISC_BUILD_ID_SIZE),
		.header.size = (uint16_t)(sizeof(r) + padded),
		.pid = HOST,
		.id_len = id->len,
	};
	uint64_t *seen;

	if (!id->len || l->nr >= MAX_IDS || path_len >= PATH_MAX)
		return;
	seen = pt_map_put(&l->seen, pt_hash_bytes(path, path_len) ^
					    pt_hash64(pt_hash_bytes(id->bytes, sizeof(id->bytes))));
	if (*seen)
		return;
	*seen = ++l->nr;
	memcpy(r.id, id->bytes, sizeof(r.id));
	pt_buf_add(&l->records, &r, sizeof(r));
	pt_buf_add(&l->records, path, path_len);
	pt_buf_fill(&l->records, 0, padded - path_len);
}

void pt_build_ids_section(const struct pt_build_ids *l, struct pt_buf *b)
{
	pt_buf_add(b, pt_buf_str(&l->records), l->records.len);
}

bool pt_build_ids_next(const struct pt_build_ids *l, size_t *at, struct pt_build_id *id,
		       const char **path)
{
	struct entry x;

	if (*at >= l->records.len)
		return false;
	memcpy(&x, l->records.data + *at, sizeof(x));
	*id = pt_build_id(x.id, x.id_len);
	*path = l->records.data + *at + sizeof(x);
	*at += x.header.size;
	return true;
}
