/* table_rows.c - which rows a table has, and in which order */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "profile/table_priv.h"

/* How many standard deviations a difference must be to be shown as one: there are hundreds of
 * rows. */
static const double sure = 4;

double pt_table_percent(const struct pt_profile *p, uint64_t period)
{
	uint64_t whole = pt_profile_total(p);

	return whole ? 100.0 * (double)period / (double)whole : 0;
}

struct pt_profile *pt_table_member(const struct pt_table *t, size_t i)
{
	return i ? t->o->others[i - 1] : t->p;
}

/* The line's row in a profile that is shown; NULL: it has none. */
const struct pt_profile_row *pt_table_row_in(const struct pt_table *t,
					     const struct pt_table_line *x, size_t i)
{
	return i ? pt_profile_same_row(pt_table_member(t, i), x->p, x->keys) : x->row;
}

double pt_table_share(const struct pt_table *t, const struct pt_table_line *x, size_t i)
{
	const struct pt_profile_row *row = pt_table_row_in(t, x, i);

	return row ? pt_table_percent(pt_table_member(t, i), row->total) : 0;
}

static bool table_rows_is_wanted(const struct pt_table *t, const struct pt_profile *p,
				 const struct pt_profile_row *row)
{
	return !t->o->wanted || t->o->wanted(t->o->ctx, p, row);
}

/* The share of samples that a row has in both profiles: may it be the same, and chance made the
 * difference? */
static bool table_rows_is_noise(const struct pt_table *t, const struct pt_table_line *x)
{
	double n = (double)pt_profile_samples(t->p), m = (double)pt_profile_samples(t->o->base),
	       a = x->row ? pt_table_percent(t->p, x->row->total) / 100 : 0,
	       b = x->base ? pt_table_percent(t->o->base, x->base->total) / 100 : 0, all;

	if (n < 1 || m < 1)
		return true;
	all = (a * n + b * m) / (n + m);
	return (a - b) * (a - b) < sure * sure * all * (1 - all) * (1 / n + 1 / m);
}

static void table_rows_add_line(struct pt_table *t, const struct pt_profile *p,
				const struct pt_profile_row *keys, const struct pt_profile_row *row,
				const struct pt_profile_row *base, size_t index)
{
	struct pt_table_line x = { .p = p, .keys = keys, .row = row, .base = base, .index = index };
	double now = x.row ? pt_table_percent(t->p, x.row->total) : 0,
	       then = x.base ? pt_table_percent(t->o->base, x.base->total) : 0,
	       most = PT_MAX(now, then);

	for (size_t i = 1; i <= t->o->nr_others; i++)
		most = PT_MAX(most, pt_table_share(t, &x, i));
	if (most < t->o->min_percent) {
		t->nr_small++;
		t->small += x.row ? x.row->self : 0;
		return;
	}
	x.delta = now - then;
	x.noise = t->o->base && table_rows_is_noise(t, &x);
	PT_GROW(t->lines, t->nr, t->cap);
	t->lines[t->nr++] = x;
}

static int by_delta(const void *x, const void *y)
{
	const struct pt_table_line *a = x, *b = y;
	double d = fabs(b->delta) - fabs(a->delta);

	if (a->noise != b->noise)
		return a->noise ? 1 : -1;
	if (d != 0)
		return d > 0 ? 1 : -1;
	return (a->index > b->index) - (a->index < b->index);
}

static int by_shares(const void *x, const void *y, void *table)
{
	const struct pt_table_line *a = x, *b = y;

	for (size_t i = 0; i <= ((struct pt_table *)table)->o->nr_others; i++) {
		double d = pt_table_share(table, b, i) - pt_table_share(table, a, i);

		if (d != 0)
			return d > 0 ? 1 : -1;
	}
	return (a->index > b->index) - (a->index < b->index);
}

/* Is the row in a profile before number n? */
static bool is_before(const struct pt_table *t, size_t n, const struct pt_profile_row *row)
{
	size_t i = 0;

	while (i < n && !pt_profile_same_row(pt_table_member(t, i), pt_table_member(t, n), row))
		i++;
	return i < n;
}

void pt_table_choose(struct pt_table *t)
{
	struct pt_profile *base = t->o->base;
	const struct pt_profile_row *row;

	for (size_t i = 0; (row = pt_profile_row(t->p, i)); i++)
		if (table_rows_is_wanted(t, t->p, row))
			table_rows_add_line(t, t->p, row, row,
					    base ? pt_profile_same_row(base, t->p, row) : NULL, i);
	for (size_t n = 1; n <= t->o->nr_others; n++)
		for (size_t i = 0; (row = pt_profile_row(pt_table_member(t, n), i)); i++)
			if (table_rows_is_wanted(t, pt_table_member(t, n), row) &&
			    !is_before(t, n, row))
				table_rows_add_line(t, pt_table_member(t, n), row, NULL, NULL, i);
	for (size_t i = 0; base && (row = pt_profile_row(base, i)); i++)
		if (!pt_profile_same_row(t->p, base, row) && table_rows_is_wanted(t, base, row))
			table_rows_add_line(t, base, row, NULL, row, i);
	if (base && t->nr)
		qsort(t->lines, t->nr, sizeof(*t->lines), by_delta);
	if (t->o->nr_others && t->nr)
		qsort_r(t->lines, t->nr, sizeof(*t->lines), by_shares, t);
}

/* `list`: one name, which may have commas in it, or several with commas between them. */
static bool is_in_list(const char *list, const char *text)
{
	char *copy = pt_strdup(list), *save = NULL, *name;
	bool yes = pt_text_glob(list, text);

	for (name = strtok_r(copy, ",", &save); name && !yes; name = strtok_r(NULL, ",", &save))
		yes = pt_text_glob(name, text);
	free(copy);
	return yes;
}

bool pt_table_row_is(const struct pt_profile *p, const struct pt_profile_row *row,
		     enum pt_profile_key key, const struct pt_strs *names, struct pt_offer *there)
{
	struct pt_buf b = PT_BUF_INIT;
	bool yes = !names->nr || !(pt_profile_keys(p) & 1u << key);

	if (yes)
		return true;
	pt_profile_cell(p, row, key, &b);
	for (size_t i = 0; i < names->nr && !yes; i++)
		yes = is_in_list(names->v[i], pt_buf_str(&b));
	pt_offer_note(there, pt_buf_str(&b), yes);
	pt_buf_deinit(&b);
	return yes;
}
