/* Build-ids that a recorder found at paths at its end, for mappings without one. A path with two
 * build-ids is ignored. */
#include <string.h>

#include "base/mem.h"
#include "stack/frames_priv.h"

static void frames_ids_take(struct pt_frames *f, const struct pt_build_id_entry *b)
{
	const char *path = pt_names_add(f->names, b->path, SIZE_MAX);
	struct pt_build_id id = pt_build_id(b->id, b->len), *known;
	uint64_t *slot = pt_map_put(&f->told_ids, pt_word_of(path));

	known = pt_pointer(*slot);
	if (!known)
		*slot = pt_word_of(pt_arena_memdup(&f->all_places, &id, sizeof(id)));
	else if (!pt_build_id_equal(known, &id))
		known->len = 0;
}

void pt_frames_see_ids(struct pt_frames *f, const struct pt_source *s)
{
	const struct pt_build_id_entry *b;

	for (; f->nr_told < pt_source_nr_build_ids(s); f->nr_told++)
		if ((b = pt_source_build_id(s, f->nr_told))->len)
			frames_ids_take(f, b);
}

struct pt_build_id pt_frames_told_id(const struct pt_frames *f, const char *path)
{
	const char *known = pt_names_find(f->names, path, SIZE_MAX);
	const uint64_t *slot = known ? pt_map_get(&f->told_ids, pt_word_of(known)) : NULL;

	return slot ? *(struct pt_build_id *)pt_pointer(*slot) : (struct pt_build_id){ .len = 0 };
}
