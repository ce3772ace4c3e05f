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

static void descend(struct vars_place *p, Dwarf_Die *parent, const char *func, unsigned *keep)
{
	Dwarf_Die d, best;
	unsigned budget = 1 << 20;
	bool found;

	do {
		found = false;
		if (dwarf_child(parent, &d))
			return;
		do {
			int tag = dwarf_tag(&d);

			if (tag == DW_TAG_namespace || tag == DW_TAG_structure_type || tag == DW_TAG_class_type) {
				Dwarf_Die inner = d;
				unsigned before = p->scope.nr_scopes;

				if (p->scope.nr_scopes < VARS_SCOPES && budget > 1000)
					descend(p, &inner, func, keep);
				if (p->scope.nr_scopes > before)
					return;
			}
			if ((tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block) && dwarf_haspc(&d, p->scope.vaddr) > 0) {
				best = d;
				found = true;
				break;
			}
		} while (--budget && !dwarf_siblingof(&d, &d));
		if (!found || p->scope.nr_scopes == VARS_SCOPES)
			return;
		p->scopes[p->scope.nr_scopes++] = best;
		if (dwarf_tag(&best) == DW_TAG_lexical_block) {
			if (*keep == p->scope.nr_scopes - 1)
				*keep = p->scope.nr_scopes;
		} else if (func && pt_type_die_name(&best) && !strcmp(pt_type_die_name(&best), func)) {
			*keep = p->scope.nr_scopes;
		}
		*parent = best;
	} while (budget);
}

bool vars_at(struct vars_place *p, Dwarf *dw, struct pt_object *o, uint64_t vaddr, const char *func)
{
	Dwarf_CU *c = NULL;
	Dwarf_Die cu, sub, at;
	Dwarf_Addr low;
	unsigned keep = 0;

	*p = (struct vars_place){ .scope = { .vaddr = vaddr, .dw = dw } };
	vars_machine(&p->scope, o);
	p->scope.scopes = p->scopes;
	while (!dwarf_get_units(dw, c, &c, NULL, NULL, &cu, &sub)) {
		if (dwarf_haspc(&cu, vaddr) <= 0)
			continue;
		at = p->scope.cu = dwarf_tag(&sub) > 0 ? sub : cu;
		p->scope.has_cu = true;
		descend(p, &at, func, &keep);
		if (func)
			p->scope.nr_scopes = keep;
		if (!p->scope.nr_scopes)
			return false;
		p->scope.entry = !dwarf_entrypc(&p->scopes[0], &low) && low == vaddr;
		p->scope.body_vaddr = body(&cu, &p->scopes[0]);
		return true;
	}
	return false;
}
