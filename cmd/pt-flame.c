/* pt-flame - folded lines as a flame graph. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "cli/input.h"
#include "cli/opt.h"
#include "cli/out.h"
#include "cli/textin.h"
#include "draw/flame.h"

struct args {
	struct pt_flame_opts flame;
	struct pt_folded_opts folded;
	uint64_t width, row_height;
	const char *min_width, *total, *font_size, *output;
};

static int opt_colours(void *group, const char *arg, struct pt_err *e)
{
	int v = pt_flame_colours_parse(arg);

	((struct args *)group)->flame.colours = (enum pt_flame_colours)v;
	return v < 0 ? pt_err_set(e, "'%s' is none of auto, hot, cool, grey, orange, green, aqua, red, yellow, purple, kind, module", arg) : 0;
}

static int opt_theme(void *group, const char *arg, struct pt_err *e)
{
	int v = pt_theme_parse(arg);

	((struct args *)group)->flame.theme = (enum pt_theme)v;
	return v < 0 ? pt_err_set(e, "'%s' is none of auto, light, dark", arg) : 0;
}

/* A word of flamegraph.pl, or a colour as #rgb or #rrggbb. */
static int opt_background(void *group, const char *arg, struct pt_err *e)
{
	static const struct { const char *name, *colour; } names[] = {
		{ "yellow", "#f8f4e0" }, { "blue", "#e8eefa" }, { "green", "#e8f4e8" }, { "grey", "#f2f2f2" }, { "gray", "#f2f2f2" }, { "white", "#ffffff" },
	};
	const char **background = &((struct args *)group)->flame.background;
	size_t i, len = strlen(arg);

	for (i = 0; i < PT_NR(names); i++)
		if (!strcmp(arg, names[i].name))
			*background = names[i].colour;
	if (*arg == '#' && (len == 4 || len == 7) && strspn(arg + 1, "0123456789abcdefABCDEF") == len - 1)
		*background = arg;
	return *background ? 0 : pt_err_set(e, "'%s' is none of yellow, blue, green, grey, white, #rgb, #rrggbb", arg);
}

static int opt_nothing(void *group, const char *arg, struct pt_err *e)
{
	(void)group, (void)arg, (void)e;
	return 0;
}

#define AT(member) offsetof(struct args, member)
static const struct pt_opt picture[] = {
	{ .name = "title", .arg = "TEXT", .help = "above the picture", .kind = PT_OPT_STR, .off = AT(flame.title) },
	{ .name = "subtitle", .arg = "TEXT", .help = "below the title (how many samples, and how good)", .kind = PT_OPT_STR, .off = AT(flame.subtitle) },
	{ .name = "notes", .arg = "TEXT", .help = "into the picture's description", .kind = PT_OPT_STR, .off = AT(flame.notes) },
	{ .name = "countname", .arg = "NAME", .help = "what is counted (samples)", .kind = PT_OPT_STR, .off = AT(flame.count_name) },
	{ .name = "nametype", .arg = "NAME", .help = "what a frame is (function)", .kind = PT_OPT_STR, .off = AT(flame.name_type) },
	{ .name = "width", .arg = "PIXELS", .help = "of the picture (1200)", .kind = PT_OPT_U64, .off = AT(width), .min = 100, .max = 100000 },
	{ .name = "height", .arg = "PIXELS", .help = "of a frame (17)", .kind = PT_OPT_U64, .off = AT(row_height), .min = 5, .max = 200 },
	{ .name = "minwidth", .arg = "PIXELS", .help = "narrower frames are merged with their narrow neighbours (0.1); of the width with a % behind it", .kind = PT_OPT_STR, .off = AT(min_width) },
	{ .name = "fonttype", .arg = "NAME", .help = "of text (fonts of equal widths)", .kind = PT_OPT_STR, .off = AT(flame.font) },
	{ .name = "fontsize", .arg = "PIXELS", .help = "of text (12)", .kind = PT_OPT_STR, .off = AT(font_size) },
	{ .name = "total", .arg = "COUNT", .help = "what the full width stands for, when not all stacks are here", .kind = PT_OPT_STR, .off = AT(total) },
	{ .letter = 'o', .name = "output", .arg = "FILE", .help = "write there", .kind = PT_OPT_STR, .off = AT(output) },
	{ .letter = 0 }
};

