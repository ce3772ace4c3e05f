#include "cli/opt.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/opt_priv.h"
#include "test.h"

struct inner { bool deep; struct pt_strs names; };
struct args {
	bool all, quiet;
	const char *out, *when;
	enum colour { RED, GREEN } colour;
	uint64_t number, size, time, delay;
	char called[32];
	int calls;
	struct inner inner;
};

static int call(void *group, const char *arg, struct pt_err *e)
{
	struct args *a = group;

	a->calls++;
	snprintf(a->called, sizeof(a->called), "%s", arg ? arg : "(none)");
	return arg && !strcmp(arg, "bad") ? pt_err_set(e, "bad is not good") : 0;
}

static bool is_when(const char *word)
{
	return !strcmp(word, "always") || !strcmp(word, "bad");
}

static const struct pt_word colours[] = { PT_WORD("red", RED), PT_WORD("green", GREEN), { 0 } };
static const struct pt_opt own[] = {
	PT_ROW_FLAG('a', "all", "everything", all),
	PT_ROW_FLAG('q', "quiet", "say nothing", quiet),
	PT_ROW_FLAG(0, "loud", "say it all", all),
	PT_ROW('o', "output", "FILE", "where it goes to", PT_OPT_STR, out),
	PT_ROW_CALL('w', "when", "[WHEN]", "always, never", call, .claims = is_when),
	PT_ROW('n', "number", "N", "how many of them, which is told in a help text so long that it has to be wrapped at the end of the line", PT_OPT_U64,
		number, .min = 2, .max = 100),
	PT_ROW('s', "size", "BYTES", "how large", PT_OPT_SIZE, size),
	PT_ROW_FLAG(0, "numbering", "with numbers", all),
	PT_ROW('t', "time", "TIME", "how long", PT_OPT_TIME, time),
	PT_ROW('D', "delay", "MS", "wait", PT_OPT_MSEC, delay),
	PT_ROW_CALL('x', NULL, "ARG", "calls", call),
	PT_ROW(0, "colour", "COLOUR", "red or green", PT_OPT_WORD, colour, .words = colours),
	PT_ROW_HABIT('f', "force", NULL),
	{ 0 }
};

static const struct pt_opt group[] = {
	PT_ROW_OF(struct inner, 0, "deep", NULL, "within", PT_OPT_FLAG, deep),
	PT_ROW_OF(struct inner, 0, "name", "NAME", "one more", PT_OPT_LIST, names),
	PT_ROW_OF(struct inner, 'a', "habit", NULL, NULL, PT_OPT_FLAG, deep),
	PT_ROW_OF(struct inner, 'R', "output", NULL, NULL, PT_OPT_FLAG, deep),
	{ 0 }
};

static const struct pt_tool tool = {
	.name = "pt-test", .purpose = "a tool that tests",
	.forms = PT_LINES("[OPTION...] [FILE]", "-- COMMAND"),
	.groups = PT_GROUPS(PT_OWN("Own", own), PT_GROUP("Group", group, inner)),
	.examples = PT_LINES("pt-test -a"),
};

static char *argv[32];

static int count(const char *line)
{
	static char text[512];
	int argc = 0;
	char *p;

	snprintf(text, sizeof(text), "%s", line);
	for (p = strtok(text, " "); p; p = strtok(NULL, " "))
		argv[argc++] = p;
	argv[argc] = NULL;
	return argc;
}

static struct pt_operands parse(const struct pt_tool *t, const char *line, struct args *a)
{
	memset(a, 0, sizeof(*a));
	return pt_opt_parse(t, count(line), argv, a);
}

/* What a parse that exits printed (stdout and stderr), and its status. */
static const char *printed(const struct pt_tool *t, const char *line, int *status)
{
	static char text[8192];
	size_t len = 0;
	ssize_t n;
	int fd[2], pid;

	fflush(stdout);
	CHECK(!pipe(fd));
	pid = fork();
	if (!pid) {
		struct args a = { 0 };
		int argc = count(line);

		dup2(fd[1], 1);
		dup2(fd[1], 2);
		pt_opt_parse(t, argc, argv, &a);
		_exit(99);
	}
	close(fd[1]);
	while ((n = read(fd[0], text + len, sizeof(text) - 1 - len)) > 0)
		len += (size_t)n;
	close(fd[0]);
	text[len] = '\0';
	waitpid(pid, status, 0);
	*status = WIFEXITED(*status) ? WEXITSTATUS(*status) : 128 + WTERMSIG(*status);
	return text;
}

