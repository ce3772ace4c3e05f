/* pt-diff - compares two files of folded stacks: folded lines with two counts, or a table by
 * function. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/foldline.h"
#include "base/json.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/input.h"
#include "cli/losses.h"
#include "cli/opt.h"
#include "cli/out.h"
#include "cli/textin.h"
#include "stack/foldtext.h"
#include "stack/stacks.h"

struct args {
	bool normalise, strip, table, json;
	uint64_t limit;
	const char *output;
};

static const struct pt_opt own[] = {
	PT_ROW_FLAG('n', "normalise", "scale the counts of BEFORE to the total of AFTER",
		    normalise),
	PT_ROW_FLAG(0, "normalize", NULL, normalise),
	PT_ROW_FLAG('s', "strip", "treat all addresses in names (0x...) as equal", strip),
	PT_ROW_FLAG('t', "table",
		    "functions, each with its callees, counted before and after; the largest change first", table),
	PT_ROW_JSON("the table, one JSON object per line"),
	PT_ROW(0, "limit", "N", "only the first N rows of the table", PT_OPT_U64, limit, .min = 1,
	       .max = 1000000000),
	PT_ROW_OUTPUT,
	{ 0 }
};

static const struct pt_tool tool = {
	.name = "pt-diff",
	.forms = PT_LINES("[OPTION...] BEFORE AFTER"),
	.groups = PT_GROUPS(PT_OWN("Output", own)),
	.examples = PT_LINES(
		"pt-diff -n before.folded after.folded | pt-flame > diff.svg",
		"pt-stack after.data | pt-diff --table --limit 20 before.folded -"),
};

/* What is known of both files together. */
struct sides {
	bool any;			/* at least one has stacks */
	bool unit[2];			/* one counts samples or events [0], microseconds [1] */
	struct pt_foldnote note;	/* without counts */
};

struct reading {
	const struct args *a;
	struct pt_stacks *stacks;
	int column;
	struct pt_buf text;
};

/* 0x1f2e -> 0x... */
static void without_addresses(struct pt_buf *b, const char *s, size_t len)
{
	size_t i = 0, n;

	while (i < len) {
		n = pt_foldline_address(s, len, i);
		if (n) {
			pt_buf_puts(b, "0x...");
			i += n;
		} else {
			pt_buf_putc(b, s[i++]);
		}
	}
}

static void got_stack(void *arg, const struct pt_piece *frames, size_t nr, double count)
{
	struct reading *r = arg;
	size_t i;

	pt_buf_clear(&r->text);
	for (i = 0; i < nr; i++) {
		if (i)
			pt_buf_putc(&r->text, ';');
		if (r->a->strip)
			without_addresses(&r->text, frames[i].s, frames[i].len);
		else
			pt_buf_add(&r->text, frames[i].s, frames[i].len);
	}
	pt_stacks_add(r->stacks, pt_buf_str(&r->text), r->text.len, count, r->column);
}

static int read_one(const struct args *a, struct pt_stacks *stacks, char *path, int column,
		    struct pt_buf *notes, struct sides *sides, struct pt_err *e)
{
	struct pt_textin in = { .files = &path, .nr = 1 };
	struct reading r = { .a = a, .stacks = stacks, .column = column };
	struct pt_foldtext *t = pt_foldtext_new(
		&(struct pt_foldtext_opts){ .from = PT_FOLDTEXT_FOLDED }, got_stack, &r);
	struct pt_foldtext_counts c;
	static char block[1 << 18];
	ssize_t n;

	pt_textin_start(&tool, &in);
	while ((n = pt_textin_read(&in, block, sizeof(block), e)) > 0)
		pt_foldtext_feed(t, block, (size_t)n);
	pt_foldtext_end(t);
	c = pt_foldtext_counts(t);
	pt_foldtext_free(t);
	pt_buf_deinit(&r.text);
	pt_warn_not_folded(&tool, path, c.bad, c.lines, c.first_bad);
	if (c.note.known) {
		pt_buf_puts(notes, notes->len ? "; " : "");
		pt_buf_puts(notes, column ? "after: " : "before: ");
		pt_foldnote_text(&c.note, notes);
	}
	sides->note.several |= c.note.several;
	if (*c.note.recorded || c.note.several)
		pt_foldnote_recorded(&sides->note, c.note.recorded);
	if (*c.note.unit)
		memcpy(sides->note.unit, c.note.unit, sizeof(c.note.unit));
	sides->any |= c.stacks > 0;
	sides->unit[c.note.microseconds] |= c.stacks > 0;
	if (!n && !c.stacks)
		pt_warn(&tool, "%s: no stacks", path);
	return n < 0 ? -1 : 0;
}

