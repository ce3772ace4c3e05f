/* pt-flame - folded lines as a flame graph. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "cli/input.h"
#include "cli/losses.h"
#include "cli/opt.h"
#include "cli/textin.h"
#include "draw/flame.h"

struct args {
	struct pt_flame_opts flame;
	struct pt_folded_opts folded;
	uint64_t width, row_height;
	const char *min_width, *total, *font_size, *output;
};

/* Takes a word of flamegraph.pl, or a colour as #rgb or #rrggbb. */
static int opt_background(void *group, const char *arg, struct pt_err *e)
{
	static const struct { const char *name, *colour; } names[] = {
		{ "yellow", "#f8f4e0" }, { "blue", "#e8eefa" }, { "green", "#e8f4e8" },
		{ "grey", "#f2f2f2" }, { "gray", "#f2f2f2" }, { "white", "#ffffff" },
	};
	const char **background = &((struct args *)group)->flame.background;
	size_t i, len = strlen(arg);

	for (i = 0; i < PT_NR(names); i++)
		if (!strcmp(arg, names[i].name))
			*background = names[i].colour;
	if (*arg == '#' && (len == 4 || len == 7) &&
	    strspn(arg + 1, "0123456789abcdefABCDEF") == len - 1)
		*background = arg;
	return *background
		       ? 0
		       : pt_err_set(
				 e,
				 "'%s' is none of yellow, blue, green, grey, white, #rgb, #rrggbb",
				 arg);
}

static const struct pt_opt picture[] = {
	PT_ROW(0, "title", "TEXT", "title (default: command, host and date of the recording)",
	       PT_OPT_STR, flame.title),
	PT_ROW(0, "subtitle", "TEXT",
	       "text below the title (default: number and quality of the samples)",
	       PT_OPT_STR, flame.subtitle),
	PT_ROW(0, "notes", "TEXT", "text for the picture's description", PT_OPT_STR, flame.notes),
	PT_ROW(0, "countname", "NAME", "what the stacks count (samples)", PT_OPT_STR,
	       flame.count_name),
	PT_ROW(0, "nametype", "NAME", "what a frame is (function)", PT_OPT_STR, flame.name_type),
	PT_ROW(0, "width", "PIXELS", "width of the picture (1200)", PT_OPT_U64, width, .min = 100,
	       .max = 100000),
	PT_ROW(0, "height", "PIXELS", "height of a frame (17)", PT_OPT_U64, row_height, .min = 5,
	       .max = 200),
	PT_ROW(0, "minwidth", "PIXELS",
	       "merge frames that are narrower (0.1); N%: percent of the width",
	       PT_OPT_STR, min_width),
	PT_ROW(0, "fonttype", "NAME", "font of the text (a monospaced one)", PT_OPT_STR,
	       flame.font),
	PT_ROW(0, "fontsize", "PIXELS", "size of the text (12)", PT_OPT_STR, font_size),
	PT_ROW(0, "total", "COUNT",
	       "count for the full width, if the input has only some of the stacks",
	       PT_OPT_STR, total),
	PT_ROW_OUTPUT,
	{ 0 }
};

static const struct pt_opt colour[] = {
	PT_ROW(0, "colors", "BY",
	       "by kind (of annotated frames), by module, or by name: hot, cool, grey, red, orange, yellow, green, aqua, purple",
	       PT_OPT_WORD, flame.colours, .words = pt_flame_colour_words),
	PT_ROW(0, "colours", "BY", NULL, PT_OPT_WORD, flame.colours,
	       .words = pt_flame_colour_words),
	PT_ROW(0, "theme", "THEME", "light, dark, or auto (as the viewer prefers)", PT_OPT_WORD,
	       flame.theme, .words = pt_theme_words),
	PT_ROW_CALL(0, "bgcolors", "COLOUR",
		    "background: yellow, blue, green, grey, white, #rrggbb", opt_background),
	PT_ROW_FLAG(0, "negate", "of differences: blue where counts grew", flame.negate),
	PT_ROW_HABIT(0, "hash", NULL),
	PT_ROW_HABIT(0, "cp", NULL),
	PT_ROW_HABIT(0, "encoding", "NAME"),
	PT_ROW_HABIT(0, "fontwidth", "RATIO"),
	{ 0 }
};

