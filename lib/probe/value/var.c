#include "probe/value/var_priv.h"

#include <ctype.h>
#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "probe/tracefs/def.h"

enum { MAX_NAME = 31 };

static void var_drop(struct pt_var *v)
{
	free(v->name);
	free(v->type_name);
	free(v->fetch);
	free(v->companion_fetch);
	free(v->why);
	free(v->range);
}

void pt_vars_deinit(struct pt_vars *vars)
{
	for (size_t i = 0; i < vars->nr; i++)
		var_drop(&vars->v[i]);
	free(vars->v);
	*vars = (struct pt_vars)PT_VARS_INIT;
}

struct pt_var *pt_vars_more(struct pt_vars *vars)
{
	PT_GROW(vars->v, vars->nr, vars->cap);
	vars->v[vars->nr] = (struct pt_var){ .name = NULL };
	return &vars->v[vars->nr++];
}

char *pt_var_type_text(const struct pt_var_scope *s, const struct pt_type *t)
{
	struct pt_buf b = PT_BUF_INIT;
	Dwarf_Die cu = s->cu;

	pt_type_name(t, pt_type_language(&cu), &b);
	return b.data;
}

static bool taken(const struct pt_vars *vars, const char *name)
{
	static const char *const own[] = { "common_type",    "common_flags", "common_preempt_count",
					   "common_pid",     "common_tgid",  "__probe_ip",
					   "__probe_ret_ip", "__probe_func" };

	for (size_t i = 0; i < PT_NR(own); i++)
		if (!strcmp(own[i], name))
			return true;
	for (size_t i = 0; i < vars->nr; i++)
		if (!strcmp(vars->v[i].name, name))
			return true;
	return false;
}

/* Makes a unique name of letters, digits and _ that is short enough for the kernel. */
static char *argument_name(const struct pt_vars *vars, const char *name)
{
	char plain[MAX_NAME + 1], full[MAX_NAME + 1];
	size_t n = 0;

	if (isdigit((unsigned char)*name))
		plain[n++] = '_';
	for (; *name && n < MAX_NAME; name++)
		plain[n++] = (isalnum((unsigned char)*name) && !(*name & 0x80)) || *name == '_'
				     ? *name
				     : '_';
	plain[n] = '\0';
	snprintf(full, sizeof(full), "%s", n ? plain : "arg");
	for (unsigned i = 2; taken(vars, full); i++)
		snprintf(full, sizeof(full), "%.24s_%u", n ? plain : "arg", i);
	return pt_strdup(full);
}

static struct pt_var *var_add_named(struct pt_vars *vars, const char *name)
{
	char *unique = argument_name(vars, name);
	struct pt_var *v = pt_vars_more(vars);

	v->name = unique;
	return v;
}

static int too_many(const char *text, struct pt_err *e)
{
	return pt_err_set(e, "%s: the kernel takes no more than %d arguments", text,
			  PT_DEF_ARGS_MAX);
}

static const char *no_types(const struct pt_var_scope *s)
{
	return s->why_no_types ? s->why_no_types
			       : "there is no debug information here that tells of variables";
}

/* Runs the steps. *at: where a failure is in the text. */
static int evaluate(struct pt_obj *o, const struct pt_var_scope *s, const struct pt_arg *a,
		    unsigned *at, struct pt_err *e)
{
	Dwarf_Die var;
	int r = -1;
	enum pt_var_found found;

	*at = a->at_root;
	*o = (struct pt_obj){ .off = 0 };
	if (a->is_retval) {
		r = pt_obj_of_retval(o, s, e);
	} else if (s->func) {
		r = pt_obj_of_param(o, s, a->root, e);
	} else if (!s->has_cu) {
		return pt_err_set(e, "%s; registers (%%REG) and $argN may be had without",
				  no_types(s));
	} else {
		found = pt_var_find(s, a->root, &var);
		if (found == PT_VAR_NONE)
			return pt_err_set(e, "there is no such variable here");
		r = pt_obj_of_var(o, s, &var, e);
		if (!r && found == PT_VAR_ENCLOSING &&
		    !(o->loc.nr == 1 && o->loc.v[0].kind == PT_LOC_MEMORY &&
		      o->loc.v[0].chain.base == PT_BASE_OBJECT))
			r = pt_err_set(e, "it is a variable of a function around this one, whose "
					  "frame is not known here");
		if (!r && found == PT_VAR_OF_THIS)
			r = pt_obj_deref(o, s, e) < 0 ? -1 : pt_obj_member(o, s, a->root, e);
	}
	for (unsigned i = 0; !r && i < a->nr_steps; i++) {
		const struct pt_arg_step *st = &a->steps[i];
		struct pt_type_info info;

		*at = st->at;
		switch (st->op) {
		case PT_ARG_DEREF:
			r = pt_obj_deref(o, s, e);
			break;
		case PT_ARG_ADDRESS:
			r = pt_obj_address(o, e);
			break;
		case PT_ARG_INDEX:
			r = pt_obj_index(o, s, st->index, e);
			break;
		case PT_ARG_MEMBER:
		case PT_ARG_ARROW:
			pt_type_info(&o->type, &info);
			if (st->op == PT_ARG_ARROW && info.kind == PT_TYPE_STRUCT)
				r = pt_err_set(e, "it is no pointer: take .%s", st->name);
			else
				r = (info.kind == PT_TYPE_POINTER || st->op == PT_ARG_ARROW) &&
						    pt_obj_deref(o, s, e) < 0
					    ? -1
					    : pt_obj_member(o, s, st->name, e);
			break;
		}
	}
	return r;
}

