#include "probe/where/instances.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "dwarf/dwarf.h"
#include "elf/names.h"
#include "probe/spec/match.h"
#include "probe/target/source.h"

enum { MAX_INSTANCES = 1 << 20, BLOCK_BITS = 6, MAX_STEPS = 32 };

struct finder {
	struct pt_instances *is;
	struct pt_target *target;
	struct pt_match match;		/* without `want`: all functions with code */
	const char *file;
	struct pt_map known;		/* entries of functions: 1 does not match, 2 matches */
	uint8_t *may;			/* strings may have the word: a bit for each block */
	struct pt_buf name;		/* scratch */
	struct pt_tree work;		/* the tree at hand */
	bool inlined;			/* the unit has matching functions that may be inlined */
	/* the unit's functions with code */
	struct { uint64_t off; bool matches; } *functions;
	size_t nr_functions, cap_functions;
};

/* The abstract origin: the same for all instances. */
static uint64_t identity(const struct pt_dw_die *die)
{
	struct pt_dw_die at = *die;
	int step;

	for (step = 0; step < MAX_STEPS && pt_dw_origin(&at, &at); step++)
		;
	return pt_dw_key(at.unit, at.off);
}

/* Matches a name with the namespaces and types around it, for functions without a mangled name
 * (gcc's, in unnamed namespaces). */
static bool matches_within(struct finder *f, const struct pt_dw_die *die, const char *plain,
			   const struct pt_dw_around *around)
{
	struct pt_dw_die at;
	const char *name;

	pt_buf_clear(&f->name);
	for (unsigned i = 1; i < around->nr; i++)
		if (pt_dw_die_at(die->unit, around->off[i], &at) &&
		    (at.tag == DW_TAG_namespace || at.tag == DW_TAG_class_type ||
		     at.tag == DW_TAG_structure_type || at.tag == DW_TAG_union_type ||
		     at.tag == DW_TAG_module)) {
			name = pt_dw_plain_name(&at);
			if (name || at.tag == DW_TAG_namespace)
				pt_buf_printf(&f->name,
					      "%s::", name ? name : "(anonymous namespace)");
		}
	pt_buf_puts(&f->name, plain);
	return pt_match_name(&f->match, f->name.data, false);
}

static bool is_mangled(const char *name)
{
	return !strncmp(name, "_Z", 2) || !strncmp(name, "_R", 2);
}

/* Marks the blocks of .debug_str from where a string begins to where it has the word which each
 * match contains. */
static void find_word(struct finder *f)
{
	struct pt_dw_file *file = f->target->dwarf->main;
	struct pt_bytes all = pt_dw_bytes(file, PT_DW_STR, 0, UINT64_MAX);
	size_t bytes = pt_bytes_left(&all), len = strlen(f->match.word);
	const uint8_t *from = all.at, *at, *nul;

	f->may = pt_alloc((bytes >> BLOCK_BITS) / 8 + 1);
	if (!pt_dw_pay(file->dwarf, bytes))
		return;
	for (; (at = memmem(from, (size_t)(all.end - from), f->match.word, len)); from = at + 1) {
		nul = memrchr(from, 0, (size_t)(at - from));
		for (size_t i = (size_t)((nul ? nul : from) - all.at) >> BLOCK_BITS;
		     i <= (size_t)(at - all.at) >> BLOCK_BITS; i++)
			f->may[i / 8] |= (uint8_t)(1 << i % 8);
	}
}

/* False: the string lacks the word. */
static bool may(void *arg, const struct pt_dw_unit *u, uint64_t off)
{
	struct finder *f = arg;
	const struct pt_dw_file *file = f->target->dwarf->main;
	uint64_t block = off >> BLOCK_BITS;

	if (!f->match.word || u->file != file)
		return true;
	if (!f->may)
		find_word(f);
	return off >= file->sections[PT_DW_STR].len || f->may[block / 8] >> block % 8 & 1;
}

/* False: no name of the entry and of its origins has the word. Strings are not looked at. */
static bool may_match(struct finder *f, const struct pt_dw_die *die)
{
	static const enum pt_dw_slot names[] = { PT_DW_NAME, PT_DW_LINKAGE };
	struct pt_dw_die at = *die;

	for (int step = 0; step < MAX_STEPS; step++) {
		for (size_t i = 0; i < PT_NR(names); i++)
			if (pt_dw_has(&at, names[i]) && (at.form[names[i]] != DW_FORM_strp ||
							 may(f, at.unit, at.v[names[i]])))
				return true;
		if (!pt_dw_origin(&at, &at))
			return false;
	}
	return false;
}

