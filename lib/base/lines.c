#include "base/lines.h"

#include "base/mem.h"

/* Adds to the line that is cut. */
static void base_lines_keep(struct pt_lines *l, const char *p, const char *end)
{
	size_t len = (size_t)(end - p);

	if (l->most)
		len = PT_MIN(len, l->most - PT_MIN(l->rest.len, l->most));
	pt_buf_add(&l->rest, p, len);
}

void pt_lines_feed(struct pt_lines *l, const char *p, size_t len)
{
	const char *end = p + len, *nl;

	for (; p < end && (nl = memchr(p, '\n', (size_t)(end - p))); p = nl + 1) {
		if (l->rest.len) {
			base_lines_keep(l, p, nl);
			l->line(l->arg, l->rest.data, l->rest.len);
			pt_buf_clear(&l->rest);
		} else {
			l->line(l->arg, p, (size_t)(nl - p));
		}
	}
	if (p < end)
		base_lines_keep(l, p, end);
}

void pt_lines_end(struct pt_lines *l)
{
	if (l->rest.len)
		l->line(l->arg, l->rest.data, l->rest.len);
	pt_buf_clear(&l->rest);
}

void pt_lines_deinit(struct pt_lines *l)
{
	pt_buf_deinit(&l->rest);
}
