#include "base/mem.h"
#include "base/text.h"
#include "profile/browse_priv.h"

enum { AROUND = 3 };			/* lines that are no rows: status, headings, last */

static const char usual_message[] =
	"Enter calls  a code  / filter  s keys  d compare  f hold  z last  w write  ? help  q quit";

static enum pt_style style_of(double percent)
{
	return percent >= 5 ? PT_STYLE_HOT : percent >= 0.5 ? PT_STYLE_WARM : PT_STYLE_PLAIN;
}

void pt_browse_status(const struct pt_browse *b, struct pt_buf *out)
{
	const struct pt_event *event;
	const struct pt_profile *p = pt_browse_profile(b, &event);
	const char *name = event ? event->name : "folded stacks";
	uint64_t samples = p ? pt_profile_samples(p) : 0;

	if (p) {
		pt_buf_thousands(out, samples);
		pt_buf_puts(out, samples == 1 ? " sample of " : " samples of ");
		pt_text_puts(out, name);
	} else {
		pt_buf_puts(out, "no samples");
	}
	pt_buf_puts(out, pt_buf_str(&b->status));
	pt_buf_puts(out, b->over ? ", ended" : b->held ? ", held" : "");
	if (b->opts.hide_kernel)
		pt_buf_puts(out, ", without kernel rows");
	if (b->opts.hide_user)
		pt_buf_puts(out, ", without user rows");
	if (b->filter.len && (!b->prompt || b->prompt->action != PT_BROWSE_DRAW)) {
		pt_buf_puts(out, ", rows with ");
		pt_text_plain(out, b->filter.data, b->filter.len);
	}
}

struct drawing {
	void (*put)(void *ctx, size_t line, enum pt_style style, const char *text, size_t len);
	void *ctx;
	size_t columns;
	struct pt_buf text;
};

static void browse_draw_put_text(struct drawing *d, size_t line, enum pt_style style)
{
	const char *text = pt_buf_str(&d->text);

	d->put(d->ctx, line, style, text, pt_text_fit(text, d->text.len, d->columns));
	pt_buf_clear(&d->text);
}

static void draw_row(struct pt_browse *b, struct drawing *d, size_t line, size_t i)
{
	size_t number;
	const struct pt_profile_row *row = pt_table_row(b->table, i, &number);
	const struct pt_event *event;
	const struct pt_profile *p = pt_browse_profile(b, &event);
	uint64_t all = pt_profile_total(p);
	enum pt_style style =
		style_of(row && all ? 100.0 * (double)row->total / (double)all : 0);

	pt_table_line(b->table, i, &d->text);
	browse_draw_put_text(d, line, i == b->row ? PT_STYLE_SELECTED : style);
}

static void draw_table(struct pt_browse *b, struct drawing *d)
{
	size_t nr;

	if (!b->table || b->columns.columns != d->columns)
		pt_browse_make_table(b, d->columns);
	nr = b->table ? pt_table_nr(b->table) : 0;
	b->row = PT_MIN(b->row, nr ? nr - 1 : 0);
	b->top = PT_MIN(b->top, b->row);
	if (b->row >= b->top + b->height)
		b->top = b->row + 1 - b->height;
	if (b->table)
		pt_table_heading(b->table, &d->text);
	browse_draw_put_text(d, 1, PT_STYLE_HEAD);
	for (size_t i = 0; i < b->height; i++) {
		if (b->top + i < nr)
			draw_row(b, d, 2 + i, b->top + i);
		else
			browse_draw_put_text(d, 2 + i, PT_STYLE_PLAIN);
	}
}

static void draw_page(const struct pt_browse *b, struct drawing *d)
{
	const char *text;
	size_t len;

	pt_buf_join(&d->text, &b->title);
	browse_draw_put_text(d, 1, PT_STYLE_HEAD);
	for (size_t i = 0; i < b->height; i++) {
		double percent = 0;

		if (b->page_top + i < b->nr_starts) {
			len = pt_browse_page_line(b, b->page_top + i, &text);
			pt_buf_add(&d->text, text, len);
			percent = b->mode == CODE ? pt_browse_percent(text, len) : 0;
		}
		browse_draw_put_text(d, 2 + i, style_of(percent));
	}
}

void pt_browse_draw(struct pt_browse *b, size_t lines, size_t columns,
		    void (*put)(void *ctx, size_t line, enum pt_style style, const char *text,
				size_t len),
		    void *ctx)
{
	struct drawing d = { put, ctx, columns, PT_BUF_INIT };

	b->height = lines > AROUND ? lines - AROUND : 1;
	/* a page is not scrolled beyond its last line */
	b->page_top = PT_MIN(b->page_top, b->nr_starts - PT_MIN(b->nr_starts, b->height));
	if (b->mode == TABLE)
		draw_table(b, &d);
	else
		draw_page(b, &d);
	pt_browse_status(b, &d.text);
	browse_draw_put_text(&d, 0, PT_STYLE_HEAD);
	if (b->prompt)
		pt_buf_printf(&d.text, "%s: %s_", b->prompt->text, pt_browse_typed(b));
	else
		pt_buf_puts(&d.text, b->message.len ? b->message.data : usual_message);
	if (lines > AROUND)
		browse_draw_put_text(&d, lines - 1, PT_STYLE_PLAIN);
	pt_buf_deinit(&d.text);
}

void pt_browse_text(struct pt_browse *b, size_t lines, size_t columns, struct pt_buf *out)
{
	pt_browse_make_table(b, columns);
	pt_buf_puts(out, "# ");
	pt_browse_status(b, out);
	pt_buf_puts(out, "\n");
	if (!b->table)
		return;
	pt_table_heading(b->table, out);
	pt_buf_putc(out, '\n');
	for (size_t i = 0; i < pt_table_nr(b->table) && (!lines || i < lines); i++) {
		pt_table_line(b->table, i, out);
		pt_buf_putc(out, '\n');
	}
}
