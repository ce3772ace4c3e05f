/* schedlat_columns.c - the figures of a row: columns of the table, members of the JSON object, sort
 * keys */
#include "sched/schedlat_priv.h"

#include <string.h>

#include "base/json.h"
#include "base/mem.h"

#define FIGURE(member) offsetof(struct pt_schedlat_figures, member)

enum { COUNT, MSEC, MOMENT };		/* MOMENT: seconds of the recording's clock */

static const struct schedlat_column {
	const char *name;		/* heading and JSON key */
	const char *sort;		/* NULL: not a sort key */
	size_t figure;			/* offset */
	uint8_t unit;
	uint8_t width;			/* 0: not in the table */
	bool of_delays;			/* not known without a delay */
	bool sum;			/* totals are sums of this figure */
	bool total;			/* in the line of totals */
	bool json;
} columns[] = {
	{ "runtime_ms", "runtime", FIGURE(run_ns), MSEC, 12, false, true, true, true },
	{ "wait_ms", "wait", FIGURE(wait_ns), MSEC, 11, false, true, true, true },
	{ "sleep_ms", "sleep", FIGURE(sleep_ns), MSEC, 11, false, true, true, true },
	{ "block_ms", "block", FIGURE(block_ns), MSEC, 11, false, true, true, true },
	{ "switches", "switch", FIGURE(switches), COUNT, 9, false, true, true, true },
	{ "delays", NULL, FIGURE(delays), COUNT, 9, false, true, true, true },
	{ "avg_ms", "avg", FIGURE(avg_ns), MSEC, 10, true, false, true, true },
	{ "p50_ms", "p50", FIGURE(p50_ns), MSEC, 10, true, false, false, true },
	{ "p99_ms", "p99", FIGURE(p99_ns), MSEC, 10, true, false, false, true },
	{ "max_ms", "max", FIGURE(max_ns), MSEC, 10, true, false, false, true },
	{ "max_at", NULL, FIGURE(max_end_ns), MOMENT, 14, true, false, false, false },
	{ "max_start_s", NULL, FIGURE(max_start_ns), MOMENT, 0, true, false, false, true },
	{ "max_end_s", NULL, FIGURE(max_end_ns), MOMENT, 0, true, false, false, true },
	/* of the row itself: the least first */
	{ .sort = "pid" },
	{ .sort = "name" },
};

static uint64_t schedlat_columns_figure(const struct pt_schedlat_figures *f,
					const struct schedlat_column *c)
{
	uint64_t v;

	memcpy(&v, (const char *)f + c->figure, sizeof(v));
	return v;
}

void schedlat_heads(struct pt_buf *out)
{
	for (size_t i = 0; i < PT_NR(columns); i++)
		if (columns[i].width)
			pt_buf_printf(out, "%s%*s", i ? " " : "", columns[i].width,
				      columns[i].name);
	pt_buf_puts(out, "  ");
}

void schedlat_add(struct pt_schedlat_figures *to, const struct pt_schedlat_figures *f)
{
	for (size_t i = 0; i < PT_NR(columns); i++)
		if (columns[i].sum)
			*(uint64_t *)((char *)to + columns[i].figure) +=
				schedlat_columns_figure(f, &columns[i]);
}

static void schedlat_columns_cell(struct pt_buf *out, const struct schedlat_column *c,
				  const struct pt_schedlat_figures *f)
{
	if (c->of_delays && !f->delays)
		pt_buf_putc(out, '-');
	else if (c->unit == MSEC)
		pt_buf_printf(out, "%.3f", (double)schedlat_columns_figure(f, c) / 1e6);
	else if (c->unit == MOMENT)
		pt_buf_usec(out, schedlat_columns_figure(f, c));
	else
		pt_buf_dec(out, schedlat_columns_figure(f, c));
}

void schedlat_cells(struct pt_buf *out, const struct pt_schedlat_figures *f, bool total)
{
	for (size_t i = 0; i < PT_NR(columns); i++) {
		const struct schedlat_column *c = &columns[i];
		size_t from;

		if (!c->width)
			continue;
		if (i)
			pt_buf_putc(out, ' ');
		from = out->len;
		if (!total || c->total)
			schedlat_columns_cell(out, c, f);
		pt_buf_pad_left(out, from, c->width);
	}
	pt_buf_puts(out, "  ");
}

void schedlat_members(struct pt_buf *out, const struct pt_schedlat_figures *f)
{
	for (size_t i = 0; i < PT_NR(columns); i++) {
		const struct schedlat_column *c = &columns[i];

		if (!c->json || (c->of_delays && !f->delays))
			continue;
		if (c->unit == MSEC)
			pt_json_ms(out, c->name, schedlat_columns_figure(f, c));
		else if (c->unit == MOMENT)
			pt_json_seconds(out, c->name, schedlat_columns_figure(f, c));
		else
			pt_json_u64(out, c->name, schedlat_columns_figure(f, c));
	}
}

static int unknown_key(const char *key, size_t len, struct pt_err *e)
{
	struct pt_buf all = PT_BUF_INIT;

	for (size_t i = 0; i < PT_NR(columns); i++)
		if (columns[i].sort)
			pt_buf_printf(&all, "%s%s", all.len ? ", " : "", columns[i].sort);
	pt_err_set(e, "'%.*s': one of %s", (int)len, key, pt_buf_str(&all));
	pt_buf_deinit(&all);
	return -1;
}

int pt_schedlat_sort(struct pt_schedlat *l, const char *keys, struct pt_err *e)
{
	size_t len, i;

	if (l)
		l->nr_keys = 0;
	for (;; keys += len + 1) {
		len = strcspn(keys, ", ");
		for (i = 0; i < PT_NR(columns); i++)
			if (columns[i].sort && !strncmp(columns[i].sort, keys, len) &&
			    !columns[i].sort[len])
				break;
		if (i == PT_NR(columns))
			return unknown_key(keys, len, e);
		if (l && l->nr_keys < PT_NR(l->keys))
			l->keys[l->nr_keys++] = &columns[i];
		if (!keys[len])
			return 0;
	}
}

/* Without a delay a figure of delays sorts behind all others. */
static int by_figure(const struct schedlat_column *c, const struct pt_schedlat_row *x,
		     const struct pt_schedlat_row *y)
{
	bool in_x = !c->of_delays || x->f.delays, in_y = !c->of_delays || y->f.delays;
	uint64_t p = schedlat_columns_figure(&x->f, c), q = schedlat_columns_figure(&y->f, c);

	if (in_x != in_y)
		return in_x ? -1 : 1;
	return in_x ? PT_COMPARE(q, p) : 0;
}

static int by_id(const struct pt_schedlat_row *x, const struct pt_schedlat_row *y)
{
	return PT_COMPARE(x->id, y->id);
}

int schedlat_compare(const struct pt_schedlat *l, const struct pt_schedlat_row *x,
		     const struct pt_schedlat_row *y)
{
	for (size_t i = 0; i < l->nr_keys; i++) {
		const struct schedlat_column *c = l->keys[i];
		int d;

		if (c->name)
			d = by_figure(c, x, y);
		else if (!strcmp(c->sort, "pid"))
			d = by_id(x, y);
		else
			d = strcmp(x->name, y->name);
		if (d)
			return d;
	}
	return by_id(x, y);
}
