/* Which BPF program was at a kernel address at a time (KSYMBOL records): programs are loaded where
 * others were unloaded. They are numbered here and named in frames_kernel.c. */
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

uint64_t pt_ksymbols_see(struct pt_ksymbols *k, uint64_t addr, uint64_t end, bool gone)
{
	size_t at = first_behind(k, addr), over = 0;

	if (end <= addr)
		return 0;
	while (at + over < k->nr && k->spans[at + over].addr < end)
		over++;
	/* later samples may still be its own, until the last CPU has left it */
	if (gone && over) {
		k->spans[at].gone |= k->spans[at].addr == addr;
		return 0;
	}
	if (k->nr == k->cap)
		PT_GROW(k->spans, k->nr, k->cap);
	memmove(k->spans + at + 1, k->spans + at + over, (k->nr - at - over) * sizeof(*k->spans));
	k->nr += 1 - over;
	k->spans[at] = (struct pt_ksymbol_span){ addr, end, ++k->numbers, gone };
	return k->numbers;
}

uint64_t pt_ksymbols_tag(const struct pt_ksymbols *k, uint64_t addr)
{
	size_t i = k->nr && addr >= k->spans[0].addr ? first_behind(k, addr) : k->nr;

	return i < k->nr && k->spans[i].addr <= addr ? k->spans[i].number << 1 | k->spans[i].gone
						     : 0;
}
