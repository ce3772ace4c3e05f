#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "profile/browse_priv.h"
#include "profile/codetext.h"

static const char keys[] =
	"up, down, page up, page down, home, end   move\n"
	"Enter     callers and callees of a row (with -g), then its code\n"
	"a         its code: instructions and source lines\n"
	"Escape    back\n"
	"/         show only rows with the text that you type; Enter ends it, Escape shows all rows\n"
	"e         the next event\n"
	"d         compare with this moment; again: stop comparing\n"
	"f         hold the table, or let it go on\n"
	"z         only samples since the last refresh; again: those of the window\n"
	"s         other keys for rows, as -s has them\n"
	"D         seconds between two refreshes\n"
	"F         samples a second\n"
	"K, U      hide rows of the kernel, of user programs; or show them\n"
	"w         write the stacks as folded lines, for pt-flame\n"
	"q         quit\n";

static void show_page(struct pt_browse *b, enum pt_browse_mode mode)
{
	b->mode = mode;
	b->page_top = b->nr_starts = 0;
	for (size_t i = 0; i < b->page.len; i++)
		if (!i || b->page.data[i - 1] == '\n') {
			PT_GROW(b->starts, b->nr_starts, b->cap_starts);
			b->starts[b->nr_starts++] = i;
		}
}

size_t pt_browse_page_line(const struct pt_browse *b, size_t i, const char **text)
{
	size_t end = i + 1 < b->nr_starts ? b->starts[i + 1] : b->page.len;

	*text = b->page.data + b->starts[i];
	end -= end > b->starts[i] && b->page.data[end - 1] == '\n';
	return end - b->starts[i];
}

double pt_browse_percent(const char *text, size_t len)
{
	char figure[13];

	len = PT_MIN(len, sizeof(figure) - 1);
	memcpy(figure, text, len);
	figure[len] = 0;
	return strtod(figure, NULL);
}

/* Begins the page a few lines above the hottest one. */
static void go_to_hottest(struct pt_browse *b)
{
	double most = 0;

	for (size_t i = 0; i < b->nr_starts; i++) {
		const char *text;
		size_t len = pt_browse_page_line(b, i, &text);
		double v = pt_browse_percent(text, len);

		if (v > most) {
			most = v;
			b->page_top = i > 5 ? i - 5 : 0;
		}
	}
}

static void set_title(struct pt_browse *b, const char *what, const char *name)
{
	pt_buf_clear(&b->title);
	pt_buf_puts(&b->title, what);
	pt_text_puts(&b->title, name);
}

static const struct pt_profile_row *selected(const struct pt_browse *b, size_t *number)
{
	return b->table ? pt_table_row(b->table, b->row, number) : NULL;
}

static void add_calls(struct pt_browse *b, struct pt_profile *p, size_t row,
		      enum pt_calltree_order order, const char *heading)
{
	const struct pt_calltree_opts o = { .form = PT_CALLTREE_GRAPH, .order = order,
					    .min_percent = 0.1 };
	struct pt_calltree *t = pt_calltree_new(&o, p);
	size_t before;

	pt_buf_puts(&b->page, heading);
	before = b->page.len;
	pt_calltree_print(t, row, &b->page);
	if (b->page.len == before)
		pt_buf_puts(&b->page, "            none\n");
	pt_calltree_free(t);
}

void pt_browse_show_calls(struct pt_browse *b)
{
	const struct pt_event *event;
	struct pt_profile *p = pt_browse_profile(b, &event);
	size_t number = 0;
	const struct pt_profile_row *row = selected(b, &number);
	struct pt_buf name = PT_BUF_INIT;

	if (!row)
		return;
	b->place = pt_profile_hottest(p, row);
	pt_profile_cell(p, row, PT_KEY_SYM, &name);
	set_title(b, "Calls of ", pt_buf_str(&name));
	pt_buf_deinit(&name);
	pt_buf_clear(&b->page);
	add_calls(b, p, number, PT_CALLTREE_CALLEE, "Its callers:\n");
	add_calls(b, p, number, PT_CALLTREE_CALLER, "\nWhat it calls:\n");
	show_page(b, CALLS);
}

/* The code around b->place. */
static void show_code_of_place(struct pt_browse *b)
{
	const struct pt_codetext_opts o = { .percent = PT_PERCENT_LOCAL_PERIOD };
	const struct pt_code_function *x;
	const struct pt_event *event;
	struct pt_err e = PT_ERR_INIT;
	struct pt_codetext *t;
	struct pt_codes *c;

	if (!b->place || !pt_gather_frames(b->gather)) {
		pt_browse_say(b, "it has no samples of its own: they are in what it calls");
		return;
	}
	pt_browse_profile(b, &event);
	c = pt_gather_codes(b->gather, b->event);
	pt_codes_name(c, pt_gather_frames(b->gather));
	t = pt_codetext_new(&o, pt_gather_frames(b->gather), pt_codes_total(c));
	x = pt_codes_of(c, b->place);
	if (!x || x->why) {
		pt_browse_say(b, x ? x->why : "its samples are no longer in the window");
	} else {
		pt_buf_clear(&b->page);
		set_title(b, "Code of ", x->name);
		if (pt_codetext_print(t, x, event->name, &b->page, &e) < 0)
			pt_browse_say(b, e.msg);
		show_page(b, CODE);
		go_to_hottest(b);
	}
	pt_codetext_free(t);
	pt_codes_free(c);
}

void pt_browse_show_code(struct pt_browse *b)
{
	const struct pt_event *event;
	const struct pt_profile *p = pt_browse_profile(b, &event);
	size_t number;
	const struct pt_profile_row *row = selected(b, &number);

	if (b->mode == TABLE && row)
		b->place = pt_profile_hottest(p, row);
	if (b->mode == CALLS || (b->mode == TABLE && row))
		show_code_of_place(b);
}

void pt_browse_show_keys(struct pt_browse *b)
{
	set_title(b, "Keys", "");
	pt_buf_clear(&b->page);
	pt_buf_puts(&b->page, keys);
	show_page(b, KEYS);
}
