#include "cli/opt.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "cli/opt_priv.h"

enum { LONG_BASE = 256, HELP = 128, VERSION, COMPLETE, OPERAND = 1 };

/* A row in its group, and the letter and name that are left to it after hidden rows gave way. */
struct ref {
	const struct pt_opt_group *group;
	const struct pt_opt *opt;
	char letter;
	const char *name;
};

struct parser {
	const struct pt_tool *tool;
	struct ref *refs;	/* the rows of all groups, without shadowed ones */
	size_t nr;
	struct option *longs;		/* for getopt_long; val LONG_BASE + index, or HELP ... */
	char *shorts;
};

/* A row without help gives way to a shown one of the same letter or name: `-g` of habit to
 * pt-record's own `-g`. */
static void yield_hidden(struct parser *p)
{
	size_t i, k;

	for (i = 0; i < p->nr; i++)
		for (k = 0; k < p->nr && !p->refs[i].opt->help; k++) {
			if (!p->refs[k].opt->help)
				continue;
			if (p->refs[k].letter == p->refs[i].letter)
				p->refs[i].letter = 0;
			if (p->refs[k].name && p->refs[i].name &&
			    !strcmp(p->refs[k].name, p->refs[i].name))
				p->refs[i].name = NULL;
		}
}

static void add_row(struct parser *p, size_t *cap, const struct pt_opt_group *g,
		    const struct pt_opt *o)
{
	PT_GROW(p->refs, p->nr, *cap);
	p->refs[p->nr++] = (struct ref){ g, o, o->letter, o->name };
}

static int arg_kind(const struct pt_opt *o)
{
	return !o->arg ? no_argument : *o->arg == '[' ? optional_argument : required_argument;
}

static void init(struct parser *p, const struct pt_tool *tool)
{
	static const struct pt_opt_group habits = { 0 };
	struct pt_buf shorts = PT_BUF_INIT;
	size_t i, cap = 0, nr = 0;

	*p = (struct parser){ .tool = tool };
	for (const struct pt_opt_group *g = tool->groups; g && g->title; g++)
		for (const struct pt_opt *o = g->opts; o->letter || o->name; o++)
			add_row(p, &cap, g, o);
	for (const struct pt_habit *h = pt_habits; h->tools; h++)
		if (pt_habit_is_of(h, tool->name))
			add_row(p, &cap, &habits, &h->opt);
	yield_hidden(p);
	p->longs = pt_alloc_array(p->nr + 4, sizeof(*p->longs));
	pt_buf_puts(&shorts, tool->runs_command ? "+:h" : "-:h");
	for (i = 0; i < p->nr; i++) {
		const struct ref *r = &p->refs[i];
		int kind = arg_kind(r->opt);

		if (r->letter) {
			pt_buf_putc(&shorts, r->letter);
			pt_buf_puts(&shorts, kind == optional_argument   ? "::"
					     : kind == required_argument ? ":"
									 : "");
		}
		if (r->name)
			p->longs[nr++] = (struct option){ r->name, kind, NULL, LONG_BASE + (int)i };
	}
	p->longs[nr++] = (struct option){ "help", no_argument, NULL, HELP };
	p->longs[nr++] = (struct option){ "version", no_argument, NULL, VERSION };
	p->longs[nr++] = (struct option){ "complete-options", no_argument, NULL, COMPLETE };
	p->shorts = shorts.data;
}

static void deinit(struct parser *p)
{
	free(p->refs);
	free(p->longs);
	free(p->shorts);
}

static const struct ref *find(const struct parser *p, int c)
{
	size_t i;

	if (c >= LONG_BASE)
		return &p->refs[c - LONG_BASE];
	for (i = 0; i < p->nr; i++)
		if (p->refs[i].letter && p->refs[i].letter == (char)c)
			return &p->refs[i];
	return NULL;
}

/* "--max" or "-m", as the user may have written it */
static void spell(char text[64], const struct ref *r, int c)
{
	if (c >= LONG_BASE)
		snprintf(text, 64, "--%s", r->name);
	else
		snprintf(text, 64, "-%c", c);
}

static int msec(const char *s, uint64_t *time_ns, struct pt_err *e)
{
	char text[64];

	if (s[strspn(s, "0123456789.")] || strlen(s) > 32)
		return pt_num_seconds(s, time_ns, e);
	snprintf(text, sizeof(text), "%sms", s);
	return pt_num_seconds(text, time_ns, e);
}

