#include "base/arena.h"

#include <string.h>

#include "base/mem.h"

enum { ALIGN = 8, FIRST_BYTES = 4 << 10, MOST_BYTES = 2 << 20 };

struct pt_arena_block {
	struct pt_arena_block *older;
	size_t len_bytes;
	uint8_t bytes[] __attribute__((aligned(ALIGN)));
};

static void new_block(struct pt_arena *a, size_t need)
{
	struct pt_arena_block *b;
	size_t all;

	a->next_bytes = a->next_bytes ? PT_MIN(a->next_bytes * 2, (size_t)MOST_BYTES) : FIRST_BYTES;
	a->left = PT_MAX(a->next_bytes - sizeof(*b), need);
	all = a->left > SIZE_MAX - sizeof(*b) ? SIZE_MAX : sizeof(*b) + a->left;
	b = pt_alloc_table(all);
	b->len_bytes = all;
	b->older = a->blocks;
	a->blocks = b;
	a->at = b->bytes;
}

void *pt_arena_alloc(struct pt_arena *a, size_t len_bytes)
{
	size_t need = (PT_MAX(len_bytes, (size_t)1) + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	uint8_t *p;

	if (need > a->left || need < len_bytes)
		new_block(a, PT_MAX(need, len_bytes));
	p = a->at;
	a->at += need;
	a->left -= need;
	return p;
}

void *pt_arena_memdup(struct pt_arena *a, const void *p, size_t len_bytes)
{
	return memcpy(pt_arena_alloc(a, len_bytes), p, len_bytes);
}

void *pt_arena_zalloc(struct pt_arena *a, size_t len_bytes)
{
	return memset(pt_arena_alloc(a, len_bytes), 0, len_bytes);
}

char *pt_arena_strndup(struct pt_arena *a, const char *s, size_t len)
{
	char *copy = pt_arena_alloc(a, len + 1);

	memcpy(copy, s, len);
	copy[len] = '\0';
	return copy;
}

void pt_arena_deinit(struct pt_arena *a)
{
	struct pt_arena_block *b, *older;

	for (b = a->blocks; b; b = older) {
		older = b->older;
		pt_free_table(b, b->len_bytes);
	}
	*a = (struct pt_arena)PT_ARENA_INIT;
}
