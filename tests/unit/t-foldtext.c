/* stack/foldtext.c: stacks out of other tools' text. tests/cli/fold-* have whole texts; here are the points where one could go wrong. */
#include <stdio.h>

#include "base/buf.h"
#include "base/mem.h"
#include "test.h"
#include "stack/foldtext.h"

static void got(void *arg, const struct pt_piece *frames, size_t nr, double count)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		pt_buf_add(arg, frames[i].s, frames[i].len);
		pt_buf_putc(arg, i + 1 < nr ? ';' : ' ');
	}
	pt_buf_printf(arg, "%g\n", count);
}

static struct pt_foldtext_counts fold(const struct pt_foldtext_opts *o, const char *text, size_t block, struct pt_buf *b)
{
	struct pt_foldtext *t = pt_foldtext_new(o, got, b);
	struct pt_foldtext_counts c;
	size_t len = strlen(text), at;

	for (at = 0; at < len; at += block)
		pt_foldtext_feed(t, text + at, PT_MIN(block, len - at));
	c = pt_foldtext_counts(t);
	pt_foldtext_end(t);
	c.bad = pt_foldtext_counts(t).bad;
	c.stacks = pt_foldtext_counts(t).stacks;
	c.event = NULL;
	pt_foldtext_free(t);
	return c;
}

static void check_with(const struct pt_foldtext_opts *o, const char *text, const char *want)
{
	size_t block;

	for (block = 1; block < 100; block += 13) {
		struct pt_buf b = PT_BUF_INIT;
		struct pt_foldtext_counts c = fold(o, text, block, &b);

		CHECK_STR(pt_buf_str(&b), want);
		CHECK_INT(c.bad, 0);
		pt_buf_deinit(&b);
	}
}

static void check(const char *text, const char *want) { check_with(&(struct pt_foldtext_opts){ 0 }, text, want); }

static int kind(const char *word)
{
	int v = -1;

	pt_word_value(pt_foldtext_words, word, &v, NULL);
	return v;
}

TEST(kinds)
{
	CHECK_INT(kind("eu-stack"), PT_FOLDTEXT_DEBUGGER);
	CHECK_INT(kind("folded"), PT_FOLDTEXT_FOLDED);
	CHECK_INT(kind("Perf"), -1);
	check("p 1 1.2:  5 c: \n\t 40 f (x)\n\n", "p;f 5\n");
	check("#0  0x01 in f () at a.c:1\n#1  main () at a.c:2\n", "main;f 1\n");
	check("PID 1 - process\nTID 1:\n#0  0x01 f\n#1  0x02 main\n", "main;f 1\n");
	check("Attaching 1 probe...\n@[\n    f+1\n]: 7\n", "f 7\n");
	check("Full thread dump\n\n\"main\" #1 nid=0x1 runnable\n\tat a.B.c(B.java:1)\n\tat a.B.main(B.java)\n\n", "main;a.B.main;a.B.c 1\n");
	check("a;b 3\na;b 2\n", "a;b 3\na;b 2\n");
	check("", "");
}

TEST(weights_and_events)
{
	static const char text[] = "p 1 1.2:  5 a: \n\t 40 f (x)\n\np 1 1.2:  7 b: \n\t 40 g (x)\n\np 1 1.2: a: \n\t 40 f (x)\n\n";
	struct pt_buf b = PT_BUF_INIT;
	struct pt_foldtext_counts c;

	check_with(&(struct pt_foldtext_opts){ .event = "*" }, text, "p;f 5\np;g 7\np;f 1\n");
	check_with(&(struct pt_foldtext_opts){ .event = "b" }, text, "p;g 7\n");
	check_with(&(struct pt_foldtext_opts){ .event = "*", .samples = true }, text, "p;f 1\np;g 1\np;f 1\n");
	c = fold(&(struct pt_foldtext_opts){ 0 }, text, 1000, &b);
	CHECK_STR(b.data, "p;f 5\np;f 1\n");
	CHECK_INT(c.stacks, 2);
	pt_buf_deinit(&b);
}

