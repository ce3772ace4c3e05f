#include "dwarf/index.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"

enum { VERSION = 3, LARGE = 4 << 20, WORTH = 16 };

struct key { struct pt_stamp object, debug; };

/* False: the file cannot be identified. */
static bool make_key(const struct pt_object *object, const struct pt_object *debug, char name[80],
		     struct key *k)
{
	char text[PT_STAMP_TEXT];

	memset(k, 0, sizeof(*k));
	if (!object->build_id.len || !pt_object_stamp(object, &k->object) ||
	    !pt_object_stamp(debug, &k->debug))
		return false;
	snprintf(name, 80, "inl-%s", pt_stamp_text(&k->object, text));
	return true;
}

void pt_index_load(struct pt_keep *keep, const struct pt_object *object,
		   const struct pt_object *debug, struct pt_inlines *in, struct pt_kept *kept)
{
	struct key k;
	char name[80];

	memset(kept, 0, sizeof(*kept));
	if (!keep || !make_key(object, debug, name, &k) ||
	    !pt_keep_get(keep, name, VERSION, &k, sizeof(k), kept))
		return;
	if (!pt_inlines_use(in, kept->data, kept->len_bytes)) {
		pt_kept_release(kept);
		memset(kept, 0, sizeof(*kept));
	}
}

void pt_index_save(struct pt_keep *keep, const struct pt_object *object,
		   const struct pt_object *debug, struct pt_inlines *in, const struct pt_kept *kept)
{
	size_t learned = pt_inlines_learned(in);
	struct pt_buf flat = PT_BUF_INIT;
	struct iovec part;
	char name[80];
	struct key k;

	/* Writing a large table for a few more functions costs more than reading them again. */
	if (!keep || !learned || (kept->len_bytes > LARGE && learned < WORTH) ||
	    !make_key(object, debug, name, &k))
		return;
	pt_inlines_flat(in, &flat);
	part = (struct iovec){ flat.data, flat.len };
	if (flat.len)
		pt_keep_put(keep, name, VERSION, &k, sizeof(k), &part, 1);
	pt_buf_deinit(&flat);
}
