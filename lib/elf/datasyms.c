#include "elf/datasyms.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/choice.h"
#include "base/mem.h"
#include "base/search.h"

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

static void read_table(struct pt_datasyms *d, const struct pt_object *o, const struct pt_section *s)
{
	size_t one = o->is64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym),
	       nr = PT_MIN(s->len_bytes / one, (uint64_t)MAX_SYMBOLS), i;
	struct pt_section strings;

	if (!s->data || !pt_object_section_at(o, s->link, &strings, NULL) || !strings.data)
		return;
	for (i = 1; i < nr; i++) {
		const uint8_t *p = s->data + i * one;
		uint32_t name = pt_load32(p, o->swap);
		uint8_t info = p[o->is64 ? 4 : 12];
		uint16_t section = pt_load16(p + (o->is64 ? 6 : 14), o->swap);
		uint64_t vaddr = o->is64 ? pt_load64(p + 8, o->swap) : pt_load32(p + 4, o->swap);
		uint64_t size = o->is64 ? pt_load64(p + 16, o->swap) : pt_load32(p + 8, o->swap);

		if ((info & 15) != STT_OBJECT || section == SHN_UNDEF || section == SHN_ABS ||
		    !name || name >= strings.len_bytes ||
		    !memchr(strings.data + name, 0, strings.len_bytes - name) ||
		    !strings.data[name])
			continue;
		PT_GROW(d->v, d->nr, d->cap);
		d->v[d->nr++] =
			(struct datum){ { vaddr, vaddr + size < vaddr ? vaddr : vaddr + size,
					  (const char *)strings.data + name },
					info >> 4 };
	}
}

struct pt_datasyms *pt_datasyms_new(const struct pt_object *o)
{
	struct pt_datasyms *d = pt_alloc(sizeof(*d));
	struct pt_section s;
	size_t i, out = 0;

	if (pt_object_section(o, ".symtab", &s) || pt_object_section(o, ".dynsym", &s))
		read_table(d, o, &s);
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