/* Adds "p->f: " and the caret to the message. `whole`: of the value, not of a step. */
static int var_refused(const struct pt_arg *a, unsigned at, bool whole, struct pt_err *e)
{
	size_t from = a->name ? strlen(a->name) + 1 : 0,
	       end = a->type ? a->at_type - 1 : strlen(a->text);

	for (size_t i = a->nr_steps; i-- > 0;)	/* the expression up to the failure */
		if (a->steps[i].at == at && a->steps[i].op != PT_ARG_DEREF &&
		    a->steps[i].op != PT_ARG_ADDRESS)
			end = at;
	if (at == a->at_root && a->root && !whole)
		pt_err_context(e, "%s", a->root);
	else
		pt_err_context(e, "%.*s", (int)(end - from), a->text + from);
	return pt_arg_caret(a->text, at, e);
}

/* The name of the last member, else the variable's. */
static const char *default_name(const struct pt_arg *a)
{
	const char *colons = a->root, *next;

	for (unsigned i = a->nr_steps; i-- > 0;)
		if (a->steps[i].name)
			return a->steps[i].name;
	if (a->is_retval)
		return "ret";
	while ((next = strstr(colons, "::")))
		colons = next + 2;
	return colons;
}

/* "+0(%di):string", "%di:x64": a string is what the register points to. */
static void plain_text(const char *fetch, const char *type, unsigned array, struct pt_buf *b)
{
	bool is_string = !array && (!strcmp(type, "string") || !strcmp(type, "ustring"));

	pt_buf_printf(b, is_string ? "+0(%s):%s" : "%s:%s", fetch, type);
	if (array)
		pt_buf_printf(b, "[%u]", array);
}

/* Without debug information the user says the type; a kernel's function returns a word. */
static bool is_plain_retval(const struct pt_var_scope *s, const struct pt_arg *a)
{
	if (!a->is_retval || !s->ret || a->nr_steps || (s->has_cu && s->nr_scopes))
		return false;
	return a->type || (s->kernel && !s->func);
}

static int add_expression(struct pt_vars *vars, const struct pt_var_scope *s,
			  const struct pt_arg *a, struct pt_err *e)
{
	struct pt_obj o = { .off = 0 };
	struct pt_buf b = PT_BUF_INIT;
	struct pt_var *v, got = { .name = NULL };
	unsigned at = a->at_root;
	bool whole = false;
	int r;

	if (is_plain_retval(s, a)) {
		r = 0;
		plain_text("$retval", a->type ? a->type : "x64", a->array, &b);
		got.fetch = pt_strdup(b.data);
	} else {
		r = evaluate(&o, s, a, &at, e);
		if (!r) {
			at = a->type ? a->at_type : a->at_root;
			whole = true;
			r = pt_obj_fetch(&o, s, a->type, a->array, &got, e);
		}
	}
	if (r < 0) {
		var_refused(a, at, whole, e);
	} else {
		v = var_add_named(vars, a->name ? a->name : default_name(a));
		v->type_name = o.loc.nr ? pt_var_type_text(s, &o.type) : NULL;
		v->fetch = got.fetch;
		v->companion = got.companion;
		v->companion_fetch = got.companion_fetch;
	}
	pt_obj_deinit(&o);
	pt_buf_deinit(&b);
	return r;
}

/* The text of a register or of the place of $argN; *bytes: how wide it is. */
static int plain_place(const struct pt_var_scope *s, const struct pt_arg *a, struct pt_buf *b,
		       unsigned *bytes, struct pt_err *e)
{
	struct pt_loc_piece p;
	unsigned part = 0;
	const char *reg;

	if (a->kind == PT_ARG_REG) {
		reg = pt_loc_reg_named(s->machine, a->root, &part);
		if (!reg)
			return pt_err_set(e, "%%%s: the kernel knows no such register of this CPU",
					  a->root);
		p.kind = PT_LOC_REGISTER;
	} else if (s->ret || !s->entry) {
		return pt_err_set(e, "$arg%u: arguments are where the calling convention puts them "
				     "at a function's first instruction only (FUNC+0)",
				  a->argument);
	} else if (!pt_loc_argument(s, a->argument, &p)) {
		return pt_err_set(e, "$arg%u: where this CPU's calling convention puts it is not "
				     "known; name a register: %%REG",
				  a->argument);
	} else {
		reg = pt_loc_reg(s->machine, p.chain.reg);
	}
	if (p.kind == PT_LOC_MEMORY)
		pt_buf_printf(b, "+%lld(%%%s)", (long long)p.chain.off[0], reg);
	else
		pt_buf_printf(b, "%%%s", reg);
	*bytes = part ? part : s->word_bytes;
	return 0;
}

