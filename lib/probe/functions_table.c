#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sorttext.h"
#include "base/text.h"
#include "code/names.h"
#include "probe/functions_priv.h"

/* Names that are demangled at once; for how many a thread is worth it. */
enum { AT_ONCE = 64, WORTH = 1000 };

struct showing {
	const struct pt_fn_names *ns;
	const char **shown;		/* as the source has them */
	atomic_size_t *next;
	struct pt_arena text;
};

static void show(void *arg)
{
	struct showing *s = arg;
	struct pt_buf b = PT_BUF_INIT, plain = PT_BUF_INIT;
	size_t i, end, len;

	while ((i = atomic_fetch_add(s->next, AT_ONCE)) < s->ns->nr)
		for (end = PT_MIN(i + AT_ONCE, s->ns->nr); i < end; i++) {
			const struct pt_fn_name *n = &s->ns->v[i];
			bool demangled;

			pt_buf_clear(&b);
			demangled = n->mangled && n->s[0] == '_' && pt_demangle(n->s, &b);
			len = demangled ? b.len : strlen(n->s);
			s->shown[i] = demangled ? b.data : n->s;
			if (pt_text_ascii(s->shown[i], len) < len) {
				pt_buf_clear(&plain);
				pt_text_plain(&plain, s->shown[i], len);
				s->shown[i] = plain.data;
				len = plain.len;
			}
			if (s->shown[i] != n->s)
				s->shown[i] = pt_arena_memdup(&s->text, s->shown[i], len + 1);
		}
	pt_buf_deinit(&b);
	pt_buf_deinit(&plain);
}

static void add_others(struct pt_functions *l, const struct pt_fn_names *ns, const uint32_t *order, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		const char *s = ns->v[order[i]].s;
		size_t len = strlen(s) + 1;

		if (l->own_mangled.len + len < PT_FN_TEXT_MAX)
			pt_buf_add(&l->own_mangled, s, len);
	}
}

/* One function of all the names that read the same. False: there is no more room. */
static bool add_entry(struct pt_functions *l, const struct pt_fn_names *ns, const char *const *shown, const uint32_t *order, size_t nr)
{
	const char *name = shown[order[0]];
	size_t at = l->own_text.len, len = strlen(name), i;
	bool inlined = true, ifunc = false, others = false;

	for (i = 0; i < nr; i++) {
		inlined = inlined && ns->v[order[i]].inlined;
		ifunc = ifunc || ns->v[order[i]].ifunc;
		others = others || shown[order[i]] != ns->v[order[i]].s;
	}
	if (at + len + sizeof(PT_FN_INLINED_MARK "\n") >= PT_FN_TEXT_MAX)
		return false;
	pt_buf_add(&l->own_text, name, len);
	pt_buf_puts(&l->own_text, inlined ? PT_FN_INLINED_MARK "\n" : "\n");
	l->own_mangled_at[l->nr_entries] = (uint32_t)l->own_mangled.len;
	l->own_entries[l->nr_entries++] = (uint32_t)at | (inlined ? PT_FN_INLINED : 0) | (ifunc ? PT_FN_IFUNC : 0);
	if (others)
		add_others(l, ns, order, nr);
	return true;
}

void pt_fn_table(struct pt_functions *l, const struct pt_fn_names *ns)
{
	const char **shown = pt_alloc_array(ns->nr, sizeof(*shown));
	uint32_t *order = pt_alloc_array(ns->nr, sizeof(*order));
	atomic_size_t next = 0;
	struct showing a = { .ns = ns, .shown = shown, .next = &next }, b = a;
	size_t from, to;

	pt_fn_both(show, &a, &b, ns->nr >= WORTH);
	pt_sort_texts(shown, ns->nr, order);
	l->own_entries = pt_alloc_array(ns->nr, sizeof(*l->own_entries));
	l->own_mangled_at = pt_alloc_array(ns->nr + 1, sizeof(*l->own_mangled_at));
	for (from = 0; from < ns->nr; from = to) {
		for (to = from + 1; to < ns->nr && !strcmp(shown[order[from]], shown[order[to]]); to++)
			;
		if (!add_entry(l, ns, shown, order + from, to - from))
			break;
	}
	l->own_mangled_at[l->nr_entries] = (uint32_t)l->own_mangled.len;
	pt_arena_deinit(&a.text);
	pt_arena_deinit(&b.text);
	free(order);
	free(shown);
	l->entries = l->own_entries;
	l->text = pt_buf_str(&l->own_text);
	l->text_len = l->own_text.len;
	l->mangled_at = l->own_mangled.len ? l->own_mangled_at : NULL;
	l->mangled = pt_buf_str(&l->own_mangled);
	l->mangled_len = l->own_mangled.len;
}
