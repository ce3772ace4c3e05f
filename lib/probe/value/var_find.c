#include "probe/value/var_priv.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "elf/symtab.h"

enum { MAX_CHILDREN = 1 << 20, MAX_PARTS = 16, MAX_DEPTH = 16 };

static bool is_function(int tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}
static bool var_find_is_variable(int tag)
{
	return tag == DW_TAG_variable || tag == DW_TAG_formal_parameter || tag == DW_TAG_constant;
}

bool pt_var_function(const struct pt_var_scope *s, Dwarf_Die *f, unsigned *index)
{
	for (*index = s->nr_scopes; (*index)-- > 0;) {
		*f = s->scopes[*index];
		if (is_function(dwarf_tag(f)))
			return true;
	}
	return false;
}

static bool var_find_same_name(const struct pt_var_scope *s, const char *a, const char *b)
{
	Dwarf_Die cu = s->cu;

	if (!a)
		return false;
	switch (pt_type_language(&cu)) {
	case DW_LANG_Fortran77:
	case DW_LANG_Fortran90:
	case DW_LANG_Fortran95:
	case DW_LANG_Fortran03:
	case DW_LANG_Fortran08:
		return !strcasecmp(a, b);
	default:
		return !strcmp(a, b);
	}
}

static bool child_named(const struct pt_var_scope *s, Dwarf_Die *parent, const char *name,
			Dwarf_Die *out)
{
	unsigned left = MAX_CHILDREN;

	for (Dwarf_Die d = { 0 }; pt_die_next(parent, &d, &left); ) {
		*out = d;
		if (var_find_is_variable(dwarf_tag(&d)) &&
		    var_find_same_name(s, pt_type_die_name(&d), name))
			return true;
		if (dwarf_tag(&d) == DW_TAG_common_block &&	/* Fortran's */
		    dwarf_tag(parent) != DW_TAG_common_block && child_named(s, &d, name, out))
			return true;
	}
	return false;
}

struct path {				/* ns::Class::v */
	char *text;			/* separated in place */
	const char *v[MAX_PARTS];
	unsigned nr;
};

/* Splits at each `::` outside of < >. */
static void var_find_split(struct path *p, const char *name)
{
	char *s;
	unsigned depth = 0;

	*p = (struct path){ .text = pt_strdup(name) };
	p->v[p->nr++] = p->text;
	for (s = p->text; *s; s++) {
		depth += *s == '<';
		depth -= *s == '>' && depth;
		if (!depth && s[0] == ':' && s[1] == ':' && p->nr < MAX_PARTS) {
			*s = '\0';
			s++;
			p->v[p->nr++] = s + 1;
		}
	}
}

static bool has_place(Dwarf_Die *d)
{
	return dwarf_hasattr_integrate(d, DW_AT_location) ||
	       dwarf_hasattr_integrate(d, DW_AT_const_value);
}

struct walk {
	const struct pt_var_scope *s;
	const struct path *path;
	bool external;			/* only variables that other units can see */
	Dwarf_Die best;			/* preferably one with a location */
	bool found, placed;
	unsigned left;
};

static void var_find_take(struct walk *w, Dwarf_Die *d)
{
	if ((w->external && !dwarf_hasattr_integrate(d, DW_AT_external)) ||
	    (w->found && !has_place(d)))
		return;
	w->best = *d;
	w->found = true;
	w->placed = has_place(d);
}

/* Looks for the path's names from `part` on among an entry's children. */
static void var_find_walk(struct walk *w, Dwarf_Die *parent, unsigned part, unsigned depth)
{
	bool last = part + 1 == w->path->nr;
	const char *want = w->path->v[part];

	for (Dwarf_Die d = { 0 }, to; depth <= MAX_DEPTH && !w->placed &&
				      pt_die_next(parent, &d, &w->left); ) {
		int tag = dwarf_tag(&d);
		const char *name = dwarf_diename(&d);
		bool is_outer = !last && name && !strcmp(name, want) &&
				(pt_type_is_scope(tag) || tag == DW_TAG_module);

		if (tag == DW_TAG_imported_unit && pt_die_ref(&d, DW_AT_import, &to))
			var_find_walk(w, &to, part, depth + 1);
		else if ((tag == DW_TAG_namespace &&
			  (!name || !*name || dwarf_hasattr(&d, DW_AT_export_symbols))) ||
			 (tag == DW_TAG_common_block && last))	/* Fortran's */
			var_find_walk(w, &d, part, depth + 1);
		if (is_outer)
			var_find_walk(w, &d, part + 1, depth + 1);
		else if (last &&
			 (tag == DW_TAG_variable || tag == DW_TAG_constant ||
			  (tag == DW_TAG_member && dwarf_hasattr(&d, DW_AT_external))) &&
			 var_find_same_name(w->s, pt_type_die_name(&d), want) &&
			 !dwarf_hasattr(&d, DW_AT_specification))
			var_find_take(w, &d);
	}
}

