#include "cli/opt.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "cli/opt_priv.h"

enum { LONG_BASE = 256, OPERAND = 1 };

struct parser {
	const struct pt_tool *tool;
	struct pt_opt_row *rows;
	size_t nr;
	struct option *longs;		/* for getopt_long; val: LONG_BASE + index of the row */
	char *shorts;
};

static const struct pt_opt help_rows[] = {
	{ .letter = 'h', .name = "help", .help = "this text", .kind = PT_OPT_HELP },
	{ .name = "version", .help = "the version", .kind = PT_OPT_VERSION },
	{ .name = "complete-options", .kind = PT_OPT_COMPLETE },
	{ 0 }
};
static const struct pt_opt_group help_group = PT_OWN("Help", help_rows);

/* A row without help gives way to a shown one of the same letter or name: `-g` of habit to
 * pt-record's own `-g`; rows of a group that yields, to those of other groups. */
static bool gives_way(const struct pt_opt_row *row, const struct pt_opt_row *to)
{
	return to->opt.help && (!row->opt.help || (row->group->yields && !to->group->yields));
}

static void yield_rows(struct pt_opt_row *rows, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		for (size_t k = 0; k < nr; k++) {
			struct pt_opt *o = &rows[i].opt;
			const struct pt_opt *to = &rows[k].opt;

			if (!gives_way(&rows[i], &rows[k]))
				continue;
			if (o->letter == to->letter)
				o->letter = 0;
			if (o->name && to->name && !strcmp(o->name, to->name))
				o->name = NULL;
		}
}

static void opt_add_group(struct pt_opt_row **rows, size_t *nr, size_t *cap,
			  const struct pt_opt_group *g)
{
	for (const struct pt_opt *o = g->opts; o->letter || o->name; o++) {
		PT_GROW(*rows, *nr, *cap);
		(*rows)[(*nr)++] = (struct pt_opt_row){ g, *o };
	}
}

struct pt_opt_row *pt_opt_rows(const struct pt_tool *tool, size_t *nr)
{
	static const struct pt_opt_group habits = { 0 };
	struct pt_opt_row *rows = NULL;
	size_t cap = 0;

	*nr = 0;
	for (const struct pt_opt_group *g = tool->groups; g->title; g++)
		opt_add_group(&rows, nr, &cap, g);
	opt_add_group(&rows, nr, &cap, &help_group);
	for (const struct pt_habit *h = pt_habits; h->tools; h++)
		if (pt_habit_is_of(h, tool->name)) {
			PT_GROW(rows, *nr, cap);
			rows[(*nr)++] = (struct pt_opt_row){ &habits,
							     { .letter = h->letter,
							       .name = h->name,
							       .arg = h->arg,
							       .kind = h->kind,
							       .hint = h->hint } };
		}
	yield_rows(rows, *nr);
	return rows;
}

static int arg_kind(const struct pt_opt *o)
{
	return !o->arg ? no_argument : *o->arg == '[' ? optional_argument : required_argument;
}

static void opt_init(struct parser *p, const struct pt_tool *tool)
{
	struct pt_buf shorts = PT_BUF_INIT;
	size_t nr = 0;

	*p = (struct parser){ .tool = tool };
	p->rows = pt_opt_rows(tool, &p->nr);
	p->longs = pt_alloc_array(p->nr + 1, sizeof(*p->longs));
	pt_buf_puts(&shorts, tool->runs_command ? "+:" : "-:");
	for (size_t i = 0; i < p->nr; i++) {
		const struct pt_opt *o = &p->rows[i].opt;
		int kind = arg_kind(o);

		if (o->letter) {
			pt_buf_putc(&shorts, o->letter);
			pt_buf_puts(&shorts, kind == optional_argument   ? "::"
					     : kind == required_argument ? ":"
									 : "");
		}
		if (o->name)
			p->longs[nr++] = (struct option){ o->name, kind, NULL, LONG_BASE + (int)i };
	}
	p->shorts = shorts.data;
}

static void opt_deinit(struct parser *p)
{
	free(p->rows);
	free(p->longs);
	free(p->shorts);
}

static const struct pt_opt_row *opt_find(const struct parser *p, int c)
{
	if (c >= LONG_BASE)
		return &p->rows[c - LONG_BASE];
	for (size_t i = 0; i < p->nr; i++)
		if (p->rows[i].opt.letter && p->rows[i].opt.letter == (char)c)
			return &p->rows[i];
	return NULL;
}

/* "--max" or "-m", as the user may have written it */
static void spell(char text[64], const struct pt_opt *o, int c)
{
	if (c >= LONG_BASE)
		snprintf(text, 64, "--%s", o->name);
	else
		snprintf(text, 64, "-%c", c);
}

/* What another tool means by the option; NULL: the same. */
static const char *hint_of(const struct parser *p, const struct pt_opt *o)
{
	return o->hint || !o->letter || !p->tool->hint ? o->hint : p->tool->hint(o->letter);
}

