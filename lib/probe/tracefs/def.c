#include "probe/tracefs/def.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"

void pt_def_deinit(struct pt_def *d)
{
	while (d->nr_args)
		pt_def_drop_last_arg(d);
	free(d->args);
	free(d->group);
	free(d->event);
	free(d->path);
	free(d->symbol);
	*d = (struct pt_def){ .kind = 0 };
}

void pt_def_drop_last_arg(struct pt_def *d)
{
	struct pt_def_arg *a = &d->args[--d->nr_args];

	free(a->name);
	free(a->fetch);
	free(a->type);
}

void pt_def_copy(struct pt_def *to, const struct pt_def *from)
{
	*to = *from;
	to->group = pt_strdup(from->group);
	to->event = pt_strdup(from->event);
	to->path = pt_strdup(from->path);
	to->symbol = pt_strdup(from->symbol);
	to->made = NULL;
	to->args = NULL;
	to->nr_args = to->cap_args = 0;
	for (size_t i = 0; i < from->nr_args; i++)
		pt_def_add_arg(to, from->args[i].name, from->args[i].fetch, from->args[i].type);
}

void pt_def_add_arg(struct pt_def *d, const char *name, const char *fetch, const char *type)
{
	PT_GROW(d->args, d->nr_args, d->cap_args);
	d->args[d->nr_args++] =
		(struct pt_def_arg){ pt_strdup(name), pt_strdup(fetch), pt_strdup(type) };
}

/* A constant text may contain colons: its type follows the closing quote. */
void pt_def_add_text(struct pt_def *d, const char *name, const char *text)
{
	const char *quote = strncmp(text, "\\\"", 2) ? NULL : strrchr(text, '"'),
		   *colon = strchr(quote ? quote : text, ':');
	char *fetch = pt_strndup(text, colon ? (size_t)(colon - text) : strlen(text));

	pt_def_add_arg(d, name, fetch, colon ? colon + 1 : NULL);
	free(fetch);
}

/* -- as text -- */

void pt_def_place_text(const struct pt_def *d, struct pt_buf *b)
{
	if (d->user) {
		pt_buf_printf(b, "%s:0x%llx", d->path, (unsigned long long)d->off);
		if (d->semaphore_off)
			pt_buf_printf(b, "(0x%llx)", (unsigned long long)d->semaphore_off);
	} else if (!d->symbol) {
		pt_buf_printf(b, "0x%llx", (unsigned long long)d->off);
	} else {
		pt_buf_puts(b, d->symbol);
		if (d->off)
			pt_buf_printf(b, "+%llu", (unsigned long long)d->off);
		if (d->ret_place)
			pt_buf_puts(b, "%return");
	}
}

static void add_args_text(const struct pt_def *d, struct pt_buf *b)
{
	for (size_t i = 0; i < d->nr_args; i++)
		pt_buf_printf(b, "%s%s=%s%s%s", i ? " " : "", d->args[i].name, d->args[i].fetch,
			      d->args[i].type ? ":" : "", d->args[i].type ? d->args[i].type : "");
}

void pt_def_text(const struct pt_def *d, struct pt_buf *b)
{
	pt_buf_putc(b, d->kind);
	if (d->maxactive)
		pt_buf_printf(b, "%u", d->maxactive);
	pt_buf_printf(b, ":%s/%s ", d->group, d->event);
	pt_def_place_text(d, b);
	if (d->nr_args)
		pt_buf_putc(b, ' ');
	add_args_text(d, b);
}

/* -- read back -- */

static bool def_number(const char *s, uint64_t *v)
{
	return !pt_num_u64(s, 0, UINT64_MAX, v, NULL);
}

/* Each takes a word apart in place. */
static bool def_read_head(struct pt_def *d, char *word)
{
	char *colon = strchr(word, ':'), *slash = colon ? strchr(colon, '/') : NULL;
	uint64_t v = 0;

	if (!slash || (*word != 'p' && *word != 'r') || slash == colon + 1 || !slash[1])
		return false;
	*colon = *slash = '\0';
	if (word[1] && (!def_number(word + 1, &v) || v > UINT32_MAX))
		return false;
	d->kind = *word;
	d->maxactive = (uint32_t)v;
	d->group = pt_strdup(colon + 1);
	d->event = pt_strdup(slash + 1);
	return true;
}

