#include "profile/browse_priv.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/newfile.h"
#include "base/text.h"

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
	pt_buf_deinit(&b->typed);
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

struct pt_profile *pt_browse_profile(const struct pt_browse *b, const struct pt_event **event)
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

bool pt_browse_each(struct pt_browse *b, size_t *i)
{
	const struct pt_event *event;

	while (*i < pt_gather_nr(b->gather)) {
		b->event = (*i)++;
		if (pt_browse_profile(b, &event))
			return true;
	}
	return false;
}

static bool browse_is_wanted(void *ctx, const struct pt_profile *p,
			     const struct pt_profile_row *row)
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

void pt_browse_make_table(struct pt_browse *b, size_t columns)
{
	const struct pt_event *event;
	struct pt_profile *p = pt_browse_profile(b, &event);

	drop_table(b);
	if (!p)
		return;
	b->columns =
		(struct pt_table_opts){ .columns = columns, .wanted = browse_is_wanted, .ctx = b };
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
	if (!pt_browse_profile(b, &event))
		next_event(b);
	pt_buf_clear(&b->status);
	pt_buf_puts(&b->status, status);
}

void pt_browse_over(struct pt_browse *b)
{
	b->over = true;
}

/* -- keys -- */

void pt_browse_say(struct pt_browse *b, const char *text)
{
	pt_buf_clear(&b->message);
	pt_text_puts(&b->message, text);
}

static bool has_calls(const struct pt_browse *b)
{
	const struct pt_event *event;
	const struct pt_profile *p = pt_browse_profile(b, &event);

	return p && pt_profile_callers(p);
}

static void toggle_mark(struct pt_browse *b)
{
	const struct pt_event *event;

	if (b->mark) {
		pt_profile_free(b->mark);
		b->mark = NULL;
		pt_browse_say(b, "no longer comparing");
	} else if (pt_browse_profile(b, &event)) {
		drop_table(b);
		b->mark = pt_gather_take(b->gather, b->event);
		b->mark_event = b->event;
		pt_gather_name(b->gather);
		pt_browse_say(b, "comparing with this moment; ~ marks what may be due to chance");
	}
}

/* Appends the stacks as folded lines; returns how many. */
static size_t browse_fold(struct pt_browse *b, struct pt_buf *out)
{
	const struct pt_event *event;
	const struct pt_profile *p = pt_browse_profile(b, &event);
	struct pt_fold *f = pt_fold_new();
	size_t nr;

	if (p)
		pt_profile_fold(p, f, b->names);
	pt_fold_sort(f);
	for (size_t i = 0; pt_fold_line(f, &i, out); )
		;
	nr = pt_fold_nr(f);
	pt_fold_free(f);
	return nr;
}

void pt_browse_folded(struct pt_browse *b, struct pt_buf *out)
{
	pt_buf_puts(out, "# ");
	pt_browse_status(b, out);
	pt_buf_putc(out, '\n');
	browse_fold(b, out);
}

static void write_folded(struct pt_browse *b)
{
	struct pt_buf text = PT_BUF_INIT, path = PT_BUF_INIT;
	struct pt_err e = PT_ERR_INIT;
	time_t now = time(NULL);
	struct tm tm;
	char stamp[32];
	size_t nr = browse_fold(b, &text);

	strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", localtime_r(&now, &tm));
	pt_buf_printf(&path, "pt-top-%s.folded", stamp);
	if (pt_newfile_put(path.data, 0666, pt_buf_str(&text), text.len, &e) < 0) {
		pt_browse_say(b, e.msg);
	} else {
		pt_buf_clear(&b->message);
		pt_buf_printf(&b->message, "%zu stacks are in %s", nr, path.data);
	}
	pt_buf_deinit(&text);
	pt_buf_deinit(&path);
}

static void clear_filter(struct pt_browse *b)
{
	pt_buf_clear(&b->filter);
	drop_table(b);
}

static const struct pt_browse_prompt prompts[] = {
	{ '/', "rows with", PT_BROWSE_DRAW },
	{ 's', "keys (-s)", PT_BROWSE_SORT },
	{ 'D', "seconds between refreshes (-d)", PT_BROWSE_DELAY },
	{ 'F', "samples a second (-F)", PT_BROWSE_FREQ },
};

static void browse_ask(struct pt_browse *b, int key)
{
	for (size_t i = 0; i < PT_NR(prompts); i++)
		if (prompts[i].key == key) {
			b->mode = TABLE;
			b->prompt = &prompts[i];
			pt_buf_clear(&b->typed);
		}
}

const char *pt_browse_typed(const struct pt_browse *b)
{
	bool filters = b->prompt && b->prompt->action == PT_BROWSE_DRAW;

	return pt_buf_str(filters ? &b->filter : &b->typed);
}

static enum pt_browse_action browse_type(struct pt_browse *b, int key)
{
	enum pt_browse_action action = b->prompt->action;
	bool filters = action == PT_BROWSE_DRAW;
	struct pt_buf *text = filters ? &b->filter : &b->typed;

	if (key == PT_SCREEN_ENTER || key == PT_SCREEN_ESCAPE)
		b->prompt = NULL;
	if (key == PT_SCREEN_ESCAPE && filters)
		clear_filter(b);
	if (key == PT_SCREEN_BACKSPACE && text->len)
		text->len--;
	else if (key >= ' ' && key < 256)
		pt_buf_putc(text, (char)key);
	pt_buf_add(text, "", 0);		/* ends it */
	if (filters) {
		drop_table(b);
		b->row = b->top = 0;
	}
	return key == PT_SCREEN_ENTER ? action : PT_BROWSE_DRAW;
}

void pt_browse_sort(struct pt_browse *b, const struct pt_table_opts *sort)
{
	b->opts.sort = *sort;
	b->held = false;			/* what it held is gone */
	drop_table(b);
	pt_profile_free(b->mark);		/* it has other keys */
	b->mark = NULL;
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
	if (key == 3 || (b->mode == TABLE && key == 'q'))
		return PT_BROWSE_QUIT;
	if (b->mode == TABLE)		/* Escape */
		clear_filter(b);
	b->mode = TABLE;
	return PT_BROWSE_DRAW;
}

static void browse_change(struct pt_browse *b, int key)
{
	switch (key) {
	case 'a':
		pt_browse_show_code(b);
		break;
	case PT_SCREEN_ENTER:
	case PT_SCREEN_RIGHT:
		if (b->mode == TABLE && has_calls(b))
			pt_browse_show_calls(b);
		else
			pt_browse_show_code(b);
		break;
	case 'e':
		b->mode = TABLE;		/* a page is of the event that it was opened for */
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
		pt_browse_show_keys(b);
		break;
	}
}

enum pt_browse_action pt_browse_key(struct pt_browse *b, int key)
{
	if (key != PT_SCREEN_RESIZED)
		pt_buf_clear(&b->message);
	if (key == PT_SCREEN_GONE)		/* also while a text is typed */
		return PT_BROWSE_QUIT;
	if (b->prompt && key != 3)
		return browse_type(b, key);
	switch (key) {
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
	browse_change(b, key);
	browse_ask(b, key);
	if (key > 0 && key < 256 && strchr("edKU", key))	/* other rows, or columns */
		drop_table(b);
	return PT_BROWSE_DRAW;
}
