#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "probe/functions_priv.h"

/* Of so many names the middle one is that of all, nearly; the strings of the next few are fetched while one is looked at. */
enum { SAMPLES = 63, AHEAD = 8 };

/* The names below a string, or those from there on: a part of the list. */
struct part {
	const struct pt_fn_both *b;
	const struct pt_text_item *pivot;	/* NULL: all */
	bool above;
	struct pt_text_item *v;
	size_t nr;
	uint32_t *entries, *mangled_at;
	size_t nr_entries;
	struct pt_buf text, mangled;
};

static bool is_above(const struct pt_text_item *x, const struct pt_text_item *pivot)
{
	return x->key == pivot->key ? strcmp(x->s, pivot->s) >= 0 : x->key > pivot->key;
}

/* Its names; how many bytes they have in all. */
static size_t take(struct part *p)
{
	const struct pt_fn_both *b = p->b;
	size_t k, i, bytes = 0;

	p->v = pt_realloc(NULL, b->ns[0].nr + b->ns[1].nr, sizeof(*p->v));
	for (k = 0; k < PT_NR(b->ns); k++) {
		const struct pt_fn_names *ns = &b->ns[k];

		for (i = 0; i < ns->nr; i++) {
			p->v[p->nr] = ns->v[i];
			p->nr += !p->pivot || is_above(&ns->v[i], p->pivot) == p->above;
		}
		bytes += ns->bytes;
	}
	return p->pivot ? bytes / 2 : bytes;
}

static const char *symbol_of(const struct pt_fn_name *n, size_t *len)
{
	*len = n->symbol ? n->symbol_len : n->len;
	return n->symbol ? n->symbol : n->shown;
}

static int by_symbol(const void *a, const void *b)
{
	size_t x_len, y_len;
	const char *x = symbol_of(pt_fn_name_of(a), &x_len), *y = symbol_of(pt_fn_name_of(b), &y_len);

	return x_len == y_len ? memcmp(x, y, x_len) : x_len < y_len ? -1 : 1;
}

/* Each once. */
static void add_symbols(struct part *p, struct pt_text_item *v, size_t nr)
{
	size_t i, len;

	if (nr > 1)
		qsort(v, nr, sizeof(*v), by_symbol);
	for (i = 0; i < nr; i++) {
		const char *s = symbol_of(pt_fn_name_of(&v[i]), &len);

		if ((i && !by_symbol(&v[i - 1], &v[i])) || p->mangled.len + len + 1 >= PT_FN_TEXT_MAX)
			continue;
		pt_buf_add(&p->mangled, s, len);
		pt_buf_putc(&p->mangled, '\0');
	}
}

/* One function of all the names that read the same. False: there is no more room. */
static bool add_entry(struct part *p, struct pt_text_item *v, size_t nr)
{
	const struct pt_fn_name *first = pt_fn_name_of(&v[0]), *n;
	size_t at = p->text.len, i;
	bool inlined = true, ifunc = false, others = false;

	for (i = 0; i < nr; i++) {
		n = pt_fn_name_of(&v[i]);
		inlined = inlined && n->inlined;
		ifunc = ifunc || n->ifunc;
		others = others || n->symbol;
	}
	if (at + first->len + sizeof(PT_FN_INLINED_MARK "\n") >= PT_FN_TEXT_MAX)
		return false;
	pt_buf_add(&p->text, first->shown, first->len);
	if (inlined)
		pt_buf_add(&p->text, PT_FN_INLINED_MARK "\n", sizeof(PT_FN_INLINED_MARK));
	else
		pt_buf_putc(&p->text, '\n');
	p->mangled_at[p->nr_entries] = (uint32_t)p->mangled.len;
	p->entries[p->nr_entries++] = (uint32_t)at | (inlined ? PT_FN_INLINED : 0) | (ifunc ? PT_FN_IFUNC : 0);
	if (others)
		add_symbols(p, v, nr);
	return true;
}

static bool same(const struct pt_text_item *a, const struct pt_text_item *b)
{
	const struct pt_fn_name *x = pt_fn_name_of(a), *y = pt_fn_name_of(b);

	return x->len == y->len && !memcmp(x->shown, y->shown, x->len);
}

