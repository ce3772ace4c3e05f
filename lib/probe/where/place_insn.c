/* place_insn.c - checks that an address given by number is an instruction's */
#include <inttypes.h>

#include "base/search.h"
#include "elf/insn.h"
#include "elf/symtab.h"
#include "probe/where/place_priv.h"
#include "probe/target/source.h"

enum { MAX_STEPS = 1 << 20 };

/* Decodes from an instruction on. False: the address is reached exactly. Otherwise *before and
 * *behind are the bounds of the instruction that contains it. */
static bool steps_over(const struct pt_target *t, uint64_t from, uint64_t vaddr, uint64_t *before,
		       uint64_t *behind)
{
	uint64_t left, at = from;
	const uint8_t *p = pt_object_from(t->object, from, &left);

	for (unsigned i = 0; p && at < vaddr && i < MAX_STEPS; i++) {
		size_t len = pt_insn_len(t->object->machine, p, left);

		if (!len)
			return false;
		*before = at;
		at += len;
		p += len;
		left -= len;
	}
	*behind = at;
	return p && at > vaddr;
}

/* The nearest row of the line table at or before the address; 0: none. */
static uint64_t row_before(struct pt_target *t, uint64_t vaddr)
{
	struct pt_dw_unit *unit;
	const struct pt_dw_row *rows;
	struct pt_dw_lines *l;
	size_t nr, past;
	uint64_t off;

	if (!t->inlines || !pt_inlines_function_at(t->inlines, vaddr, &unit, &off) ||
	    !(l = pt_source_lines(t, unit)))
		return 0;
	rows = pt_dw_lines_around(l, vaddr, &nr);
	past = PT_LEADING(nr, i, rows[i].vaddr <= vaddr);
	return past ? rows[past - 1].vaddr : 0;
}

int pt_place_check(struct pt_finder *f, uint64_t start, uint64_t vaddr, struct pt_err *e)
{
	uint64_t before = 0, behind = 0, from = start, row;
	struct pt_symbol s;

	if (f->t->kernel)
		return 0;
	if (!from && pt_symtab_find(pt_symtab_of(f->t->object), vaddr, &s))
		from = s.vaddr;
	row = row_before(f->t, vaddr);
	/* Data in the code may mislead one of the two ways: both must agree. */
	if (!from && !row)
		return 0;
	if ((from && !steps_over(f->t, from, vaddr, &before, &behind)) ||
	    (row && !steps_over(f->t, row, vaddr, &before, &behind)))
		return 0;
	return pt_point_wrong(
		f->p, start ? f->p->at_off : f->p->at_func, e,
		start ? "%s is in the middle of an instruction: they begin at +%" PRIu64
			" and +%" PRIu64
		      : "%s is in the middle of an instruction: they begin at %#" PRIx64
			" and %#" PRIx64,
		f->p->text, before - start, behind - start);
}