static void complains(const char *line, const char *part)
{
	int status;
	const char *text = printed(&tool, line, &status);

	CHECK_HAS(text, part);
	CHECK_HAS(text, "Try 'pt-test --help'.\n");
	CHECK_INT(strncmp(text, "pt-test: ", 9), 0);
	CHECK_INT(status, 2);
}

TEST(every_kind)
{
	struct args a;
	struct pt_operands o = parse(&tool, "pt-test -a -o file --number=7 -s 16K -t 20ms --delay 5 --deep --name x --name y -x arg --colour=green -f operand", &a);

	CHECK_INT(o.nr, 1);
	CHECK_STR(o.v[0], "operand");
	CHECK(a.all && a.inner.deep);
	CHECK_STR(a.out, "file");
	CHECK_INT(a.colour, GREEN);
	CHECK_INT(a.number, 7);
	CHECK_INT(a.size, 16384);
	CHECK_INT(a.time, 20000000);
	CHECK_INT(a.delay, 5000000);
	CHECK_INT(a.inner.names.nr, 2);
	CHECK_STR(a.inner.names.v[1], "y");
	CHECK_STR(a.called, "arg");
	free(a.inner.names.v);
}

TEST(letters_together_and_joined)
{
	struct args a;

	parse(&tool, "pt-test -qofile --loud", &a);
	CHECK(a.all && a.quiet);
	CHECK_STR(a.out, "file");
}

TEST(optional_argument)
{
	struct args a;
	struct pt_operands o;

	o = parse(&tool, "pt-test --when word", &a);
	CHECK_STR(a.called, "(none)");
	CHECK_INT(o.nr, 1);
	o = parse(&tool, "pt-test -w always word", &a);
	CHECK_STR(a.called, "always");
	CHECK_INT(o.nr, 1);
	CHECK_STR(o.v[0], "word");
	complains("pt-test x --when bad -a", "--when: bad is not good; and no file has that name\n");
	CHECK(!chdir(pt_test_dir()));
	fclose(fopen("always", "w"));
	o = parse(&tool, "pt-test --when always", &a);
	CHECK_STR(a.called, "(none)");
	CHECK_STR(o.v[0], "always");
	unlink("always");
	parse(&tool, "pt-test --when=word", &a);
	CHECK_STR(a.called, "word");
	parse(&tool, "pt-test -wword", &a);
	CHECK_STR(a.called, "word");
}

TEST(unambiguous_prefix)
{
	struct args a;

	parse(&tool, "pt-test --qui --outp=x", &a);
	CHECK(a.quiet);
	CHECK_STR(a.out, "x");
	parse(&tool, "pt-test --number 3", &a);	/* also the start of --numbering */
	CHECK_INT(a.number, 3);
}

TEST(flags_are_taken_back)
{
	struct args a = { 0 };

	parse(&tool, "pt-test --all --no-all --deep --no-force", &a);
	CHECK(!a.all && a.inner.deep);
	a = (struct args){ 0 };
	parse(&tool, "pt-test --no-all --all --no-deep", &a);
	CHECK(a.all && !a.inner.deep);
	complains("pt-test --no-output", "there is no option '--no-output'");
	complains("pt-test --no-al", "there is no option '--no-al'");
}

/* Within a tool each option of perf has one row, whose text is there where it is said. */
TEST(options_of_perf)
{
	static const char *const tools[] = { "pt-record", "pt-stat", "pt-script", "pt-report",
					     "pt-annotate", "pt-top", "pt-trace", "pt-probe",
					     "pt-list", "pt-schedmap", "pt-schedlat",
					     "pt-timehist", "pt-fold", "pt-flame", "pt-diff" };
	size_t nr = 0;

	for (const struct pt_habit *h = pt_habits; h->tools; h++, nr++) {
		size_t of = 0;

		CHECK((h->kind == PT_OPT_HABIT) == !h->hint);
		for (size_t i = 0; i < PT_NR(tools); i++) {
			of += pt_habit_is_of(h, tools[i]);
			for (const struct pt_habit *o = pt_habits; o < h; o++)
				if (pt_habit_is_of(h, tools[i]) && pt_habit_is_of(o, tools[i]))
					CHECK(!(h->letter && h->letter == o->letter) &&
					      !(h->name && o->name &&
						!strcmp(h->name, o->name)));
		}
		CHECK(of > 0);
	}
	CHECK(nr > 100);
	CHECK(!pt_habit_is_of(&pt_habits[0], "pt-rec"));
	CHECK(!pt_habit_is_of(&pt_habits[0], "pt-recorder"));
}