static void add_name(struct pt_strs *list, const char *name)
{
	PT_GROW(list->v, list->nr, list->cap);
	list->v[list->nr++] = name;
}

/* Stores the row's value by its kind. */
static int store(const struct ref *r, const char *arg, void *args, struct pt_err *e)
{
	const struct pt_opt *o = r->opt;
	char *group = (char *)args + r->group->base;
	void *at = group + o->off;
	uint64_t max = o->max ? o->max : o->min ? UINT64_MAX : INT64_MAX, v = 0;
	const char *end;

	if (o->given)
		*(const char **)(group + o->given_off) = o->given;
	switch (o->kind) {
	case PT_OPT_FLAG:
		*(bool *)at = true;
		return 0;
	case PT_OPT_STR:
		*(const char **)at = arg;
		return 0;
	case PT_OPT_LIST:
		add_name(at, arg);
		return 0;
	case PT_OPT_NAMES:
		for (; arg; arg = *end ? end + 1 : NULL) {
			end = strchrnul(arg, ',');
			add_name(at, pt_strndup(arg, (size_t)(end - arg)));
		}
		return 0;
	case PT_OPT_NUMBERS:
		if (pt_num_list_more(arg, o->max, at, (size_t *)(group + o->nr_off), e) < 0)
			return -1;
		return **(int **)at < (int)o->min ? pt_err_set(e, "%s is too small", arg) : 0;
	case PT_OPT_U64:
		if (pt_num_u64(arg, o->min, max, &v, e) < 0)
			return -1;
		break;
	case PT_OPT_SIZE:
		if (pt_num_size(arg, max, &v, e) < 0)
			return -1;
		break;
	case PT_OPT_TIME:
		if (pt_num_seconds(arg, &v, e) < 0)
			return -1;
		break;
	case PT_OPT_MSEC:
		if (msec(arg, &v, e) < 0)
			return -1;
		break;
	case PT_OPT_WORD:
		return pt_word_value(o->words, arg, at, e);
	case PT_OPT_SET:
		*(int *)at = o->value;
		return 0;
	case PT_OPT_CALL:
		return o->call(group, arg, e);
	case PT_OPT_HABIT:
	case PT_OPT_NO_EFFECT:
		return 0;
	case PT_OPT_INSTEAD:
		return pt_err_set(e, "%s", o->hint);
	}
	if (o->kind != PT_OPT_U64 && (v < o->min || v > max))
		return pt_err_set(e, "%s is too %s", arg, v < o->min ? "small" : "large");
	*(uint64_t *)at = v;
	return 0;
}

