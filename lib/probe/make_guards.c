/* Guards: for each value that is read through a pointer, a string that tells if the kernel could
 * read it (tracepoint/tp_guard.c has the rule). They are a definition's last arguments, because a
 * guard copies up to the next NUL and must not take the others' room. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tracepoint/tp.h"
#include "probe/make_priv.h"

enum { MAX_NAME = 25 };		/* of an argument: __ok0_NAME and __len_NAME have 31 letters */

/* The part of an argument's fetch text that gives its address. */
struct read_at {
	uint64_t off;
	/* the text in front of and behind off */
	char head[PT_DEF_ARG_MAX + 1], tail[PT_DEF_ARG_MAX + 1];
	bool is_signed;			/* off is shown as "+8", "-8" */
	bool is_aligned_base;		/* off is relative to a pointer */
	char sign_suffix[2];		/* the "u" of "+u8(" */
};

/* False: a register or a constant, which need no guard. */
static bool read_place(const struct pt_def *def, const char *fetch, struct read_at *at)
{
	const char *s = fetch, *number = NULL;
	char *end;

	*at = (struct read_at){ .off = 0 };
	if (strlen(fetch) > PT_DEF_ARG_MAX)
		return false;
	if (*s == '+' || *s == '-') {
		at->is_signed = at->is_aligned_base = true;
		s++;
		if (*s == 'u')
			at->sign_suffix[0] = *s++;
		at->off = strtoull(s, &end, 0);
		if (*fetch == '-')
			at->off = 0 - at->off;
		strcpy(at->tail, end);
		return true;
	}
	if (!strncmp(s, "$stack", 6) && isdigit((unsigned char)s[6]) && def->user) {
		at->is_signed = at->is_aligned_base = true;
		at->off = strtoull(s + 6, NULL, 10) * sizeof(long);
		strcpy(at->tail, "($stack)");
		return true;
	}
	if (*s != '@')
		return false;
	if (s[1] == '+' || isdigit((unsigned char)s[1])) {
		strcpy(at->head, s[1] == '+' ? "@+" : "@");
		at->off = strtoull(s + 1 + (s[1] == '+'), NULL, 0);
		return true;
	}
	for (number = s + strlen(s); number > s && isxdigit((unsigned char)number[-1]); )
		number--;
	if (number > s + 2 && number[-1] == 'x' && number[-2] == '0')
		number -= 2;
	at->is_signed = true;
	if (number > s + 1 && *number && strchr("+-", number[-1])) {
		at->off = strtoull(number, NULL, 0);
		if (number[-1] == '-')
			at->off = 0 - at->off;
		memcpy(at->head, s, (size_t)(number - 1 - s));
	} else {
		strcpy(at->head, s);
	}
	return true;
}

static void place_text(const struct read_at *at, unsigned skip, struct pt_buf *b)
{
	int64_t off = (int64_t)(at->off + skip);
	uint64_t size = off < 0 ? 0 - (uint64_t)off : (uint64_t)off;

	pt_buf_puts(b, at->head);
	if (at->is_signed)
		pt_buf_printf(b, "%c%s%llu", off < 0 ? '-' : '+', at->sign_suffix,
			      (unsigned long long)size);
	else
		pt_buf_printf(b, "0x%llx", (unsigned long long)(at->off + skip));
	pt_buf_puts(b, at->tail);
}

/* Bytes that the argument reads; 0: a string, which needs no guard. */
static unsigned make_guards_bytes_of(const struct pt_def_arg *a, unsigned *each)
{
	const char *bracket = a->type ? strchr(a->type, '[') : NULL;
	char *type = a->type ? pt_strndup(a->type, strcspn(a->type, "[")) : NULL, letter = 'x';
	unsigned bytes = sizeof(long), nr = bracket ? (unsigned)atoi(bracket + 1) : 1;

	if (type && pt_arg_type(type, &letter, &bytes) &&
	    (letter == 't' || letter == 'U' || letter == 'S') && !bracket)
		nr = 0;
	free(type);
	*each = bytes ? bytes : sizeof(long);	/* an array of strings is an array of pointers */
	return *each * nr;
}

/* Bit N: guard N of the argument is needed. */
static uint8_t needed(const struct pt_def *def, const struct pt_def_arg *a)
{
	struct read_at at;
	unsigned each, bytes = make_guards_bytes_of(a, &each);

	if (pt_tp_is_companion(a->name))	/* the value that it is for has a guard */
		return 0;
	if (!bytes || !read_place(def, a->fetch, &at))
		return 0;
	/* Aligned values are within one page; others may be in two. */
	return bytes > each || (at.is_aligned_base && at.off % each) ? 3 : 1;
}

static bool has_name(const struct pt_def *def, const struct pt_def_arg *but, const char *name)
{
	for (size_t i = 0; i < def->nr_args; i++)
		if (&def->args[i] != but && !strcmp(def->args[i].name, name))
			return true;
	return false;
}