static bool instances_matches(struct finder *f, const struct pt_dw_die *die,
			      const struct pt_dw_around *around)
{
	struct pt_dw_name n = pt_dw_name(die);
	const char *plain = NULL, *file;
	uint32_t line;

	if (!n.name)
		return false;
	if (!pt_match_name(&f->match, n.name, n.linkage)) {
		/* Linkage names that are not mangled (Fortran's, those of asm("...")), or that lack
		 * template arguments (Rust's). */
		bool mangled = n.linkage && is_mangled(n.name);

		if (n.linkage && (f->match.templates || !mangled))
			plain = pt_dw_plain_name(die);
		if (!(plain && pt_match_name(&f->match, plain, false)) &&
		    !(!mangled && f->match.scoped && around && around->nr > 1 &&
		      matches_within(f, die, plain ? plain : n.name, around)))
			return false;
	}
	return !f->file || (pt_source_declared(f->target, die, &file, &line) && file &&
			    pt_source_is(file, f->file));
}

static bool instances_is_wanted(struct finder *f, struct pt_dw_unit *u, uint64_t off)
{
	uint64_t *slot = pt_map_put(&f->known, pt_dw_key(u, off));
	struct pt_dw_die die;

	if (!*slot)
		*slot = pt_dw_die_at(u, off, &die) && instances_matches(f, &die, NULL) ? 2 : 1;
	return *slot == 2;
}

static const char *source_name(struct pt_instances *is, const struct pt_dw_die *die)
{
	struct pt_buf b = PT_BUF_INIT;
	struct pt_dw_name n = pt_dw_name(die);
	const char *plain = pt_dw_plain_name(die), *name;

	if (n.linkage && pt_demangle(n.name, &b))
		name = pt_names_add(is->names, b.data, b.len);
	else
		name = plain ? plain : n.name ? n.name : "??";
	pt_buf_deinit(&b);
	return name;
}

static bool instances_number(Dwarf_Die *die, unsigned name, Dwarf_Word *v)
{
	Dwarf_Attribute a;

	return dwarf_attr_integrate(die, name, &a) && !dwarf_formudata(&a, v);
}

/* gcc splits functions of which only the first part is worth inlining. Where the rest is inlined
 * again, the "call" has the line and column of the function's declaration. (A one-line function
 * that calls itself has another column.) */
static bool instances_is_part(struct pt_target *t, const struct pt_tree *tree,
			      const struct pt_instance *in)
{
	const struct pt_tree_scope *s = &tree->v[in->scope], *around;
	Dwarf_Word call, declared;
	struct pt_dw_die die;
	Dwarf_Die d;
	Dwarf *dw;

	if (!in->scope || !in->line || s->call_line != in->line || tree->unit->skeleton)
		return false;
	around = &tree->v[pt_tree_function(tree, s->parent)];
	if (around == tree->v ? !pt_dw_die_at(tree->unit, around->off, &die)
			      : !around->origin_unit || !pt_dw_die_at(around->origin_unit,
								      around->origin_off, &die))
		return false;
	return identity(&die) == in->origin && (dw = pt_target_dw(t, NULL)) &&
	       dwarf_offdie(dw, s->off, &d) && instances_number(&d, DW_AT_call_column, &call) &&
	       instances_number(&d, DW_AT_decl_column, &declared) && call == declared;
}

static void instances_add(struct pt_instances *is, struct pt_target *t, struct pt_tree *tree,
			  size_t scope)
{
	const struct pt_tree_scope *s = &tree->v[scope];
	struct pt_instance in = { .tree = tree, .scope = scope, .name = "??" };
	struct pt_dw_die die;

	is->empty += !s->has_entry;
	if (!s->has_entry || is->nr >= MAX_INSTANCES)
		return;
	if (s->tag == DW_TAG_inlined_subroutine
		    ? s->origin_unit && pt_dw_die_at(s->origin_unit, s->origin_off, &die)
		    : pt_dw_die_at(tree->unit, s->off, &die)) {
		in.name = source_name(is, &die);
		in.origin = identity(&die);
		if (!pt_source_declared(t, &die, &in.file, &in.line))
			in.line = 0;
		in.part = instances_is_part(t, tree, &in);
	}
	PT_GROW(is->v, is->nr, is->cap);
	is->v[is->nr++] = in;
}

/* Moves the tree at hand into the list. */
static struct pt_tree *instances_hold(struct pt_instances *is, struct pt_tree *work)
{
	struct pt_tree *t = pt_memdup(work, sizeof(*work));

