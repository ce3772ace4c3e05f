#include "elf/datasyms.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/choice.h"
#include "base/mem.h"
#include "base/search.h"
#include "elf/symbols.h"

enum { MAX_SYMBOLS = 1 << 24 };

struct datum { struct pt_symbol s; uint8_t bind; };

struct pt_datasyms { struct datum *v; size_t nr, cap; };

static struct pt_choice choice(const struct datum *d)
{
	return (struct pt_choice){ d->s.name, d->s.end > d->s.vaddr, d->bind == STB_WEAK,
				   d->bind == STB_GLOBAL };
}

static int better_first(const void *a, const void *b)
{
	const struct datum *x = a, *y = b;
	struct pt_choice cx = choice(x), cy = choice(y);

	if (x->s.vaddr != y->s.vaddr)
		return x->s.vaddr < y->s.vaddr ? -1 : 1;
	return pt_choice_better(&cx, &cy) ? -1 : pt_choice_better(&cy, &cx);
}

static void read_table(struct pt_datasyms *d, const struct pt_symbols *t)
{
	uint64_t nr = PT_MIN(t->nr, (uint64_t)MAX_SYMBOLS), i;

	for (i = 1; i < nr; i++) {
		struct pt_elf_symbol x;
		const char *name;

		pt_symbols_read(t, i, &x);
		if (x.type != STT_OBJECT || x.section == SHN_UNDEF || x.section == SHN_ABS)
			continue;
		name = x.name ? pt_symbols_name(t, &x, NULL) : NULL;
		if (!name || !*name)
			continue;
		PT_GROW(d->v, d->nr, d->cap);
		d->v[d->nr++] = (struct datum){
			{ x.vaddr, PT_MAX(x.vaddr, x.vaddr + x.size), name }, x.bind
		};
	}
}

struct pt_datasyms *pt_datasyms_new(const struct pt_object *o)
{
	struct pt_datasyms *d = pt_alloc(sizeof(*d));
	struct pt_symbols t;
	size_t i, out = 0;

	if (pt_symbols_open(&t, o, ".symtab") || pt_symbols_open(&t, o, ".dynsym"))
		read_table(d, &t);
	pt_symbols_close(&t);
	if (d->nr)
		qsort(d->v, d->nr, sizeof(*d->v), better_first);
	for (i = 0; i < d->nr; i++)
		if (!out || d->v[out - 1].s.vaddr != d->v[i].s.vaddr)
			d->v[out++] = d->v[i];
	d->nr = out;
	for (i = 0; i < d->nr; i++)
		if (d->v[i].s.end == d->v[i].s.vaddr)
			d->v[i].s.end =
				i + 1 < d->nr ? d->v[i + 1].s.vaddr : (d->v[i].s.vaddr | 4095) + 1;
	return d;
}

void pt_datasyms_free(struct pt_datasyms *d)
{
	if (!d)
		return;
	free(d->v);
	free(d);
}

size_t pt_datasyms_nr(const struct pt_datasyms *d)
{
	return d->nr;
}

bool pt_datasyms_find(const struct pt_datasyms *d, uint64_t vaddr, struct pt_symbol *s)
{
	size_t past = PT_LEADING(d->nr, i, d->v[i].s.vaddr <= vaddr);

	if (!past || vaddr >= d->v[past - 1].s.end)
		return false;
	*s = d->v[past - 1].s;
	return true;
}
