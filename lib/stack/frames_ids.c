/* Build-ids that a recorder found at paths at its end, for mappings without one. A path with two
 * build-ids is ignored. */
#include <string.h>

#include "base/mem.h"
#include "stack/frames_priv.h"

static void take(struct pt_frames *f, const struct pt_build_id_entry *b)
{
	const char *path = pt_names_add(f->names, b->path, SIZE_MAX);
	struct pt_build_id id = pt_build_id(b->id, b->len);
	uint64_t *slot = pt_map_put(&f->told.of_path, pt_word_of(path));

	if (*slot) {
		if (!pt_build_id_equal(&f->told.ids[*slot - 1], &id))
			f->told.ids[*slot - 1].len = 0;
		return;
	}
	PT_GROW(f->told.ids, f->told.nr, f->told.cap);
	f->told.ids[f->told.nr++] = id;
	*slot = f->told.nr;
}

void pt_frames_see_ids(struct pt_frames *f, const struct pt_source *s)
{
	const struct pt_build_id_entry *b;

	for (; f->told.seen < pt_source_nr_build_ids(s); f->told.seen++)
		if ((b = pt_source_build_id(s, f->told.seen))->len)
			take(f, b);
}

struct pt_build_id pt_frames_told_id(const struct pt_frames *f, const char *path)
{
	const char *known = pt_names_find(f->names, path, SIZE_MAX);
	const uint64_t *slot = known ? pt_map_get(&f->told.of_path, pt_word_of(known)) : NULL;

	return slot ? f->told.ids[*slot - 1] : (struct pt_build_id){ .len = 0 };
}
