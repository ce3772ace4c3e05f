#include "code/index.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/mem.h"

enum { VERSION = 1, LARGE = 4 << 20, WORTH = 16 };

struct key {
	struct pt_build_id object, debug;
	uint64_t dev, ino, bytes, changed_ns;
};

/* False: it cannot be told from others. */
static bool make_key(const struct pt_object *object, const struct pt_object *debug, char name[64], struct key *k)
{
	struct stat st;
	size_t i, n;

	if (!object->build_id.len || debug->file.fd < 0 || fstat(debug->file.fd, &st) < 0)
		return false;
	memset(k, 0, sizeof(*k));
	k->object = object->build_id;
	k->debug = debug->build_id;
	k->dev = st.st_dev;
	k->ino = st.st_ino;
	k->bytes = (uint64_t)st.st_size;
	k->changed_ns = (uint64_t)st.st_ctim.tv_sec * 1000000000u + (uint64_t)st.st_ctim.tv_nsec;	/* st_mtim can be set to what it was */
	n = (size_t)snprintf(name, 64, "inl-");
	for (i = 0; i < object->build_id.len; i++)
		n += (size_t)snprintf(name + n, 64 - n, "%02x", object->build_id.bytes[i]);
	return true;
}

void pt_index_load(struct pt_keep *keep, const struct pt_object *object, const struct pt_object *debug, struct pt_inlines *in, struct pt_kept *kept)
{
	struct key k;
	char name[64];

	memset(kept, 0, sizeof(*kept));
	if (!keep || !make_key(object, debug, name, &k) || !pt_keep_get(keep, name, VERSION, &k, sizeof(k), kept))
		return;
	if (!pt_inlines_use(in, kept->data, kept->len_bytes)) {
		pt_kept_release(kept);
		memset(kept, 0, sizeof(*kept));
	}
}

void pt_index_save(struct pt_keep *keep, const struct pt_object *object, const struct pt_object *debug, struct pt_inlines *in, const struct pt_kept *kept)
{
	size_t learned = pt_inlines_learned(in);
	struct pt_buf flat = PT_BUF_INIT;
	struct iovec part;
	char name[64];
	struct key k;

	/* To write a large table again for a function or two costs more than to read them. */
	if (!keep || !learned || (kept->len_bytes > LARGE && learned < WORTH) || !make_key(object, debug, name, &k))
		return;
	pt_inlines_flat(in, &flat);
	part = (struct iovec){ flat.data, flat.len };
	if (flat.len)
		pt_keep_put(keep, name, VERSION, &k, sizeof(k), &part, 1);
	pt_buf_deinit(&flat);
}