TEST(operands_are_permuted)
{
	struct args a;
	struct pt_operands o = parse(&tool, "pt-test one -a two -o x three", &a);

	CHECK(a.all);
	CHECK_INT(o.nr, 3);
	CHECK_STR(o.v[0], "one");
	CHECK_STR(o.v[1], "two");
	CHECK_STR(o.v[2], "three");
	CHECK(!o.dashes);
	CHECK_STR(argv[0], "pt-test");
}

TEST(dashes)
{
	struct args a;
	struct pt_operands o = parse(&tool, "pt-test -a -- cmd -q", &a);

	CHECK(o.dashes);
	CHECK_STR(o.v[0], "cmd");
	CHECK_STR(o.v[1], "-q");
	CHECK(!a.quiet);

	o = parse(&tool, "pt-test file -- cmd -q", &a);
	CHECK(!o.dashes);
	CHECK_INT(o.nr, 3);
	CHECK_STR(o.v[0], "file");
	CHECK_STR(o.v[1], "cmd");
	CHECK_STR(o.v[2], "-q");

	o = parse(&tool, "pt-test --", &a);
	CHECK_INT(o.nr, 0);
	CHECK(o.dashes);
	o = parse(&tool, "pt-test", &a);
	CHECK_INT(o.nr, 0);
	CHECK(!o.dashes);
	o = parse(&tool, "pt-test -", &a);
	CHECK_STR(o.v[0], "-");
}

TEST(runs_command_stops_at_operand)
{
	struct pt_tool runs = tool;
	struct args a;
	struct pt_operands o;

	runs.runs_command = true;
	o = parse(&runs, "pt-test -a make -q -j4", &a);
	CHECK_STR(o.v[0], "make");
	CHECK(a.all && !a.quiet);
	o = parse(&runs, "pt-test -a -- make -q", &a);
	CHECK_STR(o.v[0], "make");
	CHECK(o.dashes);
}

TEST(hidden_gives_way)
{
	struct args a;

	parse(&tool, "pt-test -a --output x", &a);	/* both also hidden ones of the group */
	CHECK(a.all && !a.inner.deep);
	CHECK_STR(a.out, "x");
	parse(&tool, "pt-test -R", &a);
	CHECK(a.inner.deep);
	parse(&tool, "pt-test --habit", &a);
	CHECK(a.inner.deep);
}

/* Options and lists of words that add bits; --no-NAME takes its own back. */
TEST(bits)
{
	static const struct pt_word words[] = { PT_WORD("one", 1), PT_WORD("two", 2), PT_WORD("all", 7), { 0 } };
	static const struct pt_opt rows[] = {
		PT_ROW_BITS(0, "high", "the highest", number, 1ull << 63),
		PT_ROW_BITS(0, "low", "the lowest", number, 1),
		PT_ROW(0, "words", "WORDS", "by their names", PT_OPT_WORDS, number, .words = words),
		{ 0 }
	};
	struct pt_tool t = tool;
	struct args a;
	int status;

	t.groups = PT_GROUPS(PT_OWN("Own", rows));
	parse(&t, "pt-test --low --high --words two", &a);
	CHECK(a.number == (1ull << 63 | 3));
	parse(&t, "pt-test --words one,two --high --no-high", &a);
	CHECK_INT(a.number, 3);
	CHECK_HAS(printed(&t, "pt-test --words one,three", &status), "pt-test: --words: 'three' is none of one, two, all\n");
	CHECK_INT(status, 2);
	CHECK_HAS(printed(&t, "pt-test --words one,", &status), "'' is none of");
}

