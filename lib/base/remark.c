#include "base/remark.h"

#include "base/mem.h"

static void remark_add(const struct pt_remark *r, struct pt_buf *out)
{
	if (r->one) {
		pt_buf_dec(out, r->nr);
		pt_buf_putc(out, ' ');
		pt_buf_puts(out, r->nr == 1 ? r->one : r->many);
	}
	for (size_t k = 0; k < PT_NR(r->rest) && r->rest[k]; k++)
		pt_buf_puts(out, r->rest[k]);
}

bool pt_remark_next(const struct pt_remark *rows, size_t nr, size_t *i, struct pt_buf *out)
{
	while (*i < nr) {
		const struct pt_remark *r = &rows[(*i)++];

		if (r->nr) {
			remark_add(r, out);
			return true;
		}
	}
	return false;
}
