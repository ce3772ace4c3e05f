#include "base/map.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"

uint64_t pt_hash_bytes(const void *p, size_t len)
{
	const unsigned char *s = p;
	uint64_t h = 0x9e3779b97f4a7c15u ^ len, w;

	for (; len >= 8; len -= 8, s += 8) {
		memcpy(&w, s, 8);
		h = pt_hash64(h ^ w);
	}
	w = 0;
	if (len)
		memcpy(&w, s, len);	/* of nothing, `s` may be NULL */
	return pt_hash64(h ^ w);
}

void pt_map_deinit(struct pt_map *m)
{
	pt_free_table(m->slots, m->cap * sizeof(*m->slots));
	*m = (struct pt_map)PT_MAP_INIT;
}

void pt_map_deinit_each(struct pt_map *m, void (*free_value)(void *value))
{
	struct pt_map_slot *slot;

	for (size_t i = 0; (slot = pt_map_each(m, &i)); )
		free_value(pt_pointer(slot->value));
	pt_map_deinit(m);
}

void pt_map_clear(struct pt_map *m)
{
	if (m->slots)
		memset(m->slots, 0, m->cap * sizeof(*m->slots));
	m->nr = 0;
	m->has_zero = false;
}

/* The key's slot, or the free one where it would be put. The table has slots; the key is not 0. */
static struct pt_map_slot *map_find(const struct pt_map *m, uint64_t key)
{
	size_t i = pt_hash64(key) & (m->cap - 1);

	while (m->slots[i].key && m->slots[i].key != key)
		i = (i + 1) & (m->cap - 1);
	return &m->slots[i];
}

static void map_grow(struct pt_map *m)
{
	struct pt_map old = *m;

	m->cap = old.cap ? 2 * old.cap : 16;
	m->slots = pt_alloc_table(m->cap * sizeof(*m->slots));
	for (size_t i = 0; i < old.cap; i++)
		if (old.slots[i].key)
			*map_find(m, old.slots[i].key) = old.slots[i];
	pt_free_table(old.slots, old.cap * sizeof(*old.slots));
}

uint64_t *pt_map_get(const struct pt_map *m, uint64_t key)
{
	struct pt_map_slot *s;

	if (!key)
		return m->has_zero ? (uint64_t *)&m->zero.value : NULL;
	s = m->cap ? map_find(m, key) : NULL;
	return s && s->key ? &s->value : NULL;
}

void *pt_map_get_pointer(const struct pt_map *m, uint64_t key)
{
	const uint64_t *value = pt_map_get(m, key);

	return value ? pt_pointer(*value) : NULL;
}

static uint64_t *put_zero(struct pt_map *m)
{
	if (!m->has_zero) {
		m->has_zero = true;
		m->zero.value = 0;
		m->nr++;
	}
	return &m->zero.value;
}

uint64_t *pt_map_put(struct pt_map *m, uint64_t key)
{
	struct pt_map_slot *s;

	if (!key)
		return put_zero(m);
	if ((m->nr + 1) * 4 > m->cap * 3)
		map_grow(m);
	s = map_find(m, key);
	if (s->key)
		return &s->value;
	m->nr++;
	*s = (struct pt_map_slot){ .key = key };
	return &s->value;
}

/* The entries behind the hole move up, so that a search still ends at the first free slot. An entry
 * stays if its own place lies behind the hole. */
bool pt_map_del(struct pt_map *m, uint64_t key)
{
	size_t mask = m->cap - 1, hole, i;

	if (!pt_map_get(m, key))
		return false;
	m->nr--;
	if (!key) {
		m->has_zero = false;
		return true;
	}
	hole = (size_t)(map_find(m, key) - m->slots);
	for (i = (hole + 1) & mask; m->slots[i].key; i = (i + 1) & mask) {
		size_t from_place = (i - pt_hash64(m->slots[i].key)) & mask;

		if (from_place >= ((i - hole) & mask)) {
			m->slots[hole] = m->slots[i];
			hole = i;
		}
	}
	m->slots[hole].key = 0;
	return true;
}

struct pt_map_slot *pt_map_each(const struct pt_map *m, size_t *i)
{
	while (*i < m->cap) {
		struct pt_map_slot *s = &m->slots[(*i)++];

		if (s->key)
			return s;
	}
	return m->has_zero && (*i)++ == m->cap ? (struct pt_map_slot *)&m->zero : NULL;
}

struct name {
	struct name *next;	/* same hash */
	char text[];
};

struct pt_names {
	struct pt_map by_hash;	/* hash -> first struct name */
	struct pt_arena all;
};

struct pt_names *pt_names_new(void)
{
	return pt_alloc(sizeof(struct pt_names));
}

void pt_names_free(struct pt_names *n)
{
	if (!n)
		return;
	pt_arena_deinit(&n->all);
	pt_map_deinit(&n->by_hash);
	free(n);
}

static struct name *map_find_name(uint64_t first, const char *s, size_t len)
{
	struct name *name = pt_pointer(first);

	while (name && (strncmp(name->text, s, len) || name->text[len]))
		name = name->next;
	return name;
}

const char *pt_names_find(const struct pt_names *n, const char *s, size_t len)
{
	const uint64_t *first;
	const struct name *name;

	len = strnlen(s, PT_MIN(len, (size_t)PTRDIFF_MAX));
	first = pt_map_get(&n->by_hash, pt_hash_quick(s, len));
	name = first ? map_find_name(*first, s, len) : NULL;
	return name ? name->text : NULL;
}

const char *pt_names_add(struct pt_names *n, const char *s, size_t len)
{
	struct name *name;
	uint64_t *first;

	len = strnlen(s, PT_MIN(len, (size_t)PTRDIFF_MAX));
	first = pt_map_put(&n->by_hash, pt_hash_quick(s, len));
	name = map_find_name(*first, s, len);
	if (name)
		return name->text;
	name = pt_arena_alloc(&n->all, sizeof(*name) + len + 1);
	memcpy(name->text, s, len);
	name->text[len] = '\0';
	name->next = pt_pointer(*first);
	*first = pt_word_of(name);
	return name->text;
}
