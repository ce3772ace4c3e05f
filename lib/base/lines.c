#include "base/lines.h"

void pt_lines_feed(struct pt_lines *l, const char *p, size_t len)
{
	const char *end = p + len, *nl;

	for (; p < end && (nl = memchr(p, '\n', (size_t)(end - p))); p = nl + 1) {
		if (l->rest.len) {
			pt_buf_add(&l->rest, p, (size_t)(nl - p));
			l->line(l->arg, l->rest.data, l->rest.len);
			pt_buf_clear(&l->rest);
		} else {
			l->line(l->arg, p, (size_t)(nl - p));
		}
	}
	if (p < end)
		pt_buf_add(&l->rest, p, (size_t)(end - p));
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
