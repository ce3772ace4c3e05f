#include "profile/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"

/* In the order of enum pt_table_field. Width: of figures; 0: text as wide as what is in it. */
static const struct field {
	const char *name, *also, *heading, *json;
	size_t width;
} fields[PT_NR_FIELDS] = {
	[PT_FIELD_BASE] = { "baseline", NULL, "Baseline", "baseline", 8 },
	[PT_FIELD_DELTA] = { "delta", NULL, "Delta", "delta", 9 },
	[PT_FIELD_TOTAL] = { "overhead_children", NULL, "Children", "children", 8 },
	[PT_FIELD_SELF] = { "overhead", NULL, "Self", "self", 8 },
	[PT_FIELD_SAMPLES] = { "sample", "samples", "Samples", "samples", 12 },
	[PT_FIELD_PERIOD] = { "period", NULL, "Period", "period", 12 },
	[PT_FIELD_KEYS + PT_KEY_COMM] = { "comm", NULL, "Command", "comm", 0 },
	[PT_FIELD_KEYS + PT_KEY_PID] = { "pid", NULL, "Pid:Command", "pid", 0 },
	[PT_FIELD_KEYS + PT_KEY_TID] = { "tid", NULL, "Tid:Command", "tid", 0 },
	[PT_FIELD_KEYS + PT_KEY_CPU] = { "cpu", NULL, "CPU", "cpu", 0 },
	[PT_FIELD_KEYS + PT_KEY_CGROUP] = { "cgroup", NULL, "Cgroup", "cgroup", 0 },
	[PT_FIELD_KEYS + PT_KEY_TIME] = { "time", NULL, "Time", "time", 0 },
	[PT_FIELD_KEYS + PT_KEY_PARENT] = { "parent", NULL, "Parent symbol", "parent", 0 },
	[PT_FIELD_KEYS + PT_KEY_TRACE] = { "trace", NULL, "Trace output", "trace", 0 },
	[PT_FIELD_KEYS + PT_KEY_DSO] = { "dso", NULL, "Shared Object", "dso", 0 },
	[PT_FIELD_KEYS + PT_KEY_SYM] = { "sym", "symbol", "Symbol", "sym", 0 },
	[PT_FIELD_KEYS + PT_KEY_SRCLINE] = { "srcline", NULL, "Source:Line", "srcline", 0 },
	[PT_FIELD_KEYS + PT_KEY_SRCFILE] = { "srcfile", NULL, "Source File", "srcfile", 0 },
};

static int parse_field(const char *word, enum pt_table_field from, enum pt_table_field *found,
		       struct pt_err *e)
{
	struct pt_buf all = PT_BUF_INIT;
	size_t i;

	for (i = from; i < PT_NR_FIELDS; i++) {
		if (!strcmp(word, fields[i].name) ||
		    (fields[i].also && !strcmp(word, fields[i].also))) {
			*found = (enum pt_table_field)i;
			return 0;
		}
	}
	for (i = from; i < PT_NR_FIELDS; i++)
		pt_buf_printf(&all, "%s%s", i == from ? "" : ", ", fields[i].name);
	pt_err_set(e, "'%s' is none of %s", word, all.data);
	pt_buf_deinit(&all);
	return -1;
}

bool pt_table_has(const struct pt_table_opts *o, enum pt_table_field field)
{
	for (size_t i = 0; i < o->nr_fields; i++)
		if (o->fields[i] == field)
			return true;
	return false;
}

int pt_table_parse(struct pt_table_opts *o, const char *text, bool keys, struct pt_err *e)
{
	char *copy = pt_strdup(text), *save = NULL, *word;
	enum pt_table_field field;
	int rc = 0;

	for (word = strtok_r(copy, ", ", &save); word && !rc; word = strtok_r(NULL, ", ", &save)) {
		rc = parse_field(word, keys ? PT_FIELD_KEYS : 0, &field, e);
		if (!rc)
			pt_table_add(o, field);
	}
	free(copy);
	return rc;
}

void pt_table_add(struct pt_table_opts *o, enum pt_table_field field)
{
	if (!pt_table_has(o, field))
		o->fields[o->nr_fields++] = field;
}

void pt_table_usual(struct pt_table_opts *o, const struct pt_profile *p, bool samples, bool periods,
		    const struct pt_table_opts *sort)
{
	if (o->base) {
		pt_table_add(o, PT_FIELD_BASE);
		pt_table_add(o, PT_FIELD_DELTA);
	}
	if (pt_profile_callers(p))
		pt_table_add(o, PT_FIELD_TOTAL);
	pt_table_add(o, PT_FIELD_SELF);
	if (samples)
		pt_table_add(o, PT_FIELD_SAMPLES);
	if (periods)
		pt_table_add(o, PT_FIELD_PERIOD);
	for (size_t i = 0; i < sort->nr_fields; i++)
		pt_table_add(o, sort->fields[i]);
	for (unsigned k = 0; k < PT_NR_KEYS; k++)
		if (pt_profile_keys(p) & 1u << k)
			pt_table_add(o, (enum pt_table_field)(PT_FIELD_KEYS + k));
}