/* The factor for counts of BEFORE. */
static double scale_of(const struct args *a, const struct pt_stacks *stacks)
{
	double before = pt_stacks_total(stacks, 0), after = pt_stacks_total(stacks, 1);

	return a->normalise && before > 0 && after > 0 ? after / before : 1;
}

/* Prints the notes of both files on standard error, and for the picture's subtitle. */
static int print_notes(const struct args *a, struct sides *sides, const struct pt_buf *notes,
		       struct pt_out *out, struct pt_err *e)
{
	struct pt_buf b = PT_BUF_INIT;
	int rc = 0;

	sides->note.microseconds = sides->unit[1] && !sides->unit[0];
	if (notes->len) {
		pt_warn(&tool, "%s", pt_buf_str(notes));
		pt_buf_printf(&b, "# subtitle: %s 0\n", pt_buf_str(notes));
	}
	if (sides->unit[0] && sides->unit[1])
		pt_warn(&tool,
			"one file counts microseconds, the other does not say so: the difference may be meaningless");
	pt_foldnote_lines(&sides->note, &b);
	if (!a->table && !a->json)
		rc = pt_out_buf(out, &b, e);
	pt_buf_deinit(&b);
	return rc;
}

static int print_folded(const struct args *a, struct pt_stacks *stacks, struct pt_out *out,
			struct pt_err *e)
{
	double scale = scale_of(a, stacks), before;
	const struct pt_stack_sum *s;
	struct pt_buf b = PT_BUF_INIT;
	size_t nr, i;
	int rc = 0;

	s = pt_stacks_sorted(stacks, &nr);
	for (i = 0; i < nr && rc == 0; i++) {
		before = s[i].v[0];
		if (scale != 1)		/* integers, as in difffolded.pl */
			before = floor(before * pt_stacks_total(stacks, 1) /
				       pt_stacks_total(stacks, 0));
		pt_buf_clear(&b);
		pt_buf_puts(&b, s[i].text);
		pt_buf_putc(&b, ' ');
		pt_foldline_count(&b, before);
		pt_buf_putc(&b, ' ');
		pt_foldline_count(&b, s[i].v[1]);
		pt_buf_putc(&b, '\n');
		rc = pt_out_write(out, b.data, b.len, e);
	}
	pt_buf_deinit(&b);
	return rc;
}

struct function { const char *name; double v[2]; size_t seen; };

static int compare(const void *pa, const void *pb)
{
	const struct function *a = pa, *b = pb;
	double x = fabs(a->v[1] - a->v[0]), y = fabs(b->v[1] - b->v[0]);

	return x < y ? 1 : x > y ? -1 : strcmp(a->name, b->name);
}

/* Counts a function once per stack, even if it is on it several times. */
static struct function *by_function(const struct pt_stack_sum *s, size_t nr_stacks, double scale,
				    struct pt_names *names, size_t *nr)
{
	struct function *list = NULL;
	struct pt_map index = PT_MAP_INIT;
	size_t cap = 0, i;

	*nr = 0;
	for (i = 0; i < nr_stacks; i++) {
		const char *p = s[i].text, *end = p + strlen(p), *frame;
		size_t len;

		while ((frame = pt_foldline_frame(&p, end, &len))) {
			const char *name = pt_names_add(names, frame, len);
			struct function *f;
			uint64_t *slot;

			slot = pt_map_put(&index, pt_word_of(name));
			if (!*slot) {
				PT_GROW(list, *nr, cap);
				list[*nr] = (struct function){ .name = name };
				*slot = ++*nr;
			}
			f = &list[*slot - 1];
			if (f->seen == i + 1)
				continue;
			f->seen = i + 1;
			f->v[0] += s[i].v[0] * scale;
			f->v[1] += s[i].v[1];
		}
	}
	pt_map_deinit(&index);
	if (*nr)
		qsort(list, *nr, sizeof(*list), compare);
	return list;
}

