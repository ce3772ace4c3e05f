#include <dwarf.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/text.h"
#include "elf/elfsyms.h"
#include "elf/names.h"
#include "probe/where/functions_priv.h"

enum { MAX_FUNCTIONS = 1 << 23 };

struct name {
	const char *symbol;		/* the symbol, if it is shown otherwise; else NULL */
	uint32_t len;
	bool inlined, ifunc;
	char shown[];			/* demangled and escaped */
};

struct reader {
	struct pt_arena arena;		/* of the names */
	struct name **v;		/* may contain duplicates */
	size_t nr, cap;
	size_t text_bytes, symbol_bytes;
	struct pt_map seen;		/* hashes of mangled names and of inlined names */
	struct pt_buf demangled, plain;	/* scratch */
};

static bool is_new(struct reader *r, const char *s, size_t len)
{
	uint64_t *seen = pt_map_put(&r->seen, pt_hash_quick(s, len));

	return !(*seen)++;
}

static void add(struct reader *r, const char *s, bool inlined, bool ifunc)
{
	size_t len = strlen(s), shown_len = len;
	const char *shown = s;
	struct name *n;

	/* A mangled name is often in several tables, and is slow to demangle. */
	if ((s[0] == '_' || inlined) && !is_new(r, s, len))
		return;
	pt_buf_clear(&r->demangled);
	if (s[0] == '_' && pt_demangle(s, &r->demangled)) {
		shown = r->demangled.data;
		shown_len = r->demangled.len;
	}
	if (pt_text_ascii(shown, shown_len) < shown_len) {
		pt_buf_clear(&r->plain);
		pt_text_plain(&r->plain, shown, shown_len);
		shown = r->plain.data;
		shown_len = r->plain.len;
	}
	r->text_bytes += shown_len + sizeof(PT_FN_INLINED_MARK);
	r->symbol_bytes += len + 1;
	if (r->nr >= MAX_FUNCTIONS || r->text_bytes >= PT_FN_TEXT_MAX ||
	    r->symbol_bytes >= PT_FN_TEXT_MAX)
		return;
	n = pt_arena_alloc(&r->arena, sizeof(*n) + shown_len + 1);
	*n = (struct name){ .len = (uint32_t)shown_len, .inlined = inlined, .ifunc = ifunc };
	if (shown != s)
		n->symbol = pt_arena_strndup(&r->arena, s, len);
	memcpy(n->shown, shown, shown_len);
	n->shown[shown_len] = '\0';
	PT_GROW(r->v, r->nr, r->cap);
	r->v[r->nr++] = n;
}

static bool symbol(void *arg, const struct pt_elfsym *s)
{
	if (s->vaddr)
		add(arg, s->name, false, s->type == STT_GNU_IFUNC);
	return true;
}

/* Only functions that are inlined somewhere: those with code have symbols. */
static bool inlined_function(void *arg, const struct pt_dw_die *die,
			     const struct pt_dw_around *around)
{
	struct pt_dw_name n;

	(void)around;
	if (!pt_dw_has(die, PT_DW_INLINE) || (die->v[PT_DW_INLINE] != DW_INL_inlined &&
					      die->v[PT_DW_INLINE] != DW_INL_declared_inlined))
		return true;
	n = pt_dw_name(die);
	if (n.name && *n.name)
		add(arg, n.name, true, false);
	return true;
}

/* False: some units are in files of their own. */
static bool read_units(struct reader *r, struct pt_dw_file *f)
{
	struct pt_dw_unit *u, *before = NULL;
	bool whole = true;
	size_t i;

	for (i = 0; (u = pt_dw_unit_nr(f, i)); i++) {
		if (u->type == DW_UT_type || u->type == DW_UT_split_type ||
		    !pt_dw_unit_open(u, NULL))
			continue;
		whole = whole && !u->dwo_name;
		u = pt_dw_unit_split(u);
		if (!pt_dw_unit_open(u, NULL))
			continue;
		if (before && before->abbrevs != u->abbrevs)
			pt_dw_abbrevs_drop(before);
		before = u;
		if (pt_dw_any_has(u, DW_TAG_subprogram, PT_DW_INLINE))
			pt_dw_functions(u, inlined_function, r);
	}
	return whole;
}

