#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void __attribute__((noreturn)) out_of_memory(void)
{
	static const char text[] = "pt: out of memory\n";
	ssize_t n = write(STDERR_FILENO, text, sizeof(text) - 1);

	(void)n;
	abort();
}

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23		/* Linux 5.14 */
#endif
/* For less, a call costs as much as the faults; of more, the pages that may never be written count.
 */
enum { LEAST_AT_ONCE = 32 << 10, MOST_AT_ONCE = 4 << 20 };
/* As on x86-64 and arm64 with 4 KB pages; elsewhere pages are normal. */
enum { HUGE_BYTES = 2 << 20, LARGE = HUGE_BYTES / 2 };

/* Few faults for new memory: on huge pages where it has room for one, or mapped at once. */
static void *with_pages(void *p, size_t len_bytes)
{
	size_t page = (size_t)getpagesize(), behind = (uintptr_t)p % page, before = -behind % page,
	       inner = len_bytes > before ? (len_bytes - before) & -page : 0;

	if (!p)
		out_of_memory();
	/* for malloc's whole mapping: advice for a part splits it, and realloc has to copy */
	if (len_bytes >= LARGE)
		madvise((uint8_t *)p - behind, (behind + len_bytes + page - 1) & -page,
			MADV_HUGEPAGE);
	if (inner >= LEAST_AT_ONCE && inner <= MOST_AT_ONCE)
		madvise((uint8_t *)p + before, inner, MADV_POPULATE_WRITE);
	return p;
}

void *pt_alloc(size_t len_bytes)
{
	return pt_alloc_array(len_bytes ? len_bytes : 1, 1);
}

void *pt_alloc_array(size_t n, size_t size_bytes)
{
	return with_pages(calloc(n ? n : 1, size_bytes ? size_bytes : 1), n * size_bytes);
}

static size_t whole_pages(size_t len_bytes)
{
	if (len_bytes > PTRDIFF_MAX - 2 * HUGE_BYTES)
		out_of_memory();
	return (len_bytes + HUGE_BYTES - 1) / HUGE_BYTES * HUGE_BYTES;
}

static void *alloc_huge(size_t len_bytes)
{
	size_t len = whole_pages(len_bytes), before;
	uint8_t *p = mmap(NULL, len + HUGE_BYTES, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		out_of_memory();
	before = -(uintptr_t)p % HUGE_BYTES;
	if (before)
		munmap(p, before);
	munmap(p + before + len, HUGE_BYTES - before);
	madvise(p + before, len, MADV_HUGEPAGE);
	/* a read would map zero pages, which the first write replaces */
	madvise(p + before, len, MADV_POPULATE_WRITE);
	return p + before;
}

void *pt_alloc_table(size_t len_bytes)
{
	return len_bytes >= LARGE ? alloc_huge(len_bytes) : pt_alloc(len_bytes);
}

void pt_free_table(void *p, size_t len_bytes)
{
	if (p && len_bytes >= LARGE)
		munmap(p, whole_pages(len_bytes));
	else
		free(p);
}

void *pt_realloc(void *p, size_t n, size_t size_bytes)
{
	return with_pages(reallocarray(p, n ? n : 1, size_bytes ? size_bytes : 1), n * size_bytes);
}

void *pt_grow_to(void *items, size_t *nr, size_t index, size_t size_bytes)
{
	size_t more = PT_MAX(*nr * 2, index + 1);

	items = pt_realloc(items, more, size_bytes);
	memset((char *)items + *nr * size_bytes, 0, (more - *nr) * size_bytes);
	*nr = more;
	return items;
}

void *pt_memdup(const void *p, size_t len_bytes)
{
	void *q = pt_alloc(len_bytes);

	if (len_bytes)
		memcpy(q, p, len_bytes);
	return q;
}

char *pt_strdup(const char *s)
{
	return s ? pt_memdup(s, strlen(s) + 1) : NULL;
}

char *pt_strndup(const char *s, size_t max_len)
{
	size_t len = strnlen(s, max_len);
	char *q = pt_alloc(len + 1);

	memcpy(q, s, len);
	return q;
}

char *pt_asprintf(const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	if (vasprintf(&s, fmt, ap) < 0)
		out_of_memory();
	va_end(ap);
	return s;
}
