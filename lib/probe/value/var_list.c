/* What there is to choose from at a place. */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "probe/value/btf.h"
#include "probe/value/var_priv.h"

enum { MAX_LISTED = 4096, MAX_CHILDREN = 1 << 20, MAX_RANGES = 4096 };

/* -- where a variable has a value -- */

struct ranges {
	Dwarf_Addr entry;		/* of the function */
	struct pt_buf text;		/* "0-24,30-97" */
};

static void var_list_add_range(struct ranges *r, Dwarf_Addr from, Dwarf_Addr to)
{
	if (from < to)
		pt_buf_printf(&r->text, "%s%lld-%lld", r->text.len ? "," : "",
			      (long long)(from - r->entry), (long long)(to - r->entry));
}

/* A single location is valid in all of the block. */
static void var_list_add_ranges(struct ranges *r, Dwarf_Die *var, Dwarf_Die *block)
{
	Dwarf_Attribute a;
	Dwarf_Addr base, from, to;
	Dwarf_Op *ops;
	size_t nr;
	ptrdiff_t off = 0;
	unsigned left = MAX_RANGES;

	if (!dwarf_attr_integrate(var, DW_AT_location, &a))
		return;
	if (dwarf_whatform(&a) == DW_FORM_exprloc || dwarf_whatform(&a) == DW_FORM_block1) {
		while (left-- && (off = dwarf_ranges(block, off, &base, &from, &to)) > 0)
			var_list_add_range(r, from, to);
		return;
	}
	while (left-- && (off = dwarf_getlocations(&a, off, &base, &from, &to, &ops, &nr)) > 0)
		var_list_add_range(r, from, to);
}

static char *range_text(const struct pt_var_scope *s, Dwarf_Die *var, Dwarf_Die *block)
{
	struct ranges r = { .text = PT_BUF_INIT };
	const char *name;
	char *text = NULL;
	Dwarf_Die f;
	unsigned index;

	if (!pt_var_function(s, &f, &index) || !pt_loc_entry_of(&f, &r.entry))
		return NULL;
	var_list_add_ranges(&r, var, block);
	name = pt_type_die_name(&f);
	if (r.text.len)
		text = pt_asprintf("%s+[%s]", name ? name : "", r.text.data);
	pt_buf_deinit(&r.text);
	return text;
}

/* -- listed -- */

/* `die`: a variable of `block` (NULL: of the unit), else NULL and `name` is a parameter by BTF. */
static void list_one(struct pt_vars *vars, const struct pt_var_scope *s, Dwarf_Die *die,
		     Dwarf_Die *block, const char *name)
{
	struct pt_obj o = { .off = 0 };
	struct pt_err e = PT_ERR_INIT;
	struct pt_type t;
	struct pt_var *v;
	int r;

	if (!name || !*name || vars->nr >= MAX_LISTED)
		return;
	for (size_t i = 0; i < vars->nr; i++)
		if (!strcmp(vars->v[i].name, name))
			return;
	r = die ? pt_obj_of_var(&o, s, die, &e) : pt_obj_of_param(&o, s, name, &e);
	if (die)
		pt_type_of(die, &t);
	else
		t = o.type;
	v = pt_vars_more(vars);
	v->name = pt_strdup(name);
	v->type_name = pt_var_type_text(s, &t);
	v->param = !die || dwarf_tag(die) == DW_TAG_formal_parameter;
	if (block)
		v->range = range_text(s, die, block);
	if (r < 0 || pt_obj_fetch(&o, s, NULL, 0, v, &e) < 0)
		v->why = pt_strdup(e.msg);
	pt_obj_deinit(&o);
}

static void list_children(struct pt_vars *vars, const struct pt_var_scope *s, Dwarf_Die *parent,
			  bool params, unsigned wanted)
{
	unsigned left = MAX_CHILDREN;

	for (Dwarf_Die d = { 0 }; pt_die_next(parent, &d, &left); ) {
		int tag = dwarf_tag(&d);

		if ((params && tag == DW_TAG_formal_parameter) ||
		    ((wanted & PT_VARS_LOCAL) && tag == DW_TAG_variable))
			list_one(vars, s, &d, wanted & PT_VARS_RANGES ? parent : NULL,
				 pt_type_die_name(&d));
	}
}

void pt_vars_list(struct pt_vars *vars, const struct pt_var_scope *s, unsigned wanted)
{
	Dwarf_Die f, d, origin;
	unsigned index;

	for (unsigned i = 0; s->func && i < s->func->nr_params; i++)
		list_one(vars, s, NULL, NULL, s->func->params[i].name);
	if (!s->has_cu || !pt_var_function(s, &f, &index))
		return;
	for (unsigned i = s->nr_scopes; i-- > index;) {
		d = s->scopes[i];
		list_children(vars, s, &d, i == index, wanted);
		/* which has the parameters that are optimised out */
		if (pt_die_ref(&d, DW_AT_abstract_origin, &origin))
			list_children(vars, s, &origin, i == index, wanted);
	}
	d = s->cu;
	if (wanted & PT_VARS_EXTERN)
		list_children(vars, s, &d, false, PT_VARS_LOCAL);
}
