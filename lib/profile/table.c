#include "profile/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "profile/table_priv.h"

enum { MAX_WIDTH = 10000 };

/* In the order of enum pt_table_field. Width: of figures; 0: text as wide as what is in it. */
const struct pt_table_field_text pt_table_fields[PT_NR_FIELDS] = {
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
		if (!strcmp(word, pt_table_fields[i].name) ||
		    (pt_table_fields[i].also && !strcmp(word, pt_table_fields[i].also))) {
			*found = (enum pt_table_field)i;
			return 0;
		}
	}
	for (i = from; i < PT_NR_FIELDS; i++)
		pt_buf_printf(&all, "%s%s", i == from ? "" : ", ", pt_table_fields[i].name);
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

static void table_add_field(struct pt_table_opts *o, enum pt_table_field field)
{
	if (!pt_table_has(o, field))
		o->fields[o->nr_fields++] = field;
}

int pt_table_parse(struct pt_table_opts *o, const char *text, bool keys, struct pt_err *e)
{
	char *copy = pt_strdup(text), *save = NULL, *word;
	enum pt_table_field field;
	int rc = 0;

	for (word = strtok_r(copy, ", ", &save); word && !rc; word = strtok_r(NULL, ", ", &save)) {
		rc = parse_field(word, keys ? PT_FIELD_KEYS : 0, &field, e);
		if (!rc)
			table_add_field(o, field);
	}
	free(copy);
	return rc;
}

int pt_table_widths(struct pt_table_opts *o, const char *text, struct pt_err *e)
{
	char *copy = pt_strdup(text), *save = NULL, *word;
	uint64_t width;
	size_t nr = 0;
	int rc = 0;

	for (word = strtok_r(copy, ",", &save); word && !rc; word = strtok_r(NULL, ",", &save)) {
		rc = nr == PT_NR_FIELDS ? pt_err_set(e, "there are not so many columns")
					: pt_num_u64(word, 0, MAX_WIDTH, &width, e);
		if (!rc)
			o->widths[nr++] = (size_t)width;
	}
	free(copy);
	return rc;
}

void pt_table_usual(struct pt_table_opts *o, const struct pt_profile *p, bool samples, bool periods,
		    const struct pt_table_opts *sort)
{
	if (o->base) {
		table_add_field(o, PT_FIELD_BASE);
		table_add_field(o, PT_FIELD_DELTA);
	}
	if (pt_profile_callers(p))
		table_add_field(o, PT_FIELD_TOTAL);
	table_add_field(o, PT_FIELD_SELF);
	if (samples)
		table_add_field(o, PT_FIELD_SAMPLES);
	if (periods)
		table_add_field(o, PT_FIELD_PERIOD);
	for (size_t i = 0; i < sort->nr_fields; i++)
		table_add_field(o, sort->fields[i]);
	for (unsigned k = 0; k < PT_NR_KEYS; k++)
		if (pt_profile_keys(p) & 1u << k)
			table_add_field(o, (enum pt_table_field)(PT_FIELD_KEYS + k));
}

unsigned pt_table_keys(const struct pt_table_opts *o)
{
	unsigned keys = 0;

	for (size_t i = 0; i < o->nr_fields; i++)
		if (o->fields[i] >= PT_FIELD_KEYS)
			keys |= 1u << (o->fields[i] - PT_FIELD_KEYS);
	return keys;
}

/* -- cells -- */

/* Of a terminal, what figures and the last column need; what is left for another column of text, at
 * least. */
enum { RESERVED = 20, MIN_TEXT = 8 };

static const char *table_heading(const struct pt_table_opts *o, const struct pt_table_column *c)
{
	bool total = pt_table_has(o, PT_FIELD_TOTAL);

	if (o->latency && !c->member && c->field == (total ? PT_FIELD_TOTAL : PT_FIELD_SELF))
		return "Latency";
	if (o->latency && !c->member && c->field == PT_FIELD_SELF)
		return "Self-Latency";
	return c->field == PT_FIELD_SELF && !total ? "Overhead" : pt_table_fields[c->field].heading;
}

void pt_table_key(const struct pt_table_line *x, enum pt_table_field field, struct pt_buf *b)
{
	struct pt_buf text = PT_BUF_INIT;
	char level = pt_profile_level(x->p, x->keys);

	if (field == PT_FIELD_KEYS + PT_KEY_SYM && level)
		pt_buf_printf(b, "[%c] ", level);
	pt_profile_cell(x->p, x->keys, (enum pt_profile_key)(field - PT_FIELD_KEYS), &text);
	pt_text_plain(b, pt_buf_str(&text), text.len);
	pt_buf_deinit(&text);
}

/* The figure of a column that is a percentage. */
static double table_figure_here(const struct pt_table *t, const struct pt_table_line *x,
				const struct pt_table_column *c)
{
	const struct pt_profile_row *row;

	switch (c->field) {
	case PT_FIELD_BASE:
		return x->base ? pt_table_percent(t->o->base, x->base->total) : 0;
	case PT_FIELD_DELTA:
		return x->delta;
	case PT_FIELD_SELF:
		row = pt_table_row_in(t, x, c->member);
		return row ? pt_table_percent(pt_table_member(t, c->member), row->self) : 0;
	default:
		return pt_table_share(t, x, c->member);
	}
}