static const struct pt_opt order[] = {
	PT_ROW_FLAG(0, "inverted", "root at the top", flame.inverted),
	PT_ROW_FLAG(0, "icicle", "the same as --inverted", flame.inverted),
	PT_ROW_FLAG(0, "reverse", "merge stacks from the innermost frame", folded.reverse),
	PT_ROW_FLAG(0, "flamechart", "stacks in the order of the input: time runs to the right",
		    folded.keep_order),
	PT_ROW_FLAG(0, "vanished",
		    "of differences: also show stacks that are gone, as wide as they were",
		    folded.vanished),
	{ 0 }
};

static const struct pt_tool tool = {
	.name = "pt-flame",
	.forms = PT_LINES("[OPTION...] [FILE | -]..."),
	.groups = PT_GROUPS(
		PT_OWN("Picture", picture),
		PT_OWN("Colours", colour),
		PT_OWN("Stacks", order)),
	.examples = PT_LINES(
		"pt-stack -F 99 -a --for 10 | pt-flame > cpu.svg",
		"pt-stack --annotate cpu.data | pt-flame --colors kind > cpu.svg",
		"pt-diff before.folded after.folded | pt-flame > diff.svg"),
};

static int read_all(struct pt_folded *t, const struct pt_operands *files,
		    struct pt_err *e)
{
	struct pt_textin in = { .files = files->v, .nr = files->nr };
	static char block[1 << 18];
	struct pt_folded_counts c;
	ssize_t n;

	pt_textin_start(&tool, &in);
	while ((n = pt_textin_read(&in, block, sizeof(block), e)) > 0)
		pt_folded_feed(t, block, (size_t)n);
	if (n < 0)
		return -1;
	pt_folded_end(t);
	c = pt_folded_counts(t);
	pt_warn_stacks(&tool, pt_folded_note(t));
	pt_warn_not_folded(&tool, NULL, c.bad, c.lines, c.first_bad);
	pt_warn_count(&tool, c.cut, "stack is", "stacks are",
		      "too deep to be drawn whole");
	return 0;
}

/* Parses a number above 0; with a % behind it: a part of `whole` (0: not allowed). */
static double number(const char *name, const char *text, double whole, double most)
{
	struct pt_err e = PT_ERR_INIT;
	size_t len = text ? strlen(text) : 0;
	bool percent = len > 1 && text[len - 1] == '%' && whole > 0;
	char *plain = text ? pt_strndup(text, percent ? len - 1 : len) : NULL;
	double v = 0;

	if (text && pt_num_double(plain, &v, &e) < 0)
		pt_usage(&tool, "--%s: %s", name, e.msg);
	v = percent ? v / 100 * whole : v;
	if (text && !(v > 0 && v <= most))
		pt_usage(&tool, "--%s: %s is not above 0, or too large", name, text);
	free(plain);
	return v;
}

int main(int argc, char **argv)
{
	static struct args a;
	struct pt_err e = PT_ERR_INIT;
	struct pt_buf svg = PT_BUF_INIT;
	struct pt_operands operands = pt_opt_parse(&tool, argc, argv, &a);
	int rc;
	struct pt_folded *t;

	a.flame.width = (double)a.width;
	a.flame.min_width = number("minwidth", a.min_width, a.width ? (double)a.width : 1200, 1e6);
	a.flame.total = number("total", a.total, 0, 1e15);
	a.flame.font_size = number("fontsize", a.font_size, 0, 100);
	a.flame.row_height = (double)a.row_height;
	t = pt_folded_new(&a.folded);
	rc = read_all(t, &operands, &e);
	if (rc == 0)
		rc = pt_flame_svg(t, &a.flame, &svg, &e);
	pt_folded_free(t);
	return pt_finish_text(&tool, a.output, &svg, rc, &e);
}