static void row_json(struct pt_buf *b, const struct function *f)
{
	pt_json_open(b, NULL, '{');
	pt_json_str(b, "function", f->name);
	pt_json_number(b, "before", f->v[0]);
	pt_json_number(b, "after", f->v[1]);
	pt_json_number(b, "delta", f->v[1] - f->v[0]);
	pt_json_end_line(b);
}

/* At most three decimals, and as few as there are. */
static void cell(struct pt_buf *b, double v, bool sign)
{
	size_t from = b->len;

	v = round(v * 1000) / 1000;
	if (sign && v >= 0)
		pt_buf_putc(b, '+');
	else if (v < 0)
		pt_buf_putc(b, '-');
	pt_foldline_count(b, fabs(v));
	pt_buf_pad_left(b, from, 14);
	pt_buf_putc(b, ' ');
}

static void row_text(struct pt_buf *b, const struct function *f, double total)
{
	const char *what = !(f->v[0] > 0) ? "  new" : !(f->v[1] > 0) ? "  gone" : "";

	double delta = f->v[1] - f->v[0];

	cell(b, f->v[0], false);
	cell(b, f->v[1], false);
	cell(b, delta, true);
	pt_buf_printf(b, "%+8.2f%%  ", total > 0 ? 100 * delta / total : 0);
	pt_text_puts(b, f->name);
	pt_buf_puts(b, what);
	pt_buf_putc(b, '\n');
}

static int print_table(const struct args *a, struct pt_stacks *stacks, struct pt_out *out,
		       struct pt_err *e)
{
	struct pt_names *names = pt_names_new();
	struct pt_buf b = PT_BUF_INIT;
	const struct pt_stack_sum *s;
	struct function *list;
	size_t nr, n, i;
	int rc = 0;

	s = pt_stacks_sorted(stacks, &nr);
	list = by_function(s, nr, scale_of(a, stacks), names, &n);
	if (!a->json)
		pt_buf_printf(&b, "%14s %14s %14s %9s  function\n", "before", "after", "delta",
			      "of total");
	for (i = 0; i < n && (!a->limit || i < a->limit) && rc == 0; i++) {
		if (a->json)
			row_json(&b, &list[i]);
		else
			row_text(&b, &list[i], pt_stacks_total(stacks, 1));
		rc = pt_out_write(out, b.data, b.len, e);
		pt_buf_clear(&b);
	}
	free(list);
	pt_names_free(names);
	pt_buf_deinit(&b);
	return rc;
}

int main(int argc, char **argv)
{
	static struct args a;
	struct pt_err e = PT_ERR_INIT;
	struct pt_out *out = NULL;
	struct pt_operands operands = pt_opt_parse(&tool, argc, argv, &a);
	struct pt_stacks *stacks;
	struct pt_buf notes = PT_BUF_INIT;
	struct sides sides = { .any = false };
	int rc;

	if (operands.nr != 2)
		pt_usage_forms(&tool, operands.nr < 2 ? "two files are needed: BEFORE and AFTER"
						       : "more than two files");
	if (!strcmp(operands.v[0], "-") && !strcmp(operands.v[1], "-"))
		pt_usage(&tool, "only one of the two files can be standard input");
	stacks = pt_stacks_new();
	rc = read_one(&a, stacks, operands.v[0], 0, &notes, &sides, &e);
	if (rc == 0)
		rc = read_one(&a, stacks, operands.v[1], 1, &notes, &sides, &e);
	if (rc == 0 && !sides.any)
		rc = pt_err_set(&e, "neither file has stacks: nothing to compare");
	if (rc == 0)
		rc = pt_out_open(&out, a.output, &e);
	if (rc == 0)
		rc = print_notes(&a, &sides, &notes, out, &e);
	if (rc == 0)
		rc = a.table || a.json ? print_table(&a, stacks, out, &e)
				       : print_folded(&a, stacks, out, &e);
	pt_stacks_free(stacks);
	pt_buf_deinit(&notes);
	return pt_finish(&tool, NULL, out, rc, &e);
}
