#include "lat/lat_sum.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"

static const char heading[] = "# pt-lat buckets ",
		  not_buckets[] = "not what pt-lat --buckets wrote";
enum { MAX_ROWS = 10000, COLUMN = 12 };

static const struct {
	const char *name;
	double percent;
} percentiles[] = { { "p50", 50 }, { "p90", 90 }, { "p99", 99 }, { "p99.9", 99.9 } };

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
	/* Beyond MAX_ROWS no further key is kept. */
	name = s->nr < MAX_ROWS ? pt_names_add(s->names, key, len)
				: pt_names_find(s->names, key, len);
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
	const struct pt_lat_sum_row *x = *(struct pt_lat_sum_row *const *)a,
				    *y = *(struct pt_lat_sum_row *const *)b;

	if (x->hist.sum != y->hist.sum)
		return PT_COMPARE(y->hist.sum, x->hist.sum);
	return strcmp(x->key, y->key);
}

/* The rows by total; the caller frees the array. */
static struct pt_lat_sum_row **sorted(const struct pt_lat_sum *s)
{
	struct pt_lat_sum_row **rows = pt_alloc_array(s->nr, sizeof(*rows));

	if (s->nr)
		memcpy(rows, s->rows, s->nr * sizeof(*rows));
	qsort(rows, s->nr, sizeof(*rows), by_total);
	return rows;
}

static void lat_sum_cell(struct pt_buf *out, const char *text)
{
	size_t from = out->len;

	pt_buf_puts(out, text);
	pt_buf_pad_left(out, from, COLUMN);
}

static void lat_sum_time_cell(struct pt_buf *out, double time_ns)
{
	pt_buf_printf(out, "%*.3f", COLUMN, time_ns / 1000);
}

void pt_lat_sum_table(struct pt_lat_sum *s, const char *by, struct pt_buf *out)
{
	struct pt_lat_sum_row **rows = sorted(s);

	lat_sum_cell(out, "count");
	lat_sum_cell(out, "mean_us");
	for (size_t i = 0; i < PT_NR(percentiles); i++)
		lat_sum_cell(out, percentiles[i].name);
	lat_sum_cell(out, "max");
	pt_buf_printf(out, "%*s%s%s\n", COLUMN + 4, "total", by ? "  " : "", by ? by : "");
	for (size_t i = 0; i < s->nr; i++) {
		const struct pt_hist *h = &rows[i]->hist;

		pt_buf_printf(out, "%*llu", COLUMN, (unsigned long long)h->count);
		lat_sum_time_cell(out, pt_hist_mean(h));
		for (size_t p = 0; p < PT_NR(percentiles); p++)
			lat_sum_time_cell(out,
					  (double)pt_hist_percentile(h, percentiles[p].percent));
		lat_sum_time_cell(out, (double)h->max);
		pt_buf_printf(out, "%*.3f%s%s\n", COLUMN + 4, h->sum / 1000, by ? "  " : "",
			      by ? rows[i]->key : "");
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
	pt_json_open(out, "hist_us", '[');
	for (size_t i = 0; i < PT_NR(h->usec_log2); i++) {
		if (!h->usec_log2[i])
			continue;
		pt_json_open(out, NULL, '{');
		pt_json_u64(out, "from", i ? 1ull << i : 0);
		pt_json_u64(out, "to", (2ull << i) - 1);
		pt_json_u64(out, "count", h->usec_log2[i]);
		pt_json_close(out, '}');
	}
	pt_json_close(out, ']');
}

void pt_lat_sum_json(struct pt_lat_sum *s, const char *by, uint64_t time_ns, bool hist,
		     struct pt_buf *out)
{
	struct pt_lat_sum_row **rows = sorted(s);
	char key[16];

	for (size_t i = 0; i < s->nr; i++) {
		const struct pt_hist *h = &rows[i]->hist;

		pt_json_open(out, NULL, '{');
		if (time_ns)
			pt_json_us(out, "time_us", time_ns);
		if (by)
			pt_json_str(out, by, rows[i]->key);
		pt_json_u64(out, "count", h->count);
		pt_json_double(out, "mean_us", pt_hist_mean(h) / 1000, 3);
		for (size_t p = 0; p < PT_NR(percentiles); p++) {
			snprintf(key, sizeof(key), "%s_us", percentiles[p].name);
			pt_json_us(out, key, pt_hist_percentile(h, percentiles[p].percent));
		}
		pt_json_us(out, "max_us", h->max);
		pt_json_double(out, "total_us", h->sum / 1000, 3);
		if (hist)
			json_rows(h, out);
		pt_json_end_line(out);
	}
	free(rows);
}

void pt_lat_sum_buckets(struct pt_lat_sum *s, const char *by, struct pt_buf *out)
{
	struct pt_lat_sum_row **rows = sorted(s);

	pt_buf_printf(out, "%s%s\n", heading, by ? by : "-");
	for (size_t i = 0; i < s->nr; i++) {
		pt_hist_words(&rows[i]->hist, out);
		pt_text_puts(out, rows[i]->key);
		pt_buf_putc(out, '\n');
	}
	free(rows);
}

static int read_heading(const char *its, char **by, struct pt_err *e)
{
	if (!*its || its[strspn(its, "abcdefghijklmnopqrstuvwxyz-")])
		return pt_err_set(e, "%s", not_buckets);
	if (*by && strcmp(*by, its))
		return pt_err_set(e, "rows by %s cannot be added to rows by %s", its, *by);
	if (!*by)
		*by = pt_strdup(its);
	return 0;
}

int pt_lat_sum_read(struct pt_lat_sum *s, const char *line, char **by, struct pt_err *e)
{
	struct pt_buf plain = PT_BUF_INIT;
	struct pt_hist hist;
	const char *key;

	if (!strncmp(line, heading, strlen(heading)))
		return read_heading(line + strlen(heading), by, e);
	pt_hist_init(&hist);
	key = *by ? pt_hist_read(&hist, line) : NULL;
	if (key) {
		pt_text_puts(&plain, key);
		key = pt_hist_read(pt_lat_sum_row(s, pt_buf_str(&plain), plain.len), line);
	}
	pt_buf_deinit(&plain);
	pt_hist_deinit(&hist);
	return key ? 0 : pt_err_set(e, "%s", not_buckets);
}