/* The declaration, which is in the function's namespaces and classes. */
static Dwarf_Die declared(const Dwarf_Die *f)
{
	Dwarf_Die at = *f;

	for (unsigned steps = 0;
	     steps < MAX_DEPTH && (pt_die_ref(&at, DW_AT_abstract_origin, &at) ||
				   pt_die_ref(&at, DW_AT_specification, &at));
	     steps++)
		;
	return at;
}

/* The namespaces and classes around a function, outermost first. */
static unsigned var_find_around(Dwarf_Die *f, const char **names, unsigned max)
{
	Dwarf_Die at = declared(f), path[MAX_DEPTH];
	unsigned n = pt_type_around(&at, path, MAX_DEPTH), nr = 0;

	for (unsigned i = 0; i + 1 < n && nr < max; i++) {
		int tag = dwarf_tag(&path[i]);
		const char *name = dwarf_diename(&path[i]);

		if (name && *name && (pt_type_is_scope(tag) || tag == DW_TAG_module))
			names[nr++] = name;
	}
	return nr;
}

/* Looks a name up in one unit, from the function's innermost namespace outwards. */
static bool var_find_in_unit(const struct pt_var_scope *s, Dwarf_Die *cu, Dwarf_Die *f,
			     const char *name, bool external, Dwarf_Die *out)
{
	struct path p;
	struct walk w = { .s = s, .path = &p, .external = external, .left = MAX_CHILDREN };
	const char *outer[MAX_PARTS];
	unsigned nr_outer = f ? var_find_around(f, outer, MAX_PARTS / 2) : 0, i;

	var_find_split(&p, name);
	for (;; nr_outer--) {
		struct path full = { .nr = 0 };

		for (i = 0; i < nr_outer; i++)
			full.v[full.nr++] = outer[i];
		for (i = 0; i < p.nr && full.nr < MAX_PARTS; i++)
			full.v[full.nr++] = p.v[i];
		w.path = &full;
		var_find_walk(&w, cu, 0, 0);
		if (w.found || !nr_outer)
			break;
	}
	free(p.text);
	*out = w.best;
	return w.found;
}

/* Finds a declaration's definition: in the same unit by reference, in others by name. */
static bool specified(Dwarf_Die *parent, const Dwarf_Die *declaration, unsigned *left,
		      unsigned depth, Dwarf_Die *out)
{
	for (Dwarf_Die d = { 0 }, to; depth <= MAX_DEPTH && pt_die_next(parent, &d, left); ) {
		int tag = dwarf_tag(&d);

		*out = d;
		if ((tag == DW_TAG_namespace && specified(&d, declaration, left, depth + 1, out)) ||
		    (tag == DW_TAG_imported_unit && pt_die_ref(&d, DW_AT_import, &to) &&
		     specified(&to, declaration, left, depth + 1, out)) ||
		    (tag == DW_TAG_variable && pt_die_ref(&d, DW_AT_specification, &to) &&
		     to.addr == declaration->addr))
			return true;
	}
	return false;
}

static void full_name(Dwarf_Die *die, struct pt_buf *b)
{
	const char *outer[MAX_PARTS];
	unsigned nr = var_find_around(die, outer, MAX_PARTS);

	for (unsigned i = 0; i < nr; i++)
		pt_buf_printf(b, "%s::", outer[i]);
	pt_buf_puts(b, pt_type_die_name(die) ? pt_type_die_name(die) : "");
}

bool pt_var_definition(const struct pt_var_scope *s, Dwarf_Die *declaration, Dwarf_Die *out)
{
	struct pt_loc_units u = { .cu = s->cu };
	Dwarf_Die d;
	struct pt_buf name = PT_BUF_INIT;
	unsigned left = MAX_CHILDREN;
	bool found = specified(&u.cu, declaration, &left, 0, out) && has_place(out);

	if (!found && dwarf_hasattr_integrate(declaration, DW_AT_external)) {
		full_name(declaration, &name);
		while (!found && pt_loc_next_unit(s, &u)) {
			if (!var_find_in_unit(s, &u.cu, NULL, pt_buf_str(&name), true, &d))
				continue;
			left = MAX_CHILDREN;
			if (has_place(&d))
				*out = d;
			found = has_place(&d) ||
				(specified(&u.cu, &d, &left, 0, out) && has_place(out));
		}
		pt_buf_deinit(&name);
	}
	return found;
}

