/* place_dies.c - the way from dwarf/dwarf.h's entries to libdw's. */
#include "probe/target/dwo.h"
#include "probe/where/place.h"

/* A split unit: made a .dwo at its first use. */
static int made(struct pt_target *t, struct pt_dw_unit *u, Dwarf_Die *cu, struct pt_err *e)
{
	uint64_t *slot = pt_map_put(&t->dwos, (uint64_t)(uintptr_t)u);
	struct pt_dwo *d = (struct pt_dwo *)(uintptr_t)*slot;

	if (!d) {
		d = pt_dwo_new(u, e);
		if (!d)
			return -1;
		*slot = (uint64_t)(uintptr_t)d;
	}
	pt_dwo_unit(d, cu);
	return 0;
}

/* libdw's unit that has an entry of ours. *base: offsets of our entries count from there. */
static int unit_of(struct pt_target *t, Dwarf *dw, struct pt_dw_unit *u, Dwarf_Die *cu, uint64_t *base, struct pt_err *e)
{
	*base = 0;
	if (pt_dwo_needed(u)) {
		*base = pt_dwo_base(u);
		return made(t, u, cu, e);
	}
	return dwarf_offdie(dw, u->first, cu) ? 0 : pt_err_set(e, "libdw: %s", dwarf_errmsg(-1));
}

int pt_place_dies(struct pt_target *t, const struct pt_place *p, struct pt_place_dies *d, struct pt_err *e)
{
	Dwarf *dw;
	uint64_t base;
	unsigned i;

	if (!p->unit)
		return pt_target_no_debug(t, e);
	dw = pt_target_dw(t, e);
	if (!dw || unit_of(t, dw, p->unit, &d->cu, &base, e) < 0)
		return -1;
	if (p->unit->skeleton)
		dw = dwarf_cu_getdwarf(d->cu.cu);
	for (i = 0; i < p->nr_scopes; i++)
		if (!dwarf_offdie(dw, p->scopes[i] - base, &d->scopes[i]))
			return pt_err_set(e, "libdw: %s", dwarf_errmsg(-1));
	d->nr_scopes = p->nr_scopes;
	d->func = d->scopes[0];
	d->scope = d->scopes[p->nr_scopes - 1];
	return 0;
}

bool pt_place_split(void *target, Dwarf_Die *skeleton, Dwarf_Die *split)
{
	struct pt_target *t = target;
	struct pt_dw_unit *u = t->dwarf ? pt_dw_unit_at(t->dwarf->main, false, dwarf_dieoffset(skeleton)) : NULL;

	u = u ? pt_dw_unit_split(u) : NULL;
	return u && pt_dwo_needed(u) && !made(t, u, split, NULL);
}
