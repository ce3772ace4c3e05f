/* The kernel's images in processes, for frames.c. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/mem.h"
#include "stack/frames_priv.h"

enum { MAX_IMAGES = 8, MAX_BYTES = 1 << 16 };

struct image { struct pt_object *object; uint8_t *bytes; uint64_t len; };

struct pt_vdsos {
	struct pt_object *own;
	bool tried_own;
	struct image images[MAX_IMAGES];	/* read from processes: one a length, which differs from one word size to the other */
	size_t nr;
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
	free(v);
}

/* As long as its mapping is. */
static struct pt_object *open_own(void)
{
	struct pt_spaces *own = pt_spaces_new();
	const struct pt_mapping *m = NULL;
	struct pt_object *o = NULL;
	uint64_t at = getauxval(AT_SYSINFO_EHDR);

	if (at && pt_spaces_reread(own, (uint32_t)getpid()) && (m = pt_spaces_find(own, (uint32_t)getpid(), at)))
		pt_object_open_memory(&o, (const void *)(uintptr_t)m->start, m->end - m->start, "[vdso]", NULL);
	pt_spaces_free(own, NULL);
	return o;
}

/* Programs of 32 bits have all below 4 GB; those of 64 bits have it further up. */
static bool of_our_size(const struct pt_mapping *m)
{
	return (m->start >= 1ull << 32) == (sizeof(void *) == 8);
}

static struct pt_object *read_image(struct pt_vdsos *v, const struct pt_mapping *m, uint32_t pid)
{
	uint64_t len = m->end - m->start;
	struct image *x = &v->images[v->nr];
	struct iovec local, remote;

	if (v->nr == MAX_IMAGES || !len || len > MAX_BYTES)
		return NULL;
	x->bytes = pt_alloc(len);
	x->len = len;
	local = (struct iovec){ x->bytes, len };
	remote = (struct iovec){ (void *)(uintptr_t)m->start, len };
	if (process_vm_readv((pid_t)pid, &local, 1, &remote, 1, 0) != (ssize_t)len || memcmp(x->bytes, ELFMAG, SELFMAG) ||
	    pt_object_open_memory(&x->object, x->bytes, len, "[vdso]", NULL) < 0) {
		free(x->bytes);		/* the process is gone: the next one will do */
		x->bytes = NULL;
		return NULL;
	}
	return v->images[v->nr++].object;
}

struct pt_object *pt_vdsos_object(struct pt_vdsos *v, struct pt_files *files, const struct pt_mapping *m, bool own, uint32_t pid)
{
	struct pt_file_query q = { .path = "[vdso]", .pid = pid };
	size_t i;

	q.build_id.len = m->file->build_id_len;
	memcpy(q.build_id.bytes, m->file->build_id, sizeof(q.build_id.bytes));
	if (of_our_size(m)) {
		if (!v->tried_own)
			v->own = open_own();
		v->tried_own = true;
		if (v->own && (q.build_id.len ? pt_build_id_equal(&v->own->build_id, &q.build_id) : own))
			return v->own;
	}
	for (i = 0; pid && i < v->nr; i++)
		if (v->images[i].len == m->end - m->start)
			return v->images[i].object;
	if (pid)
		return read_image(v, m, pid);
	return pt_files_object(files, &q);
}
