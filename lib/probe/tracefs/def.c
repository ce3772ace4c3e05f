#include "probe/tracefs/def.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "probe/spec/point.h"

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

struct word { const char *s; size_t len; };

/* The next word of a line that ends at `end`; its len is 0 at the end. */
static struct word next_word(const char **at, const char *end)
{
	const char *s = *at;

	while (s < end && (*s == ' ' || *s == '\t'))
		s++;
	*at = s;
	while (*at < end && **at != ' ' && **at != '\t')
		++*at;
	return (struct word){ s, (size_t)(*at - s) };
}

static bool number(const char *s, const char *end, uint64_t *v)
{
	return s < end && pt_point_number(s, (size_t)(end - s), v);
}

static bool read_head(struct pt_def *d, struct word w)
{
	const char *colon = memchr(w.s, ':', w.len), *end = w.s + w.len,
		   *slash = colon ? memchr(colon, '/', (size_t)(end - colon)) : NULL;
	uint64_t v = 0;

	if (!colon || !slash || (*w.s != 'p' && *w.s != 'r') || slash == colon + 1 ||
	    slash + 1 == end)
		return false;
	if (colon > w.s + 1 && (!number(w.s + 1, colon, &v) || v > UINT32_MAX))
		return false;
	d->kind = *w.s;
	d->maxactive = (uint32_t)v;
	d->group = pt_strndup(colon + 1, (size_t)(slash - colon - 1));
	d->event = pt_strndup(slash + 1, (size_t)(end - slash - 1));
	return true;
}

/* PATH:0xOFF, PATH:0xOFF(0xSEMAPHORE) */
static bool read_user_place(struct pt_def *d, struct word w)
{
	const char *end = w.s + w.len, *colon = memrchr(w.s, ':', w.len),
		   *open = colon ? memchr(colon, '(', (size_t)(end - colon)) : NULL;

	if (!colon || colon == w.s ||
	    (open && (end[-1] != ')' || !number(open + 1, end - 1, &d->semaphore_off))))
		return false;
	if (!number(colon + 1, open ? open : end, &d->off))
		return false;
	d->path = pt_strndup(w.s, (size_t)(colon - w.s));
	return true;
}

/* FUNC, MODULE:FUNC+8, FUNC+0x8, 0xADDR, FUNC+0%return */
static bool read_kernel_place(struct pt_def *d, struct word w)
{
	const char *end = w.s + w.len, *plus;

	if (w.len > 7 && !memcmp(end - 7, "%return", 7)) {
		d->ret_place = true;
		end -= 7;
	}
	if (number(w.s, end, &d->off))
		return true;
	plus = memchr(w.s, '+', (size_t)(end - w.s));
	/* no symbol begins with a digit: "0x11+0" is none */
	if (plus == w.s || isdigit((unsigned char)*w.s) ||
	    (plus && !number(plus + 1, end, &d->off)))
		return false;
	d->symbol = pt_strndup(w.s, (size_t)((plus ? plus : end) - w.s));
	return w.s < end;
}

static bool read_arg(struct pt_def *d, struct word w)
{
	char *text = pt_strndup(w.s, w.len), *equal = strchr(text, '=');
	bool good = equal && equal > text && equal[1] && d->nr_args < PT_DEF_ARGS_MAX;

	if (good) {
		*equal = '\0';
		pt_def_add_text(d, text, equal + 1);
	}
	free(text);
	return good;
}

int pt_def_parse(struct pt_def *d, const char *line, size_t len, bool user, struct pt_err *e)
{
	const char *at = line, *end = line + strnlen(line, len);
	struct word w;
	bool good;

	*d = (struct pt_def){ .user = user };
	good = read_head(d, next_word(&at, end));
	w = next_word(&at, end);
	good = good && w.len && (user ? read_user_place(d, w) : read_kernel_place(d, w));
	while (good && (w = next_word(&at, end)).len)
		good = read_arg(d, w);
	if (good)
		return 0;
	pt_def_deinit(d);
	return pt_err_set(e, "%.*s: no definition of a probe", (int)PT_MIN(end - line, 200), line);
}

/* -- compared -- */

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

bool pt_def_is(const struct pt_def *d, const char *group, const char *event)
{
	return !strcmp(d->group, group) && !strcmp(d->event, event);
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
