/* pt-heatmap - latency over time as a picture: from latency lines, a recording or a live session */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "cli/analysis.h"
#include "cli/losses.h"
#include "cli/opt.h"
#include "cli/pairs.h"
#include "cli/textin.h"
#include "cli/title.h"
#include "cli/tty.h"
#include "draw/heatmap.h"
#include "draw/latlines.h"
#include "lat/lat.h"

#define NOT_GIVEN UINT64_MAX
/* Keys of --by: those kept, and those of them that are drawn. */
enum { MAX_PARTS = 64, MAX_DRAWN = 16, PART_ROWS = 36, PART_SHARE_BITS = 3 };

struct args {
	struct pt_grid_opts grid;
	struct pt_heatmap_opts look;
	uint64_t min_ns, max_ns, width, height;
	int time_digits, latency_digits;
	bool json, text, ascii;
	enum pt_ansi ansi;
	const char *by, *output;
	struct pt_pairs_args pairs;
	struct pt_watch_args watch;
	struct pt_input_args input;
	struct pt_choose choose;
};

static const struct pt_word rules[] = {
	PT_WORD("rank", PT_COLOUR_RANK), PT_WORD("linear", PT_COLOUR_LINEAR), { 0 }
};
/* decimal digits from the unit to nanoseconds */
static const struct pt_word digits[] = {
	PT_WORD("ns", 0), PT_WORD("us", 3), PT_WORD("ms", 6),
	PT_WORD("s", 9),  PT_WORD_ALSO("auto", 3), { 0 }
};

static const struct pt_opt own[] = {
	PT_ROW_SET(0, "linear", "rows of equal time spans (default: chosen from the data)",
		   grid.kind, PT_ROWS_LINEAR),
	PT_ROW_SET('l', "log", "rows of logarithmically growing spans", grid.kind, PT_ROWS_LOG),
	PT_ROW(0, "by", "KEY", "a map for each, on one scale: " PT_PAIRS_BY, PT_OPT_STR, by,
	       .list = PT_PAIRS_BY),
	PT_ROW(0, "min", "TIME", "put all below this into one row at the bottom (50us, 1.5ms)",
	       PT_OPT_TIME, min_ns),
	PT_ROW(0, "max", "TIME", "put all from this on into one row at the top", PT_OPT_TIME,
	       max_ns, .min = 1),
	PT_ROW(0, "rows", "N", "at most this many rows", PT_OPT_U64, grid.rows, .min = 1,
	       .max = PT_GRID_MAX_ROWS),
	PT_ROW(0, "columns", "N", "at most this many columns", PT_OPT_U64, grid.columns, .min = 1,
	       .max = 100000),
	PT_ROW(0, "step", "TIME", "time span of a column, such as 100ms", PT_OPT_TIME, grid.step_ns,
	       .min = 1),
	PT_ROW(0, "colour", "RULE", "colour by rank of the counts (default), or linear",
	       PT_OPT_WORD, look.colour, .words = rules),
	PT_ROW(0, "color", "RULE", NULL, PT_OPT_WORD, look.colour, .words = rules),
	PT_ROW(0, "theme", "THEME", "light, dark, or auto (as the viewer prefers)", PT_OPT_WORD,
	       look.theme, .words = pt_theme_words),
	PT_ROW(0, "title", "TEXT", "title (default: command, host and date of the recording)",
	       PT_OPT_STR, look.title),
	PT_ROW(0, "width", "PIXELS", "width of the picture (1000)", PT_OPT_U64, width,
	       .min = PT_HEATMAP_MIN_WIDTH, .max = 20000),
	PT_ROW(0, "height", "PIXELS", "height of the picture (520)", PT_OPT_U64, height,
	       .min = PT_HEATMAP_MIN_HEIGHT, .max = 20000),
	PT_ROW(0, "units", "UNIT", "unit of the shown latencies: ns, us, ms, s, auto", PT_OPT_WORD,
	       look.unit, .words = pt_unit_words),
	PT_ROW_FLAG(0, "text", "draw in the terminal", text),
	PT_ROW_FLAG(0, "ascii",
		    "with --text: no block characters (default if the locale is not UTF-8)", ascii),
	PT_ROW(0, "ansi", "WHEN",
	       "with --text: colours always, never, or auto (on terminals that have them)", PT_OPT_WORD,
	       ansi, .words = pt_ansi_words),
	PT_ROW_JSON("the counts as JSON"),
	PT_ROW_OUTPUT,
	{ 0 }
};
static const struct pt_opt lines[] = {
	PT_ROW(0, "unitstime", "UNIT",
	       "unit of the times in latency lines: us (default), ns, ms, s",
	       PT_OPT_WORD, time_digits, .words = digits),
	PT_ROW(0, "unitslat", "UNIT", "unit of the latencies in latency lines", PT_OPT_WORD,
	       latency_digits, .words = digits),
	{ 0 }
};
static const struct pt_tool tool = {
	.name = "pt-heatmap",
	.forms = pt_input_forms,
	.groups = PT_GROUPS(
		PT_OWN("Picture", own),
		PT_OWN("Latency lines", lines),
		PT_GROUP("Pairs", pt_opts_pairs, pairs),
		PT_GROUPS_ANALYSIS),
	.examples = PT_LINES(
		"pt-heatmap fio.data > lat.svg",
		"pt-lat --min 1ms fio.data | pt-heatmap > slow.svg",
		"pt-heatmap --block -o lat.svg -- fio job.fio",
		"pt-heatmap --by op fio.data > reads-and-writes.svg",
		"pt-heatmap --sched --text --for 5"),
};

