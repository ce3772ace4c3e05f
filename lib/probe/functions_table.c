#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "probe/functions_priv.h"

/* Of so many names the middle one is that of all, nearly; so many before a name is looked at, it is fetched. */
enum { SAMPLES = 63, AHEAD = 8 };

/* The names below a string, or those from there on: one part of the list, which stands in the memory of all at its place as if no name were there twice. */
struct part {
	struct pt_fn_both *b;
	const struct pt_text_item *pivot;	/* NULL: all */
	bool above;
	struct pt_fn_names *ns;		/* whose memory it takes */
	struct pt_functions *l;
	bool symbols_too, others;	/* others: some name stands otherwise than it is shown */
	struct pt_text_item *v;
	size_t nr;
	size_t text_from, symbols_from, first;	/* where it stands */
	char *text, *symbols;		/* as far as written */
	size_t nr_entries;
};

static bool is_above(const struct pt_text_item *x, const struct pt_text_item *pivot)
{
	return x->key == pivot->key ? strcmp(x->s, pivot->s) >= 0 : x->key > pivot->key;
}

/* Its names, and how much the others in front of them need. */
static void take(struct part *p)
{
	size_t all = p->b->ns[0].nr + p->b->ns[1].nr, k, i, len;
	const struct pt_fn_chunk *c;

	p->v = pt_arena_alloc(&p->ns->own, (all + 1) * sizeof(*p->v));
	for (k = 0; k < PT_NR(p->b->ns); k++)
		for (c = p->b->ns[k].first; c; c = c->next)
			for (i = 0; i < c->nr; i++) {
				bool mine = !p->pivot || is_above(&c->v[i], p->pivot) == p->above;

				p->v[p->nr] = c->v[i];
				p->nr += mine;
				if (!mine && p->above) {
					const struct pt_fn_name *n = pt_fn_name_of(&c->v[i]);

					pt_fn_symbol(n, &len);
					p->text_from += n->len + (n->inlined ? sizeof(PT_FN_INLINED_MARK) : 1);
					p->symbols_from += len + 1;
					p->first++;
				}
			}
	pt_arena_cut(&p->ns->own, p->v, p->nr * sizeof(*p->v));
}

static int by_symbol(const void *a, const void *b)
{
	size_t x_len, y_len;
	const char *x = pt_fn_symbol(pt_fn_name_of(a), &x_len), *y = pt_fn_symbol(pt_fn_name_of(b), &y_len);

	return x_len == y_len ? memcmp(x, y, x_len) : x_len < y_len ? -1 : 1;
}

/* Each once. */
static void add_symbols(struct part *p, struct pt_text_item *v, size_t nr)
{
	size_t i, len;

	if (nr > 1)
		qsort(v, nr, sizeof(*v), by_symbol);
	for (i = 0; i < nr; i++) {
		const char *s = pt_fn_symbol(pt_fn_name_of(&v[i]), &len);

		if (i && !by_symbol(&v[i - 1], &v[i]))
			continue;
		memcpy(p->symbols, s, len);
		p->symbols[len] = '\0';
		p->symbols += len + 1;
	}
}

/* One function of all the names that read the same. */
static void add_entry(struct part *p, struct pt_text_item *v, size_t nr)
{
	const struct pt_fn_name *first = pt_fn_name_of(&v[0]), *n;
	size_t entry = p->first + p->nr_entries++, i;
	bool inlined = true, ifunc = false, others = false;

	for (i = 0; i < nr; i++) {
		n = pt_fn_name_of(&v[i]);
		inlined = inlined && n->inlined;
		ifunc = ifunc || n->ifunc;
		others = others || n->other;
	}
	p->l->own.entries[entry] = (uint32_t)(p->text - p->l->own.text) | (inlined ? PT_FN_INLINED : 0) | (ifunc ? PT_FN_IFUNC : 0);
	memcpy(p->text, first->shown, first->len);
	p->text += first->len;
	if (inlined) {
		memcpy(p->text, PT_FN_INLINED_MARK, sizeof(PT_FN_INLINED_MARK) - 1);
		p->text += sizeof(PT_FN_INLINED_MARK) - 1;
	}
	*p->text++ = '\n';
	p->others |= others;
	if (!p->symbols_too)
		return;
	p->l->own.mangled_at[entry] = (uint32_t)(p->symbols - p->l->own.mangled);
	if (others)
		add_symbols(p, v, nr);
}

static bool same(const struct pt_text_item *a, const struct pt_text_item *b)
{
	const struct pt_fn_name *x = pt_fn_name_of(a), *y = pt_fn_name_of(b);

	return x->len == y->len && !memcmp(x->shown, y->shown, x->len);
}

/* Records first, then what they point to. */
static void fetch(const struct part *p, size_t i)
{
	const struct pt_fn_name *n;
	size_t len;

	if (i + 2 * AHEAD < p->nr) {
		__builtin_prefetch(pt_fn_name_of(&p->v[i + 2 * AHEAD]));
		__builtin_prefetch(p->v[i + 2 * AHEAD].s + 48);
	}
	if (i + AHEAD < p->nr) {
		n = pt_fn_name_of(&p->v[i + AHEAD]);
		if (n->other && p->symbols_too)
			__builtin_prefetch(pt_fn_symbol(n, &len));
	}
}