static const char *symbol_of(const struct name *n)
{
	return n->symbol ? n->symbol : n->shown;
}

static int by_symbol(const void *a, const void *b)
{
	return strcmp(symbol_of(*(struct name *const *)a), symbol_of(*(struct name *const *)b));
}

static int by_shown(const void *a, const void *b)
{
	return strcmp((*(struct name *const *)a)->shown, (*(struct name *const *)b)->shown);
}

/* Makes one function of all names that are shown as the same text. */
static void add_entry(struct pt_functions *l, struct name **v, size_t nr, bool mangled)
{
	bool inlined = true, ifunc = false, others = false;
	struct pt_buf *text = &l->own.text, *symbols = &l->own.mangled;
	size_t i;

	for (i = 0; i < nr; i++) {
		inlined &= v[i]->inlined;
		ifunc |= v[i]->ifunc;
		others |= v[i]->symbol != NULL;
	}
	l->own.entries[l->nr_entries] =
		(uint32_t)text->len | (inlined ? PT_FN_INLINED : 0) | (ifunc ? PT_FN_IFUNC : 0);
	pt_buf_add(text, v[0]->shown, v[0]->len);
	pt_buf_puts(text, inlined ? PT_FN_INLINED_MARK "\n" : "\n");
	l->own.mangled_at[l->nr_entries++] = (uint32_t)symbols->len;
	l->others |= others;
	if (!mangled || !others)
		return;
	if (nr > 1)
		qsort(v, nr, sizeof(*v), by_symbol);
	for (i = 0; i < nr; i++)
		if (!i || by_symbol(&v[i - 1], &v[i]))
			pt_buf_add(symbols, symbol_of(v[i]), strlen(symbol_of(v[i])) + 1);
}

static void make_list(struct pt_functions *l, struct reader *r, bool mangled)
{
	size_t from, to;

	if (r->nr)
		qsort(r->v, r->nr, sizeof(*r->v), by_shown);
	l->own.entries = pt_alloc_array(r->nr + 1, sizeof(*l->own.entries));
	l->own.mangled_at = pt_alloc_array(r->nr + 1, sizeof(*l->own.mangled_at));
	pt_buf_grow(&l->own.text, r->text_bytes);
	for (from = 0; from < r->nr; from = to) {
		for (to = from + 1; to < r->nr && !strcmp(r->v[from]->shown, r->v[to]->shown); to++)
			;
		add_entry(l, r->v + from, to - from, mangled);
	}
	l->own.mangled_at[l->nr_entries] = (uint32_t)l->own.mangled.len;
	l->entries = l->own.entries;
	l->text = l->own.text.data;
	l->text_len = l->own.text.len;
	if (!mangled || !l->others)
		return;
	l->mangled_at = l->own.mangled_at;
	l->mangled = l->own.mangled.data;
	l->mangled_len = l->own.mangled.len;
}

bool pt_fn_read(struct pt_functions *l, struct pt_target *t, bool inlined, bool mangled)
{
	struct reader r = { .nr = 0 };
	bool whole;

	pt_target_ask(t);
	pt_elfsyms_each(t->object, symbol, &r);
	if (t->debug && t->debug != t->object)
		pt_elfsyms_each(t->debug, symbol, &r);
	whole = !inlined || read_units(&r, t->dwarf->main);
	make_list(l, &r, mangled);
	free(r.v);
	pt_arena_deinit(&r.arena);
	pt_map_deinit(&r.seen);
	pt_buf_deinit(&r.demangled);
	pt_buf_deinit(&r.plain);
	return whole;
}
