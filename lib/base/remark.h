/* remark.h - remarks about a result for its user, as a table: one row for each count.
 *
 *     const struct pt_remark rows[] = {
 *             { n.late, "switch is", "switches are", { " not in order of time" } },
 *     };
 *     while (pt_remark_next(rows, PT_NR(rows), &i, out))  // "3 switches are not in order of time"
 */
#ifndef PT_BASE_REMARK_H
#define PT_BASE_REMARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct pt_remark {
	uint64_t nr;			/* 0: there is nothing to say */
	const char *one, *many;		/* behind the number; NULL: the text has no number */
	const char *rest[4];		/* joined, up to the first NULL */
};

/* Adds the text of the next row that has something to say; *i counts on from 0. False: there are no
 * more. */
bool pt_remark_next(const struct pt_remark *rows, size_t nr, size_t *i, struct pt_buf *out);

#endif
