#include "code/inlines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"

enum { MAX_DEPTH = 256, MAX_UNITS = 1 << 20 };

struct range { uint64_t lo, hi; uint32_t index; };	/* sorted by lo; index of what it belongs to */

struct ranges { struct range *v; size_t nr, cap; };

struct node {				/* an inlined subroutine within a function; node 0 is the function */
	Dwarf_Die die;
	int32_t parent;
	uint32_t line;
	uint16_t depth;
	const char *name;		/* NULL until asked for */
	bool linkage, named;
};

struct function {
	Dwarf_Die die;
	struct node *nodes;		/* NULL until an address in it is asked for */
	size_t nr_nodes, cap_nodes;
	struct ranges ranges;		/* of the nodes */
};

struct unit {
	Dwarf_Die die;			/* of the split unit's, when it is split */
	bool read;
	struct function *functions;
	size_t nr, cap;
	struct ranges ranges;		/* of the functions */
};

struct pt_inlines {
	struct pt_object *debug;
	struct pt_mapfile file;		/* the object's file, as libelf wants it */
	Elf *elf;
	Dwarf *dwarf;
	bool tried;
	struct unit *units;
	size_t nr, cap;
	struct ranges ranges;		/* of the units */
	uint64_t budget;		/* entries and ranges that may still be read: a sound file has fewer than half its bytes; a hostile one has loops */
};

struct pt_inlines *pt_inlines_new(struct pt_object *debug)
{
	struct pt_inlines *in = pt_alloc(sizeof(*in));

	in->debug = pt_object_get(debug);
	in->file.slot = in->file.fd = -1;
	return in;
}

void pt_inlines_free(struct pt_inlines *in)
{
	size_t i, k;

	if (!in)
		return;
	for (i = 0; i < in->nr; i++) {
		for (k = 0; k < in->units[i].nr; k++) {
			free(in->units[i].functions[k].nodes);
			free(in->units[i].functions[k].ranges.v);
		}
		free(in->units[i].functions);
		free(in->units[i].ranges.v);
	}
	free(in->units);
	free(in->ranges.v);
	dwarf_end(in->dwarf);
	elf_end(in->elf);
	pt_mapfile_close(&in->file);
	pt_object_put(in->debug);
	free(in);
}

static void add_ranges(struct pt_inlines *in, struct ranges *r, Dwarf_Die *die, uint32_t index)
{
	Dwarf_Addr base, lo, hi;
	ptrdiff_t off = 0;

	while (in->budget && (off = dwarf_ranges(die, off, &base, &lo, &hi)) > 0) {
		in->budget--;
		if (lo >= hi || !lo)	/* thrown away by the linker */
			continue;
		PT_GROW(r->v, r->nr, r->cap);
		r->v[r->nr++] = (struct range){ lo, hi, index };
	}
}

static int by_lo(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return x->lo != y->lo ? (x->lo > y->lo) - (x->lo < y->lo) : (x->index > y->index) - (x->index < y->index);
}

static void sort(struct ranges *r)
{
	if (r->nr)
		qsort(r->v, r->nr, sizeof(*r->v), by_lo);
}

/* Index of what covers the address, -1 when nothing does. Ranges of units and functions hardly overlap: a few back are looked at. */
static int64_t find(const struct ranges *r, uint64_t vaddr)
{
	size_t lo = 0, hi = r->nr, look;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (r->v[mid].lo <= vaddr)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (look = 0; look < 16 && lo > look; look++)
		if (vaddr < r->v[lo - 1 - look].hi)
			return r->v[lo - 1 - look].index;
	return -1;
}

static void open_dwarf(struct pt_inlines *in)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die, sub;
	uint8_t type;

	in->tried = true;
	in->budget = in->debug->file.len_bytes * 4 + 65536;	/* sections may be compressed */
	elf_version(EV_CURRENT);
	if (pt_mapfile_open_private(&in->file, &in->debug->file, in->debug->path, NULL) < 0)
		return;
	in->elf = elf_memory((char *)in->file.data, in->file.len_bytes);
	in->dwarf = in->elf ? dwarf_begin_elf(in->elf, DWARF_C_READ, NULL) : NULL;
	if (!in->dwarf)
		return;
	while (in->nr < MAX_UNITS && dwarf_get_units(in->dwarf, cu, &cu, NULL, &type, &die, &sub) == 0) {
		if (type != DW_UT_compile && type != DW_UT_skeleton)
			continue;
		add_ranges(in, &in->ranges, &die, (uint32_t)in->nr);
		PT_GROW(in->units, in->nr, in->cap);
		in->units[in->nr++] = (struct unit){ .die = type == DW_UT_skeleton && dwarf_tag(&sub) != DW_TAG_invalid ? sub : die };
	}
	sort(&in->ranges);
}

/* Nonzero: there is none. One that does not stand further on would be a loop. */
static int next_sibling(struct pt_inlines *in, Dwarf_Die *die)
{
	Dwarf_Off before = dwarf_dieoffset(die);
	int rc = dwarf_siblingof(die, die);

	if (rc || !in->budget || dwarf_dieoffset(die) <= before)
		return rc ? rc : 1;
	in->budget--;
	return 0;
}

