#include "probe/where/functions.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "probe/where/functions_priv.h"
#include "probe/spec/match.h"

static const char *line_of(const struct pt_functions *l, size_t entry, size_t *len)
{
	const char *line = l->text + PT_FN_AT(l->entries[entry]),
		   *end = l->text + (entry + 1 < l->nr_entries ? PT_FN_AT(l->entries[entry + 1])
							       : l->text_len);

	*len = (size_t)(end - line);
	return line;
}

static struct pt_function function_of(const struct pt_functions *l, size_t entry)
{
	struct pt_function f = { .inlined = l->entries[entry] & PT_FN_INLINED,
				 .ifunc = l->entries[entry] & PT_FN_IFUNC };
	size_t mark = f.inlined ? sizeof(PT_FN_INLINED_MARK) : 1;	/* with the newline */

	f.name = line_of(l, entry, &f.len);
	f.len -= PT_MIN(mark, f.len);
	return f;
}

/* Tries all its names. */
static bool matches(const struct pt_functions *l, struct pt_match *m, size_t entry,
		    struct pt_buf *shown)
{
	struct pt_function f = function_of(l, entry);
	const char *name = l->mangled, *end = name;

	pt_buf_clear(shown);
	pt_buf_add(shown, f.name, f.len);
	if (l->mangled_at) {
		name += l->mangled_at[entry];
		end += l->mangled_at[entry + 1];
	}
	if (name >= end)
		return pt_match_name(m, shown->data, false);
	for (; name < end; name += strlen(name) + 1)
		if (strcmp(name, shown->data) ? pt_match_known(m, name, shown->data)
					      : pt_match_name(m, shown->data, false))
			return true;
	return false;
}

static void choose(struct pt_functions *l, const char *pattern)
{
	struct pt_buf shown = PT_BUF_INIT;
	struct pt_match m;
	size_t i;

	l->nr = l->nr_entries;
	if (!pattern)
		return;
	l->chosen = pt_alloc_array(l->nr_entries, sizeof(*l->chosen));
	l->nr = 0;
	pt_match_init(&m, pattern);
	for (i = 0; i < l->nr_entries; i++)
		if (matches(l, &m, i, &shown))
			l->chosen[l->nr++] = (uint32_t)i;
	pt_match_deinit(&m);
	pt_buf_deinit(&shown);
}

static void list(struct pt_functions *l, struct pt_target *t, const char *pattern, bool inlined)
{
	*l = (struct pt_functions){ .nr = 0 };
	if (!pt_fn_get_kept(l, t, inlined, pattern) && pt_fn_read(l, t, inlined, pattern))
		pt_fn_put_kept(l, t, inlined);
	choose(l, pattern);
}

int pt_functions_list(struct pt_functions *l, struct pt_target *t, const char *pattern,
		      bool inlined, struct pt_err *e)
{
	if (!t->object)
		return pt_err_set(e, "the running kernel's functions are in /proc/kallsyms");
	list(l, t, pattern, inlined && t->dwarf);
	if (!l->nr && pattern && !inlined && t->dwarf) {
		pt_functions_deinit(l);
		list(l, t, pattern, true);
	}
	return 0;
}

struct pt_function pt_functions_at(const struct pt_functions *l, size_t i)
{
	return function_of(l, l->chosen ? l->chosen[i] : i);
}

const char *pt_functions_line(const struct pt_functions *l, size_t i, size_t *len)
{
	return line_of(l, l->chosen ? l->chosen[i] : i, len);
}

const char *pt_functions_text(const struct pt_functions *l, size_t *len)
{
	*len = l->text_len;
	return l->chosen ? NULL : l->text;
}

void pt_functions_deinit(struct pt_functions *l)
{
	if (l->kept.data)
		pt_kept_release(&l->kept);
	if (l->kept_mangled.data)
		pt_kept_release(&l->kept_mangled);
	free(l->chosen);
	free(l->own.entries);
	free(l->own.mangled_at);
	pt_buf_deinit(&l->own.text);
	pt_buf_deinit(&l->own.mangled);
	*l = (struct pt_functions){ .nr = 0 };
}
