#include "lat/lat_sum.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

enum { MAX_ROWS = 10000, COLUMN = 12 };

static const struct { const char *name; double percent; } percentiles[] = { { "p50", 50 }, { "p90", 90 }, { "p99", 99 }, { "p99.9", 99.9 } };

void pt_lat_sum_init(struct pt_lat_sum *s)
{
	memset(s, 0, sizeof(*s));
	s->names = pt_names_new();
}

void pt_lat_sum_deinit(struct pt_lat_sum *s)
{
	for (size_t i = 0; i < s->nr; i++) {
		pt_hist_deinit(&s->rows[i]->hist);
		free(s->rows[i]);
	}
	free(s->rows);
	pt_names_free(s->names);
	pt_map_deinit(&s->by_name);
	memset(s, 0, sizeof(*s));
}

void pt_lat_sum_clear(struct pt_lat_sum *s)
{
	pt_lat_sum_deinit(s);
	pt_lat_sum_init(s);
}

struct pt_hist *pt_lat_sum_row(struct pt_lat_sum *s, const char *key, size_t len)
{
	const char *name, *last = s->last ? s->rows[s->last - 1]->key : NULL;
	uint64_t *index;

	if (last && !strncmp(last, key, len) && !last[len])
		return &s->rows[s->last - 1]->hist;
	/* Past MAX_ROWS no further key is kept, not even its text. */
	name = s->nr < MAX_ROWS ? pt_names_add(s->names, key, len) : pt_names_find(s->names, key, len);
	if (!name)
		name = pt_names_add(s->names, "(others)", 8);
	index = pt_map_put(&s->by_name, (uintptr_t)name);
	if (!*index) {
		PT_GROW(s->rows, s->nr, s->cap);
		s->rows[s->nr] = pt_alloc(sizeof(**s->rows));
		s->rows[s->nr]->key = name;
		pt_hist_init(&s->rows[s->nr]->hist);
		*index = ++s->nr;
	}
	s->last = (size_t)*index;
	return &s->rows[*index - 1]->hist;
}

static int by_total(const void *a, const void *b)
{
	const struct pt_lat_sum_row *x = *(struct pt_lat_sum_row *const *)a, *y = *(struct pt_lat_sum_row *const *)b;

	if (x->hist.sum != y->hist.sum)
		return x->hist.sum < y->hist.sum ? 1 : -1;
	return strcmp(x->key, y->key);
}

/* The rows by total; freed by the caller. */
static struct pt_lat_sum_row **sorted(const struct pt_lat_sum *s)
{
	struct pt_lat_sum_row **rows = pt_alloc_array(s->nr, sizeof(*rows));

	if (s->nr)
		memcpy(rows, s->rows, s->nr * sizeof(*rows));
	qsort(rows, s->nr, sizeof(*rows), by_total);
	return rows;
}

static void cell(struct pt_buf *out, const char *text)
{
	size_t from = out->len;

	pt_buf_puts(out, text);
	pt_buf_pad_left(out, from, COLUMN);
}

static void time_cell(struct pt_buf *out, double time_ns)
{
	pt_buf_printf(out, "%*.3f", COLUMN, time_ns / 1000);
}

void pt_lat_sum_table(struct pt_lat_sum *s, const char *by, struct pt_buf *out)
{
	struct pt_lat_sum_row **rows = sorted(s);

	cell(out, "count");
	cell(out, "mean_us");
	for (size_t i = 0; i < PT_NR(percentiles); i++)
		cell(out, percentiles[i].name);
	cell(out, "max");
	pt_buf_printf(out, "%*s%s%s\n", COLUMN + 4, "total", by ? "  " : "", by ? by : "");
	for (size_t i = 0; i < s->nr; i++) {
		const struct pt_hist *h = &rows[i]->hist;

		pt_buf_printf(out, "%*llu", COLUMN, (unsigned long long)h->count);
		time_cell(out, pt_hist_mean(h));
		for (size_t p = 0; p < PT_NR(percentiles); p++)
			time_cell(out, (double)pt_hist_percentile(h, percentiles[p].percent));
		time_cell(out, (double)h->max);
		pt_buf_printf(out, "%*.3f%s%s\n", COLUMN + 4, h->sum / 1000, by ? "  " : "", by ? rows[i]->key : "");
	}
	free(rows);
}

void pt_lat_sum_hists(struct pt_lat_sum *s, const char *by, struct pt_buf *out)
{
	struct pt_lat_sum_row **rows = sorted(s);

	for (size_t i = 0; i < s->nr; i++) {
		if (by)
			pt_buf_printf(out, "%s%s = %s\n", i ? "\n" : "", by, rows[i]->key);
		pt_hist_log2_rows(&rows[i]->hist, out);
	}
	free(rows);
}

static void json_rows(const struct pt_hist *h, struct pt_buf *out)
{
	bool first = true;

	pt_buf_puts(out, ",\"hist_us\":[");
	for (size_t i = 0; i < PT_NR(h->usec_log2); i++) {
		if (!h->usec_log2[i])
			continue;
		pt_buf_printf(out, "%s{\"from\":%llu,\"to\":%llu,\"count\":%llu}", first ? "" : ",", i ? 1ull << i : 0ull, (2ull << i) - 1,
			      (unsigned long long)h->usec_log2[i]);
		first = false;
	}
	pt_buf_putc(out, ']');
}

void pt_lat_sum_json(struct pt_lat_sum *s, const char *by, uint64_t time_ns, bool hist, struct pt_buf *out)
{
	struct pt_lat_sum_row **rows = sorted(s);

	for (size_t i = 0; i < s->nr; i++) {
		const struct pt_hist *h = &rows[i]->hist;

		pt_buf_putc(out, '{');
		if (time_ns) {
			pt_buf_puts(out, "\"time_us\":");
			pt_buf_ns_as_us(out, time_ns);
			pt_buf_putc(out, ',');
		}
		if (by) {
			pt_buf_printf(out, "\"%s\":\"", by);
			pt_text_json(out, rows[i]->key, strlen(rows[i]->key));
			pt_buf_puts(out, "\",");
		}
		pt_buf_printf(out, "\"count\":%llu,\"mean_us\":%.3f", (unsigned long long)h->count, pt_hist_mean(h) / 1000);
		for (size_t p = 0; p < PT_NR(percentiles); p++) {
			pt_buf_printf(out, ",\"%s_us\":", percentiles[p].name);
			pt_buf_ns_as_us(out, pt_hist_percentile(h, percentiles[p].percent));
		}
		pt_buf_puts(out, ",\"max_us\":");
		pt_buf_ns_as_us(out, h->max);
		pt_buf_printf(out, ",\"total_us\":%.3f", h->sum / 1000);
		if (hist)
			json_rows(h, out);
		pt_buf_puts(out, "}\n");
	}
	free(rows);
}