/* All latencies, and of --by those of each key. */
struct latencies {
	struct pt_points all;
	/* name: "op R" */
	struct part { char *name; struct pt_points points; } parts[MAX_PARTS];
	size_t nr_parts;
	uint64_t without;		/* latencies whose key came when there was no more room */
};

/* The points of a key; NULL: there are too many keys. */
static struct pt_points *points_of(struct latencies *l, const char *key)
{
	size_t i;

	for (i = 0; i < l->nr_parts; i++)
		if (!strcmp(l->parts[i].name, key))
			return &l->parts[i].points;
	if (i == MAX_PARTS)
		return NULL;
	l->parts[l->nr_parts++] =
		(struct part){ pt_strdup(key), { .share_bits = PART_SHARE_BITS } };
	return &l->parts[i].points;
}

static void latencies_deinit(struct latencies *l)
{
	pt_points_deinit(&l->all);
	for (size_t i = 0; i < l->nr_parts; i++) {
		free(l->parts[i].name);
		pt_points_deinit(&l->parts[i].points);
	}
}

static int gather_lines(struct pt_points *points, const struct args *a, const char *path,
			struct pt_err *e)
{
	struct pt_textin in = { .files = (char *[]){ (char *)path }, .nr = 1 };
	static char block[1 << 16];
	struct pt_latlines r;
	ssize_t n;

	path = strcmp(path, "-") ? path : "standard input";
	if (a->choose.given || a->watch.preset || a->pairs.events || a->by)
		pt_usage(&tool, "%s holds latencies, not events that could be chosen or paired",
			 path);
	pt_latlines_init(&r, points);
	r.time_digits = a->time_digits;
	r.latency_digits = a->latency_digits;
	pt_textin_start(&tool, &in);
	pt_latlines_feed(&r, a->input.start, a->input.start_len);
	while ((n = pt_textin_read(&in, block, sizeof(block), e)) > 0)
		pt_latlines_feed(&r, block, (size_t)n);
	if (n < 0)
		return -1;
	pt_latlines_end(&r);
	if (r.bad)
		pt_warn(&tool,
			"%s: %llu line%s not a latency (TIME LATENCY, in microseconds); the first is line %llu: '%s'",
			path, (unsigned long long)r.bad, r.bad == 1 ? " is" : "s are",
			(unsigned long long)r.first_bad, r.bad_text);
	return 0;
}

