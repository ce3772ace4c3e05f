#include "code/dwarf_abbrev.h"

#include <dwarf.h>

#include "base/mem.h"

bool pt_dw_is_c(uint16_t language)
{
	return language == DW_LANG_C || language == DW_LANG_C89 || language == DW_LANG_C99 || language == DW_LANG_C11 || language == DW_LANG_Mips_Assembler;
}

/* In some way, those of the compilers known. */
bool pt_dw_holds_functions(uint16_t tag, bool c)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
		return true;
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_interface_type:
		return !c;
	}
	return false;
}

static void jump_to_sibling(struct pt_dw_unit *dw, const struct pt_dw_die *die, struct pt_bytes *b, uint64_t *depth)
{
	struct pt_dw_unit *to;
	const uint8_t *p;
	uint64_t off;

	++*depth;
	if (!pt_dw_has(die, PT_DW_SIBLING) || !pt_dw_reference(dw, die->form[PT_DW_SIBLING], die->v[PT_DW_SIBLING], &to, &off) || to != dw)
		return;
	p = dw->file->sections[PT_DW_INFO].data + off;
	if (p < b->at || p > b->end)
		return;
	b->at = p;
	--*depth;
}

/* What functions may be in, or stepped over. */
static void into(const struct pt_dw_die *die, bool c, struct pt_bytes *b, uint64_t *depth)
{
	if (!die->children)
		return;
	if (pt_dw_has(die, PT_DW_DECLARATION) || (!pt_dw_has_code(die) && c))
		jump_to_sibling(die->unit, die, b, depth);
	else
		++*depth;
}

struct near { const uint64_t *places; size_t nr, i; const uint8_t *data; };

/* None of the places is in the entry at `at` nor below it: b, behind its code, is behind all of it then. */
static bool step_over(struct near *n, struct pt_dw_unit *dw, const struct pt_dw_abbrev *a, const uint8_t *at, struct pt_bytes *b)
{
	uint64_t off = (uint64_t)(at - n->data);
	struct pt_bytes to = *b;

	while (n->i < n->nr && n->places[n->i] < off)
		n->i++;
	if (n->i < n->nr && n->places[n->i] == off)
		return false;
	if (n->i == n->nr) {
		b->at = b->end;
		return true;
	}
	if (!a->children)
		pt_dw_die_skip_quick(dw, a, &to);
	else
		pt_dw_die_skip_tree(dw, a, &to);
	if (to.bad || n->places[n->i] < (uint64_t)(to.at - n->data))
		return false;
	*b = to;
	return true;
}

static void functions(struct pt_dw_unit *dw, struct near *n, bool (*each)(void *arg, const struct pt_dw_die *die, const struct pt_dw_around *around), void *arg)
{
	struct pt_dw_around around = { .nr = 0 };
	const uint8_t *data;
	struct pt_dw_die die;
	struct pt_bytes b;
	uint64_t depth = 0;
	bool c;

	if (!pt_dw_unit_open(dw, NULL))
		return;
	c = pt_dw_is_c(dw->language);
	b = pt_dw_unit_bytes(dw, dw->first);
	data = b.at - dw->first;
	if (n)
		n->data = data;
	do {
		const uint8_t *at = b.at;
		uint64_t code = pt_bytes_uleb(&b);
		const struct pt_dw_abbrev *a = code ? pt_dw_abbrev_quick(dw, code) : NULL;

		if (!code) {
			depth -= depth > 0;
			continue;
		}
		if (!a)
			break;
		if (n && depth && step_over(n, dw, a, at, &b))
			continue;
		if (a->tag == DW_TAG_subprogram) {
			die.off = (uint64_t)(at - data);
			pt_dw_die_read(dw, a, &b, &die);
			around.nr = (unsigned)PT_MIN(depth, (uint64_t)PT_DW_AROUND);
			if (!b.bad && !each(arg, &die, &around))
				break;
			if (depth < PT_DW_AROUND)
				around.off[depth] = die.off;
			into(&die, c, &b, &depth);
		} else if (!depth || pt_dw_holds_functions(a->tag, c)) {
			if (depth < PT_DW_AROUND)
				around.off[depth] = (uint64_t)(at - data);
			pt_dw_die_skip(dw, a, &b);
			depth += a->children;
		} else {
			pt_dw_die_skip_tree(dw, a, &b);
		}
	} while (depth && !b.bad && b.at < b.end && pt_dw_pay(dw->file->dwarf, 4));
}

void pt_dw_functions(struct pt_dw_unit *dw, bool (*each)(void *arg, const struct pt_dw_die *die, const struct pt_dw_around *around), void *arg)
{
	functions(dw, NULL, each, arg);
}

void pt_dw_functions_near(struct pt_dw_unit *dw, const uint64_t *places, size_t nr, bool (*each)(void *arg, const struct pt_dw_die *die, const struct pt_dw_around *around), void *arg)
{
	struct near n = { .places = places, .nr = nr };

	functions(dw, &n, each, arg);
}
