#include "code/lines.h"

#include <elfutils/libdw.h>
#include <stdlib.h>

#include "base/mapfile.h"
#include "base/mem.h"

enum { MAX_UNITS = 1 << 20 };

struct pt_lines {
	struct pt_object *debug;
	struct pt_mapfile file;		/* the object's file, as libelf wants it */
	Elf *elf;
	Dwarf *dwarf;
	bool tried;
	struct span { uint64_t lo, hi; Dwarf_Die die; } *spans;	/* of the units, sorted */
	size_t nr, cap;
};

struct pt_lines *pt_lines_new(struct pt_object *debug)
{
	struct pt_lines *l = pt_alloc(sizeof(*l));

	l->debug = pt_object_get(debug);
	l->file.slot = l->file.fd = -1;
	return l;
}

void pt_lines_free(struct pt_lines *l)
{
	if (!l)
		return;
	dwarf_end(l->dwarf);
	elf_end(l->elf);
	pt_mapfile_close(&l->file);
	pt_object_put(l->debug);
	free(l->spans);
	free(l);
}

static int by_lo(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return (x->lo > y->lo) - (x->lo < y->lo);
}

static void open_dwarf(struct pt_lines *l)
{
	uint64_t budget = l->debug->file.len_bytes + 65536;	/* ranges that may be read: a sound file has fewer */
	Dwarf_CU *cu = NULL;
	Dwarf_Die die, sub;
	Dwarf_Addr base, lo, hi;
	ptrdiff_t off;
	uint8_t type;
	size_t units = 0;

	l->tried = true;
	elf_version(EV_CURRENT);
	if (pt_mapfile_open_private(&l->file, &l->debug->file, l->debug->path, NULL) < 0)
		return;
	l->elf = elf_memory((char *)l->file.data, l->file.len_bytes);
	l->dwarf = l->elf ? dwarf_begin_elf(l->elf, DWARF_C_READ, NULL) : NULL;
	while (l->dwarf && units++ < MAX_UNITS && dwarf_get_units(l->dwarf, cu, &cu, NULL, &type, &die, &sub) == 0)
		for (off = 0; budget && (off = dwarf_ranges(&die, off, &base, &lo, &hi)) > 0; budget--)
			if (lo && lo < hi) {
				PT_GROW(l->spans, l->nr, l->cap);
				l->spans[l->nr++] = (struct span){ lo, hi, die };
			}
	if (l->nr)
		qsort(l->spans, l->nr, sizeof(*l->spans), by_lo);
}

bool pt_lines_at(struct pt_lines *l, uint64_t vaddr, const char **file, uint32_t *line)
{
	size_t lo = 0, hi;
	Dwarf_Line *at;
	int nr = 0;

	if (!l->tried)
		open_dwarf(l);
	for (hi = l->nr; lo < hi; ) {
		size_t mid = lo + (hi - lo) / 2;

		if (l->spans[mid].lo <= vaddr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || vaddr >= l->spans[lo - 1].hi || !(at = dwarf_getsrc_die(&l->spans[lo - 1].die, vaddr)) || dwarf_lineno(at, &nr) || nr <= 0)
		return false;
	*file = dwarf_linesrc(at, NULL, NULL);
	*line = (uint32_t)nr;
	return *file != NULL;
}
