/* profile/: rows add up, recursion counts once, trees hold what rows hold, differences know chance. */
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "rec.h"
#include "test.h"
#include "base/mem.h"
#include "profile/browse.h"
#include "profile/gather.h"
#include "profile/hierarchy.h"
#include "profile/table.h"

static const unsigned code = 1u << PT_KEY_COMM | 1u << PT_KEY_SYM;

static struct pt_gather *gather(const char *const *lines, unsigned keys, int callers)
{
	struct pt_gather_opts o = { .keys = keys, .quantum_ns = 1 };
	struct pt_gather *g;

	o.callers = callers;
	g = pt_gather_new(&o);
	for (; *lines; lines++)
		CHECK(pt_gather_line(g, *lines, strlen(*lines)));
	pt_gather_name(g);
	return g;
}

static struct pt_profile *profile(struct pt_gather *g)
{
	const struct pt_event *event;

	return pt_gather_profile(g, 0, &event);
}

/* "COMM SYM SELF TOTAL" of each row. */
static void check_rows(struct pt_profile *p, const char *want)
{
	const struct pt_profile_row *row;
	struct pt_buf b = PT_BUF_INIT;

	for (size_t i = 0; (row = pt_profile_row(p, i)); i++) {
		for (int key = 0; key < PT_NR_KEYS; key++)
			if (pt_profile_keys(p) & 1u << key) {
				pt_profile_cell(p, row, key, &b);
				pt_buf_putc(&b, ' ');
			}
		pt_buf_printf(&b, "%llu %llu\n", (unsigned long long)row->self,
			      (unsigned long long)row->total);
	}
	CHECK_STR(pt_buf_str(&b), want);
	pt_buf_deinit(&b);
}

TEST(callers_have_rows)
{
	static const char *const lines[] = { "a;main;x;y 3", "a;main;x 2", "b;main 1", NULL };
	struct pt_gather *g = gather(lines, code, PT_CALLERS_USUAL);

	check_rows(profile(g), "a x 2 5\na main 0 5\na y 3 3\nb main 1 1\n");
	CHECK_INT(pt_profile_total(profile(g)), 6);
	CHECK_INT(pt_profile_samples(profile(g)), 6);
	pt_gather_free(g);
	g = gather(lines, code, PT_CALLERS_NEVER);
	check_rows(profile(g), "a y 3 3\na x 2 2\nb main 1 1\n");
	pt_gather_free(g);
}

TEST(recursion_counts_once)
{
	static const char *const lines[] = { "a;main;f;f;g;f 4", "a;main;f 1", NULL };
	struct pt_gather *g = gather(lines, code, PT_CALLERS_ALWAYS);

	check_rows(profile(g), "a f 5 5\na main 0 5\na g 0 4\n");
	pt_gather_free(g);
}

TEST(keys_of_samples_alone)
{
	static const char *const lines[] = { "a;main;x 3", "b;main 1", "a 2", NULL };
	struct pt_gather *g = gather(lines, 1u << PT_KEY_COMM, PT_CALLERS_USUAL);

	check_rows(profile(g), "a 5 5\nb 1 1\n");
	pt_gather_free(g);
}

TEST(keys_may_be_empty)
{
	static const char *const lines[] = { ";main 3", NULL };
	struct pt_gather *g = gather(lines, code | 1u << PT_KEY_DSO, PT_CALLERS_NEVER);

	check_rows(profile(g), " [unknown] main 3 3\n");
	pt_gather_free(g);
}

TEST(parent_is_the_innermost_match)
{
	static const char *const lines[] = { "a;main;run_1;run_2;x 3", "a;main;y 1", NULL };
	struct pt_gather_opts o = { .keys = 1u << PT_KEY_PARENT, .quantum_ns = 1 };
	struct pt_gather *g;
	regex_t parent;

	CHECK(!regcomp(&parent, "^run_", REG_EXTENDED | REG_NOSUB));
	o.parent = &parent;
	g = pt_gather_new(&o);
	for (size_t i = 0; lines[i]; i++)
		CHECK(pt_gather_line(g, lines[i], strlen(lines[i])));
	pt_gather_name(g);
	check_rows(profile(g), "run_2 3 3\n[other] 1 1\n");
	pt_gather_free(g);
	regfree(&parent);
}

/* Call chains of s390x have no user part, nor have those of perf record --kernel-callchains: the
 * sample's own address is where it was taken. */
