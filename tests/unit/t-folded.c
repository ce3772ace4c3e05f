/* draw/folded.c: folded lines as a tree. */
#include <stdio.h>

#include "base/buf.h"
#include "base/mem.h"
#include "draw/folded.h"
#include "test.h"

/* The tree as text, "name:total(children)": depth first. */
static void walk(const struct pt_folded *t, uint32_t i, struct pt_buf *b, bool before)
{
	size_t nr;
	const struct pt_folded_node *nodes = pt_folded_nodes(t, &nr), *n = &nodes[i];
	uint32_t c;

	CHECK(i < nr);
	pt_buf_printf(b, "%s:%g", n->name, n->total);
	if (before)
		pt_buf_printf(b, "/%g/%g", n->before, n->width);
	if (!n->first)
		return;
	pt_buf_putc(b, '(');
	for (c = n->first; c; c = nodes[c].next) {
		CHECK_INT(nodes[c].parent, i);
		CHECK_INT(nodes[c].depth, n->depth + 1);
		walk(t, c, b, before);
		if (nodes[c].next)
			pt_buf_putc(b, ' ');
	}
	pt_buf_putc(b, ')');
}

static struct pt_folded *tree(const struct pt_folded_opts *o, const char *text, size_t block)
{
	struct pt_folded *t = pt_folded_new(o);
	size_t len = strlen(text), at;

	for (at = 0; at < len; at += block)
		pt_folded_feed(t, text + at, PT_MIN(block, len - at));
	pt_folded_end(t);
	return t;
}

static void check(const struct pt_folded_opts *o, const char *text, bool before, const char *want)
{
	size_t block;

	for (block = 1; block < 40; block += 6) {
		struct pt_folded *t = tree(o, text, block);
		struct pt_buf b = PT_BUF_INIT;

		walk(t, 0, &b, before);
		CHECK_STR(b.data, want);
		pt_buf_deinit(&b);
		pt_folded_free(t);
	}
}

static const char some[] = "a;y;z 2\nb 1\na;x 3\n\na;y 4\n# note\na;y;z 5";

TEST(merged)
{
	check(&(struct pt_folded_opts){ 0 }, some, false, ":15(a:14(x:3 y:11(z:7)) b:1)");
	check(&(struct pt_folded_opts){ .reverse = true }, some, false, ":15(b:1 x:3(a:3) y:4(a:4) z:7(y:7(a:7)))");
	check(&(struct pt_folded_opts){ .keep_order = true }, some, false, ":15(a:2(y:2(z:2)) b:1 a:12(x:3 y:9(z:5)))");
	check(&(struct pt_folded_opts){ .max_depth = 2 }, some, false, ":15(a:14(x:3 y:11) b:1)");
	check(&(struct pt_folded_opts){ 0 }, "a;;b;;; 1\n;a;b 2\n", false, ":3(a:3(b:3))");
	check(&(struct pt_folded_opts){ 0 }, "a;b 0.5\na;b 0.25\n", false, ":0.75(a:0.75(b:0.75))");
}

TEST(differences)
{
	static const char text[] = "a;x 1 3\na;gone 4 0\na;new 0 2\n";

	check(&(struct pt_folded_opts){ 0 }, text, true, ":5/5/5(a:5/5/5(gone:0/4/0 new:2/0/2 x:3/1/3))");
	check(&(struct pt_folded_opts){ .vanished = true }, text, true, ":5/5/9(a:5/5/9(gone:0/4/4 new:2/0/2 x:3/1/3))");
}

TEST(counted)
{
	struct pt_folded *t = tree(&(struct pt_folded_opts){ .max_depth = 2 }, "a 1\nbad\na;b;c 2\n\n# subtitle: of <this>  \r\nworse\n# samples 7, lost 1\n", 1000);
	struct pt_folded_counts c = pt_folded_counts(t);

	CHECK_INT(c.lines, 7);
	CHECK_INT(c.good, 2);
	CHECK_INT(c.bad, 2);
	CHECK_INT(c.first_bad, 2);
	CHECK_INT(c.cut, 1);
	CHECK_INT(c.depth, 2);
	CHECK(!c.two);
	CHECK_STR(pt_folded_note(t)->subtitle, "of <this>");
	pt_folded_free(t);
	t = tree(&(struct pt_folded_opts){ 0 }, "", 1);
	CHECK_STR(pt_folded_note(t)->subtitle, "");
	check(&(struct pt_folded_opts){ 0 }, "", false, ":0");
	pt_folded_free(t);
}

TEST(names_with_anything)
{
	check(&(struct pt_folded_opts){ 0 }, "a b;operator<;x y z 1\n\xff\xfe;\x01 2\n", false, ":3(a b:1(operator<:1(x y z:1)) \xff\xfe:2(\x01:2))");
}

/* Many children of one parent, out of order: found again by hash, sorted at the end. */
TEST(wide)
{
	struct pt_folded *t = pt_folded_new(&(struct pt_folded_opts){ 0 });
	const struct pt_folded_node *nodes;
	char line[64];
	size_t nr;
	uint32_t c, n = 0;
	int i, round;

	for (round = 0; round < 2; round++)
		for (i = 0; i < 20000; i++) {
			snprintf(line, sizeof(line), "r;f%05d 1\n", (i * 7919) % 20000);
			pt_folded_feed(t, line, strlen(line));
		}
	pt_folded_end(t);
	nodes = pt_folded_nodes(t, &nr);
	CHECK_INT(nr, 20002);
	for (c = nodes[nodes[0].first].first; c; c = nodes[c].next, n++) {
		snprintf(line, sizeof(line), "f%05u", n);
		CHECK_STR(nodes[c].name, line);
		CHECK(nodes[c].total == 2);
	}
	CHECK_INT(n, 20000);
	pt_folded_free(t);
}

static void notes(const char *text, const char *recorded, const char *unit)
{
	struct pt_folded *t = pt_folded_new(&(struct pt_folded_opts){ .max_depth = 0 });

	pt_folded_feed(t, text, strlen(text));
	pt_folded_end(t);
	CHECK_STR(pt_folded_note(t)->recorded, recorded);
	CHECK_STR(pt_folded_note(t)->unit, unit);
	CHECK_INT(pt_folded_counts(t).bad, 0);
	pt_folded_free(t);
}

TEST(what_is_recorded)
{
	notes("a;b 1\n", "", "");
	notes("# recorded: make -j4 on web1 0\na;b 1\n", "make -j4 on web1", "");
	notes("# recorded: make -j 10\n# counts in bytes 0\na;b 1\n", "make -j 10", "bytes");
	notes("# recorded: x 0\na 1\n# recorded: x 0\nb 1\n", "x", "");
	notes("# recorded: x 0\na 1\n# recorded: y 0\nb 1\n", "", "");	/* two recordings */
	notes("# recorded: 0\n# counts in microseconds\n# recorded:\na 1\n", "0", "");
	notes("# counts in <b>\"&; 0\r\na 1\n", "", "<b>\"&;");
}