/* --no-NAME of a flag NAME, or --NAME of a flag no-NAME, takes the flag back. */
static bool take_back(const struct parser *p, const char *word, void *args)
{
	char no[64];
	size_t i;

	snprintf(no, sizeof(no), "no-%s", word + 2);
	for (i = 0; i < p->nr; i++) {
		const struct ref *r = &p->refs[i];

		if (!r->name || (strcmp(r->name, no) && (strncmp(word, "--no-", 5) ||
							 strcmp(r->name, word + 5))))
			continue;
		if (r->opt->kind == PT_OPT_FLAG)
			*(bool *)((char *)args + r->group->base + r->opt->off) = false;
		else if (r->opt->kind != PT_OPT_HABIT && r->opt->kind != PT_OPT_NO_EFFECT &&
			 r->opt->kind != PT_OPT_INSTEAD)
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

		if (o->val == COMPLETE ||
		    (o->val >= LONG_BASE && !p->refs[o->val - LONG_BASE].opt->help))
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
	const struct ref *r = optopt ? find(p, optopt) : NULL;
	char text[64];

	if (c == '?' && (optopt == HELP || optopt == VERSION || optopt == COMPLETE))
		pt_usage(p->tool, "option '%s' takes no argument", argv[optind - 1]);
	if (!optopt)
		unknown_long(p, argv[optind - 1]);
	if (!r)
		pt_usage(p->tool, "there is no option '-%c'", optopt);
	spell(text, r, optopt);
	if (c == ':' && r->opt->hint)
		pt_usage(p->tool, "option '%s' needs %s (%s)", text, r->opt->arg, r->opt->hint);
	if (c == ':')
		pt_usage(p->tool, "option '%s' needs %s", text, r->opt->arg);
	pt_usage(p->tool, "option '%s' takes no argument", text);
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

static int handle(const struct parser *p, int c, char **argv, void *args)
{
	const struct ref *r;
	struct pt_err e;
	char text[64];

	if (c == 'h' || c == HELP || c == VERSION || c == COMPLETE) {
		errno = 0;
		if (c == VERSION)
			printf("%s (pt) %s\n", p->tool->name, PT_VERSION);
		else if (c == COMPLETE)
			pt_help_complete(p->tool, stdout);
		else
			pt_help_print(p->tool, stdout);
		if (fflush(stdout) || ferror(stdout))
			pt_die(p->tool, "standard output: %s", strerror(errno ? errno : EIO));
		exit(0);
	}
	if (c == '?' && !optopt && take_back(p, argv[optind - 1], args))
		return 0;
	if (c == '?' || c == ':')
		wrong(p, c, argv);
	r = find(p, c);
	if (store(r, optarg, args, &e) < 0) {
		spell(text, r, c);
		if (r->opt->hint && r->opt->kind != PT_OPT_INSTEAD)
			pt_err_advice(&e, " (%s)", r->opt->hint);
		pt_usage(p->tool, "%s: %s", text, e.msg);
	}
	if (r->opt->kind == PT_OPT_NO_EFFECT) {
		spell(text, r, c);
		pt_warn(p->tool, "%s: %s", text, r->opt->hint);
	}
	return 0;
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

int pt_opt_parse(const struct pt_tool *tool, int argc, char **argv, void *args)
{
	struct parser p;
	char **operands = pt_alloc_array((size_t)argc + 1, sizeof(*operands));
	int c, nr = 0, first;

	occupy_standard_fds();
	init(&p, tool);
	optind = 0;	/* glibc: start again */
	opterr = 0;
	while ((c = getopt_long(argc, argv, p.shorts, p.longs, NULL)) != -1) {
		if (c == OPERAND)
			operands[nr++] = optarg;
		else
			handle(&p, c, argv, args);
	}
	deinit(&p);
	first = tool->runs_command ? optind : operands_last(argc, argv, operands, nr);
	free(operands);
	return first;
}

bool pt_opt_had_dashes(int argc, char **argv, int first)
{
	return first > 1 && first <= argc && !strcmp(argv[first - 1], "--");
}

/* Escapes control characters. Following lines that are indented by four spaces (a caret below the
 * error) stay lines, since they cannot be taken for another message. */
static void add_lines(struct pt_buf *b, const char *text)
{
	const char *more;

	while ((more = strstr(text, "\n    "))) {
		pt_text_plain(b, text, (size_t)(more - text));
		pt_buf_putc(b, '\n');
		text = more + 1;
	}
	pt_text_plain(b, text, strlen(text));
}

/* One write for each message, so that messages of several processes do not mix. */
static void say(const struct pt_tool *tool, const char *fmt, va_list ap, const char *more)
{
	struct pt_buf b = PT_BUF_INIT;
	char *text;
	ssize_t n;

	if (vasprintf(&text, fmt, ap) < 0)
		abort();
	pt_buf_printf(&b, "%s: ", tool->name);
	add_lines(&b, text);
	pt_buf_putc(&b, '\n');
	pt_buf_puts(&b, more);
	n = write(STDERR_FILENO, b.data, b.len);
	(void)n;
	free(text);
	pt_buf_deinit(&b);
}

void pt_usage(const struct pt_tool *tool, const char *fmt, ...)
{
	char more[128];
	va_list ap;

	snprintf(more, sizeof(more), "Try '%s --help'.\n", tool->name);
	va_start(ap, fmt);
	say(tool, fmt, ap, more);
	va_end(ap);
	exit(2);
}

void pt_usage_forms(const struct pt_tool *tool, const char *fmt, ...)
{
	struct pt_buf b = PT_BUF_INIT;
	va_list ap;

	pt_help_forms(tool, &b);
	pt_buf_printf(&b, "Try '%s --help'.\n", tool->name);
	va_start(ap, fmt);
	say(tool, fmt, ap, pt_buf_str(&b));
	va_end(ap);
	exit(2);
}

void pt_warn(const struct pt_tool *tool, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(tool, fmt, ap, "");
	va_end(ap);
}

void pt_die(const struct pt_tool *tool, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(tool, fmt, ap, "");
	va_end(ap);
	exit(1);
}
