#include "event/suggest.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

static char *suggest_lower(const char *s)
{
	char *copy = pt_strdup(s), *p;

	for (p = copy; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	return copy;
}

void pt_suggest_begin(struct pt_suggest *s, const char *wrong)
{
	size_t len = strlen(wrong);
	const char *colon;

	*s = (struct pt_suggest){ .wrong = suggest_lower(wrong) };
	colon = strchr(s->wrong, ':');
	s->wrong_name = colon ? colon + 1 : s->wrong;
	s->max = PT_MIN(PT_MIN(PT_MAX(len / 4, 2), len / 2), 6);
}

static void keep_best(struct pt_suggest *s, const char *name, size_t distance)
{
	size_t i, last;

	for (i = 0; i < s->nr; i++)
		if (!strcmp(s->best[i].name, name))
			return;
	for (i = 0; i < s->nr && s->best[i].distance <= distance; i++)
		;
	if (i == PT_NR(s->best))
		return;
	if (s->nr == PT_NR(s->best))
		free(s->best[--s->nr].name);
	for (last = s->nr++; last > i; last--)
		s->best[last] = s->best[last - 1];
	s->best[i].name = pt_strdup(name);
	s->best[i].distance = distance;
}

/* A name is similar if few edits apart, equal but for the system, or if one contains the other. */
void pt_suggest_look(struct pt_suggest *s, const char *shown)
{
	char *full = suggest_lower(shown), *colon = strchr(full, ':'),
	     *name = colon ? colon + 1 : full;
	size_t d = pt_text_distance(s->wrong, full, s->max);

	if (d > s->max && !strcmp(s->wrong_name, name))
		d = 1;
	if (d > s->max && s->wrong == s->wrong_name &&
	    pt_text_distance(s->wrong, name, s->max / 2) <= s->max / 2)
		d = s->max;
	if (d > s->max && strlen(s->wrong_name) >= 4 && strstr(name, s->wrong_name))
		d = s->max;
	if (d <= s->max)
		keep_best(s, shown, d);
	free(full);
}

void pt_suggest_end(struct pt_suggest *s, struct pt_buf *out)
{
	size_t i;

	for (i = 0; i < s->nr; i++) {
		if (i)
			pt_buf_puts(out, i + 1 == s->nr ? " or " : ", ");
		pt_text_puts(out, s->best[i].name);
		free(s->best[i].name);
	}
	free(s->wrong);
	s->nr = 0;
}

bool pt_suggest_advise(struct pt_suggest *s, struct pt_err *e)
{
	struct pt_buf near = PT_BUF_INIT;
	bool any;

	pt_suggest_end(s, &near);
	any = near.len;
	if (any)
		pt_err_advice(e, "; did you mean %s?", pt_buf_str(&near));
	pt_buf_deinit(&near);
	return any;
}
