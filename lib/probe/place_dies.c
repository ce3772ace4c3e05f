/* place_dies.c - the way from code/dwarf.h's entries to libdw's. */
#include <dwarf.h>

#include "probe/place.h"

/* libdw's unit that has an entry of ours: of a split one that which the skeleton leads to. */
static int unit_of(Dwarf *dw, const struct pt_dw_unit *u, Dwarf_Die *cu, struct pt_err *e)
{
	const struct pt_dw_unit *root = u->skeleton ? u->skeleton : u;
	Dwarf_Die split, *die;
	Dwarf_Half version;
	uint8_t type;

	if (!dwarf_offdie(dw, root->first, cu))
		return pt_err_set(e, "libdw: %s", dwarf_errmsg(-1));
	if (!u->skeleton)
		return 0;
	die = cu;
	if (dwarf_cu_info(die->cu, &version, &type, NULL, &split, NULL, NULL, NULL) < 0)
		return pt_err_set(e, "libdw: %s", dwarf_errmsg(-1));
	if (!split.addr)
		return pt_err_set(e, "types and variables are in a package (.dwp), which libdw does not read here: keep the .dwo files");
	*cu = split;
	return 0;
}

int pt_place_dies(struct pt_target *t, const struct pt_place *p, struct pt_place_dies *d, struct pt_err *e)
{
	Dwarf *dw;
	unsigned i;

	if (!p->unit)
		return pt_target_no_debug(t, e);
	dw = pt_target_dw(t, e);
	if (!dw || unit_of(dw, p->unit, &d->cu, e) < 0)
		return -1;
	if (p->unit->skeleton)
		dw = dwarf_cu_getdwarf(d->cu.cu);
	for (i = 0; i < p->nr_scopes; i++)
		if (!dwarf_offdie(dw, p->scopes[i], &d->scopes[i]))
			return pt_err_set(e, "libdw: %s", dwarf_errmsg(-1));
	d->nr_scopes = p->nr_scopes;
	d->func = d->scopes[0];
	d->scope = d->scopes[p->nr_scopes - 1];
	return 0;
}