/* A comm may look like anything. All headers of a text have the same fields. */
TEST(comms)
{
	static const struct pt_foldtext_opts tid = { .tid = true };
	static const char *const comms[] = { "worker 1", "T 5 [x]: y", "(paren) 12/3", "a  b", "1 2 3", "12345" };
	static const struct { const char *head, *suffix; } heads[] = {
		{ "%s ", "" }, { "%s 12.345678: ", "" }, { "%s [001] 12.5: ", "" }, { "%s 15562 ", "-?/15562" }, { "%s 15562 12.5:          1 c: ", "-?/15562" },
		{ "%s   562 [000] 12.5: ", "-?/562" }, { "%s 15551/15562 12.5: c:u: ", "-15551/15562" }, { "%s 15562 U     12.5: ", "-?/15562" }, { "%s 15562          1 ", "-?/15562" },
	};
	char text[1024], want[128], *p;
	size_t i, k, n;

	for (i = 0; i < PT_NR(heads); i++)
		for (k = 0; k < PT_NR(comms); k++) {
			n = 0;
			for (const char *const *c = (const char *const[]){ "plain", "plain", comms[k], NULL }; *c; c++) {
				n += (size_t)snprintf(text + n, sizeof(text) - n, heads[i].head, *c);
				n += (size_t)snprintf(text + n, sizeof(text) - n, "\n\t       40 f (x)\n\n");
			}
			n = (size_t)snprintf(want, sizeof(want), "plain%s;f 1\nplain%s;f 1\n", heads[i].suffix, heads[i].suffix);
			snprintf(want + n, sizeof(want) - n, "%s%s;f 1\n", comms[k], heads[i].suffix);
			for (p = want + n; p < want + n + strlen(comms[k]); p++)
				*p = *p == ' ' ? '_' : *p;
			check_with(&tid, text, want);
		}
}

TEST(frames_of_perf)
{
	check("p \n\t 40 f+0x1 (/bin/x)\n\t 41 std::map<int, char>::find(int)+0x2 (/lib/y.so (deleted))\n\t 42 [unknown] (/lib/z.so (deleted))\n\t 43 [unknown] ([unknown])\n\n",
	      "p;[unknown];[z.so];std::map<int, char>::find;f 1\n");
	check("p \n\t 40 net/http.(*Client).Do+0x1 (/bin/x)\n\t 41 (anonymous namespace)::f (x)\n\t 42 ns::(anonymous namespace)::g(int) (x)\n\n", "p;ns::(anonymous namespace)::g;(anonymous namespace)::f;net/http.(*Client).Do 1\n");
	check("p \n\t 40 a->b->c+0x1 (x)\n\t 41 main (x)\n\n", "p;main;a;b_[i];c_[i] 1\n");
	check_with(&(struct pt_foldtext_opts){ .no_inline = true }, "p \n\t 40 a->b->c (x)\n\t 40 in (inlined)\n\n", "p;a 1\n");
	check_with(&(struct pt_foldtext_opts){ .kernel = true, .jit = true, .inlined = true }, "p \n\t 40 k ([kernel.kallsyms])\n\t 41 j (/tmp/perf-7.map)\n\t 42 i (inlined)\n\t 43 u ([unknown])\n\n",
		   "p;u;i_[i];j_[j];k_[k] 1\n");
	check_with(&(struct pt_foldtext_opts){ .addrs = true }, "p \n\t 40 [unknown] (/lib/z.so)\n\t 7f41 [unknown] ([unknown])\n\n", "p;[unknown <7f41>];[z.so <40>] 1\n");
	check("java 7 \n\t 7f40 Lcom/x/Bar;::run (/tmp/perf-7.map)\n\n", "java;com/x/Bar:::run 1\n");
	check("p 1 1.2: 5 c:\n\t 40 f;\033[1m\x7f (x)\n", "p;f:?[1m? 5\n");
	check("p 1 1.2: 5 c:\n\t 40 f\xff\xe2\x80\xae\xc3\xa9 (x)\n", "p;f????\xc3\xa9 5\n");
	check("a\xff;\xe2\x81\xa6" "b 3\n", "a?;???b 3\n");
}

