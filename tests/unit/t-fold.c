/* stack/fold.c: equal stacks are one entry; lines come as sort(1) has them in the C locale; names cannot break a line. */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/map.h"
#include "test.h"
#include "stack/fold.h"

struct stacks { struct pt_names *names; struct pt_fold *f; };

/* "comm inner outer ..." */
static void add(struct stacks *s, const char *text, uint64_t count)
{
	const char *frames[16], *comm = NULL;
	char *copy = strdup(text), *save = NULL, *word;
	size_t n = 0;

	for (word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		if (!comm)
			comm = pt_names_add(s->names, word, SIZE_MAX);
		else
			frames[n++] = pt_names_add(s->names, word, SIZE_MAX);
	}
	pt_fold_add(s->f, comm, frames, n, count);
	free(copy);
}

static struct stacks begin(void)
{
	return (struct stacks){ pt_names_new(), pt_fold_new() };
}

static void end(struct stacks *s, const char *want)
{
	struct pt_buf b = PT_BUF_INIT;
	size_t i = 0;

	pt_fold_sort(s->f);
	while (pt_fold_line(s->f, &i, &b))
		;
	CHECK_STR(pt_buf_str(&b), want);
	pt_buf_deinit(&b);
	pt_fold_free(s->f);
	pt_names_free(s->names);
}

TEST(what_no_line_should_show)
{
	struct stacks s = begin();

	add(&s, "c\xff f\xe2\x80\xae" "b\xc2\x9b\xc3\xa9", 1);
	end(&s, "c?;f???b??\xc3\xa9 1\n");
}

TEST(equal_stacks_are_counted)
{
	struct stacks s = begin();

	add(&s, "app f main", 2);
	add(&s, "app f main", 3);
	add(&s, "app main", 1);
	add(&s, "app", 7);
	add(&s, "other f main", 1);
	CHECK_INT(pt_fold_nr(s.f), 4);
	end(&s, "app 7\napp;main 1\napp;main;f 5\nother;main;f 1\n");
}

/* A frame's end counts as the `;` that follows it: behind digits, before letters. */
TEST(lines_are_sorted)
{
	struct stacks s = begin();

	add(&s, "a zz", 1);
	add(&s, "a x a", 1);
	add(&s, "a a", 1);
	add(&s, "a ab", 1);
	add(&s, "a x a:", 1);
	add(&s, "a x a1", 1);
	add(&s, "a x a<int>", 1);
	add(&s, "a+ x", 1);
	add(&s, "a", 1);
	add(&s, "b", 1);
	add(&s, "a \xc3\xbf", 1);
	end(&s, "a 1\na+;x 1\na;a 1\na;a1;x 1\na;a:;x 1\na;a;x 1\na;a<int>;x 1\na;ab 1\na;zz 1\na;\xc3\xbf 1\nb 1\n");
}

TEST(names_cannot_break_a_line)
{
	struct stacks s = begin();

	add(&s, "a;b x\ny", 1);
	add(&s, "a:b x\ry", 2);
	add(&s, "a:b x?y", 4);
	end(&s, "a:b;x?y 7\n");
}

/* Such a line is a note, which readers pass over. */
TEST(no_line_begins_with_a_hash)
{
	struct stacks s = begin();

	add(&s, "#x #f #main", 2);
	add(&s, "a f", 1);
	end(&s, " #x;#main;#f 2\na;f 1\n");
}

TEST(each_once)
{
	struct stacks s = begin();
	struct pt_fold_entry x;
	uint64_t sum = 0, times = 0;
	size_t i = 0;

	CHECK(!pt_fold_each(s.f, &i, &x));
	add(&s, "app f main", 2);
	add(&s, "app g main", 3);
	add(&s, "app f main", 5);
	while (pt_fold_each(s.f, &i, &x)) {
		sum = sum * 10 + x.count;
		times = times * 10 + x.times;
		CHECK_INT(x.nr, 2);
		CHECK_STR(x.comm, "app");
	}
	CHECK_INT(sum, 73);
	CHECK_INT(times, 21);
	CHECK(!pt_fold_each(s.f, &i, &x));
	pt_fold_free(s.f);
	pt_names_free(s.names);
}