void pt_var_complete(const struct pt_var_scope *s, struct pt_type_info *i)
{
	struct pt_loc_units u = { .at = NULL };

	if (!i->incomplete || !s->dw ||
	    (s->dw != dwarf_cu_getdwarf(i->bare.die.cu) && pt_type_complete(i, s->dw)))
		return;
	while (pt_loc_next_unit(s, &u)) {
		Dwarf *dw = dwarf_cu_getdwarf(u.cu.cu);

		if (dw != s->dw && pt_type_complete(i, dw))
			return;
	}
}

bool pt_var_symbol(const struct pt_var_scope *s, Dwarf_Die *declaration, uint64_t *vaddr)
{
	Dwarf_Attribute a;
	const char *name =
		dwarf_attr_integrate(declaration, DW_AT_linkage_name, &a) ||
				dwarf_attr_integrate(declaration, DW_AT_MIPS_linkage_name, &a)
			? dwarf_formstring(&a)
			: pt_type_die_name(declaration);

	return s->object && name && dwarf_hasattr_integrate(declaration, DW_AT_external) &&
	       !s->module && pt_symtab_named(pt_symtab_of(s->object), name, vaddr) && *vaddr;
}

static bool elsewhere(const struct pt_var_scope *s, const char *name, Dwarf_Die *out)
{
	struct pt_loc_units u = { .at = NULL };

	while (pt_loc_next_unit(s, &u))
		if (var_find_in_unit(s, &u.cu, NULL, name, true, out))
			return true;
	return false;
}

/* `this` of a method: by its name or by DW_AT_object_pointer. */
static bool var_find_object_of(const struct pt_var_scope *s, Dwarf_Die *f, Dwarf_Die *out)
{
	Dwarf_Attribute a;
	Dwarf_Die p;
	const char *name = NULL;

	if (child_named(s, f, "this", out) && dwarf_hasattr_integrate(out, DW_AT_artificial))
		return true;
	if (dwarf_attr_integrate(f, DW_AT_object_pointer, &a) && dwarf_formref_die(&a, &p))
		name = pt_type_die_name(&p);
	return name && child_named(s, f, name, out);
}

static bool has_member(Dwarf_Die *object, const char *name)
{
	struct pt_type t;
	struct pt_type_info i, target;
	struct pt_type_member m;

	pt_type_of(object, &t);
	pt_type_info(&t, &i);
	if (i.kind != PT_TYPE_POINTER)
		return false;
	pt_type_info(&i.target, &target);
	return pt_type_member(&target, name, &m) != PT_TYPE_NO_MEMBER;
}

static bool local(const struct pt_var_scope *s, const char *name, unsigned until, Dwarf_Die *out)
{
	for (unsigned i = s->nr_scopes; i-- > until;) {
		Dwarf_Die d = s->scopes[i], origin;

		/* An optimised-out variable may be in the abstract function only, and still hides
		 * outer ones. */
		if (child_named(s, &d, name, out) ||
		    (pt_die_ref(&d, DW_AT_abstract_origin, &origin) &&
		     child_named(s, &origin, name, out)))
			return true;
	}
	return false;
}

/* Looks in the functions around this one (a lambda's, GNU C's nested functions). Their variables
 * hide outer ones, but only those outside their frames can be fetched. */
static bool enclosing(const struct pt_var_scope *s, Dwarf_Die *f, const char *name, Dwarf_Die *out)
{
	Dwarf_Die at = declared(f), path[MAX_DEPTH];
	unsigned n = pt_type_around(&at, path, MAX_DEPTH), i;

	for (i = n ? n - 1 : 0; i-- > 0;)
		if ((is_function(dwarf_tag(&path[i])) ||
		     dwarf_tag(&path[i]) == DW_TAG_lexical_block) &&
		    child_named(s, &path[i], name, out))
			return true;
	return false;
}

enum pt_var_found pt_var_find(const struct pt_var_scope *s, const char *name, Dwarf_Die *out)
{
	Dwarf_Die f, cu = s->cu;
	unsigned index;
	bool in_function = pt_var_function(s, &f, &index);

	if (in_function && !strstr(name, "::")) {
		if (local(s, name, index, out))
			return PT_VAR_FOUND;
		if (var_find_object_of(s, &f, out) && has_member(out, name))
			return PT_VAR_OF_THIS;
		if (enclosing(s, &f, name, out))
			return PT_VAR_ENCLOSING;
	}
	return var_find_in_unit(s, &cu, in_function ? &f : NULL, name, false, out) ||
			       elsewhere(s, name, out)
		       ? PT_VAR_FOUND
		       : PT_VAR_NONE;
}
