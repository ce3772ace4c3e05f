#include "base/words.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"

void pt_strs_add(struct pt_strs *list, const char *s)
{
	PT_GROW(list->v, list->nr, list->cap);
	list->v[list->nr++] = s;
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