/* A shared group, of which the tool's own rows take letters. */
TEST(a_group_that_yields)
{
	static const struct pt_opt shared[] = {
		PT_ROW_OF(struct inner, 'a', "deep", NULL, "within", PT_OPT_FLAG, deep),
		PT_ROW_OF(struct inner, 'q', NULL, NULL, "gone", PT_OPT_FLAG, deep),
		{ 0 }
	};
	struct pt_tool yields = tool;
	struct args a;
	const char *text;
	int status;

	yields.groups = PT_GROUPS(PT_OWN("Own", own), PT_GROUP("Shared", shared, inner, .yields = true));
	parse(&yields, "pt-test -a -q", &a);
	CHECK(a.all && a.quiet && !a.inner.deep);
	parse(&yields, "pt-test --deep", &a);
	CHECK(a.inner.deep);
	text = printed(&yields, "pt-test --help", &status);
	CHECK_HAS(text, "\nShared:\n      --deep                within\n\nHelp:\n");
	CHECK(!strstr(text, "gone"));
}

static const char *hint(char letter)
{
	return letter == 'n' ? "elsewhere -n is a name" : NULL;
}

TEST(what_a_letter_means_elsewhere)
{
	struct pt_tool hints = tool;
	int status;

	hints.hint = hint;
	CHECK_HAS(printed(&hints, "pt-test -n x", &status), "-n: 'x' is not a number (elsewhere -n is a name)\n");
	CHECK_HAS(printed(&hints, "pt-test -n", &status), "option '-n' needs N (elsewhere -n is a name)\n");
	CHECK_HAS(printed(&hints, "pt-test -s x", &status), "which K, M or G may follow)\n");
}

TEST(wrong_usage)
{
	complains("pt-test --colour blue", "--colour: 'blue' is none of red, green\n");
	complains("pt-test --outptu x", "pt-test: there is no option '--outptu'; did you mean --output?");
	complains("pt-test --xyzzy", "there is no option '--xyzzy'\n");
	complains("pt-test -Z", "there is no option '-Z'");
	complains("pt-test -aZ", "there is no option '-Z'");
	complains("pt-test -o", "option '-o' needs FILE");
	complains("pt-test --output", "option '--output' needs FILE");
	complains("pt-test --all=x", "option '--all' takes no argument");
	complains("pt-test --numb", "option '--numb' may be --number, --numbering");
	complains("pt-test -n 1", "-n: 1 is not between 2 and 100");
	complains("pt-test --number 101", "--number: 101 is not between 2 and 100");
	complains("pt-test -t soon", "-t: 'soon' is not a time");
	complains("pt-test -x bad", "-x: bad is not good");
	complains("pt-test --help=1", "takes no argument");
	complains("pt-test --a\033[31m", "there is no option '--a\\x1b[31m'");
}

TEST(help)
{
	int status;
	const char *text = printed(&tool, "pt-test --help", &status), *p, *end;

	CHECK_INT(status, 0);
	CHECK_HAS(text, "Usage: pt-test [OPTION...] [FILE]\n       pt-test -- COMMAND\nA tool that tests\n\nOwn:\n");
	CHECK_HAS(text, "\n  -a, --all                 everything\n");
	CHECK_HAS(text, "\n      --loud                say it all\n");
	CHECK_HAS(text, "\n  -w, --when[=WHEN]         always, never\n");
	CHECK_HAS(text, "\n  -x ARG                    calls\n");
	CHECK_HAS(text, "\nExamples:\n  pt-test -a\n");
	CHECK(!strstr(text, "habit"));
	for (p = text; *p; p = end + 1) {
		end = strchr(p, '\n');
		CHECK(end && end - p < 80);
	}
	text = printed(&tool, "pt-test -h", &status);
	CHECK_INT(status, 0);
	text = printed(&tool, "pt-test --version", &status);
	CHECK_STR(text, "pt-test (pt) " PT_VERSION "\n");
}

TEST(complete_options)
{
	int status;
	const char *text = printed(&tool, "pt-test --complete-options", &status);

	CHECK_INT(status, 0);
	CHECK(text == strstr(text, "-a\n--all\n-q\n--quiet\n--loud\n-o FILE\n--output FILE\n-w [WHEN]\n"));
	CHECK_HAS(text, "\n-h\n--help\n--version\n");
	CHECK(!strstr(text, "--habit"));
}