unsigned pt_table_keys(const struct pt_table_opts *o)
{
	unsigned keys = 0;

	for (size_t i = 0; i < o->nr_fields; i++)
		if (o->fields[i] >= PT_FIELD_KEYS)
			keys |= 1u << (o->fields[i] - PT_FIELD_KEYS);
	return keys;
}

/* -- rows -- */

/* Of a terminal, what figures and the last column need; what is left for another column of text, at
 * least. */
enum { RESERVED = 20, MIN_TEXT = 8 };

/* How many standard deviations a difference must be to be shown as one: there are hundreds of
 * rows. */
static const double sure = 4;

struct line {
	const struct pt_profile *p;	/* whose row gives the keys */
	const struct pt_profile_row *keys;
	const struct pt_profile_row *row, *base;	/* NULL: it has none there */
	double delta;			/* percent */
	bool noise;
	size_t index;			/* of row; in the order of the profile */
};

struct pt_table {
	const struct pt_table_opts *o;
	struct pt_profile *p;
	struct pt_calltree *calls;
	size_t widths[PT_NR_FIELDS];
	struct line *lines;
	size_t nr, cap;
	size_t nr_small;		/* rows below the least percentage, and what they have */
	uint64_t small;
};

static double percent(const struct pt_profile *p, uint64_t period)
{
	uint64_t whole = pt_profile_total(p);

	return whole ? 100.0 * (double)period / (double)whole : 0;
}

static const char *heading(const struct pt_table_opts *o, enum pt_table_field field)
{
	return field == PT_FIELD_SELF && !pt_table_has(o, PT_FIELD_TOTAL) ? "Overhead"
									  : fields[field].heading;
}

static bool is_wanted(const struct pt_table *t, const struct pt_profile *p,
		      const struct pt_profile_row *row)
{
	return !t->o->wanted || t->o->wanted(t->o->ctx, p, row);
}

/* The share of samples that a row has in both profiles: may it be the same, and chance made the
 * difference? */
static bool is_noise(const struct pt_table *t, const struct line *x)
{
	double n = (double)pt_profile_samples(t->p), m = (double)pt_profile_samples(t->o->base),
	       a = x->row ? percent(t->p, x->row->total) / 100 : 0,
	       b = x->base ? percent(t->o->base, x->base->total) / 100 : 0, all;

	if (n < 1 || m < 1)
		return true;
	all = (a * n + b * m) / (n + m);
	return (a - b) * (a - b) < sure * sure * all * (1 - all) * (1 / n + 1 / m);
}

static void add_line(struct pt_table *t, const struct pt_profile *p,
		     const struct pt_profile_row *keys, const struct pt_profile_row *row,
		     const struct pt_profile_row *base, size_t index)
{
	struct line x = { .p = p, .keys = keys, .row = row, .base = base, .index = index };
	double now = x.row ? percent(t->p, x.row->total) : 0,
	       then = x.base ? percent(t->o->base, x.base->total) : 0;

	if (PT_MAX(now, then) < t->o->min_percent) {
		t->nr_small++;
		t->small += x.row ? x.row->self : 0;
		return;
	}
	x.delta = now - then;
	x.noise = t->o->base && is_noise(t, &x);
	PT_GROW(t->lines, t->nr, t->cap);
	t->lines[t->nr++] = x;
}

static int by_delta(const void *x, const void *y)
{
	const struct line *a = x, *b = y;
	double d = fabs(b->delta) - fabs(a->delta);

	if (a->noise != b->noise)
		return a->noise ? 1 : -1;
	if (d != 0)
		return d > 0 ? 1 : -1;
	return (a->index > b->index) - (a->index < b->index);
}

static void choose_rows(struct pt_table *t)
{
	struct pt_profile *base = t->o->base;
	const struct pt_profile_row *row;

	for (size_t i = 0; (row = pt_profile_row(t->p, i)); i++)
		if (is_wanted(t, t->p, row))
			add_line(t, t->p, row, row,
				 base ? pt_profile_same_row(base, t->p, row) : NULL, i);
	for (size_t i = 0; base && (row = pt_profile_row(base, i)); i++)
		if (!pt_profile_same_row(t->p, base, row) && is_wanted(t, base, row))
			add_line(t, base, row, NULL, row, i);
	if (base && t->nr)
		qsort(t->lines, t->nr, sizeof(*t->lines), by_delta);
}

