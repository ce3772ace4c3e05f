#include "dwarf/dwarf_priv.h"

#include <dwarf.h>

#include "base/mem.h"

enum { MAX_DEPTH = 1024 };

/* The language has no functions within types. */
static bool dwarf_walk_is_c(uint16_t language)
{
	return language == DW_LANG_C || language == DW_LANG_C89 || language == DW_LANG_C99 ||
	       language == DW_LANG_C11 || language == DW_LANG_Mips_Assembler;
}

static bool is_block(uint16_t tag)
{
	return tag == DW_TAG_lexical_block || tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

/* Entries of the tag may contain functions, with the compilers that are known. */
static bool may_hold_functions(uint16_t tag, bool c)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
		return true;
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_interface_type:
		return !c;
	}
	return is_block(tag);
}

/* Nothing in this function is wanted. */
static bool is_skipped(const struct pt_dw_abbrev *a, bool c)
{
	return a->children &&
	       (a->have >> PT_DW_DECLARATION & 1 || (!pt_dw_have_code(a->have) && c));
}

/* An entry without code, of which both names are at hand, and not wanted. */
static bool is_passed(const struct pt_dw_unit *u, const struct pt_dw_abbrev *a,
		      const struct pt_bytes *b,
		      bool (*may)(void *arg, const struct pt_dw_unit *unit, uint64_t off),
		      void *arg)
{
	const uint32_t others = 1u << PT_DW_ORIGIN | 1u << PT_DW_SPEC;
	uint64_t name, linkage;

	return may && !(a->have & others) && !pt_dw_have_code(a->have) &&
	       pt_dw_value_at(b, a->name, &name) && !may(arg, u, name) &&
	       (!(a->have >> PT_DW_LINKAGE & 1) ||
		(pt_dw_value_at(b, a->linkage, &linkage) && !may(arg, u, linkage)));
}

void pt_dw_functions(struct pt_dw_unit *dw,
		     bool (*may)(void *arg, const struct pt_dw_unit *unit, uint64_t off),
		     bool (*each)(void *arg, const struct pt_dw_die *die,
				  const struct pt_dw_around *around),
		     void *arg)
{
	struct pt_dw_around around = { .nr = 0 };
	const uint8_t *data;
	struct pt_dw_die die;
	struct pt_bytes b;
	uint64_t depth = 0;
	bool c;

	if (!pt_dw_unit_open(dw, NULL))
		return;
	c = dwarf_walk_is_c(dw->language);
	b = pt_dw_unit_bytes(dw, dw->first);
	data = b.at - dw->first;
	do {
		const uint8_t *at = b.at;
		uint64_t code = pt_bytes_uleb(&b);
		const struct pt_dw_abbrev *a = code ? pt_dw_abbrev(dw, code) : NULL;

		if (!code) {
			depth -= depth > 0;
			continue;
		}
		if (!a)
			break;
		if (a->tag == DW_TAG_subprogram) {
			struct pt_bytes attributes = b;

			die.off = (uint64_t)(at - data);
			if (is_passed(dw, a, &b, may, arg)) {
				pt_dw_die_skip(dw, a, &b);
			} else {
				pt_dw_die_read(dw, a, &b, &die);
				around.nr = (unsigned)PT_MIN(depth, (uint64_t)PT_DW_AROUND);
				if (!b.bad && !each(arg, &die, &around))
					break;
			}
			if (depth < PT_DW_AROUND)
				around.off[depth] = die.off;
			if (!b.bad && is_skipped(a, c)) {
				b = attributes;
				pt_dw_die_skip_tree(dw, a, &b);
			} else {
				depth += a->children;
			}
		} else if (a->children && depth && !may_hold_functions(a->tag, c)) {
			pt_dw_die_skip_tree(dw, a, &b);
		} else {
			if (depth < PT_DW_AROUND)
				around.off[depth] = (uint64_t)(at - data);
			pt_dw_die_skip(dw, a, &b);
			depth += a->children;
		}
	} while (depth && !b.bad && b.at < b.end && pt_dw_pay(dw->file->dwarf, 4));
}

bool pt_dw_scopes(struct pt_dw_unit *u, uint64_t off, bool blocks,
		  uint32_t (*each)(void *arg, const struct pt_dw_die *die, uint32_t parent),
		  void *arg)
{
	struct pt_bytes b = pt_dw_unit_bytes(u, off);
	const uint8_t *data = b.at - off;
	const struct pt_dw_abbrev *a = pt_dw_abbrev(u, pt_bytes_uleb(&b));
	struct pt_dw_die die = { .unit = u, .off = off };
	uint32_t parents[MAX_DEPTH], depth;
	bool found;

	if (a)
		pt_dw_die_read(u, a, &b, &die);
	found = a && !b.bad;
	parents[0] = each(arg, &die, PT_DW_NO_PARENT);
	for (depth = found && die.children;
	     depth && !b.bad && b.at < b.end && pt_dw_pay(u->file->dwarf, 4);) {
		const uint8_t *at = b.at;
		uint64_t code = pt_bytes_uleb(&b);

		if (!code) {
			depth--;
			continue;
		}
		a = pt_dw_abbrev(u, code);
		if (!a)
			break;
		if (depth == MAX_DEPTH ||
		    (a->tag != DW_TAG_inlined_subroutine && !is_block(a->tag))) {
			pt_dw_die_skip_tree(u, a, &b);
			continue;
		}
		parents[depth] = parents[depth - 1];
		if (a->tag == DW_TAG_inlined_subroutine || blocks) {
			die.off = (uint64_t)(at - data);
			pt_dw_die_read(u, a, &b, &die);
			if (!b.bad)
				parents[depth] = each(arg, &die, parents[depth - 1]);
		} else {
			pt_dw_die_skip(u, a, &b);
		}
		depth += a->children;
	}
	return found;
}
