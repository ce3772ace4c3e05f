#include "vars.h"

#include <dwarf.h>
#include <elf.h>
#include <string.h>

void vars_machine(struct pt_var_scope *s, struct pt_object *o)
{
	size_t i;

	s->object = o;
	s->machine = o->machine;
	s->word_bytes = o->is64 ? 8 : 4;
	s->big_endian = o->swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	s->file_off = s->vaddr;
	for (i = 0; i < o->nr_segments; i++)
		if (o->segments[i].flags & PF_X && s->vaddr - o->segments[i].vaddr < o->segments[i].file_bytes)
			s->file_off = s->vaddr - o->segments[i].vaddr + o->segments[i].off;
}

/* The function's second row in the line table, or the one that says so. */
static uint64_t body(Dwarf_Die *cu, Dwarf_Die *f)
{
	Dwarf_Lines *lines;
	Dwarf_Addr low, addr, found = 0;
	size_t nr, i;

	if (dwarf_entrypc(f, &low) || dwarf_getsrclines(cu, &lines, &nr))
		return 0;
	for (i = 0; i < nr; i++) {
		Dwarf_Line *l = dwarf_onesrcline(lines, i);
		bool end = false;

		if (!l || dwarf_lineaddr(l, &addr) || addr < low || dwarf_haspc(f, addr) <= 0)
			continue;
		if (!dwarf_lineprologueend(l, &end) && end)
			return addr;
		if (addr > low && !found)
			found = addr;
	}
	return found;
}

/* The function out of line that holds the place, wherever it stands: in namespaces, classes, or (a lambda's) in another function that does not. */
static bool outermost(Dwarf_Die *parent, uint64_t vaddr, unsigned depth, unsigned *left, Dwarf_Die *out)
{
	Dwarf_Die d;

	if (depth > 16 || dwarf_child(parent, &d))
		return false;
	do {
		int tag = dwarf_tag(&d);

		if (!*left || !--*left)
			return false;
		if (tag == DW_TAG_subprogram && dwarf_haspc(&d, vaddr) > 0) {
			*out = d;
			return true;
		}
		if ((tag == DW_TAG_subprogram || tag == DW_TAG_namespace || tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_lexical_block) &&
		    outermost(&d, vaddr, depth + 1, left, out))
			return true;
	} while (!dwarf_siblingof(&d, &d));
	return false;
}

/* Blocks and inlined functions that hold it, inwards. A function within the function is the one that holds it then. */
static bool inner(Dwarf_Die *parent, uint64_t vaddr, Dwarf_Die *out)
{
	unsigned budget = 1 << 20;
	Dwarf_Die d;

	if (dwarf_child(parent, &d))
		return false;
	do {
		int tag = dwarf_tag(&d);

		if ((tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block) && dwarf_haspc(&d, vaddr) > 0) {
			*out = d;
			return true;
		}
	} while (--budget && !dwarf_siblingof(&d, &d));
	return false;
}

static void descend(struct vars_place *p, const char *func)
{
	unsigned left = 1 << 20, keep = 0;
	Dwarf_Die d = p->scope.cu, at;
	bool found = outermost(&d, p->scope.vaddr, 0, &left, &at);

	for (; found && p->scope.nr_scopes < VARS_SCOPES; found = inner(&d, p->scope.vaddr, &at)) {
		if (dwarf_tag(&at) == DW_TAG_subprogram)
			p->scope.nr_scopes = 0;
		p->scopes[p->scope.nr_scopes++] = at;
		if (dwarf_tag(&at) == DW_TAG_lexical_block ? keep == p->scope.nr_scopes - 1 : func && pt_type_die_name(&at) && !strcmp(pt_type_die_name(&at), func))
			keep = p->scope.nr_scopes;
		d = at;
	}
	if (func)
		p->scope.nr_scopes = keep;
}

bool vars_at(struct vars_place *p, Dwarf *dw, struct pt_object *o, uint64_t vaddr, const char *func)
{
	Dwarf_CU *c = NULL;
	Dwarf_Die cu, sub;
	Dwarf_Addr low;

	*p = (struct vars_place){ .scope = { .vaddr = vaddr, .dw = dw } };
	vars_machine(&p->scope, o);
	p->scope.scopes = p->scopes;
	while (!dwarf_get_units(dw, c, &c, NULL, NULL, &cu, &sub)) {
		if (dwarf_haspc(&cu, vaddr) <= 0)
			continue;
		p->scope.cu = dwarf_tag(&sub) > 0 ? sub : cu;
		p->scope.has_cu = true;
		descend(p, func);
		if (!p->scope.nr_scopes)
			return false;
		p->scope.entry = !dwarf_entrypc(&p->scopes[0], &low) && low == vaddr;
		p->scope.body_vaddr = body(&cu, &p->scopes[0]);
		return true;
	}
	return false;
}
