#include "syscall/filter.h"

#include <regex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "syscall/classes.h"
#include "syscall/paths.h"

enum { UNKNOWN, WANTED, UNWANTED };	/* of by_slot */

/* The number of a signal by its name, with or without SIG; 0: there is none. */
static int signal_number(const char *name)
{
	if (!strncasecmp(name, "SIG", 3))
		name += 3;
	for (int s = 1; s <= 64; s++)
		if (sigabbrev_np(s) && !strcasecmp(sigabbrev_np(s), name))
			return s;
	return atoi(name) > 0 && atoi(name) <= 64 ? atoi(name) : 0;
}

/* Calls `each` for the parts of a,b,c until it fails. */
static int for_each(struct pt_call_filter *f, const char *list,
		    int (*each)(struct pt_call_filter *f, const char *word, struct pt_err *e),
		    struct pt_err *e)
{
	char *copy = pt_strdup(list), *rest = copy, *word;
	int rc = 0;

	while (rc == 0 && (word = strsep(&rest, ",")))
		rc = each(f, word, e);
	free(copy);
	return rc;
}

static int add_signal(struct pt_call_filter *f, const char *word, struct pt_err *e)
{
	int nr = signal_number(word);

	if (!strcmp(word, "all"))
		f->signals = UINT64_MAX;
	else if (nr)
		f->signals |= 1ull << (nr - 1);
	else if (strcmp(word, "none"))
		return pt_err_set(e, "'%s' is no signal", word);
	return 0;
}

static int filter_take_signals(struct pt_call_filter *f, const char *list, struct pt_err *e)
{
	bool except = *list == '!';

	f->signals = 0;
	if (for_each(f, list + except, add_signal, e) < 0)
		return -1;
	if (except)
		f->signals = ~f->signals;
	return 0;
}

static int take_status(struct pt_call_filter *f, const char *word, struct pt_err *e)
{
	if (!strcmp(word, "successful"))
		f->succeeded = true;
	else if (!strcmp(word, "failed"))
		f->failed = true;
	else
		return pt_err_set(e, "status=%s: successful or failed", word);
	return 0;
}

/* strace's messages of attaching and the like do not exist here. */
static int take_quiet(struct pt_call_filter *f, const char *word, struct pt_err *e)
{
	static const char *const others[] = { "attach", "none", "path-resolution", "path-resolve",
					      "personality", "superseded", "thread-execve" };

	if (!strcmp(word, "exit") || !strcmp(word, "exits") || !strcmp(word, "all")) {
		f->no_exits = true;
		return 0;
	}
	for (size_t i = 0; i < PT_NR(others); i++)
		if (!strcmp(word, others[i]))
			return 0;
	return pt_err_set(e, "quiet=%s: exit, or all", word);
}

static int take_paths(struct pt_call_filter *f, const char *word, struct pt_err *e)
{
	(void)e;
	f->paths = strcmp(word, "none");
	return 0;
}

static const struct { const char *names, *why; } refused[] = {
	{ "inject fault", "what is watched is never changed: strace injects" },
	{ "read reads write writes", "-s N prints so many bytes of what is read and written" },
	{ "verbose abbrev raw", "structures are printed in short: strace prints them whole" },
	{ "kvm", "exits of a virtual machine are not shown: pt-record -e 'kvm:*' records them" },
	{ "decode-pids", "numbers of processes are the machine's" },
};

int pt_call_filter_add(struct pt_call_filter *f, const char *expr, struct pt_err *e)
{
	static const struct {
		const char *names;
		int (*take)(struct pt_call_filter *f, const char *word, struct pt_err *e);
	} kinds[] = {
		{ "status", take_status }, { "quiet silent silence", take_quiet },
		{ "decode-fds decode-fd", take_paths },
	};
	const char *colon = strchr(expr, ':'), *equals = strchr(expr, '=');
	const char *value = equals ? equals + 1 : expr;
	char *kind = pt_strndup(expr, equals ? (size_t)(equals - expr) : 0);
	int rc = 1;

	if (colon && (!equals || colon < equals))
		rc = pt_err_set(
			e, "%s: only system calls are shown; pt-script -e prints other events", expr);
	else if (!*kind || !strcmp(kind, "trace") || !strcmp(kind, "t")) {
		pt_strs_add(&f->terms, value);
		rc = 0;
	} else if (!strcmp(kind, "signal") || !strcmp(kind, "signals") || !strcmp(kind, "s")) {
		rc = filter_take_signals(f, value, e);
	}
	for (size_t i = 0; i < PT_NR(kinds) && rc > 0; i++)
		if (pt_text_has_word(kinds[i].names, kind))
			rc = for_each(f, value, kinds[i].take, e);
	for (size_t i = 0; i < PT_NR(refused) && rc > 0; i++)
		if (pt_text_has_word(refused[i].names, kind))
			rc = pt_err_set(e, "%s: %s", kind, refused[i].why);
	if (rc > 0)
		rc = pt_err_set(e, "%s: trace=CALLS, signal=SIGNALS, status=, quiet= or CALLS",
				kind);
	free(kind);
	return rc;
}

static int add_error(struct pt_call_filter *f, const char *word, struct pt_err *e)
{
	for (int n = 1; n < 4096; n++)
		if (strerrorname_np(n) && !strcmp(strerrorname_np(n), word)) {
			PT_GROW(f->errnos, f->nr_errnos, f->cap_errnos);
			f->errnos[f->nr_errnos++] = n;
			return 0;
		}
	return pt_err_set(e, "'%s' is no error, such as ENOENT", word);
}

