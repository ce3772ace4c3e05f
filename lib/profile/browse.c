#include "profile/browse.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/newfile.h"
#include "base/num.h"
#include "base/text.h"
#include "profile/codetext.h"

enum { AROUND = 3 };			/* lines that are no rows: status, headings, last */
enum mode { TABLE, CALLS, CODE, KEYS };	/* pages of text, but for the table */

struct pt_browse {
	struct pt_browse_opts opts;
	struct pt_gather *gather;
	struct pt_table_opts columns;	/* of the table, which points to it */
	struct pt_table *table;		/* NULL: no samples yet */
	size_t event;
	enum mode mode;
	bool held, over, typing;	/* typing: the filter */
	size_t row, top, height;	/* the selected row, the first on the screen, how many */
	struct pt_buf filter;
	struct pt_profile *mark;
	size_t mark_event;
	struct pt_buf page, title;
	size_t *starts, nr_starts, cap_starts;	/* of the page's lines */
	size_t page_top;
	const struct pt_place_at *place;	/* in the function that the page is of; or NULL */
	struct pt_buf status, message;
	struct pt_names *names;		/* in folded lines */
};

static const char keys[] =
	"up, down, page up, page down, home, end   move\n"
	"Enter     callers and callees of a row (with -g), then its code\n"
	"a         its code: instructions and source lines\n"
	"Escape    back\n"
	"/         show rows with this text alone; Enter ends it, an empty text shows all\n"
	"e         the next event\n"
	"d         compare with now: columns of what changes from here on; again: no more\n"
	"f         hold the table, or let it go on\n"
	"z         only what came since the last refresh, or the usual time\n"
	"K, U      hide rows of the kernel, of user programs; or show them\n"
	"w         write the stacks as folded lines, for pt-flame\n"
	"q         quit\n";
static const char usual_message[] =
	"Enter calls  a code  / filter  d compare  f hold  z last  w write  ? keys  q quit";

struct pt_browse *pt_browse_new(const struct pt_browse_opts *o, struct pt_gather *g)
{
	struct pt_browse *b = pt_alloc(sizeof(*b));

	b->opts = *o;
	b->gather = g;
	b->names = pt_names_new();
	return b;
}

void pt_browse_free(struct pt_browse *b)
{
	if (!b)
		return;
	pt_table_free(b->table);
	pt_profile_free(b->mark);
	pt_buf_deinit(&b->filter);
	pt_buf_deinit(&b->page);
	pt_buf_deinit(&b->title);
	pt_buf_deinit(&b->status);
	pt_buf_deinit(&b->message);
	pt_names_free(b->names);
	free(b->starts);
	free(b);
}

/* -- the table -- */

static void drop_table(struct pt_browse *b)
{
	pt_table_free(b->table);
	b->table = NULL;
}

static struct pt_profile *profile_of(const struct pt_browse *b, const struct pt_event **event)
{
	*event = NULL;
	if (b->event >= pt_gather_nr(b->gather))
		return NULL;
	return pt_gather_profile(b->gather, b->event, event);
}

/* False: there is none that has samples. */
static bool next_event(struct pt_browse *b)
{
	const struct pt_event *event;
	size_t nr = pt_gather_nr(b->gather);

	for (size_t i = 1; i <= nr; i++) {
		size_t k = (b->event + i) % nr;

		if (pt_gather_profile(b->gather, k, &event)) {
			b->event = k;
			return true;
		}
	}
	return false;
}

static bool is_wanted(void *ctx, const struct pt_profile *p, const struct pt_profile_row *row)
{
	const struct pt_browse *b = ctx;
	char level = pt_profile_level(p, row);
	struct pt_buf cell = PT_BUF_INIT;
	bool yes = !b->filter.len;

	if ((level == 'k' && b->opts.hide_kernel) || (level == '.' && b->opts.hide_user))
		return false;
	for (unsigned k = 0; k < PT_NR_KEYS && !yes; k++) {
		if (!(pt_profile_keys(p) & 1u << k))
			continue;
		pt_buf_clear(&cell);
		pt_profile_cell(p, row, (enum pt_profile_key)k, &cell);
		yes = strcasestr(pt_buf_str(&cell), b->filter.data);
	}
	pt_buf_deinit(&cell);
	return yes;
}