/* The functions of a unit, also those within namespaces, classes and functions. */
static void read_functions(struct pt_inlines *in, struct unit *u)
{
	Dwarf_Die stack[MAX_DEPTH];
	int depth = 0;
	int rc = dwarf_child(&u->die, &stack[0]);

	u->read = true;
	while (rc == 0 && depth >= 0) {
		Dwarf_Die *die = &stack[depth];
		bool descend = false;

		switch (dwarf_tag(die)) {
		case DW_TAG_subprogram:
			if (dwarf_hasattr(die, DW_AT_low_pc) || dwarf_hasattr(die, DW_AT_ranges)) {
				add_ranges(in, &u->ranges, die, (uint32_t)u->nr);
				PT_GROW(u->functions, u->nr, u->cap);
				u->functions[u->nr++] = (struct function){ .die = *die };
				descend = true;
			}
			break;
		case DW_TAG_namespace:
		case DW_TAG_class_type:
		case DW_TAG_structure_type:
		case DW_TAG_union_type:
		case DW_TAG_module:
		case DW_TAG_lexical_block:
			descend = true;
			break;
		}
		if (descend && depth + 1 < MAX_DEPTH && dwarf_child(die, &stack[depth + 1]) == 0) {
			depth++;
			continue;
		}
		while (depth >= 0 && (rc = next_sibling(in, &stack[depth])) != 0)
			depth--;
	}
	sort(&u->ranges);
}

static uint32_t call_line(Dwarf_Die *die)
{
	Dwarf_Attribute a;
	Dwarf_Word v;

	return dwarf_attr(die, DW_AT_call_line, &a) && dwarf_formudata(&a, &v) == 0 ? (uint32_t)v : 0;
}

/* The inlined subroutines of a function, flattened, each with its parent. */
static void read_inlines(struct pt_inlines *in, struct function *f)
{
	struct { Dwarf_Die die; int32_t node; } stack[MAX_DEPTH];
	int depth = 0, rc;

	PT_GROW(f->nodes, f->nr_nodes, f->cap_nodes);
	f->nodes[f->nr_nodes++] = (struct node){ .die = f->die, .parent = -1 };
	rc = dwarf_child(&f->die, &stack[0].die);
	stack[0].node = 0;
	while (rc == 0 && depth >= 0) {
		Dwarf_Die *die = &stack[depth].die;
		int32_t parent = stack[depth].node, node = parent;
		bool descend = false;

		switch (dwarf_tag(die)) {
		case DW_TAG_inlined_subroutine:
			node = (int32_t)f->nr_nodes;
			add_ranges(in, &f->ranges, die, (uint32_t)node);
			PT_GROW(f->nodes, f->nr_nodes, f->cap_nodes);
			f->nodes[f->nr_nodes] = (struct node){ .die = *die, .parent = parent, .line = call_line(die) };
			f->nodes[f->nr_nodes].depth = (uint16_t)(f->nodes[parent].depth + 1);
			f->nr_nodes++;
			descend = true;
			break;
		case DW_TAG_lexical_block:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
			descend = true;
			break;
		}
		if (descend && depth + 1 < MAX_DEPTH && dwarf_child(die, &stack[depth + 1].die) == 0) {
			stack[++depth].node = node;
			continue;
		}
		while (depth >= 0 && (rc = next_sibling(in, &stack[depth].die)) != 0)
			depth--;
	}
}

static void name_node(struct node *n)
{
	Dwarf_Attribute a;
	const char *s = NULL;

	n->named = true;
	if (dwarf_attr_integrate(&n->die, DW_AT_linkage_name, &a) || dwarf_attr_integrate(&n->die, DW_AT_MIPS_linkage_name, &a))
		s = dwarf_formstring(&a);
	n->linkage = s;
	if (!s && dwarf_attr_integrate(&n->die, DW_AT_name, &a))
		s = dwarf_formstring(&a);
	n->name = s ? s : "??";
}

size_t pt_inlines_at(struct pt_inlines *in, uint64_t vaddr, struct pt_inline *out, size_t max)
{
	struct function *f;
	struct unit *u;
	int64_t i, best = 0;
	size_t k, nr = 0;

	if (!in->tried)
		open_dwarf(in);
	i = find(&in->ranges, vaddr);
	if (i < 0)
		return 0;
	u = &in->units[i];
	if (!u->read)
		read_functions(in, u);
	i = find(&u->ranges, vaddr);
	if (i < 0)
		return 0;
	f = &u->functions[i];
	if (!f->nodes)
		read_inlines(in, f);
	for (k = 0; k < f->ranges.nr; k++)
		if (vaddr >= f->ranges.v[k].lo && vaddr < f->ranges.v[k].hi && f->nodes[f->ranges.v[k].index].depth > f->nodes[best].depth)
			best = f->ranges.v[k].index;
	for (; best >= 0 && nr < max; best = f->nodes[best].parent) {
		struct node *n = &f->nodes[best];

		if (!n->named)
			name_node(n);
		out[nr++] = (struct pt_inline){ n->name, n->linkage, NULL, 0 };
	}
	return nr;
}