void make_shorten(const struct pt_def *def, struct pt_def_arg *a)
{
	char *name;

	if (strlen(a->name) <= MAX_NAME)
		return;
	name = pt_strndup(a->name, MAX_NAME);
	for (unsigned n = 2; has_name(def, a, name); n++) {
		free(name);
		name = pt_asprintf("%.*s_%u", MAX_NAME - 5, a->name, n);
	}
	free(a->name);
	a->name = name;
}

static int add_guard(struct pt_def *def, size_t i, unsigned which, struct pt_err *e)
{
	const struct pt_def_arg *a = &def->args[i];
	/* In a program's memory the same as "ustring", which constants cannot have. */
	static const char type[] = "string";
	struct pt_buf fetch = PT_BUF_INIT;
	char name[PT_TP_GUARD_BYTES];
	struct read_at at;
	unsigned each, bytes = make_guards_bytes_of(a, &each);
	int rc = 0;

	pt_tp_guard_name(which, a->name, name);
	/* The value is read at another place of the same event; here it is always there. */
	if (read_place(def, a->fetch, &at))
		place_text(&at, which || !bytes ? 0 : bytes - 1, &fetch);
	else
		pt_buf_puts(&fetch, "\\\"1\"");
	if (fetch.len + 1 + strlen(type) > PT_DEF_ARG_MAX)
		rc = pt_err_set(e, "%s: too long a definition for the kernel: %s:%s", a->name,
				fetch.data, type);
	else
		pt_def_add_arg(def, name, fetch.data, type);
	pt_buf_deinit(&fetch);
	return rc;
}

/* Were the arguments chosen by `$vars` or `$params`? Then some may be left out. */
static bool is_choice(const struct pt_make_req *r)
{
	for (size_t i = 0; i < r->nr_args; i++)
		if (!strncmp(r->args[i], "$vars", 5) || !strncmp(r->args[i], "$params", 7))
			return true;
	return !r->nr_args;
}

static int make_guards_fit(struct pt_made *m, struct pt_def *def, const uint8_t *need,
			   const struct pt_make_req *r, struct pt_err *e)
{
	size_t cost = 0;

	for (size_t i = 0; i < def->nr_args; i++)
		cost += 1u + (need[i] & 1) + (need[i] >> 1);
	if (cost > PT_DEF_ARGS_MAX && !is_choice(r))
		return pt_err_set(
			e,
			"%zu arguments are too many: the kernel takes %d, and a value that is read through a pointer counts twice",
			def->nr_args, PT_DEF_ARGS_MAX);
	for (; cost > PT_DEF_ARGS_MAX; pt_def_drop_last_arg(def)) {
		size_t last = def->nr_args - 1;

		cost -= 1u + (need[last] & 1) + (need[last] >> 1);
		make_note(
			m,
			"left out: %s: the kernel takes %d arguments, and a value that is read through a pointer counts twice",
			def->args[last].name, PT_DEF_ARGS_MAX);
	}
	return 0;
}

static int guard(struct pt_made *m, struct pt_def *def, const uint8_t *need,
		 const struct pt_make_req *r, struct pt_err *e)
{
	size_t nr;

	if (make_guards_fit(m, def, need, r, e) < 0)
		return -1;
	nr = def->nr_args;
	for (size_t i = 0; i < nr; i++) {
		if (need[i])
			make_shorten(def, &def->args[i]);
		for (unsigned which = 0; which < PT_TP_GUARDS; which++)
			if (need[i] >> which & 1 && add_guard(def, i, which, e) < 0)
				return -1;
	}
	return 0;
}

int make_guards(struct pt_made *m, size_t from, const struct pt_make_req *r, struct pt_err *e)
{
	struct pt_def *defs = m->defs + from;
	size_t nr = m->nr - from, *first = pt_alloc_array(nr, sizeof(*first));
	uint8_t **needs = pt_alloc_array(nr, sizeof(*needs));
	int rc = 0;

	/* Places of one event must have the same guards: the first of them has what all need. */
	for (size_t i = 0; i < nr; i++) {
		first[i] = defs[i].nr_args ? 0 : i;
		while (first[i] < i && !pt_def_shares(&defs[i], &defs[first[i]]))
			first[i]++;
		if (first[i] == i)
			needs[i] = pt_alloc(defs[i].nr_args);
		for (size_t a = 0; a < defs[i].nr_args; a++)
			needs[first[i]][a] |= needed(&defs[i], &defs[i].args[a]);
	}
	for (size_t i = 0; i < nr && rc == 0; i++)
		rc = guard(m, &defs[i], needs[first[i]], r, e);
	for (size_t i = 0; i < nr; i++)
		free(needs[i]);
	free(needs);
	free(first);
	return rc;
}
