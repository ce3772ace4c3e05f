/* Build-ids that a recorder found at programs' paths at its end, for mappings without one. A path
 * with two build-ids is ignored. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "stack/frames_priv.h"

struct told {
	struct told *next;		/* same hash */
	char *path;
	struct pt_build_id id;		/* len 0: several different ones */
};

struct pt_path_ids {
	struct pt_map by_path;		/* hash: struct told */
	size_t seen;
};

struct pt_path_ids *pt_path_ids_new(void)
{
	return pt_alloc(sizeof(struct pt_path_ids));
}

void pt_path_ids_free(struct pt_path_ids *p)
{
	struct pt_map_slot *s;
	struct told *t, *next;
	size_t i;

	for (i = 0; p && (s = pt_map_each(&p->by_path, &i)); )
		for (t = (struct told *)(uintptr_t)s->value; t; t = next) {
			next = t->next;
			free(t->path);
			free(t);
		}
	if (p)
		pt_map_deinit(&p->by_path);
	free(p);
}

static struct told *find(const struct pt_path_ids *p, const char *path)
{
	const uint64_t *slot = pt_map_get(&p->by_path, pt_hash_bytes(path, strlen(path)));
	struct told *t = slot ? (struct told *)(uintptr_t)*slot : NULL;

	while (t && strcmp(t->path, path))
		t = t->next;
	return t;
}

static void take(struct pt_path_ids *p, const struct pt_build_id_entry *b)
{
	struct told *t = find(p, b->path);
	struct pt_build_id id = { .len = (uint8_t)PT_MIN(b->len, sizeof(id.bytes)) };
	uint64_t *slot;

	memcpy(id.bytes, b->id, id.len);
	if (t) {
		if (!pt_build_id_equal(&t->id, &id))
			t->id.len = 0;
		return;
	}
	t = pt_alloc(sizeof(*t));
	t->path = pt_strdup(b->path);
	t->id = id;
	slot = pt_map_put(&p->by_path, pt_hash_bytes(b->path, strlen(b->path)));
	t->next = (struct told *)(uintptr_t)*slot;
	*slot = (uint64_t)(uintptr_t)t;
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
	const struct told *t = find(p, path);

	return t ? t->id : (struct pt_build_id){ .len = 0 };
}
