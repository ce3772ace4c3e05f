/* lat_sum.h - latencies summed up by a key: a histogram each, and tables of them.
 *
 * The first 10,000 keys get a row of their own, what comes later is gathered in "(others)": names
 * are untrusted, memory is bounded. The struct owns all. */
#ifndef PT_LAT_LAT_SUM_H
#define PT_LAT_LAT_SUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/hist.h"
#include "base/map.h"

struct pt_lat_sum {
	/* in order of arrival */
	struct pt_lat_sum_row { const char *key; struct pt_hist hist; } **rows;
	size_t nr, cap;
	size_t last;				/* row of the last key plus 1 */
	struct pt_names *names;
	struct pt_map by_name;			/* interned name -> index of its row plus 1 */
};

void pt_lat_sum_init(struct pt_lat_sum *s);
void pt_lat_sum_deinit(struct pt_lat_sum *s);
void pt_lat_sum_clear(struct pt_lat_sum *s);
/* The row of a key; "" for a sum without keys. Valid until clear or deinit. */
struct pt_hist *pt_lat_sum_row(struct pt_lat_sum *s, const char *key, size_t len);

/* Tables, greatest total first. `by` is the key's name, NULL without keys. Times are
 * microseconds */
void pt_lat_sum_table(struct pt_lat_sum *s, const char *by, struct pt_buf *out);
void pt_lat_sum_hists(struct pt_lat_sum *s, const char *by, struct pt_buf *out);
/* One JSON object a line; time_ns: when the interval ended, 0 for the whole. `hist`: with the rows
 * of powers of two. */
void pt_lat_sum_json(struct pt_lat_sum *s, const char *by, uint64_t time_ns, bool hist,
		     struct pt_buf *out);
/* Everything, for pt_lat_sum_read(): a heading "# pt-lat buckets BY" ("-" without keys), and for
 * each row a line: the histogram's words (base/hist.h) and the key. */
void pt_lat_sum_buckets(struct pt_lat_sum *s, const char *by, struct pt_buf *out);
/* Adds the row of such a line. If it is a heading, *by becomes a copy of its BY (or the same as
 * before; owned by the caller). -1: another BY than *by, or none of these lines. */
int pt_lat_sum_read(struct pt_lat_sum *s, const char *line, char **by, struct pt_err *e);

#endif