TEST(samples_without_a_user_part)
{
	static const struct rec_event event = {
		.attr = { .type = PERF_TYPE_SOFTWARE,
			  .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN } };
	static const uint64_t marked[] = { PERF_CONTEXT_USER },
			      whole[] = { PERF_CONTEXT_USER, 0x401010 };
	static const struct { const uint64_t *chain; size_t nr; } samples[] = {
		{ whole, 2 }, { marked, 1 }, { NULL, 0 } };
	struct pt_frames_opts frames = { .symfs = "/nonexistent" };
	struct pt_gather_opts o = { .keys = 1u << PT_KEY_DSO | 1u << PT_KEY_SYM,
				    .each_address = true, .frames = &frames };

	for (int swap = 0; swap < 2; swap++) {
		struct rec data = REC(swap), file = REC(swap);
		struct pt_gather *g = pt_gather_new(&o);
		struct pt_err e = PT_ERR_INIT;
		const struct pt_record *rec;
		struct pt_source *s;

		rec_begin(&data, PERF_RECORD_MMAP, 0);
		rec_u32(&data, 7), rec_u32(&data, 7), rec_u64(&data, 0x400000);
		rec_u64(&data, 0x2000), rec_u64(&data, 0), rec_str(&data, "/bin/dd");
		rec_end(&data);
		for (size_t i = 0; i < PT_NR(samples); i++) {
			rec_begin(&data, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
			rec_u64(&data, 0x401010), rec_u32(&data, 7), rec_u32(&data, 7);
			rec_u64(&data, samples[i].nr);
			rec_u64s(&data, samples[i].nr, samples[i].chain);
			rec_end(&data);
		}
		rec_file(&file, &event, 1, &data, NULL, 0);
		s = rec_open(&file);
		while (pt_source_next(s, &rec, &e) > 0)
			pt_gather_feed(g, s, rec);
		pt_gather_name(g);
		check_rows(profile(g), "dd 0x0000000000401010 3 3\n");
		pt_gather_free(g);
		pt_source_free(s);
		rec_free(&data);
		rec_free(&file);
	}
}

static void check_tree(const char *how, size_t row, const char *want)
{
	static const char *const lines[] = { "a;main;x;y 3", "a;main;x;z 1", "a;main;w;y 4", NULL };
	struct pt_gather *g = gather(lines, code, PT_CALLERS_ALWAYS);
	struct pt_calltree_opts o = { .min_percent = 0.5 };
	struct pt_buf b = PT_BUF_INIT;
	struct pt_calltree *t;

	CHECK_INT(pt_calltree_parse(&o, how, NULL), 0);
	t = pt_calltree_new(&o, profile(g));
	pt_calltree_print(t, row, &b);
	CHECK_STR(pt_buf_str(&b), want);
	pt_calltree_free(t);
	pt_buf_deinit(&b);
	pt_gather_free(g);
}

TEST(trees_of_callees)		/* row 0 is main, row 1 y */
{
	check_tree("caller,count", 0,
		   "            |\n            ---main\n               |\n               |--4--w\n"
		   "               |          y\n               |\n                --4--x\n"
		   "                          |\n                          |--3--y\n"
		   "                          |\n                           --1--z\n\n");
}

TEST(trees_of_callers)
{
	check_tree("callee,period", 1,
		   "            |\n            ---y\n               |\n               |--4--w\n"
		   "               |          main\n               |\n                --3--x\n"
		   "                          main\n\n");
}

TEST(least_percentage_cuts_branches)
{
	check_tree("caller,20,count", 0,
		   "            |\n            ---main\n               |\n               |--4--w\n"
		   "               |          y\n               |\n                --4--x\n"
		   "                          |\n                           --3--y\n\n");
}

TEST(folded_and_flat_trees)
{
	check_tree("folded,0,caller,count", 1, "4 main;w;y\n3 main;x;y\n\n");
	check_tree("flat,callee", 1,
		   "            50.00%\n                y\n                w\n                main\n\n"
		   "            37.50%\n                y\n                x\n                main\n\n");
}

TEST(words_of_trees)
{
	struct pt_calltree_opts o = { .min_percent = 0.5 };
	struct pt_err e = PT_ERR_INIT;

	CHECK_INT(pt_calltree_parse(&o, "fractal,2,30,callee,function,period", &e), 0);
	CHECK_INT(o.form, PT_CALLTREE_FRACTAL);
	CHECK(o.min_percent == 2 && o.max_lines == 30);
	CHECK_INT(o.order, PT_CALLTREE_CALLEE);
	CHECK_INT(o.value, PT_CALLTREE_PERIOD);
	CHECK_INT(pt_calltree_parse(&o, "tree", &e), -1);
	CHECK_INT(pt_calltree_parse(&o, "1,2,3", &e), -1);
	CHECK_INT(pt_calltree_parse(&o, "-1", &e), -1);
	CHECK_INT(pt_calltree_parse(&o, "nan", &e), -1);
}

/* A tree as deep as a stack can be, with a branch at each step. */
TEST(deep_trees)
{
	enum { DEPTH = 1500 };
	struct pt_gather_opts o = { .keys = code, .quantum_ns = 1 };
	struct pt_gather *g = pt_gather_new(&o);
	struct pt_calltree_opts c = { .min_percent = 0 };
	struct pt_buf line = PT_BUF_INIT, b = PT_BUF_INIT;
	struct pt_calltree *t;
	size_t len;

	pt_buf_puts(&line, "a");
	for (int i = 0; i < DEPTH; i++) {
		pt_buf_printf(&line, ";f%d", i);
		len = line.len;
		pt_buf_puts(&line, ";leaf 1");
		CHECK(pt_gather_line(g, line.data, line.len));
		line.len = len;
	}
	pt_gather_name(g);
	CHECK_INT(pt_calltree_parse(&c, "folded,0,caller,count", NULL), 0);
	t = pt_calltree_new(&c, profile(g));
	for (size_t i = 0; i < 2; i++)
		pt_calltree_print(t, i, &b);
	CHECK(b.len > 1000000);
	pt_calltree_free(t);
	pt_buf_deinit(&line);
	pt_buf_deinit(&b);
	pt_gather_free(g);
}

static void check_difference(const char *const *now, const char *const *then, const char *want)
{
	struct pt_gather *g = gather(now, code, PT_CALLERS_NEVER),
			 *base = gather(then, code, PT_CALLERS_NEVER);
	struct pt_table_opts o = { .base = profile(base), .sep = "," };
	struct pt_err e = PT_ERR_INIT;
	struct pt_buf b = PT_BUF_INIT;

	CHECK_INT(pt_table_parse(&o, "baseline,delta,overhead,sym", false, &e), 0);
	pt_table_print(&o, profile(g), NULL, &b);
	CHECK_STR(strchr(b.data, '\n') + 1, want);
	pt_buf_deinit(&b);
	pt_gather_free(g);
	pt_gather_free(base);
}

TEST(differences)
{
	static const char *const now[] = { "a;f 700", "a;g 300", NULL };
	static const char *const then[] = { "a;f 400", "a;g 310", "a;h 290", NULL };
	static const char *const near[] = { "a;f 69", "a;g 31", NULL };

	check_difference(now, then,
			 "40.00%,+30.00%,70.00%,f\n29.00%,-29.00%,0.00%,h\n31.00%,~-1.00%,30.00%,g\n");
	check_difference(now, now, "70.00%,~+0.00%,70.00%,f\n30.00%,~+0.00%,30.00%,g\n");
	check_difference(now, near, "69.00%,~+1.00%,70.00%,f\n31.00%,~-1.00%,30.00%,g\n");
}

TEST(separators_within_fields)
{
	static const char *const lines[] = { "a;f(int,int) 1", "a;\033[31mred 1", NULL };
	struct pt_gather *g = gather(lines, code, PT_CALLERS_NEVER);
	struct pt_table_opts o = { .sep = "," };
	struct pt_buf b = PT_BUF_INIT;

	CHECK_INT(pt_table_parse(&o, "sample,sym", false, NULL), 0);
	pt_table_print(&o, profile(g), NULL, &b);
	CHECK_STR(b.data, "# Samples,Symbol\n1,\\x1b[31mred\n1,f(int.int)\n");
	pt_buf_deinit(&b);
	pt_gather_free(g);
}

/* -- the tree of keys -- */

static void check_hierarchy(const char *fields, double min_percent, bool json, const char *want)
{
	static const char *const lines[] = { "a;main;x 5", "a;main;y 1", "b;main;x 3", "b;z 1", NULL };
	struct pt_gather *g = gather(lines, code, PT_CALLERS_NEVER);
	struct pt_table_opts o = { .min_percent = min_percent };
	struct pt_buf b = PT_BUF_INIT;

	CHECK_INT(pt_table_parse(&o, fields, false, NULL), 0);
	if (json)
		pt_hierarchy_json(&o, profile(g), "e", &b);
	else
		pt_hierarchy_print(&o, profile(g), NULL, &b);
	CHECK_STR(pt_buf_str(&b), want);
	pt_buf_deinit(&b);
	pt_gather_free(g);
}

TEST(keys_below_one_another)
{
	check_hierarchy("sample,comm,sym", 0, false,
			"#      Samples  Command / Symbol\n#\n"
			"             6  a\n             5    x\n             1    y\n"
			"             4  b\n             3    x\n             1    z\n");
	check_hierarchy("sample,sym,comm", 0, false,
			"#      Samples  Symbol / Command\n#\n"
			"             8  x\n             5    a\n             3    b\n"
			"             1  y\n             1    a\n             1  z\n             1    b\n");
}

/* A key is shown by the share of all below it; what is left out is counted once, with what is
 * below. */
TEST(least_percentage_of_keys)
{
	check_hierarchy("period,comm,sym", 20, false,
			"#       Period  Command / Symbol\n#\n"
			"             6  a\n             5    x\n             4  b\n             3    x\n"
			"# 2 more, below 20 %\n");
	check_hierarchy("period,comm,sym", 50, false,
			"#       Period  Command / Symbol\n#\n             6  a\n             5    x\n"
			"# 2 more, below 50 %\n");
	check_hierarchy("overhead,comm,sym", 50, true,
			"{\"event\":\"e\",\"level\":0,\"self\":60.0000,\"comm\":\"a\"}\n"
			"{\"event\":\"e\",\"level\":1,\"self\":50.0000,\"sym\":\"x\"}\n");
}

/* -- groups -- */

/* What two events have, side by side; a row is there if one of them has it. */
TEST(groups_side_by_side)
{
	static const char *const one[] = { "a;x 3", "a;y 1", NULL };
	static const char *const other[] = { "a;x 1", "a;z 1", "b;x 2", NULL };
	struct pt_gather *g = gather(one, code, PT_CALLERS_NEVER),
			 *h = gather(other, code, PT_CALLERS_NEVER);
	struct pt_profile *others[] = { profile(h) };
	struct pt_table_opts o = { .sep = ",", .others = others, .nr_others = 1 };
	struct pt_buf b = PT_BUF_INIT;

	CHECK_INT(pt_table_parse(&o, "overhead,sample,comm,sym", false, NULL), 0);
	pt_table_print(&o, profile(g), NULL, &b);
	CHECK_STR(strchr(b.data, '\n') + 1, "75.00%,25.00%,3,1,a,x\n25.00%,0.00%,1,0,a,y\n"
					    "0.00%,50.00%,0,2,b,x\n0.00%,25.00%,0,1,a,z\n");
	pt_buf_clear(&b);
	pt_table_json(&o, profile(g), "e", &b);
	CHECK(pt_buf_str(&b) && strstr(b.data, "\"self\":[75.0000,25.0000],\"samples\":[3,1],\"comm\":\"a\",\"sym\":\"x\"}"));
	pt_buf_deinit(&b);
	pt_gather_free(g);
	pt_gather_free(h);
}

/* -- turns, and the screen -- */

static void add_lines(struct pt_gather *g, const char *const *lines)
{
	for (; *lines; lines++)
		CHECK(pt_gather_line(g, *lines, strlen(*lines)));
}

TEST(old_turns_are_forgotten)
{
	static const char *const first[] = { "a;main;x 3", NULL },
			  *const then[] = { "a;main;y 1", NULL };
	struct pt_gather *g = pt_gather_new(&(struct pt_gather_opts){
		.keys = code, .callers = PT_CALLERS_NEVER, .turns = 2 });

	add_lines(g, first);
	pt_gather_name(g);
	check_rows(profile(g), "a x 3 3\n");
	pt_gather_turn(g);
	add_lines(g, then);
	pt_gather_name(g);
	check_rows(profile(g), "a x 3 3\na y 1 1\n");
	pt_gather_turn(g);
	add_lines(g, then);
	pt_gather_name(g);
	check_rows(profile(g), "a y 2 2\n");
	pt_gather_forget(g, PT_ALL_TURNS);
	pt_gather_name(g);
	check_rows(profile(g), "");
	pt_gather_free(g);
}

/* Names a place by its text; those that begin with ? by how often it was asked. */
static size_t name_again(void *ctx, const void *place, const struct pt_profile_frame **frames)
{
	static const char *const counts[] = { "?0", "?1", "?2", "?3" };
	static struct pt_profile_frame x;
	unsigned *asked = ctx;
	const char *text = place;

	x = (struct pt_profile_frame){ .dso = "d", .sym = text, .nameless = *text == '?' };
	if (x.nameless)
		x.sym = counts[*asked % PT_NR(counts)];
	++*asked;
	*frames = &x;
	return 1;
}

TEST(only_the_nameless_are_named_again)
{
	const char *both[] = { "?", "main" }, *known[] = { "main" };
	struct pt_profile *p = pt_profile_new(&(struct pt_profile_opts){ .keys = code });
	unsigned asked = 0;

	for (int turn = 0; turn < 4; turn++) {
		bool has_both = turn == 0 || turn == 3;
		struct pt_fold_entry x = { .comm = "a\x1f", .nr = has_both ? 2 : 1, .count = 1,
					   .frames = has_both ? both : known, .times = 1 };

		pt_profile_clear(p);
		pt_profile_add_named(p, &x, name_again, &asked);
		pt_profile_name(p, name_again, &asked);
		check_rows(p, !has_both ? "a main 1 1\n" : turn ? "a ?2 1 1\n" : "a ?1 1 1\n");
	}
	CHECK_INT(asked, 3);
	pt_profile_free(p);
}

struct lines { char text[24][128]; enum pt_style style[24]; };

static void put(void *ctx, size_t line, enum pt_style style, const char *text, size_t len)
{
	struct lines *x = ctx;

	CHECK(line < PT_NR(x->text) && len < sizeof(x->text[line]));
	snprintf(x->text[line], sizeof(x->text[line]), "%.*s", (int)len, text);
	x->style[line] = style;
}

/* What the line of the screen is after a key; 0: none. */
static void check_line(struct pt_browse *b, int key, size_t line, const char *want)
{
	struct lines x = { .text = { "" } };

	if (key)
		CHECK_INT(pt_browse_key(b, key), PT_BROWSE_DRAW);
	pt_browse_draw(b, 8, 60, put, &x);
	CHECK_STR(x.text[line], want);
}

TEST(keys_move_on_the_screen)
{
	static const char *const lines[] = { "a;main;x 3", "a;main;\x1b[2J 1", NULL };
	struct pt_gather *g = pt_gather_new(&(struct pt_gather_opts){
		.keys = 1u << PT_KEY_SYM, .turns = PT_ALL_TURNS });
	struct pt_browse *b = pt_browse_new(&(struct pt_browse_opts){ .samples = true }, g);

	check_line(b, 0, 0, "no samples");
	check_line(b, PT_SCREEN_ENTER, 0, "no samples");
	add_lines(g, lines);
	pt_gather_name(g);
	pt_browse_refresh(b, " in 1 s");
	check_line(b, 0, 0, "4 samples of folded stacks in 1 s");
	check_line(b, 0, 2, "   100.00%     0.00%             0  main");
	check_line(b, 0, 4, "    25.00%    25.00%             1  \\x1b[2J");
	check_line(b, PT_SCREEN_ENTER, 1, "Calls of main");
	check_line(b, 'e', 2, "   100.00%     0.00%             0  main");
	check_line(b, PT_SCREEN_ENTER, 1, "Calls of main");
	check_line(b, PT_SCREEN_ESCAPE, 2, "   100.00%     0.00%             0  main");
	check_line(b, '/', 7, "rows with: _");
	check_line(b, 'X', 7, "rows with: X_");
	check_line(b, PT_SCREEN_ENTER, 2, "    75.00%    75.00%             3  x");
	check_line(b, 0, 3, "");
	check_line(b, PT_SCREEN_ESCAPE, 2, "   100.00%     0.00%             0  main");
	check_line(b, 'd', 2, "   100.00%     +0.00%   100.00%     0.00%             0  ...");
	CHECK_INT(pt_browse_key(b, 'z'), PT_BROWSE_WINDOW);
	CHECK(pt_browse_moves(b));
	pt_browse_key(b, 'f');
	CHECK(!pt_browse_moves(b));
	CHECK_INT(pt_browse_key(b, 'q'), PT_BROWSE_QUIT);
	/* also while a text is typed, and on a page */
	check_line(b, '/', 7, "rows with: _");
	CHECK_INT(pt_browse_key(b, PT_SCREEN_GONE), PT_BROWSE_QUIT);
	CHECK_INT(pt_browse_key(b, 3), PT_BROWSE_QUIT);
	CHECK_INT(pt_browse_key(b, PT_SCREEN_ESCAPE), PT_BROWSE_DRAW);
	check_line(b, '?', 1, "Keys");
	CHECK_INT(pt_browse_key(b, 3), PT_BROWSE_QUIT);
	pt_browse_free(b);
	pt_gather_free(g);
}