static void make_table(struct pt_browse *b, size_t columns)
{
	const struct pt_event *event;
	struct pt_profile *p = profile_of(b, &event);

	drop_table(b);
	if (!p)
		return;
	b->columns = (struct pt_table_opts){ .columns = columns, .wanted = is_wanted, .ctx = b };
	if (b->mark && b->mark_event == b->event)
		b->columns.base = b->mark;
	pt_table_usual(&b->columns, p, b->opts.samples, false, &b->opts.sort);
	b->table = pt_table_new(&b->columns, p);
}

bool pt_browse_moves(const struct pt_browse *b)
{
	return b->mode == TABLE && !b->held;
}

void pt_browse_refresh(struct pt_browse *b, const char *status)
{
	const struct pt_event *event;

	drop_table(b);			/* its rows are gone */
	if (!profile_of(b, &event))
		next_event(b);
	pt_buf_clear(&b->status);
	pt_buf_puts(&b->status, status);
}

void pt_browse_over(struct pt_browse *b)
{
	b->over = true;
}

/* -- pages -- */

static void show_page(struct pt_browse *b, enum mode mode)
{
	b->mode = mode;
	b->page_top = b->nr_starts = 0;
	for (size_t i = 0; i < b->page.len; i++)
		if (!i || b->page.data[i - 1] == '\n') {
			PT_GROW(b->starts, b->nr_starts, b->cap_starts);
			b->starts[b->nr_starts++] = i;
		}
}

static size_t page_line(const struct pt_browse *b, size_t i, const char **text)
{
	size_t end = i + 1 < b->nr_starts ? b->starts[i + 1] : b->page.len;

	*text = b->page.data + b->starts[i];
	end -= end > b->starts[i] && b->page.data[end - 1] == '\n';
	return end - b->starts[i];
}

static double leading_percent(const char *text, size_t len)
{
	struct pt_buf b = PT_BUF_INIT;
	double v;

	pt_buf_add(&b, text, PT_MIN(len, (size_t)12));
	v = strtod(pt_buf_str(&b), NULL);
	pt_buf_deinit(&b);
	return v;
}

/* The page begins where most is. */
static void go_to_hottest(struct pt_browse *b)
{
	double most = 0;

	for (size_t i = 0; i < b->nr_starts; i++) {
		const char *text;
		size_t len = page_line(b, i, &text);
		double v = leading_percent(text, len);

		if (v > most) {
			most = v;
			b->page_top = i > 5 ? i - 5 : 0;
		}
	}
}

static void say(struct pt_browse *b, const char *text)
{
	pt_buf_clear(&b->message);
	pt_text_plain(&b->message, text, strlen(text));
}

static void set_title(struct pt_browse *b, const char *what, const char *name)
{
	pt_buf_clear(&b->title);
	pt_buf_puts(&b->title, what);
	pt_text_plain(&b->title, name, strlen(name));
}

static const struct pt_profile_row *selected(const struct pt_browse *b, size_t *number)
{
	return b->table ? pt_table_row(b->table, b->row, number) : NULL;
}

static bool is_selected(void *ctx, size_t row)
{
	return *(size_t *)ctx == row;
}

static void add_calls(struct pt_browse *b, struct pt_profile *p, size_t row,
		      enum pt_calltree_order order, const char *heading)
{
	const struct pt_calltree_opts o = { .form = PT_CALLTREE_GRAPH, .order = order,
					    .min_percent = 0.1 };
	struct pt_calltree *t = pt_calltree_new(&o, p);
	size_t before;

	pt_calltree_gather(t, is_selected, &row);
	pt_buf_puts(&b->page, heading);
	before = b->page.len;
	pt_calltree_print(t, row, &b->page);
	if (b->page.len == before)
		pt_buf_puts(&b->page, "            none\n");
	pt_calltree_free(t);
}