static int opt_number(const struct pt_opt *o, const char *arg, uint64_t *at, struct pt_err *e)
{
	uint64_t max = o->max ? o->max : o->min ? UINT64_MAX : INT64_MAX, v;
	int rc;

	if (o->kind == PT_OPT_U64)
		return pt_num_u64(arg, o->min, max, at, e);
	rc = o->kind == PT_OPT_SIZE   ? pt_num_size(arg, max, &v, e)
	     : o->kind == PT_OPT_TIME ? pt_num_seconds(arg, &v, e)
				      : pt_num_msec(arg, &v, e);
	if (rc < 0)
		return -1;
	if (v < o->min || v > max)
		return pt_err_set(e, "%s is too %s", arg, v < o->min ? "small" : "large");
	*at = v;
	return 0;
}

/* Stores the row's value by its kind. */
static int store(const struct pt_opt_row *r, const char *arg, void *args, struct pt_err *e)
{
	const struct pt_opt *o = &r->opt;
	char *group = (char *)args + r->group->base;
	void *at = group + o->off;

	if (o->given)
		*(const char **)(group + o->given_off) = o->given;
	switch (o->kind) {
	case PT_OPT_FLAG:
		*(bool *)at = true;
		return 0;
	case PT_OPT_BITS:
		*(uint64_t *)at |= o->bits;
		return 0;
	case PT_OPT_STR:
		*(const char **)at = arg;
		return 0;
	case PT_OPT_LIST:
		pt_strs_add(at, arg);
		return 0;
	case PT_OPT_NAMES:
		pt_strs_split(at, arg);
		return 0;
	case PT_OPT_NUMBERS:
		if (pt_num_list_more(arg, o->max, at, (size_t *)(group + o->nr_off), e) < 0)
			return -1;
		return **(int **)at < (int)o->min ? pt_err_set(e, "%s is too small", arg) : 0;
	case PT_OPT_U64:
	case PT_OPT_SIZE:
	case PT_OPT_TIME:
	case PT_OPT_MSEC:
		return opt_number(o, arg, at, e);
	case PT_OPT_WORD:
		return pt_word_value(o->words, arg, at, e);
	case PT_OPT_WORDS:
		return pt_word_bits(o->words, arg, at, e);
	case PT_OPT_SET:
		*(int *)at = o->value;
		return 0;
	case PT_OPT_COUNT:
		++*(int *)at;
		return 0;
	case PT_OPT_CALL:
		return o->call(at, arg, e);
	case PT_OPT_HABIT:
	case PT_OPT_NO_EFFECT:
	case PT_OPT_HELP:
	case PT_OPT_VERSION:
	case PT_OPT_COMPLETE:
		return 0;
	case PT_OPT_INSTEAD:
		return pt_err_set(e, "%s", o->hint);
	}
	return 0;
}

/* --no-NAME of a flag NAME, or --NAME of a flag no-NAME, takes the flag back. */
static bool take_back(const struct parser *p, const char *word, void *args)
{
	char no[64];
	void *at;
	size_t i;

	snprintf(no, sizeof(no), "no-%s", word + 2);
	for (i = 0; i < p->nr; i++) {
		const struct pt_opt_row *r = &p->rows[i];

		if (!r->opt.name || (strcmp(r->opt.name, no) && (strncmp(word, "--no-", 5) ||
							 strcmp(r->opt.name, word + 5))))
			continue;
		at = (char *)args + r->group->base + r->opt.off;
		if (r->opt.kind == PT_OPT_FLAG)
			*(bool *)at = false;
		else if (r->opt.kind == PT_OPT_BITS)
			*(uint64_t *)at &= ~r->opt.bits;
		else if (r->opt.kind != PT_OPT_HABIT && r->opt.kind != PT_OPT_NO_EFFECT &&
			 r->opt.kind != PT_OPT_INSTEAD)
			continue;
		return true;
	}
	return false;
}

static void __attribute__((noreturn)) unknown_long(const struct parser *p, const char *word)
{
	size_t len = strcspn(word + 2, "="), i, best = 3, nr = 0;
	char *given = pt_strndup(word + 2, len);
	const char *nearest = NULL;
	struct pt_buf names = PT_BUF_INIT;
	const struct option *o;

	for (i = 0; (o = &p->longs[i])->name; i++) {
		size_t d = pt_text_distance(given, o->name, best);

		if (!p->rows[o->val - LONG_BASE].opt.help)
			continue;
		if (!strncmp(o->name, given, len)) {
			pt_buf_printf(&names, "%s--%s", nr ? ", " : "", o->name);
			nr++;
			d = 0;
		}
		if (d < best) {
			best = d;
			nearest = o->name;
		}
	}
	if (nr > 1)
		pt_usage(p->tool, "option '--%s' may be %s", given, pt_buf_str(&names));
	if (nearest && best * 2 <= strlen(nearest))
		pt_usage(p->tool, "there is no option '--%s'; did you mean --%s?", given, nearest);
	pt_usage(p->tool, "there is no option '--%s'", given);
}