static const struct pt_opt colour[] = {
	{ .name = "colors", .arg = "BY", .help = "kind (of annotated frames), module, or by name: hot, cool, grey, red, orange, yellow, green, aqua, purple", .kind = PT_OPT_CALL, .call = opt_colours },
	{ .name = "colours", .arg = "BY", .kind = PT_OPT_CALL, .call = opt_colours },
	{ .name = "theme", .arg = "THEME", .help = "light, dark or auto (the viewer's)", .kind = PT_OPT_CALL, .call = opt_theme },
	{ .name = "bgcolors", .arg = "COLOUR", .help = "of the ground: yellow, blue, green, grey, white, #rrggbb", .kind = PT_OPT_CALL, .call = opt_background },
	{ .name = "negate", .help = "of differences: blue where it grew", .kind = PT_OPT_FLAG, .off = AT(flame.negate) },
	{ .name = "hash", .kind = PT_OPT_CALL, .call = opt_nothing },
	{ .name = "cp", .kind = PT_OPT_CALL, .call = opt_nothing },
	{ .name = "encoding", .arg = "NAME", .kind = PT_OPT_CALL, .call = opt_nothing },
	{ .name = "fontwidth", .arg = "RATIO", .kind = PT_OPT_CALL, .call = opt_nothing },
	{ .letter = 0 }
};

static const struct pt_opt order[] = {
	{ .name = "inverted", .help = "the root at the top", .kind = PT_OPT_FLAG, .off = AT(flame.inverted) },
	{ .name = "reverse", .help = "merge stacks from the innermost frame", .kind = PT_OPT_FLAG, .off = AT(folded.reverse) },
	{ .name = "flamechart", .help = "stacks in the order of the input: time runs to the right", .kind = PT_OPT_FLAG, .off = AT(folded.keep_order) },
	{ .name = "vanished", .help = "of differences: also stacks that are no longer there, as wide as they were", .kind = PT_OPT_FLAG, .off = AT(folded.vanished) },
	{ .letter = 0 }
};

static const char *const forms[] = { "[OPTION...] [FILE | -]...", NULL };
static const char *const examples[] = {
	"pt-stack -F 99 -a --for 10 | pt-flame > cpu.svg",
	"pt-stack --annotate cpu.data | pt-flame --colors kind > cpu.svg",
	"pt-diff before.folded after.folded | pt-flame > diff.svg",
	NULL
};

static const struct pt_tool tool = {
	.name = "pt-flame", .purpose = "folded lines as a flame graph (SVG)", .forms = forms,
	.groups = (const struct pt_opt_group[]){ { "Picture", picture, 0 }, { "Colours", colour, 0 }, { "Stacks", order, 0 }, { NULL, NULL, 0 } }, .examples = examples,
};

/* What the line in front of the stacks says: how much of the truth they are. */
static void say_samples(const struct pt_foldnote *n)
{
	struct pt_buf b = PT_BUF_INIT;

	if (!n->known)
		return;
	pt_foldnote_text(n, &b);
	pt_warn(&tool, "%s", pt_buf_str(&b));
	pt_buf_deinit(&b);
}

static int read_all(struct pt_folded *t, int argc, char **argv, int first, struct pt_err *e)
{
	struct pt_textin in = { .files = argv + first, .nr = argc - first };
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
	say_samples(pt_folded_samples(t));
	if (c.bad)
		pt_warn(&tool, "%llu of %llu lines are no folded stacks (FRAME;FRAME COUNT), the first is line %llu; pt-fold makes such of other tools' stacks",
			(unsigned long long)c.bad, (unsigned long long)c.lines, (unsigned long long)c.first_bad);
	if (c.cut)
		pt_warn(&tool, "%llu stacks are deeper than is drawn", (unsigned long long)c.cut);
	return 0;
}

/* A number above nothing; with a % behind it: of `whole` (0: not allowed). */
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
	struct pt_out *out = NULL;
	int first = pt_opt_parse(&tool, argc, argv, &a), rc;
	struct pt_folded *t;

	a.flame.width = (double)a.width;
	a.flame.min_width = number("minwidth", a.min_width, a.width ? (double)a.width : 1200, 1e6);
	a.flame.total = number("total", a.total, 0, 1e15);
	a.flame.font_size = number("fontsize", a.font_size, 0, 100);
	a.flame.row_height = (double)a.row_height;
	t = pt_folded_new(&a.folded);
	rc = read_all(t, argc, argv, first, &e);
	if (rc == 0)
		rc = pt_flame_svg(t, &a.flame, &svg, &e);
	if (rc == 0)
		rc = pt_out_open(&out, a.output, &e);
	if (rc == 0)
		rc = pt_out_write(out, svg.data, svg.len, &e);
	pt_folded_free(t);
	pt_buf_deinit(&svg);
	return pt_finish(&tool, NULL, out, rc, &e);
}