static int var_add_plain(struct pt_vars *vars, const struct pt_var_scope *s, const struct pt_arg *a,
			 struct pt_err *e)
{
	struct pt_buf b = PT_BUF_INIT, fetch = PT_BUF_INIT;
	char name[16] = "arg", type[8];
	unsigned bytes = 0;
	int r = 0;

	if (a->kind == PT_ARG_RAW) {
		pt_buf_puts(&b, a->root);
		if (a->type)
			pt_buf_printf(&b, ":%s", a->type);
		if (a->array)
			pt_buf_printf(&b, "[%u]", a->array);
		if (*a->root == '$')
			snprintf(name, sizeof(name), "%s", a->root + 1);
	} else if ((r = plain_place(s, a, &fetch, &bytes, e)) == 0) {
		snprintf(type, sizeof(type), "x%u", bytes * 8);
		plain_text(fetch.data, a->type ? a->type : type, a->array, &b);
		if (a->kind == PT_ARG_ARGUMENT)
			snprintf(name, sizeof(name), "arg%u", a->argument);
		else
			snprintf(name, sizeof(name), "%s", fetch.data + 1);
	}
	if (!r && b.len > PT_DEF_ARG_MAX)
		r = pt_err_set(e, "too long for the kernel (%d characters)", PT_DEF_ARG_MAX);
	if (r < 0)
		pt_arg_caret(a->text, a->at_root, e);
	else
		var_add_named(vars, a->name ? a->name : name)->fetch = pt_strdup(b.data);
	pt_buf_deinit(&b);
	pt_buf_deinit(&fetch);
	return r;
}

int pt_vars_add_text(struct pt_vars *vars, const char *name, const char *fetch, const char *type,
		     struct pt_err *e)
{
	struct pt_buf b = PT_BUF_INIT;

	if (vars->nr >= PT_DEF_ARGS_MAX)
		return too_many(name, e);
	plain_text(fetch, type, 0, &b);
	var_add_named(vars, name)->fetch = pt_strdup(b.data);
	pt_buf_deinit(&b);
	return 0;
}

static int add_several(struct pt_vars *vars, const struct pt_var_scope *s, const struct pt_arg *a,
		       struct pt_vars *left_out, struct pt_err *e)
{
	struct pt_vars all = PT_VARS_INIT;
	size_t nr = 0;

	if (s->func && a->kind == PT_ARG_VARS && !s->ret)
		return pt_err_set(e, "%s: parameters ($params) are known of the running kernel, "
				     "other variables need debug information: %s",
				  a->text, no_types(s));
	if (!s->func && (!s->has_cu || !s->nr_scopes))
		return pt_err_set(e, "%s: %s", a->text, no_types(s));
	pt_vars_list(&all, s, a->kind == PT_ARG_PARAMS ? 0 : PT_VARS_LOCAL);
	for (size_t i = 0; i < all.nr; i++)
		nr += all.v[i].fetch != NULL;
	if (!nr && all.nr)
		pt_err_set(e, "%s: none of them can be fetched here (%s: %s)", a->text,
			   all.v[0].name, all.v[0].why);
	else if (!nr)
		pt_err_set(e, "%s: there are no %s here", a->text,
			   a->kind == PT_ARG_PARAMS ? "parameters" : "variables");
	for (size_t i = 0; i < all.nr; i++) {
		struct pt_var *v = &all.v[i];
		bool fits = v->fetch && vars->nr < PT_DEF_ARGS_MAX;

		if (fits) {
			char *name = argument_name(vars, v->name);

			free(v->name);
			v->name = name;
		} else if (v->fetch) {
			v->why = pt_strdup("too many");
		}
		if (fits || left_out)
			*pt_vars_more(fits ? vars : left_out) = *v;
		else
			var_drop(v);
	}
	free(all.v);
	return nr ? 0 : -1;
}

int pt_vars_add(struct pt_vars *vars, const struct pt_var_scope *s, const char *text,
		struct pt_vars *left_out, struct pt_err *e)
{
	struct pt_arg a;
	int r;

	if (pt_arg_parse(&a, text, e) < 0)
		return -1;
	if (vars->nr >= PT_DEF_ARGS_MAX)
		r = too_many(a.text, e);
	else if (a.kind == PT_ARG_VARS || a.kind == PT_ARG_PARAMS)
		r = add_several(vars, s, &a, left_out, e);
	else if (a.name && taken(vars, a.name)) {
		r = pt_err_set(e, "%s: there is an argument of that name already", a.name);
		pt_arg_caret(a.text, 0, e);
	} else if (a.kind == PT_ARG_EXPR)
		r = add_expression(vars, s, &a, e);
	else
		r = var_add_plain(vars, s, &a, e);
	pt_arg_deinit(&a);
	return r;
}
