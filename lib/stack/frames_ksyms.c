/* BPF programs at kernel addresses over time (KSYMBOL records): programs are loaded where others
 * were unloaded. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/search.h"
#include "stack/frames_priv.h"

/* The first span that ends behind the address. */
static size_t first_behind(const struct pt_ksymbols *k, uint64_t addr)
{
	return PT_LEADING(k->nr, i, k->spans[i].end <= addr);
}

void pt_ksymbols_feed(struct pt_ksymbols *k, const struct pt_record *rec)
{
	uint64_t addr = rec->u.ksymbol.addr, end = addr + rec->u.ksymbol.len_bytes;
	size_t at = first_behind(k, addr), over = 0;
	bool gone = rec->u.ksymbol.flags & 1;

	if (end <= addr)
		return;
	while (at + over < k->nr && k->spans[at + over].addr < end)
		over++;
	/* later samples may still be its own, until the last CPU has left it */
	if (gone && over) {
		k->spans[at].gone |= k->spans[at].addr == addr;
		return;
	}
	k->start = k->nr_programs ? PT_MIN(k->start, addr) : addr;
	k->end = PT_MAX(k->end, end);
	/* if its end comes first, it existed before the recording */
	PT_GROW(k->programs, k->nr_programs, k->cap_programs);
	k->programs[k->nr_programs++] =
		(struct pt_ksymbol){ addr, end, pt_strdup(rec->u.ksymbol.name), gone };
	PT_GROW(k->spans, k->nr, k->cap);
	memmove(k->spans + at + 1, k->spans + at + over, (k->nr - at - over) * sizeof(*k->spans));
	k->nr += 1 - over;
	k->spans[at] = (struct pt_ksymbol_span){ addr, end, k->nr_programs, gone };
}

void pt_ksymbols_deinit(struct pt_ksymbols *k)
{
	while (k->nr_programs)
		free(k->programs[--k->nr_programs].name);
	free(k->programs);
	free(k->spans);
}

uint64_t pt_ksymbols_tag(const struct pt_ksymbols *k, uint64_t addr)
{
	size_t i = k->nr && addr >= k->spans[0].addr ? first_behind(k, addr) : k->nr;

	return i < k->nr && k->spans[i].addr <= addr ? k->spans[i].number << 1 | k->spans[i].gone
						     : 0;
}

const struct pt_ksymbol *pt_ksymbols_find(const struct pt_ksymbols *k, uint64_t addr, uint64_t tag)
{
	size_t i;

	if (tag)
		return tag >> 1 <= k->nr_programs ? &k->programs[(tag >> 1) - 1] : NULL;
	for (i = 0; addr >= k->start && addr < k->end && i < k->nr_programs; i++)
		if (addr >= k->programs[i].addr && addr < k->programs[i].end)
			return k->programs[i].before ? &k->programs[i] : NULL;
	return NULL;
}