static void add_key(const struct line *x, enum pt_table_field field, struct pt_buf *b)
{
	struct pt_buf text = PT_BUF_INIT;
	char level = pt_profile_level(x->p, x->keys);

	if (field == PT_FIELD_KEYS + PT_KEY_SYM && level)
		pt_buf_printf(b, "[%c] ", level);
	pt_profile_cell(x->p, x->keys, (enum pt_profile_key)(field - PT_FIELD_KEYS), &text);
	pt_text_plain(b, pt_buf_str(&text), text.len);
	pt_buf_deinit(&text);
}

/* The figure of a field that is a percentage. */
static double figure(const struct pt_table *t, const struct line *x, enum pt_table_field field)
{
	switch (field) {
	case PT_FIELD_BASE:
		return x->base ? percent(t->o->base, x->base->total) : 0;
	case PT_FIELD_DELTA:
		return x->delta;
	case PT_FIELD_SELF:
		return x->row ? percent(t->p, x->row->self) : 0;
	default:
		return x->row ? percent(t->p, x->row->total) : 0;
	}
}

static uint64_t number(const struct line *x, enum pt_table_field field)
{
	if (!x->row)
		return 0;
	return field == PT_FIELD_PERIOD ? x->row->self : x->row->samples;
}

static void add_cell(const struct pt_table *t, const struct line *x, enum pt_table_field field,
		     struct pt_buf *b)
{
	if (field >= PT_FIELD_KEYS) {
		add_key(x, field, b);
	} else if (field == PT_FIELD_SAMPLES || field == PT_FIELD_PERIOD) {
		pt_buf_dec(b, number(x, field));
	} else {
		if (field == PT_FIELD_DELTA)
			pt_buf_puts(b, x->noise ? "~" : "");
		if (field == PT_FIELD_DELTA && x->delta >= 0)
			pt_buf_putc(b, '+');
		pt_buf_fixed(b, figure(t, x, field), 2);
		pt_buf_putc(b, '%');
	}
}

static size_t text_columns(size_t terminal)
{
	return terminal / 2 < RESERVED + MIN_TEXT ? MIN_TEXT : terminal / 2 - RESERVED;
}

static void measure(struct pt_table *t)
{
	struct pt_buf b = PT_BUF_INIT;

	for (size_t f = 0; f < t->o->nr_fields; f++) {
		enum pt_table_field field = t->o->fields[f];

		t->widths[f] = PT_MAX(fields[field].width, strlen(heading(t->o, field)));
		for (size_t i = 0; i < t->nr; i++) {
			pt_buf_clear(&b);
			add_cell(t, &t->lines[i], field, &b);
			t->widths[f] = PT_MAX(t->widths[f], pt_text_width(pt_buf_str(&b), b.len));
		}
		/* others, too, are to be seen */
		if (t->o->columns && !fields[field].width && f + 1 < t->o->nr_fields)
			t->widths[f] = PT_MIN(t->widths[f], text_columns(t->o->columns));
	}
	pt_buf_deinit(&b);
}

/* -- text -- */

/* Cuts what was added since `from` to so many characters, "..." at its end. */
static void cut(struct pt_buf *b, size_t from, size_t columns)
{
	size_t keep = columns > 3 ? columns - 3 : 0;

	if (pt_text_width(b->data + from, b->len - from) <= columns)
		return;
	b->len = from + pt_text_fit(b->data + from, b->len - from, keep);
	pt_buf_add(b, "...", PT_MIN(columns, (size_t)3));
}

/* Text of a cell, aligned: figures to the right; text to the left, but for the last. */
static void put_cell(const struct pt_table *t, struct pt_buf *b, size_t f,
		     const struct pt_buf *cell)
{
	size_t width = t->widths[f], has = pt_text_width(pt_buf_str(cell), cell->len), from;
	bool figure = fields[t->o->fields[f]].width, last = f + 1 == t->o->nr_fields;

	if (figure)
		pt_buf_printf(b, "%*s", (int)(width - PT_MIN(has, width)), "");
	from = b->len;
	pt_buf_add(b, pt_buf_str(cell), cell->len);
	if (!figure && !last) {
		cut(b, from, width);
		pt_buf_printf(b, "%*s", (int)(width - PT_MIN(has, width)), "");
	}
}

static void put_separated(const struct pt_table *t, struct pt_buf *b, const struct pt_buf *cell)
{
	const char *sep = t->o->sep;

	for (size_t i = 0; i < cell->len; i++)
		pt_buf_putc(b, cell->data[i] == *sep ? '.' : cell->data[i]);
}