void pt_call_filter_path(struct pt_call_filter *f, const char *path)
{
	char *real = realpath(path, NULL);

	pt_strs_add(&f->only_paths, pt_strdup(path));
	if (real && strcmp(real, path))
		pt_strs_add(&f->only_paths, real);
	else
		free(real);
}

int pt_call_filter_errors(struct pt_call_filter *f, const char *names, struct pt_err *e)
{
	return for_each(f, names, add_error, e);
}

/* /REGEX or /REGEX/. Returns an error of regcomp(), or 0. */
static int filter_compile(regex_t *re, const char *word)
{
	size_t len = strlen(word);
	char *pattern = pt_strndup(word + 1, len - 1 - (len > 1 && word[len - 1] == '/'));
	int rc = regcomp(re, pattern, REG_EXTENDED | REG_NOSUB);

	free(pattern);
	return rc;
}

/* One word of a list of calls. ?NAME is a call that need not exist. */
static bool word_has(const char *word, const char *name)
{
	regex_t re;
	bool found;

	if (*word == '?')
		word++;
	if (!strcmp(word, "all") || (*word == '%' && pt_class_has(word, name)))
		return true;
	if (*word != '/')
		return pt_text_glob(word, name);
	if (filter_compile(&re, word))
		return false;
	found = regexec(&re, name, 0, NULL, 0) == 0;
	regfree(&re);
	return found;
}

static bool filter_list_has(const char *list, const char *name)
{
	bool except = *list == '!', found = false;
	char *copy = pt_strdup(list + except), *rest = copy, *word;

	while (!found && (word = strsep(&rest, ",")))
		found = word_has(word, name);
	free(copy);
	return found != except;
}

bool pt_call_filter_name(const struct pt_call_filter *f, const char *name)
{
	bool wanted = !f->terms.nr;

	for (size_t i = 0; i < f->terms.nr && !wanted; i++)
		wanted = name ? filter_list_has(f->terms.v[i], name) : *f->terms.v[i] == '!';
	return wanted;
}

static int check_regex(const char *word, struct pt_err *e)
{
	char why[128];
	regex_t re;
	int rc = filter_compile(&re, word);

	if (!rc) {
		regfree(&re);
		return 0;
	}
	regerror(rc, &re, why, sizeof(why));
	return pt_err_set(e, "'%s': %s", word, why);
}

static int filter_check_word(const char *word, struct pt_calls *calls, struct pt_err *e)
{
	const char *name, *machine, *bare = word + (*word == '?');

	if (*bare == '/' && check_regex(bare, e) < 0)
		return -1;
	if (*word == '?' || !strcmp(word, "all") || !strcmp(word, "none"))
		return 0;
	if (*word == '%')
		return pt_class_exists(word) ? 0
					     : pt_err_set(e, "'%s' is no class of calls: %s", word,
							  pt_class_names());
	for (int slot = 0; slot < PT_CALL_SLOTS; slot++)
		if ((name = pt_calls_name(calls, slot)) && word_has(word, name))
			return 0;
	machine = pt_calls_foreign(calls);
	return pt_err_set(e, "'%s' is no system call of %s", word,
			  machine ? machine : "this machine");
}

int pt_call_filter_check(const struct pt_call_filter *f, struct pt_calls *calls, struct pt_err *e)
{
	int rc = 0;

	for (size_t i = 0; i < f->terms.nr && rc == 0; i++) {
		char *copy = pt_strdup(f->terms.v[i] + (*f->terms.v[i] == '!')), *rest = copy;
		char *word;

		while (rc == 0 && (word = strsep(&rest, ",")))
			rc = filter_check_word(word, calls, e);
		free(copy);
	}
	return rc;
}

static bool filter_is_wanted(struct pt_call_filter *f, const struct pt_call *c)
{
	uint8_t *known = &f->by_slot[pt_call_slot(c)];

	if (!f->terms.nr)
		return true;
	if (*known == UNKNOWN)
		*known = pt_call_filter_name(f, c->name) ? WANTED : UNWANTED;
	return *known == WANTED;
}

static bool concerns_path(const struct pt_call_filter *f, const struct pt_call *c)
{
	for (size_t i = 0; i < f->only_paths.nr; i++)
		if (pt_paths_has(c, f->only_paths.v[i]))
			return true;
	return !f->only_paths.nr;
}

bool pt_call_filter_has(struct pt_call_filter *f, const struct pt_call *c)
{
	bool found = !f->nr_errnos;

	if (c->kind == PT_CALL_SIGNAL)
		return c->nr < 1 || c->nr > 64 || f->signals >> (c->nr - 1) & 1;
	if (c->kind == PT_CALL_EXIT)
		return !f->no_exits;
	if (!filter_is_wanted(f, c) || c->end_ns - c->start_ns < f->longer_ns ||
	    !concerns_path(f, c))
		return false;
	if (!f->failed && !f->succeeded && !f->nr_errnos)
		return true;
	if (c->kind != PT_CALL_DONE || (f->failed && !pt_call_failed(c)) ||
	    (f->succeeded && pt_call_failed(c)))
		return false;
	for (size_t i = 0; i < f->nr_errnos; i++)
		found |= c->ret == -f->errnos[i];
	return found;
}

bool pt_call_filter_needs_lines(const struct pt_call_filter *f)
{
	return f->only_paths.nr;
}

void pt_call_filter_deinit(struct pt_call_filter *f)
{
	free(f->terms.v);
	pt_strs_deinit(&f->only_paths);
	free(f->errnos);
}