static uint64_t table_number(const struct pt_table *t, const struct pt_table_line *x,
			     const struct pt_table_column *c)
{
	const struct pt_profile_row *row = pt_table_row_in(t, x, c->member);

	if (!row)
		return 0;
	return c->field == PT_FIELD_PERIOD
		       ? pt_profile_periods(pt_table_member(t, c->member), row->self)
		       : row->samples;
}

static void add_cell(const struct pt_table *t, const struct pt_table_line *x,
		     const struct pt_table_column *c, struct pt_buf *b)
{
	if (c->field >= PT_FIELD_KEYS) {
		pt_table_key(x, c->field, b);
	} else if (c->field == PT_FIELD_SAMPLES || c->field == PT_FIELD_PERIOD) {
		pt_buf_dec(b, table_number(t, x, c));
	} else {
		if (c->field == PT_FIELD_DELTA)
			pt_buf_puts(b, x->noise ? "~" : "");
		if (c->field == PT_FIELD_DELTA && x->delta >= 0)
			pt_buf_putc(b, '+');
		pt_buf_fixed(b, table_figure_here(t, x, c), 2);
		pt_buf_putc(b, '%');
	}
}

static size_t text_columns(size_t terminal)
{
	return terminal / 2 < RESERVED + MIN_TEXT ? MIN_TEXT : terminal / 2 - RESERVED;
}

/* The columns of field number f: figures have one for each profile. */
static void add_columns(struct pt_table *t, size_t f)
{
	enum pt_table_field field = t->o->fields[f];
	size_t nr = field >= PT_FIELD_TOTAL && field < PT_FIELD_KEYS ? t->o->nr_others : 0;

	for (size_t i = 0; i <= nr; i++) {
		PT_GROW(t->columns, t->nr_columns, t->cap_columns);
		t->columns[t->nr_columns++] =
			(struct pt_table_column){ .field = field,
						  .member = i,
						  .width = t->o->widths[f],
						  .fixed = t->o->widths[f] > 0 };
	}
}

static size_t needed_width(const struct pt_table *t, const struct pt_table_column *c)
{
	size_t width = PT_MAX(pt_table_fields[c->field].width, strlen(table_heading(t->o, c)));
	struct pt_buf b = PT_BUF_INIT;

	for (size_t i = 0; i < t->nr; i++) {
		pt_buf_clear(&b);
		add_cell(t, &t->lines[i], c, &b);
		width = PT_MAX(width, pt_text_width(pt_buf_str(&b), b.len));
	}
	pt_buf_deinit(&b);
	return width;
}

static void measure(struct pt_table *t)
{
	for (size_t i = 0; i < t->o->nr_fields; i++)
		add_columns(t, i);
	for (size_t i = 0; i < t->nr_columns; i++) {
		struct pt_table_column *c = &t->columns[i];

		if (c->fixed && !pt_table_fields[c->field].width)
			continue;
		c->width = PT_MAX(c->width, needed_width(t, c));	/* no figure is cut */
		/* others, too, are to be seen */
		if (t->o->columns && !pt_table_fields[c->field].width && i + 1 < t->nr_columns)
			c->width = PT_MIN(c->width, text_columns(t->o->columns));
	}
}

/* -- text -- */

/* Cuts what was added since `from` to so many characters, "..." at its end. */
void pt_table_cut(struct pt_buf *b, size_t from, size_t columns)
{
	size_t keep = columns > 3 ? columns - 3 : 0;

	if (pt_text_width(b->data + from, b->len - from) <= columns)
		return;
	b->len = from + pt_text_fit(b->data + from, b->len - from, keep);
	pt_buf_add(b, "...", PT_MIN(columns, (size_t)3));
}

/* Text of a cell, aligned: figures to the right; text to the left, but for the last. */
static void put_cell(const struct pt_table *t, struct pt_buf *b, size_t i,
		     const struct pt_buf *cell)
{
	const struct pt_table_column *c = &t->columns[i];
	size_t has = pt_text_width(pt_buf_str(cell), cell->len), from;
	bool figure = pt_table_fields[c->field].width, last = i + 1 == t->nr_columns;

	if (figure)
		pt_buf_printf(b, "%*s", (int)(c->width - PT_MIN(has, c->width)), "");
	from = b->len;
	pt_buf_join(b, cell);
	if (figure)
		return;
	if (c->fixed)
		b->len = from + pt_text_fit(b->data + from, b->len - from, c->width);
	else if (!last)
		pt_table_cut(b, from, c->width);
	if (!last)
		pt_buf_printf(b, "%*s", (int)(c->width - PT_MIN(has, c->width)), "");
}

static void put_separated(const struct pt_table *t, struct pt_buf *b, const struct pt_buf *cell)
{
	const char *sep = t->o->sep;

	for (size_t i = 0; i < cell->len; i++)
		pt_buf_putc(b, cell->data[i] == *sep ? '.' : cell->data[i]);
}

