#include "base/words.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"

void pt_strs_add(struct pt_strs *list, const char *s)
{
	PT_GROW(list->v, list->nr, list->cap);
	list->v[list->nr++] = s;
}

void pt_strs_split(struct pt_strs *list, const char *text)
{
	for (const char *end; text; text = *end ? end + 1 : NULL) {
		end = strchrnul(text, ',');
		pt_strs_add(list, pt_strndup(text, (size_t)(end - text)));
	}
}

void pt_strs_deinit(struct pt_strs *list)
{
	for (size_t i = 0; i < list->nr; i++)
		free((char *)(uintptr_t)list->v[i]);
	free(list->v);
	*list = (struct pt_strs){ 0 };
}

int pt_word_value(const struct pt_word *words, const char *word, int *value, struct pt_err *e)
{
	struct pt_buf all = PT_BUF_INIT;

	for (const struct pt_word *w = words; w->name; w++) {
		if (!strcmp(word, w->name)) {
			*value = w->value;
			pt_buf_deinit(&all);
			return 0;
		}
		if (!w->other)
			pt_buf_printf(&all, "%s%s", all.len ? ", " : "", w->name);
	}
	pt_err_set(e, "'%s' is none of %s", word, pt_buf_str(&all));
	pt_buf_deinit(&all);
	return -1;
}

int pt_word_bits(const struct pt_word *words, const char *text, uint64_t *bits, struct pt_err *e)
{
	struct pt_strs list = { 0 };
	int rc = 0, bit;

	pt_strs_split(&list, text);
	for (size_t i = 0; rc == 0 && i < list.nr; i++) {
		rc = pt_word_value(words, list.v[i], &bit, e);
		if (rc == 0)
			*bits |= (uint64_t)bit;
	}
	pt_strs_deinit(&list);
	return rc;
}