/* After getopt's '?' or ':' for argv[optind - 1] (or a letter within the word at optind). */
static void __attribute__((noreturn)) wrong(const struct parser *p, int c, char **argv)
{
	const struct pt_opt_row *r = optopt ? opt_find(p, optopt) : NULL;
	const char *hint;
	char text[64];

	if (!optopt)
		unknown_long(p, argv[optind - 1]);
	if (!r)
		pt_usage(p->tool, "there is no option '-%c'", optopt);
	spell(text, &r->opt, optopt);
	if (c != ':')
		pt_usage(p->tool, "option '%s' takes no argument", text);
	hint = hint_of(p, &r->opt);
	pt_usage(p->tool, hint ? "option '%s' needs %s (%s)" : "option '%s' needs %s", text,
		 r->opt.arg, hint);
}

/* The next opened file would get a closed descriptor's number, and our output would go into it. */
static void occupy_standard_fds(void)
{
	int fd;

	for (fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) {
			/* Standard output is opened for reading only, so that writing stays the
			 * error that it was. */
			int got = open("/dev/null", fd == 1 ? O_RDONLY : O_RDWR);

			if (got >= 0 && got != fd)
				close(got);
		}
}

/* --help and the like. */
static void __attribute__((noreturn)) opt_print(const struct parser *p, enum pt_opt_kind kind)
{
	errno = 0;
	if (kind == PT_OPT_VERSION)
		printf("%s (pt) %s\n", p->tool->name, PT_VERSION);
	else if (kind == PT_OPT_COMPLETE)
		pt_help_complete(p->tool, stdout);
	else
		pt_help_print(p->tool, stdout);
	if (fflush(stdout) || ferror(stdout))
		pt_die(p->tool, "standard output: %s", strerror(errno ? errno : EIO));
	exit(0);
}

/* The option's argument: what getopt(3) found, or the next word, if the option claims it. Where
 * operands are a command, such a word has "--" behind it. */
static const char *take_argument(const struct parser *p, const struct pt_opt *o, char **argv)
{
	const char *word = argv[optind];

	if (optarg || !o->claims || !word || *word == '-' || !o->claims(word) ||
	    !access(word, F_OK))
		return optarg;
	if (p->tool->runs_command && (!argv[optind + 1] || strcmp(argv[optind + 1], "--")))
		return NULL;
	optind++;
	return word;
}

static void opt_handle(const struct parser *p, int c, char **argv, void *args)
{
	const struct pt_opt_row *r;
	enum pt_opt_kind kind;
	const char *arg, *hint;
	struct pt_err e;
	char text[64];

	if (c == '?' && !optopt && take_back(p, argv[optind - 1], args))
		return;
	if (c == '?' || c == ':')
		wrong(p, c, argv);
	r = opt_find(p, c);
	kind = r->opt.kind;
	if (kind == PT_OPT_HELP || kind == PT_OPT_VERSION || kind == PT_OPT_COMPLETE)
		opt_print(p, kind);
	spell(text, &r->opt, c);
	if (kind == PT_OPT_NO_EFFECT)
		pt_warn(p->tool, "%s: %s", text, r->opt.hint);
	arg = take_argument(p, &r->opt, argv);
	if (store(r, arg, args, &e) == 0)
		return;
	if (arg != optarg)
		pt_err_advice(&e, "; and no file has that name");
	hint = kind == PT_OPT_INSTEAD ? NULL : hint_of(p, &r->opt);
	if (hint)
		pt_err_advice(&e, " (%s)", hint);
	pt_usage(p->tool, "%s: %s", text, e.msg);
}

/* Moves the operands in front of "--" (or between options) behind everything else, followed by
 * those behind "--"; a "--" right before the operands is dropped. Otherwise argv stays as it is.
 * `operands` has room for all. */
static int operands_last(int argc, char **argv, char **operands, int nr)
{
	int i, k, taken, before = nr;

	if (!nr)
		return optind;
	for (i = optind; i < argc; i++)
		operands[nr++] = argv[i];
	for (i = k = 1, taken = 0; i < optind; i++) {
		if (taken < before && argv[i] == operands[taken])
			taken++;
		else
			argv[k++] = strcmp(argv[i], "--") ? argv[i] : argv[0];
	}
	memcpy(argv + k, operands, (size_t)nr * sizeof(*argv));
	return k;
}

struct pt_operands pt_opt_parse(const struct pt_tool *tool, int argc, char **argv, void *args)
{
	struct parser p;
	char **operands = pt_alloc_array((size_t)argc + 1, sizeof(*operands));
	int c, nr = 0, first;

	occupy_standard_fds();
	opt_init(&p, tool);
	optind = 0;	/* glibc: start again */
	opterr = 0;
	while ((c = getopt_long(argc, argv, p.shorts, p.longs, NULL)) != -1) {
		if (c == OPERAND)
			operands[nr++] = optarg;
		else
			opt_handle(&p, c, argv, args);
	}
	opt_deinit(&p);
	first = tool->runs_command ? optind : operands_last(argc, argv, operands, nr);
	free(operands);
	return (struct pt_operands){ argv + first, argc - first,
				     first > 1 && !strcmp(argv[first - 1], "--") };
}