/* A line of the table; `x` NULL: the headings; `dots`: the line below them. */
static void table_put_line(const struct pt_table *t, struct pt_buf *b,
			   const struct pt_table_line *x, bool dots)
{
	struct pt_buf cell = PT_BUF_INIT;
	size_t from = b->len;

	if (!x || !t->o->sep)
		pt_buf_puts(b, x ? "  " : "# ");
	for (size_t i = 0; i < t->nr_columns; i++) {
		const struct pt_table_column *c = &t->columns[i];

		pt_buf_clear(&cell);
		if (x)
			add_cell(t, x, c, &cell);
		else if (dots)
			for (size_t k = 0; k < c->width; k++)
				pt_buf_putc(&cell, '.');
		else
			pt_buf_puts(&cell, table_heading(t->o, c));
		if (i)
			pt_buf_puts(b, t->o->sep ? t->o->sep : "  ");
		if (t->o->sep)
			put_separated(t, b, &cell);
		else
			put_cell(t, b, i, &cell);
	}
	if (t->o->columns && !t->o->sep)
		pt_table_cut(b, from, t->o->columns);
	pt_buf_deinit(&cell);
}

struct pt_table *pt_table_new(const struct pt_table_opts *o, struct pt_profile *p)
{
	struct pt_table *t = pt_alloc(sizeof(*t));

	t->o = o;
	t->p = p;
	pt_table_choose(t);
	measure(t);
	return t;
}

void pt_table_free(struct pt_table *t)
{
	if (!t)
		return;
	pt_calltree_free(t->calls);
	free(t->columns);
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
	table_put_line(t, b, &t->lines[i], false);
}

void pt_table_heading(const struct pt_table *t, struct pt_buf *b)
{
	table_put_line(t, b, NULL, false);
}

void pt_table_print(const struct pt_table_opts *o, struct pt_profile *p,
		    const struct pt_calltree_opts *calls, struct pt_buf *b)
{
	struct pt_table *t = pt_table_new(o, p);

	if (calls)
		t->calls = pt_calltree_new(calls, t->p);
	table_put_line(t, b, NULL, false);
	pt_buf_putc(b, '\n');
	if (!o->sep) {
		table_put_line(t, b, NULL, true);
		pt_buf_puts(b, "\n#\n");
	}
	for (size_t i = 0; i < t->nr; i++) {
		table_put_line(t, b, &t->lines[i], false);
		pt_buf_putc(b, '\n');
		if (t->calls && t->lines[i].row)
			pt_calltree_print(t->calls, t->lines[i].index, b);
	}
	if (t->nr_small && !o->sep) {
		pt_buf_printf(b, "# %zu more row%s, ", t->nr_small, t->nr_small == 1 ? "" : "s");
		pt_buf_fixed(b, pt_table_percent(p, t->small), 2);
		pt_buf_puts(b, " % by themselves\n");
	}
	pt_table_free(t);
}

static void add_figure(const struct pt_table *t, const struct pt_table_line *x, const char *key,
		       const struct pt_table_column *c, struct pt_buf *b)
{
	if (c->field == PT_FIELD_SAMPLES || c->field == PT_FIELD_PERIOD)
		pt_json_u64(b, key, table_number(t, x, c));
	else
		pt_json_double(b, key, table_figure_here(t, x, c), 4);
}

/* Of several profiles, figures are an array. */
static void table_add_json(const struct pt_table *t, const struct pt_table_line *x,
			   enum pt_table_field field, struct pt_buf *b)
{
	struct pt_table_column c = { .field = field };
	const char *key = pt_table_fields[field].json;
	struct pt_buf text = PT_BUF_INIT;

	if (field >= PT_FIELD_KEYS) {
		pt_profile_cell(x->p, x->keys, (enum pt_profile_key)(field - PT_FIELD_KEYS), &text);
		pt_json_strn(b, key, pt_buf_str(&text), text.len);
		pt_buf_deinit(&text);
	} else if (!t->o->nr_others) {
		add_figure(t, x, key, &c, b);
	} else {
		pt_json_open(b, key, '[');
		for (; c.member <= t->o->nr_others; c.member++)
			add_figure(t, x, NULL, &c, b);
		pt_json_close(b, ']');
	}
}

void pt_table_json(const struct pt_table_opts *o, struct pt_profile *p, const char *event,
		   struct pt_buf *b)
{
	struct pt_table t = { .o = o, .p = p };

	pt_table_choose(&t);
	for (size_t i = 0; i < t.nr; i++) {
		pt_json_open(b, NULL, '{');
		pt_json_str(b, "event", event);
		for (size_t f = 0; f < o->nr_fields; f++)
			table_add_json(&t, &t.lines[i], o->fields[f], b);
		if (o->base)
			pt_json_bool(b, "noise", t.lines[i].noise);
		pt_json_close(b, '}');
		pt_buf_putc(b, '\n');
	}
	free(t.lines);
}