TEST(frames_past_the_limit_are_counted)
{
	struct pt_foldtext *t;
	struct pt_buf text = PT_BUF_INIT, b = PT_BUF_INIT;
	int i;

	pt_buf_puts(&text, "p 1 1.2: 5 c:\n");
	for (i = 0; i < 65536 + 3; i++)
		pt_buf_puts(&text, "\t 40 f (x)\n");
	pt_buf_puts(&text, "\n");
	t = pt_foldtext_new(&(struct pt_foldtext_opts){ 0 }, got, &b);
	pt_foldtext_feed(t, text.data, text.len);
	pt_foldtext_end(t);
	CHECK_INT(pt_foldtext_counts(t).left_out, 3);
	CHECK_INT(pt_foldtext_counts(t).stacks, 1);
	pt_foldtext_free(t);
	pt_buf_deinit(&text);
	pt_buf_deinit(&b);
}

TEST(source_lines)
{
	static const struct pt_foldtext_opts o = { .context = true };

	check_with(&o, "p 1 1.2: 5 c:\n\t  40 f+0x1 (/bin/x)\n  caf\xc3\xa9.c:3\n\t  41 main+0x2 (/bin/x)\n  x[41]\n\n", "p;main:x;f:caf\xc3\xa9.c:3 5\n");
	check_with(&o, "#0  f (a=1) at a.c:1\n#1  0x02 in main () from /lib/x.so\n", "main;f:a.c:1 1\n");
	check_with(&o, "TID 1:\n#0  0x01 f\n    /src/a.c:12:3\n#1  0x02 main - /bin/x\n    /src/a.c:20:1\n", "main:/src/a.c:20:1;f:/src/a.c:12:3 1\n");
}

/* Each file may be of another tool, and end in the middle of a stack. */
TEST(texts_in_a_row)
{
	static const char *const texts[] = { "p 1 1.2:  5 a: \n\t 40 f (x)\n", "@[\n    half\n", "#0  f ()\n", "a;b 3", "@[\n  g\n]: 2" };
	struct pt_buf b = PT_BUF_INIT;
	struct pt_foldtext *t = pt_foldtext_new(&(struct pt_foldtext_opts){ 0 }, got, &b);
	size_t i;

	for (i = 0; i < PT_NR(texts); i++) {
		pt_foldtext_feed(t, texts[i], strlen(texts[i]));
		pt_foldtext_end(t);
	}
	CHECK_STR(b.data, "p;f 5\nf 1\na;b 3\ng 2\n");
	CHECK_INT(pt_foldtext_counts(t).bad, 0);
	pt_foldtext_free(t);
	pt_buf_deinit(&b);
}

TEST(what_is_no_stack)
{
	struct pt_buf b = PT_BUF_INIT;
	struct pt_foldtext_counts c = fold(&(struct pt_foldtext_opts){ 0 }, "some words\nmore of them\na;b 1\n", 7, &b);

	CHECK_STR(b.data, "a;b 1\n");
	CHECK_INT(c.bad, 2);
	pt_buf_clear(&b);
	fold(&(struct pt_foldtext_opts){ .from = PT_FOLDTEXT_PERF }, "\t 40 f (x)\n\n\n\n", 100, &b);
	CHECK_STR(pt_buf_str(&b), "");
	pt_buf_deinit(&b);
}

/* No limit but memory on names, one on frames. */
TEST(large)
{
	struct pt_buf text = PT_BUF_INIT, b = PT_BUF_INIT;
	struct pt_foldtext_counts c;
	int i;

	pt_buf_puts(&text, "p 1 1.2: 5 c: \n");
	for (i = 0; i < 70000; i++)
		pt_buf_puts(&text, "\t 40 f (x)\n");
	pt_buf_puts(&text, "\np 1 1.2: 5 c: \n\t 40 ");
	for (i = 0; i < 100000; i++)
		pt_buf_puts(&text, "name");
	pt_buf_puts(&text, " (x)\n\n");
	c = fold(&(struct pt_foldtext_opts){ 0 }, text.data, 1 << 16, &b);
	CHECK_INT(c.stacks, 2);
	CHECK_INT(b.len, 2 + 65536 * 2 + 2 + 2 + 400000 + 3);
	pt_buf_deinit(&text);
	pt_buf_deinit(&b);
}
