/* The vdso images in processes, for frames.c. */
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/map.h"
#include "base/mem.h"
#include "stack/frames_priv.h"

enum { MAX_IMAGES = 8, MAX_BYTES = 1 << 16 };

struct pt_vdsos {
	struct pt_object *own;
	bool tried_own;
	struct pt_object *images[MAX_IMAGES];	/* distinct ones, over bytes read from processes */
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
	const uint8_t *bytes;
	size_t i;

	if (!v)
		return;
	pt_object_put(v->own);
	for (i = 0; i < v->nr; i++) {
		bytes = v->images[i]->file.data;
		pt_object_put(v->images[i]);
		free((void *)bytes);
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
	pt_spaces_free(own);
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
	uint8_t *bytes = len && len <= MAX_BYTES ? pt_alloc(len) : NULL;
	struct iovec local = { bytes, len }, remote = { pt_pointer(m->start), len };
	size_t i = v->nr;

	if (bytes && process_vm_readv((pid_t)pid, &local, 1, &remote, 1, 0) == (ssize_t)len) {
		for (i = 0; i < v->nr; i++)
			if (v->images[i]->file.len_bytes == len &&
			    !memcmp(v->images[i]->file.data, bytes, len))
				break;
		if (i == v->nr && i < MAX_IMAGES &&
		    pt_object_open_memory(&v->images[i], bytes, len, "[vdso]", NULL) == 0)
			return ++v->nr;
	}
	free(bytes);
	return i < v->nr ? i + 1 : 0;
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
	return *slot ? v->images[*slot - 1] : NULL;
}
