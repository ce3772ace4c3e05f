#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void __attribute__((noreturn)) out_of_memory(void)
{
	static const char text[] = "pt: out of memory\n";
	ssize_t n = write(STDERR_FILENO, text, sizeof(text) - 1);

	(void)n;
	abort();
}

void *pt_alloc(size_t len_bytes)
{
	return pt_alloc_array(len_bytes ? len_bytes : 1, 1);
}

void *pt_alloc_array(size_t n, size_t size_bytes)
{
	void *p = calloc(n ? n : 1, size_bytes ? size_bytes : 1);

	if (!p)
		out_of_memory();
	return p;
}

void *pt_realloc(void *p, size_t n, size_t size_bytes)
{
	void *q = reallocarray(p, n ? n : 1, size_bytes ? size_bytes : 1);

	if (!q)
		out_of_memory();
	return q;
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