/* Counts a latency for its key of --by, too. */
static void add_by(struct latencies *to, const char *by, struct pt_lat *l,
		   const struct pt_latency *lat, const struct pt_record *rec, struct pt_source *src)
{
	struct pt_buf key = PT_BUF_INIT;
	struct pt_points *points;

	pt_buf_printf(&key, "%s ", by);
	if (!pt_lat_by(l, by, lat, rec, &key))
		pt_pairs_usage_by(&tool, by, l, src);
	if (key.len == strlen(by) + 1)
		pt_buf_putc(&key, '?');
	points = points_of(to, pt_buf_str(&key));
	if (points)
		pt_points_add(points, lat->end_ns, lat->latency_ns);
	else
		to->without++;
	pt_buf_deinit(&key);
}

static void gather_pairs(struct latencies *to, struct args *a, struct pt_analysis *an,
			 const struct pt_lat_opts *o)
{
	struct pt_lat *l = pt_lat_new(o, an->src);
	const struct pt_record *rec;
	struct pt_latency lat;

	while (pt_analysis_next(an, &rec)) {
		int rc = pt_lat_feed(l, rec, &lat, &an->err);

		if (rc < 0)
			an->rc = -1;
		if (rc <= 0 || !pt_pairs_choose(&a->pairs, &a->choose, l, &lat, rec))
			continue;
		pt_points_add(&to->all, lat.end_ns, lat.latency_ns);
		if (a->by)
			add_by(to, a->by, l, &lat, rec, an->src);
	}
	pt_pairs_say(&tool, l);
	pt_analysis_offer(an, "--op", &a->pairs.ops_there);
	pt_lat_free(l);
}

static bool has(const char *text, const char *part) { return text && strstr(text, part); }

/* Asks the environment as setlocale(3) does, but loads no locale. */
static bool is_utf8(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	size_t i;

	for (i = 0; i < PT_NR(names); i++) {
		const char *v = getenv(names[i]);

		if (v && *v)
			return has(v, "UTF-8") || has(v, "utf8") || has(v, "UTF8") ||
			       has(v, "utf-8");
	}
	return false;
}

static struct pt_terminal terminal(const struct args *a)
{
	const char *deep = getenv("COLORTERM"), *columns = getenv("COLUMNS"),
		   *ground = getenv("COLORFGBG");
	bool is_terminal = (!a->output || !strcmp(a->output, "-")) && isatty(STDOUT_FILENO);
	struct pt_terminal t = { .columns = 80, .lines = 24, .ascii = a->ascii || !is_utf8() };
	struct winsize size;
	uint64_t v;

	if (is_terminal && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col && size.ws_row) {
		t.columns = size.ws_col;
		t.lines = size.ws_row;
	} else if (columns && pt_num_u64(columns, 20, 1000, &v, NULL) == 0) {
		t.columns = (unsigned)v;
	}
	if (pt_tty_colours(a->ansi, a->output))
		t.colours = has(deep, "truecolor") || has(deep, "24bit") ? PT_COLOURS_TRUE
									 : PT_COLOURS_256;
	/* "0;15": foreground;background, of terminals that set it */
	if (a->look.theme == PT_THEME_AUTO)
		t.light = ground && (has(ground, ";15") || has(ground, ";7"));
	else
		t.light = a->look.theme == PT_THEME_LIGHT;
	return t;
}

static int compare_parts(const void *a, const void *b)
{
	uint64_t x = pt_points_total(&((const struct part *)a)->points),
		 y = pt_points_total(&((const struct part *)b)->points);

	return x != y ? x < y ? 1 : -1 : strverscmp(((const struct part *)a)->name,
						    ((const struct part *)b)->name);
}

static int compare_names(const void *a, const void *b)
{
	return strverscmp(((const struct part *)a)->name, ((const struct part *)b)->name);
}

/* The grids of the keys with the most latencies, by name. Returns their number. */
static size_t make_parts(struct latencies *l, const struct pt_grid *whole, struct pt_grid *grids)
{
	size_t nr = PT_MIN(l->nr_parts, (size_t)MAX_DRAWN), i;
	uint64_t hidden = l->without;

	qsort(l->parts, l->nr_parts, sizeof(*l->parts), compare_parts);
	for (i = nr; i < l->nr_parts; i++)
		hidden += pt_points_total(&l->parts[i].points);
	pt_warn_count(&tool, hidden, "latency is", "latencies are",
		      "of keys that are not drawn: there are too many keys");
	qsort(l->parts, nr, sizeof(*l->parts), compare_names);
	for (i = 0; i < nr; i++)
		pt_grid_part(&grids[i], &l->parts[i].points, whole, l->parts[i].name);
	return nr;
}

