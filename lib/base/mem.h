/* mem.h - heap memory. Out of memory is fatal here and only here (a line on stderr, then abort), so
 * callers do not check for NULL. Callers must bound sizes that come from files. Release the memory
 * with free(3). */
#ifndef PT_BASE_MEM_H
#define PT_BASE_MEM_H

#include <stdarg.h>
#include <stddef.h>

/* zeroed; for 0 bytes a pointer that may be freed */
void *pt_alloc(size_t len_bytes);
void *pt_alloc_array(size_t n, size_t size_bytes);	/* zeroed; fatal if n * size overflows */
void *pt_realloc(void *p, size_t n, size_t size_bytes);	/* the new part is not zeroed */
void *pt_memdup(const void *p, size_t len_bytes);
char *pt_strdup(const char *s);				/* NULL gives NULL */
char *pt_strndup(const char *s, size_t max_len);
char *pt_asprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Zeroed memory for tables with random access: large ones are on huge pages if the system has them,
 * whose first touch costs that of one small page. Release it with pt_free_table(). */
void *pt_alloc_table(size_t len_bytes);
void pt_free_table(void *p, size_t len_bytes);

/* Makes room for one more element: PT_GROW(a->items, a->nr, a->cap); a->items[a->nr++] = x; */
#define PT_GROW(items, nr, cap)                                                        \
	do {                                                                           \
		if ((nr) >= (cap)) {                                                   \
			(cap) = (cap) ? (cap) * 2 : 8;                                 \
			(items) = pt_realloc((items), (cap), sizeof(*(items)));        \
		}                                                                      \
	} while (0)

/* Makes room for items[index]: PT_GROW_TO(a->items, a->nr, index); new items are zeroed. */
void *pt_grow_to(void *items, size_t *nr, size_t index, size_t size_bytes);
#define PT_GROW_TO(items, nr, index)                                                   \
	do {                                                                           \
		if ((size_t)(index) >= (nr))                                           \
			(items) = pt_grow_to((items), &(nr), (size_t)(index),          \
					     sizeof(*(items)));                        \
	} while (0)

#define PT_NR(array) (sizeof(array) / sizeof((array)[0]))
#define PT_MIN(a, b) ((a) < (b) ? (a) : (b))
#define PT_MAX(a, b) ((a) > (b) ? (a) : (b))
/* As functions for qsort() return it. */
#define PT_COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

#endif
