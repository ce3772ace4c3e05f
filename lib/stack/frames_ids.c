/* Build-ids that a recorder found at programs' paths at its end, for mappings without one. A path
 * with two build-ids is ignored. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "stack/frames_priv.h"

struct pt_path_ids {
	struct pt_names *paths;
	struct pt_map by_path;		/* interned path: index of ids + 1 */
	struct pt_build_id *ids;	/* len 0: several different ones */
	size_t nr, cap, seen;
};

struct pt_path_ids *pt_path_ids_new(void)
{
	struct pt_path_ids *p = pt_alloc(sizeof(*p));

	p->paths = pt_names_new();
	return p;
}

void pt_path_ids_free(struct pt_path_ids *p)
{
	pt_names_free(p->paths);
	pt_map_deinit(&p->by_path);
	free(p->ids);
	free(p);
}

static void take(struct pt_path_ids *p, const struct pt_build_id_entry *b)
{
	const char *path = pt_names_add(p->paths, b->path, SIZE_MAX);
	struct pt_build_id id = { .len = (uint8_t)PT_MIN(b->len, sizeof(id.bytes)) };
	uint64_t *slot = pt_map_put(&p->by_path, pt_word_of(path));

	memcpy(id.bytes, b->id, id.len);
	if (*slot) {
		if (!pt_build_id_equal(&p->ids[*slot - 1], &id))
			p->ids[*slot - 1].len = 0;
		return;
	}
	PT_GROW(p->ids, p->nr, p->cap);
	p->ids[p->nr++] = id;
	*slot = p->nr;
}

void pt_path_ids_see(struct pt_path_ids *p, const struct pt_source *s)
{
	const struct pt_build_id_entry *b;

	for (; p->seen < pt_source_nr_build_ids(s); p->seen++)
		if ((b = pt_source_build_id(s, p->seen))->path[0] == '/' && b->len)
			take(p, b);
}

struct pt_build_id pt_path_ids_of(const struct pt_path_ids *p, const char *path)
{
	const char *known = pt_names_find(p->paths, path, SIZE_MAX);
	const uint64_t *slot = known ? pt_map_get(&p->by_path, pt_word_of(known)) : NULL;

	return slot ? p->ids[*slot - 1] : (struct pt_build_id){ .len = 0 };
}