static void put_picture(struct pt_buf *b, const struct pt_grid *g, size_t nr, const struct args *a,
			const struct pt_terminal *t)
{
	if (a->json)
		pt_heatmap_json(b, g, nr, &a->look);
	else if (a->text)
		pt_heatmap_text(b, g, nr, &a->look, t);
	else
		pt_heatmap_svg(b, g, nr, &a->look);
}

/* Appends the picture: SVG, JSON or a drawing for the terminal. */
static int draw(struct latencies *l, struct args *a, struct pt_buf *b, struct pt_err *e)
{
	struct pt_grid g, parts[MAX_DRAWN];
	struct pt_buf summary = PT_BUF_INIT;
	struct pt_terminal t;
	uint64_t rows, columns;
	size_t nr;

	a->grid.has_min = a->min_ns != NOT_GIVEN;
	a->grid.has_max = a->max_ns != NOT_GIVEN;
	a->grid.min_ns = a->min_ns;
	a->grid.max_ns = a->max_ns;
	a->look.width = (unsigned)a->width;
	a->look.height = (unsigned)a->height;
	if (a->by && !a->grid.rows)
		a->grid.rows = PART_ROWS;
	if (a->text) {
		t = terminal(a);
		pt_heatmap_text_size(&t, &rows, &columns);
		a->grid.rows = a->grid.rows ? a->grid.rows : rows;
		a->grid.columns = a->grid.columns ? a->grid.columns : columns;
	}
	if (pt_grid_make(&g, &l->all, &a->grid, e) < 0)
		return -1;
	pt_heatmap_summary(&summary, &g, &a->look, false);
	a->look.subtitle = pt_buf_str(&summary);
	nr = make_parts(l, &g, parts);
	put_picture(b, nr ? parts : &g, nr ? nr : 1, a, &t);
	while (nr--)
		pt_grid_deinit(&parts[nr]);
	pt_grid_deinit(&g);
	pt_buf_deinit(&summary);
	return 0;
}

int main(int argc, char **argv)
{
	static struct args a = { .min_ns = NOT_GIVEN,
				 .max_ns = NOT_GIVEN,
				 .width = 1000,
				 .height = 520,
				 .time_digits = 3,
				 .latency_digits = 3 };
	struct pt_analysis an = PT_ANALYSIS(a);
	static struct latencies latencies;
	struct pt_lat_opts o = { .kind = PT_LAT_CHOOSE };
	struct pt_buf picture = PT_BUF_INIT, title = PT_BUF_INIT;
	struct pt_err e = PT_ERR_INIT;
	const char *path;

	pt_analysis_parse(&an, argc, argv, &a);
	if (a.min_ns != NOT_GIVEN && a.max_ns != NOT_GIVEN && a.min_ns >= a.max_ns)
		pt_usage(&tool, "--min is not below --max");
	pt_pairs_ready(&tool, &a.pairs, &a.watch, &o);
	o.want_comm = a.choose.comms.nr > 0 || (a.by && !strcmp(a.by, "comm"));
	path = pt_analysis_text(&an);
	pt_analysis_output_later(&an, a.output);
	if (path) {
		an.rc = gather_lines(&latencies.all, &a, path, &an.err);
	} else {
		pt_analysis_open(&an, a.pairs.events);
		pt_title_add(&title, "Latency: ", &an);
		if (!a.look.title && title.len)
			a.look.title = title.data;
		gather_pairs(&latencies, &a, &an, &o);
	}
	/* Draw what could be read; the exit status tells if that was not all. */
	if (pt_points_total(&latencies.all) || (!an.rc && !pt_analysis_emptied(&an))) {
		if (draw(&latencies, &a, &picture, &e) < 0)
			pt_analysis_fail(&an, &e);
		else
			pt_analysis_document(&an, a.output, &picture);
	}
	latencies_deinit(&latencies);
	pt_buf_deinit(&picture);
	pt_buf_deinit(&title);
	return pt_analysis_end(&an);
}