static void make(void *arg)
{
	struct part *p = arg;
	size_t from, to;

	pt_buf_grow(&p->text, take(p));
	pt_sort_texts(p->v, p->nr);
	p->entries = pt_realloc(NULL, p->nr, sizeof(*p->entries));
	p->mangled_at = pt_realloc(NULL, p->nr + 1, sizeof(*p->mangled_at));
	for (from = 0; from < p->nr; from = to) {
		if (from + AHEAD < p->nr)
			__builtin_prefetch(pt_fn_name_of(&p->v[from + AHEAD]));
		for (to = from + 1; to < p->nr && same(&p->v[from], &p->v[to]); to++)
			;
		if (!add_entry(p, p->v + from, to - from))
			break;
	}
	p->mangled_at[p->nr_entries] = (uint32_t)p->mangled.len;
	free(p->v);
}

/* In the middle of all names, by a sample. */
static void find_pivot(const struct pt_fn_both *b, struct pt_text_item *pivot)
{
	size_t i, at, all = b->ns[0].nr + b->ns[1].nr;
	struct pt_text_item v[SAMPLES];

	for (i = 0; i < SAMPLES; i++) {
		at = all / SAMPLES * i;
		v[i] = at < b->ns[0].nr ? b->ns[0].v[at] : b->ns[1].v[at - b->ns[0].nr];
	}
	pt_sort_texts(v, SAMPLES);
	*pivot = v[SAMPLES / 2];
	pivot->key = pt_text_key(pivot->s);
}

/* The second part behind the first one. */
static void join(struct part *a, struct part *b)
{
	size_t i, room = PT_FN_TEXT_MAX - 1 - a->text.len;

	while (b->nr_entries && (b->text.len > room || a->mangled.len + b->mangled.len >= PT_FN_TEXT_MAX)) {
		b->text.len = PT_FN_AT(b->entries[--b->nr_entries]);
		b->mangled.len = b->mangled_at[b->nr_entries];
	}
	a->entries = pt_realloc(a->entries, a->nr_entries + b->nr_entries, sizeof(*a->entries));
	a->mangled_at = pt_realloc(a->mangled_at, a->nr_entries + b->nr_entries + 1, sizeof(*a->mangled_at));
	for (i = 0; i < b->nr_entries; i++)
		a->entries[a->nr_entries + i] = b->entries[i] + (uint32_t)a->text.len;
	for (i = 0; i <= b->nr_entries; i++)
		a->mangled_at[a->nr_entries + i] = b->mangled_at[i] + (uint32_t)a->mangled.len;
	a->nr_entries += b->nr_entries;
	pt_buf_add(&a->text, pt_buf_str(&b->text), b->text.len);
	pt_buf_add(&a->mangled, pt_buf_str(&b->mangled), b->mangled.len);
	free(b->entries);
	free(b->mangled_at);
	pt_buf_deinit(&b->text);
	pt_buf_deinit(&b->mangled);
}

void pt_fn_table(struct pt_functions *l, const struct pt_fn_both *b)
{
	bool two = b->two && b->ns[0].nr + b->ns[1].nr > SAMPLES;
	struct pt_text_item pivot;
	struct part parts[2] = { { .b = b, .pivot = two ? &pivot : NULL }, { .b = b, .pivot = &pivot, .above = true } };

	if (two) {
		find_pivot(b, &pivot);
		pt_fn_run(make, &parts[0], &parts[1], true);
		join(&parts[0], &parts[1]);
	} else {
		make(&parts[0]);
	}
	l->own_entries = parts[0].entries;
	l->own_mangled_at = parts[0].mangled_at;
	l->nr_entries = parts[0].nr_entries;
	l->own_text = parts[0].text;
	l->own_mangled = parts[0].mangled;
	l->entries = l->own_entries;
	l->text = pt_buf_str(&l->own_text);
	l->text_len = l->own_text.len;
	l->mangled_at = l->own_mangled.len ? l->own_mangled_at : NULL;
	l->mangled = pt_buf_str(&l->own_mangled);
	l->mangled_len = l->own_mangled.len;
}
