/* The vdso images in processes, for frames.c. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/map.h"
#include "base/mem.h"
#include "stack/frames_priv.h"

enum { MAX_IMAGES = 8, MAX_BYTES = 1 << 16 };

struct image { struct pt_object *object; uint8_t *bytes; uint64_t len; };

struct pt_vdsos {
	struct pt_object *own;
	bool tried_own;
	struct image images[MAX_IMAGES];	/* distinct images read from processes */
	size_t nr;
	/* process -> index of its image plus 1; 0: none */
	struct pt_map of_pid;
};

struct pt_vdsos *pt_vdsos_new(void)
{
	return pt_alloc(sizeof(struct pt_vdsos));
}

void pt_vdsos_free(struct pt_vdsos *v)
{
	size_t i;

	if (!v)
		return;
	pt_object_put(v->own);
	for (i = 0; i < v->nr; i++) {
		pt_object_put(v->images[i].object);
		free(v->images[i].bytes);
	}
	pt_map_deinit(&v->of_pid);
	free(v);
}

/* Stays mapped for the object's life. */
static struct pt_object *open_own(void)
{
	struct pt_spaces *own = pt_spaces_new();
	const struct pt_mapping *m = NULL;
	struct pt_object *o = NULL;
	uint64_t at = getauxval(AT_SYSINFO_EHDR);

	if (at && pt_spaces_reread(own, (uint32_t)getpid()) &&
	    (m = pt_spaces_find(own, (uint32_t)getpid(), at)))
		pt_object_open_memory(&o, pt_pointer(m->start), m->end - m->start,
				      "[vdso]", NULL);
	pt_spaces_free(own, NULL);
	return o;
}

/* 32-bit programs have everything below 4 GB, 64-bit programs have the vdso above. */
static bool of_our_size(const struct pt_mapping *m)
{
	return (m->start >= 1ull << 32) == (sizeof(void *) == 8);
}

/* Index of the image plus 1; 0: none. Processes share an image only if its bytes are equal, as they
 * may write to theirs. */
static size_t read_image(struct pt_vdsos *v, const struct pt_mapping *m, uint32_t pid)
{
	uint64_t len = m->end - m->start;
	struct image x = { .len = len };
	struct iovec local, remote;

	if (!len || len > MAX_BYTES)
		return 0;
	x.bytes = pt_alloc(len);
	local = (struct iovec){ x.bytes, len };
	remote = (struct iovec){ pt_pointer(m->start), len };
	if (process_vm_readv((pid_t)pid, &local, 1, &remote, 1, 0) == (ssize_t)len) {
		for (size_t i = 0; i < v->nr; i++) {
			if (v->images[i].len == len && !memcmp(v->images[i].bytes, x.bytes, len)) {
				free(x.bytes);
				return i + 1;
			}
		}
		if (v->nr < MAX_IMAGES && !memcmp(x.bytes, ELFMAG, SELFMAG) &&
		    pt_object_open_memory(&x.object, x.bytes, len, "[vdso]", NULL) == 0) {
			v->images[v->nr] = x;
			return ++v->nr;
		}
	}
	free(x.bytes);
	return 0;
}

struct pt_object *pt_vdsos_object(struct pt_vdsos *v, struct pt_files *files,
				  const struct pt_mapping *m, bool own, uint32_t pid)
{
	struct pt_file_query q = { .path = "[vdso]", .pid = pid, .build_id = m->file->build_id };
	uint64_t *slot;

	if (of_our_size(m)) {
		if (!v->tried_own)
			v->own = open_own();
		v->tried_own = true;
		if (v->own &&
		    (q.build_id.len ? pt_build_id_equal(&v->own->build_id, &q.build_id) : own))
			return v->own;
	}
	if (!pid)
		return pt_files_object(files, &q);
	slot = pt_map_get(&v->of_pid, pid);
	if (!slot) {
		slot = pt_map_put(&v->of_pid, pid);
		*slot = read_image(v, m, pid);
	}
	return *slot ? v->images[*slot - 1].object : NULL;
}