static void make(void *arg)
{
	struct part *p = arg;
	size_t from, to;

	take(p);
	pt_sort_texts(p->v, p->nr, pt_arena_alloc(&p->ns->own, p->nr * sizeof(*p->v)));
	p->text = p->l->own.text + p->text_from;
	p->symbols = p->l->own.mangled + p->symbols_from;
	for (from = 0; from < p->nr; from = to) {
		fetch(p, from);
		for (to = from + 1; to < p->nr && same(&p->v[from], &p->v[to]); to++)
			;
		add_entry(p, p->v + from, to - from);
	}
}

static const struct pt_text_item *number(const struct pt_fn_both *b, size_t i)
{
	const struct pt_fn_names *ns = &b->ns[i >= b->ns[0].nr];
	const struct pt_fn_chunk *c = ns->first;

	for (i -= ns == b->ns ? 0 : b->ns[0].nr; i >= c->nr; c = c->next)
		i -= c->nr;
	return &c->v[i];
}

/* In the middle of all names, by a sample. */
static void find_pivot(const struct pt_fn_both *b, struct pt_text_item *pivot)
{
	size_t i, all = b->ns[0].nr + b->ns[1].nr;
	struct pt_text_item v[SAMPLES];

	for (i = 0; i < SAMPLES; i++)
		v[i] = *number(b, all / SAMPLES * i);
	pt_sort_texts(v, SAMPLES, NULL);
	*pivot = v[SAMPLES / 2];
	pivot->key = pt_text_key(pivot->s);
}

/* One piece of memory for all that the list may have: what is not written takes none. */
static void make_room(struct pt_functions *l, const struct pt_fn_both *b)
{
	size_t nr = b->ns[0].nr + b->ns[1].nr, text = b->ns[0].text_bytes + b->ns[1].text_bytes, symbols = b->ns[0].symbol_bytes + b->ns[1].symbol_bytes;

	l->own.bytes = (2 * nr + 1) * sizeof(uint32_t) + text + symbols + 1;
	l->own.huge = b->many;
	l->own.entries = b->many ? pt_map_huge(l->own.bytes) : pt_realloc(NULL, 1, l->own.bytes);
	l->own.mangled_at = l->own.entries + nr;
	l->own.text = (char *)(l->own.mangled_at + nr + 1);
	l->own.mangled = l->own.text + text;
}

/* The second part to the end of the first one: names that were there twice left room. */
static void join(struct part *a, struct part *b)
{
	struct pt_functions *l = a->l;
	size_t text = (size_t)(b->text - l->own.text) - b->text_from, symbols = (size_t)(b->symbols - l->own.mangled) - b->symbols_from, i;
	uint32_t less_text = (uint32_t)(b->text_from - (size_t)(a->text - l->own.text)), less_symbols = (uint32_t)(b->symbols_from - (size_t)(a->symbols - l->own.mangled));

	if (less_text)
		memmove(a->text, l->own.text + b->text_from, text);
	if (less_symbols && a->symbols_too)
		memmove(a->symbols, l->own.mangled + b->symbols_from, symbols);
	for (i = 0; (less_text || less_symbols || b->first != a->nr_entries) && i < b->nr_entries; i++) {
		l->own.entries[a->nr_entries + i] = l->own.entries[b->first + i] - less_text;
		if (a->symbols_too)
			l->own.mangled_at[a->nr_entries + i] = l->own.mangled_at[b->first + i] - less_symbols;
	}
	a->text += text;
	a->symbols += symbols;
	a->nr_entries += b->nr_entries;
	a->others |= b->others;
}

void pt_fn_table(struct pt_functions *l, struct pt_fn_both *b, bool mangled)
{
	bool two = b->two && b->ns[0].nr + b->ns[1].nr > SAMPLES;
	struct pt_text_item pivot;
	struct part parts[2] = { { .b = b, .pivot = two ? &pivot : NULL, .ns = &b->ns[0], .l = l, .symbols_too = mangled },
				 { .b = b, .pivot = &pivot, .above = true, .ns = &b->ns[1], .l = l, .symbols_too = mangled } };

	make_room(l, b);
	if (two) {
		find_pivot(b, &pivot);
		pt_fn_run(b, make, &parts[0], &parts[1]);
		join(&parts[0], &parts[1]);
	} else {
		make(&parts[0]);
	}
	l->nr_entries = parts[0].nr_entries;
	l->entries = l->own.entries;
	l->text = l->own.text;
	l->text_len = (size_t)(parts[0].text - l->own.text);
	l->others = parts[0].others;
	if (!mangled || !l->others)
		return;
	l->own.mangled_at[l->nr_entries] = (uint32_t)(parts[0].symbols - l->own.mangled);
	l->mangled_at = l->own.mangled_at;
	l->mangled = l->own.mangled;
	l->mangled_len = (size_t)(parts[0].symbols - l->own.mangled);
}