	*work = (struct pt_tree){ .unit = NULL };
	PT_GROW(is->trees, is->nr_trees, is->cap_trees);
	is->trees[is->nr_trees++] = t;
	return t;
}

static bool instances_see(void *arg, const struct pt_dw_die *die, const struct pt_dw_around *around)
{
	struct finder *f = arg;
	bool is_match = f->match.want && may_match(f, die) && instances_matches(f, die, around),
	     code = pt_dw_has_code(die);

	if (code) {
		PT_GROW(f->functions, f->nr_functions, f->cap_functions);
		f->functions[f->nr_functions].off = die->off;
		f->functions[f->nr_functions++].matches = is_match;
	}
	if (is_match) {
		*pt_map_put(&f->known, pt_dw_key(die->unit, die->off)) = 2;
		f->is->declared = true;
		f->inlined |= !code && !pt_dw_has(die, PT_DW_DECLARATION);
	}
	return true;
}

/* Looks through a unit's functions for inlined instances. */
static void look_inside(struct finder *f, struct pt_dw_unit *u, bool all)
{
	for (size_t i = 0; i < f->nr_functions; i++) {
		struct pt_tree *held = NULL, *tree = &f->work;
		bool own = f->functions[i].matches;

		if ((!own && !all) || !pt_tree_read(tree, u, f->functions[i].off))
			continue;
		for (size_t k = 0; k < tree->nr && (!k || all); k++) {
			const struct pt_tree_scope *s = &tree->v[k];

			if (k ? s->tag != DW_TAG_inlined_subroutine || !s->origin_unit ||
					!instances_is_wanted(f, s->origin_unit, s->origin_off)
			      : !own)
				continue;
			if (!held)
				tree = held = instances_hold(f->is, tree);
			instances_add(f->is, f->target, tree, k);
		}
	}
}

void pt_instances_init(struct pt_instances *is)
{
	*is = (struct pt_instances){ .names = pt_names_new() };
}

void pt_instances_find(struct pt_instances *is, struct pt_target *t, const char *func,
		       const char *file)
{
	struct finder f = { .is = is, .target = t, .file = file };
	struct pt_target_units units = { .next = 0 };

	pt_instances_init(is);
	pt_match_init(&f.match, func);
	while (t->dwarf && pt_target_next_unit(t, &units)) {
		f.inlined = false;
		f.nr_functions = 0;
		pt_dw_functions(units.unit, may, instances_see, &f);
		look_inside(&f, units.unit,
			    f.inlined || pt_dw_refers_out(units.unit, DW_TAG_inlined_subroutine));
	}
	pt_match_deinit(&f.match);
	free(f.may);
	pt_map_deinit(&f.known);
	pt_tree_deinit(&f.work);
	pt_buf_deinit(&f.name);
	free(f.functions);
}

bool pt_instances_at(struct pt_instances *is, struct pt_target *t, uint64_t vaddr)
{
	struct pt_tree work = { .unit = NULL };
	struct pt_dw_unit *unit;
	uint64_t off;

	pt_instances_init(is);
	if (t->inlines && pt_inlines_function_at(t->inlines, vaddr, &unit, &off) &&
	    pt_tree_read(&work, unit, off)) {
		struct pt_tree *tree = instances_hold(is, &work);

		instances_add(is, t, tree,
			      pt_tree_function(tree, pt_tree_innermost(tree, 0, vaddr, false)));
	}
	pt_tree_deinit(&work);
	return is->nr;
}

void pt_instances_in(struct pt_instances *is, struct pt_target *t, struct pt_dw_unit *unit,
		     bool (*each)(void *arg, const struct pt_tree *tree), void *arg)
{
	struct finder f = { .is = is, .target = t };
	struct pt_tree *tree;
	size_t k;

	pt_dw_functions(unit, NULL, instances_see, &f);
	for (size_t i = 0; i < f.nr_functions; i++) {
		if (!pt_tree_read(&f.work, unit, f.functions[i].off) || !each(arg, &f.work))
			continue;
		tree = instances_hold(is, &f.work);
		for (k = 0; k < tree->nr; k++)
			if (pt_tree_function(tree, k) == k)
				instances_add(is, t, tree, k);
	}
	pt_tree_deinit(&f.work);
	free(f.functions);
}

void pt_instances_deinit(struct pt_instances *is)
{
	for (size_t i = 0; i < is->nr_trees; i++) {
		pt_tree_deinit(is->trees[i]);
		free(is->trees[i]);
	}
	free(is->trees);
	free(is->v);
	if (is->names)
		pt_names_free(is->names);
	*is = (struct pt_instances){ .v = NULL };
}