/* A line of the table; `x` NULL: the headings; `dots`: the line below them. */
static void put_line(const struct pt_table *t, struct pt_buf *b, const struct line *x, bool dots)
{
	struct pt_buf cell = PT_BUF_INIT;
	size_t from = b->len;

	if (!x || !t->o->sep)
		pt_buf_puts(b, x ? "  " : "# ");
	for (size_t f = 0; f < t->o->nr_fields; f++) {
		enum pt_table_field field = t->o->fields[f];

		pt_buf_clear(&cell);
		if (x)
			add_cell(t, x, field, &cell);
		else if (dots)
			for (size_t i = 0; i < t->widths[f]; i++)
				pt_buf_putc(&cell, '.');
		else
			pt_buf_puts(&cell, heading(t->o, field));
		if (f)
			pt_buf_puts(b, t->o->sep ? t->o->sep : "  ");
		if (t->o->sep)
			put_separated(t, b, &cell);
		else
			put_cell(t, b, f, &cell);
	}
	if (t->o->columns && !t->o->sep)
		cut(b, from, t->o->columns);
	pt_buf_deinit(&cell);
}

struct pt_table *pt_table_new(const struct pt_table_opts *o, struct pt_profile *p)
{
	struct pt_table *t = pt_alloc(sizeof(*t));

	t->o = o;
	t->p = p;
	choose_rows(t);
	measure(t);
	return t;
}

void pt_table_free(struct pt_table *t)
{
	if (!t)
		return;
	pt_calltree_free(t->calls);
	free(t->lines);
	free(t);
}

size_t pt_table_nr(const struct pt_table *t)
{
	return t->nr;
}

const struct pt_profile_row *pt_table_row(const struct pt_table *t, size_t i, size_t *number)
{
	if (i >= t->nr)
		return NULL;
	*number = t->lines[i].index;
	return t->lines[i].row;
}

void pt_table_line(const struct pt_table *t, size_t i, struct pt_buf *b)
{
	put_line(t, b, &t->lines[i], false);
}

void pt_table_heading(const struct pt_table *t, struct pt_buf *b)
{
	put_line(t, b, NULL, false);
}

void pt_table_print(const struct pt_table_opts *o, struct pt_profile *p,
		    const struct pt_calltree_opts *calls, struct pt_buf *b)
{
	struct pt_table *t = pt_table_new(o, p);

	if (calls)
		t->calls = pt_calltree_new(calls, t->p);
	put_line(t, b, NULL, false);
	pt_buf_putc(b, '\n');
	if (!o->sep) {
		put_line(t, b, NULL, true);
		pt_buf_puts(b, "\n#\n");
	}
	for (size_t i = 0; i < t->nr; i++) {
		put_line(t, b, &t->lines[i], false);
		pt_buf_putc(b, '\n');
		if (t->calls && t->lines[i].row)
			pt_calltree_print(t->calls, t->lines[i].index, b);
	}
	if (t->nr_small && !o->sep) {
		pt_buf_printf(b, "# %zu more row%s, ", t->nr_small, t->nr_small == 1 ? "" : "s");
		pt_buf_fixed(b, percent(p, t->small), 2);
		pt_buf_puts(b, " % by themselves\n");
	}
	pt_table_free(t);
}

static void add_member(const struct pt_table *t, const struct line *x, enum pt_table_field field,
		       struct pt_buf *b)
{
	const char *key = fields[field].json;
	struct pt_buf text = PT_BUF_INIT;

	if (field == PT_FIELD_SAMPLES || field == PT_FIELD_PERIOD) {
		pt_json_u64(b, key, number(x, field));
	} else if (field < PT_FIELD_KEYS) {
		pt_json_double(b, key, figure(t, x, field), 4);
	} else {
		pt_profile_cell(x->p, x->keys, (enum pt_profile_key)(field - PT_FIELD_KEYS), &text);
		pt_json_strn(b, key, pt_buf_str(&text), text.len);
	}
	pt_buf_deinit(&text);
}

void pt_table_json(const struct pt_table_opts *o, struct pt_profile *p, const char *event,
		   struct pt_buf *b)
{
	struct pt_table t = { .o = o, .p = p };

	choose_rows(&t);
	for (size_t i = 0; i < t.nr; i++) {
		pt_json_open(b, NULL, '{');
		pt_json_str(b, "event", event);
		for (size_t f = 0; f < o->nr_fields; f++)
			add_member(&t, &t.lines[i], o->fields[f], b);
		if (o->base)
			pt_json_bool(b, "noise", t.lines[i].noise);
		pt_json_close(b, '}');
		pt_buf_putc(b, '\n');
	}
	free(t.lines);
}
