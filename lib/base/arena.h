/* arena.h - an allocator for many small objects that are released together. Memory comes from large
 * blocks, is 8-byte aligned, is not zeroed and does not move. Out of memory is fatal, as in mem.h.
 *
 *     struct pt_arena a = PT_ARENA_INIT;
 *     p = pt_arena_alloc(&a, sizeof(*p)); ... pt_arena_deinit(&a); */
#ifndef PT_BASE_ARENA_H
#define PT_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct pt_arena {
	struct pt_arena_block *blocks;
	uint8_t *at;			/* free space in the newest block starts here */
	size_t left, next_bytes;
};

#define PT_ARENA_INIT { NULL, NULL, 0, 0 }

void *pt_arena_alloc(struct pt_arena *a, size_t len_bytes);
void *pt_arena_zalloc(struct pt_arena *a, size_t len_bytes);	/* zeroed */
void *pt_arena_memdup(struct pt_arena *a, const void *p, size_t len_bytes);
/* copies `len` bytes and adds a NUL */
char *pt_arena_strndup(struct pt_arena *a, const char *s, size_t len);
void pt_arena_deinit(struct pt_arena *a);

#endif