/* PATH:0xOFF, PATH:0xOFF(0xSEMAPHORE) */
static bool read_user_place(struct pt_def *d, char *word)
{
	char *colon = strrchr(word, ':'), *open = colon ? strchr(colon, '(') : NULL;

	if (!colon || colon == word)
		return false;
	if (open) {
		char *end = open + strlen(open) - 1;

		if (*end != ')')
			return false;
		*open = *end = '\0';
		if (!def_number(open + 1, &d->semaphore_off))
			return false;
	}
	*colon = '\0';
	d->path = pt_strdup(word);
	return def_number(colon + 1, &d->off);
}

/* FUNC, MODULE:FUNC+8, FUNC+0x8, 0xADDR, FUNC+0%return */
static bool read_kernel_place(struct pt_def *d, char *word)
{
	size_t len = strlen(word);
	char *plus;

	if (len > 7 && !strcmp(word + len - 7, "%return")) {
		d->ret_place = true;
		word[len - 7] = '\0';
	}
	if (def_number(word, &d->off))
		return true;
	plus = strchr(word, '+');
	/* no symbol begins with a digit: "0x11+0" is none */
	if (plus == word || isdigit((unsigned char)*word) ||
	    (plus && !def_number(plus + 1, &d->off)))
		return false;
	d->symbol = pt_strndup(word, plus ? (size_t)(plus - word) : len);
	return true;
}

static bool read_arg(struct pt_def *d, char *word)
{
	char *equal = strchr(word, '=');

	if (!equal || equal == word || !equal[1] || d->nr_args >= PT_DEF_ARGS_MAX)
		return false;
	*equal = '\0';
	pt_def_add_text(d, word, equal + 1);
	return true;
}

int pt_def_parse(struct pt_def *d, const char *line, size_t len, bool user, struct pt_err *e)
{
	static const char blanks[] = " \t";
	char *copy = pt_strndup(line, len), *save, *word = strtok_r(copy, blanks, &save);
	bool good;

	*d = (struct pt_def){ .user = user };
	good = word && def_read_head(d, word) && (word = strtok_r(NULL, blanks, &save)) &&
	       (user ? read_user_place : read_kernel_place)(d, word);
	while (good && (word = strtok_r(NULL, blanks, &save)))
		good = read_arg(d, word);
	free(copy);
	if (good)
		return 0;
	pt_def_deinit(d);
	return pt_err_set(e, "%.*s: no definition of a probe", (int)PT_MIN(len, 200u), line);
}

/* -- compared -- */

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

bool pt_def_is(const struct pt_def *d, const char *group, const char *event)
{
	/* events of many places are in one group */
	return !strcmp(d->event, event) && !strcmp(d->group, group);
}

bool pt_def_same_place(const struct pt_def *a, const struct pt_def *b)
{
	return a->kind == b->kind && a->user == b->user && a->off == b->off &&
	       a->semaphore_off == b->semaphore_off && same_text(a->path, b->path) &&
	       same_text(a->symbol, b->symbol);
}

bool pt_def_same(const struct pt_def *a, const struct pt_def *b)
{
	if (!pt_def_same_place(a, b) || a->nr_args != b->nr_args || a->maxactive != b->maxactive)
		return false;
	for (size_t i = 0; i < a->nr_args; i++)
		if (strcmp(a->args[i].name, b->args[i].name) ||
		    strcmp(a->args[i].fetch, b->args[i].fetch) ||
		    !same_text(a->args[i].type, b->args[i].type))
			return false;
	return true;
}

bool pt_def_shares(const struct pt_def *a, const struct pt_def *b)
{
	if (!pt_def_is(a, b->group, b->event) || a->kind != b->kind || a->user != b->user ||
	    a->nr_args != b->nr_args)
		return false;
	for (size_t i = 0; i < a->nr_args; i++)
		if (strcmp(a->args[i].name, b->args[i].name) ||
		    !same_text(a->args[i].type, b->args[i].type))
			return false;
	return true;
}