static void show_calls(struct pt_browse *b)
{
	const struct pt_event *event;
	struct pt_profile *p = profile_of(b, &event);
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
static void show_code(struct pt_browse *b)
{
	const struct pt_codetext_opts o = { .percent = PT_PERCENT_LOCAL_PERIOD };
	const struct pt_code_function *x;
	const struct pt_event *event;
	struct pt_err e = PT_ERR_INIT;
	struct pt_codetext *t;
	struct pt_codes *c;

	if (!b->place || !pt_gather_frames(b->gather)) {
		say(b, "no samples are in its own code");
		return;
	}
	profile_of(b, &event);
	c = pt_gather_codes(b->gather, b->event);
	pt_codes_name(c, pt_gather_frames(b->gather));
	t = pt_codetext_new(&o, pt_gather_frames(b->gather), pt_codes_total(c));
	x = pt_codes_of(c, b->place);
	if (!x || x->why) {
		say(b, x ? x->why : "its samples are forgotten by now");
	} else {
		pt_buf_clear(&b->page);
		set_title(b, "Code of ", x->name);
		if (pt_codetext_print(t, x, event->name, &b->page, &e) < 0)
			say(b, e.msg);
		show_page(b, CODE);
		go_to_hottest(b);
	}
	pt_codetext_free(t);
	pt_codes_free(c);
}

static void show_code_of_row(struct pt_browse *b)
{
	const struct pt_event *event;
	const struct pt_profile *p = profile_of(b, &event);
	size_t number;
	const struct pt_profile_row *row = selected(b, &number);

	if (!row)
		return;
	b->place = pt_profile_hottest(p, row);
	show_code(b);
}

static void enter(struct pt_browse *b)
{
	const struct pt_event *event;
	const struct pt_profile *p = profile_of(b, &event);

	if (b->mode == CALLS)
		show_code(b);
	else if (b->mode == TABLE && p && pt_profile_callers(p))
		show_calls(b);
	else if (b->mode == TABLE)
		show_code_of_row(b);
}

/* -- what keys do besides -- */

static void toggle_mark(struct pt_browse *b)
{
	const struct pt_event *event;

	if (b->mark) {
		pt_profile_free(b->mark);
		b->mark = NULL;
		say(b, "no comparison any more");
	} else if (profile_of(b, &event)) {
		drop_table(b);
		b->mark = pt_gather_take(b->gather, b->event);
		b->mark_event = b->event;
		pt_gather_name(b->gather);
		say(b, "compared with now: what changes comes first, ~ marks what chance may have made");
	}
}

static void write_folded(struct pt_browse *b)
{
	struct pt_buf text = PT_BUF_INIT, path = PT_BUF_INIT;
	const struct pt_event *event;
	const struct pt_profile *p = profile_of(b, &event);
	struct pt_fold *f = pt_fold_new();
	struct pt_err e = PT_ERR_INIT;
	struct pt_newfile file;
	time_t now = time(NULL);
	struct tm tm;
	char stamp[32];

	if (p)
		pt_profile_fold(p, f, b->names);
	pt_fold_sort(f);
	for (size_t i = 0; pt_fold_line(f, &i, &text); )
		;
	strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", localtime_r(&now, &tm));
	pt_buf_printf(&path, "pt-top-%s.folded", stamp);
	if (pt_newfile_open(&file, path.data, 0666, &e) < 0) {
		say(b, e.msg);
	} else if (pt_newfile_write(&file, pt_buf_str(&text), text.len, &e) < 0) {
		pt_newfile_abandon(&file);
		say(b, e.msg);
	} else if (pt_newfile_publish(&file, &e) < 0) {
		say(b, e.msg);
	} else {
		pt_buf_clear(&b->message);
		pt_buf_printf(&b->message, "%zu stacks are in %s", pt_fold_nr(f), path.data);
	}
	pt_fold_free(f);
	pt_buf_deinit(&text);
	pt_buf_deinit(&path);
}

static void clear_filter(struct pt_browse *b)
{
	pt_buf_clear(&b->filter);
	drop_table(b);
}

static void type(struct pt_browse *b, int key)
{
	if (key == PT_SCREEN_ENTER || key == PT_SCREEN_ESCAPE)
		b->typing = false;
	if (key == PT_SCREEN_ESCAPE)
		clear_filter(b);
	if (key == PT_SCREEN_BACKSPACE && b->filter.len)
		b->filter.len--;
	else if (key >= ' ' && key < 256)
		pt_buf_putc(&b->filter, (char)key);
	pt_buf_add(&b->filter, "", 0);		/* ends it */
	drop_table(b);
	b->row = b->top = 0;
}

static size_t moved(int key, size_t at, size_t nr, size_t page)
{
	size_t last = nr ? nr - 1 : 0;

	switch (key) {
	case PT_SCREEN_UP:
	case 'k':
		return at ? at - 1 : 0;
	case PT_SCREEN_DOWN:
	case 'j':
		return PT_MIN(at + 1, last);
	case PT_SCREEN_PAGE_UP:
		return at > page ? at - page : 0;
	case PT_SCREEN_PAGE_DOWN:
	case ' ':
		return PT_MIN(at + page, last);
	case PT_SCREEN_HOME:
		return 0;
	case PT_SCREEN_END:
		return last;
	default:
		return at;
	}
}

static enum pt_browse_action back(struct pt_browse *b, int key)
{
	if (b->mode == TABLE && (key == 'q' || key == 3))
		return PT_BROWSE_QUIT;
	if (b->mode == TABLE)		/* Escape */
		clear_filter(b);
	b->mode = TABLE;
	return PT_BROWSE_DRAW;
}

static void change(struct pt_browse *b, int key)
{
	switch (key) {
	case 'a':
		if (b->mode == TABLE)
			show_code_of_row(b);
		else if (b->mode == CALLS)
			show_code(b);
		break;
	case PT_SCREEN_ENTER:
	case PT_SCREEN_RIGHT:
		enter(b);
		break;
	case '/':
		b->mode = TABLE;
		b->typing = true;
		break;
	case 'e':
		b->row = b->top = 0;
		next_event(b);
		break;
	case 'd':
		toggle_mark(b);
		break;
	case 'f':
		b->held = !b->held;
		break;
	case 'K':
		b->opts.hide_kernel = !b->opts.hide_kernel;
		break;
	case 'U':
		b->opts.hide_user = !b->opts.hide_user;
		break;
	case 'w':
		write_folded(b);
		break;
	case '?':
	case 'h':
		set_title(b, "Keys", "");
		pt_buf_clear(&b->page);
		pt_buf_puts(&b->page, keys);
		show_page(b, KEYS);
		break;
	}
}

enum pt_browse_action pt_browse_key(struct pt_browse *b, int key)
{
	if (key != PT_SCREEN_RESIZED)
		pt_buf_clear(&b->message);
	if (b->typing) {
		type(b, key);
		return PT_BROWSE_DRAW;
	}
	switch (key) {
	case PT_SCREEN_GONE:
		return PT_BROWSE_QUIT;
	case 'q':
	case 3:
	case PT_SCREEN_ESCAPE:
	case PT_SCREEN_LEFT:
	case PT_SCREEN_BACKSPACE:
		return back(b, key);
	case 'z':
		return PT_BROWSE_WINDOW;
	}
	if (b->mode == TABLE)
		b->row = moved(key, b->row, b->table ? pt_table_nr(b->table) : 0, b->height);
	else
		b->page_top = moved(key, b->page_top, b->nr_starts, b->height);
	change(b, key);
	if (key > 0 && key < 256 && strchr("edKU", key))	/* other rows, or columns */
		drop_table(b);
	return PT_BROWSE_DRAW;
}

/* -- the screen -- */

static enum pt_style style_of(double percent)
{
	return percent >= 5 ? PT_STYLE_HOT : percent >= 0.5 ? PT_STYLE_WARM : PT_STYLE_PLAIN;
}

static void add_status(const struct pt_browse *b, struct pt_buf *out)
{
	const struct pt_event *event;
	const struct pt_profile *p = profile_of(b, &event);

	const char *name = event ? event->name : p ? "folded stacks" : "no event yet";

	pt_buf_thousands(out, p ? pt_profile_samples(p) : 0);
	pt_buf_puts(out, " samples of ");
	pt_text_plain(out, name, strlen(name));
	pt_buf_puts(out, pt_buf_str(&b->status));
	pt_buf_puts(out, b->over ? ", ended" : b->held ? ", held" : "");
	if (b->opts.hide_kernel || b->opts.hide_user)
		pt_buf_printf(out, ", without %s rows", b->opts.hide_kernel ? "kernel" : "user");
	if (b->filter.len && !b->typing) {
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

static void put_text(struct drawing *d, size_t line, enum pt_style style)
{
	const char *text = pt_buf_str(&d->text);

	d->put(d->ctx, line, style, text,
	       pt_text_fit(text, d->text.len, d->columns));
	pt_buf_clear(&d->text);
}

static void draw_row(struct pt_browse *b, struct drawing *d, size_t line, size_t i)
{
	size_t number;
	const struct pt_profile_row *row = pt_table_row(b->table, i, &number);
	const struct pt_event *event;
	const struct pt_profile *p = profile_of(b, &event);
	uint64_t all = pt_profile_total(p);
	enum pt_style style =
		style_of(row && all ? 100.0 * (double)row->total / (double)all : 0);

	pt_table_line(b->table, i, &d->text);
	put_text(d, line, i == b->row ? PT_STYLE_SELECTED : style);
}

static void draw_table(struct pt_browse *b, struct drawing *d)
{
	size_t nr;

	if (!b->table || b->columns.columns != d->columns)
		make_table(b, d->columns);
	nr = b->table ? pt_table_nr(b->table) : 0;
	b->row = PT_MIN(b->row, nr ? nr - 1 : 0);
	b->top = PT_MIN(b->top, b->row);
	if (b->row >= b->top + b->height)
		b->top = b->row + 1 - b->height;
	if (b->table)
		pt_table_heading(b->table, &d->text);
	put_text(d, 1, PT_STYLE_HEAD);
	for (size_t i = 0; i < b->height; i++) {
		if (b->top + i < nr)
			draw_row(b, d, 2 + i, b->top + i);
		else
			put_text(d, 2 + i, PT_STYLE_PLAIN);
	}
}

static void draw_page(const struct pt_browse *b, struct drawing *d)
{
	const char *text;
	size_t len;

	pt_buf_add(&d->text, pt_buf_str(&b->title), b->title.len);
	put_text(d, 1, PT_STYLE_HEAD);
	for (size_t i = 0; i < b->height; i++) {
		double percent = 0;

		if (b->page_top + i < b->nr_starts) {
			len = page_line(b, b->page_top + i, &text);
			pt_buf_add(&d->text, text, len);
			percent = b->mode == CODE ? leading_percent(text, len) : 0;
		}
		put_text(d, 2 + i, style_of(percent));
	}
}

void pt_browse_draw(struct pt_browse *b, size_t lines, size_t columns,
		    void (*put)(void *ctx, size_t line, enum pt_style style, const char *text,
				size_t len),
		    void *ctx)
{
	struct drawing d = { put, ctx, columns, PT_BUF_INIT };

	b->height = lines > AROUND ? lines - AROUND : 1;
	if (b->mode == TABLE)
		draw_table(b, &d);
	else
		draw_page(b, &d);
	add_status(b, &d.text);
	put_text(&d, 0, PT_STYLE_HEAD);
	if (b->typing)
		pt_buf_printf(&d.text, "rows with: %s_", pt_buf_str(&b->filter));
	else
		pt_buf_puts(&d.text, b->message.len ? b->message.data : usual_message);
	if (lines > AROUND)
		put_text(&d, lines - 1, PT_STYLE_PLAIN);
	pt_buf_deinit(&d.text);
}

void pt_browse_text(struct pt_browse *b, size_t lines, size_t columns, struct pt_buf *out)
{
	make_table(b, columns);
	pt_buf_puts(out, "# ");
	add_status(b, out);
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
