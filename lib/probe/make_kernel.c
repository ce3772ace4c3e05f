/* The kernel that runs: functions by its symbols, parameters by BTF. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "probe/value/btf.h"
#include "probe/where/kernel.h"
#include "probe/make_priv.h"

struct kernel {
	struct pt_made *m;
	const struct pt_make_req *r;
	struct pt_kernel_funcs fs;
	struct pt_btf *btf;		/* opened when a name is first asked for */
	uint16_t machine;
};

static const char *no_image(const struct pt_make_req *r)
{
	return r->no_image ? r->no_image : "that which is here does not have the function";
}

static int no_btf_place(const struct kernel *k, const struct pt_arg *a, struct pt_err *e)
{
	if (k->r->point.has_off && k->r->point.off)
		pt_err_set(
			e,
			"%s: parameters are where the calling convention has them at the function's first instruction only",
			a->text);
	else
		pt_err_set(
			e,
			"%s: parameters are known of the running kernel, other variables with debug information alone: %s",
			a->text, no_image(k->r));
	return pt_arg_caret(a->text, a->at_root, e);
}

static int add_btf_arg(struct kernel *k, struct pt_def *def, struct pt_btf_func *f,
		       const struct pt_arg *a, struct pt_err *e)
{
	struct pt_buf fetch = PT_BUF_INIT, type = PT_BUF_INIT;
	const char *name = a->is_retval ? "ret" : a->root;
	int rc;

	for (unsigned i = 0; i < a->nr_steps; i++)
		if (a->steps[i].name)
			name = a->steps[i].name;
	rc = pt_btf_fetch(k->btf, f, k->machine, a, k->r->point.ret, &fetch, &type, e);
	if (rc == 0)
		rc = make_add_arg(def, a->name ? a->name : name, fetch.data, type.data, e);
	pt_buf_deinit(&fetch);
	pt_buf_deinit(&type);
	return rc;
}

static int add_params(struct kernel *k, struct pt_def *def, struct pt_btf_func *f, struct pt_err *e)
{
	for (unsigned i = 0; i < f->nr_params; i++) {
		struct pt_err why = PT_ERR_INIT;
		struct pt_arg a;

		if (!*f->params[i].name || pt_arg_parse(&a, f->params[i].name, e) < 0)
			continue;
		if (add_btf_arg(k, def, f, &a, &why) < 0)
			make_note(k->m, "left out: %s", why.msg);
		pt_arg_deinit(&a);
	}
	return def->nr_args ? 0 : pt_err_set(e, "%s has no parameter that can be fetched", f->name);
}

static int add_name(struct kernel *k, struct pt_def *def, const char *func, const char *module,
		    const struct pt_arg *a, struct pt_err *e)
{
	struct pt_btf_func f;

	if (a->kind == PT_ARG_EXPR && a->is_retval && !k->r->point.ret)
		return pt_err_set(e, "%s: the value that is returned is there at FUNC%%return",
				  a->text);
	if (!a->is_retval && k->r->point.has_off && k->r->point.off)
		return no_btf_place(k, a, e);
	if (!k->btf && !(k->btf = pt_btf_open(module, e)))
		return -1;
	if (pt_btf_func(k->btf, func, &f, e) < 0)
		return -1;
	if (a->kind == PT_ARG_VARS && !k->r->point.ret)
		return no_btf_place(k, a, e);
	if (a->kind == PT_ARG_PARAMS)
		return add_params(k, def, &f, e);
	return add_btf_arg(k, def, &f, a, e);
}

/* A returned value whose type is known has it; without BTF it is a word. */
static int add_retval(struct kernel *k, struct pt_def *def, const char *func, const char *module,
		      const struct pt_arg *a, struct pt_err *e)
{
	if (a->nr_steps || a->type)
		return 1;
	return add_name(k, def, func, module, a, NULL) == 0
		       ? 0
		       : make_add_arg(def, a->name ? a->name : "ret", "$retval", NULL, e);
}

static int add_args(struct kernel *k, struct pt_def *def, const struct pt_kernel_func *f,
		    struct pt_err *e)
{
	struct pt_var_scope s = { .machine = k->machine,
				  .word_bytes = sizeof(long),
				  .kernel = true,
				  .ret = k->r->point.ret,
				  .entry = !k->r->point.off };
	int rc = 0;

	for (size_t i = 0; i < k->r->nr_args && rc == 0; i++) {
		struct pt_arg a;

		if (pt_arg_parse(&a, k->r->args[i], e) < 0)
			return -1;
		rc = a.is_retval && s.ret ? add_retval(k, def, f->name, f->module, &a, e)
					  : make_plain_arg(def, &a, &s, e);
		if (rc > 0)
			rc = add_name(k, def, f->name, f->module, &a, e);
		pt_arg_deinit(&a);
	}
	return rc;
}

static int add_func(struct kernel *k, size_t i, struct pt_err *e)
{
	const struct pt_kernel_func *f = &k->fs.v[i];
	struct pt_buf name = PT_BUF_INIT;
	struct pt_def *def;

	if (pt_kernel_func_allowed(f, e) < 0)
		return -1;
	def = make_def(k->m);
	def->kind = k->r->point.ret ? 'r' : 'p';
	def->maxactive = k->r->point.ret ? k->r->maxactive : 0;
	pt_event_name(f->name, 0, k->r->point.ret, &name);
	make_names(k->r, def, "probe", name.data);
	pt_buf_deinit(&name);
	if (pt_kernel_func_place(&k->fs, i, k->r->point.off, def, e) == 0 &&
	    add_args(k, def, f, e) == 0)
		return 0;
	make_undo(k->m);
	return -1;
}

static int check_point(const struct pt_make_req *r, struct pt_err *e)
{
	if (r->point.has_line || r->point.pattern || (r->point.file && !r->point.func))
		return pt_err_set(e, "%s: lines are known with debug information: %s",
				  r->point.text, no_image(r));
	if (!r->point.func)
		return pt_err_set(e, "%s: name a function of the kernel, FUNC or FUNC+OFF",
				  r->point.text);
	return 0;
}

int pt_make_kernel(struct pt_made *m, const struct pt_make_req *r, uint16_t machine,
		   struct pt_err *e)
{
	struct kernel k = { .m = m, .r = r, .machine = machine };
	const char *module = r->module, *func = r->point.func, *colon;
	struct pt_err first = PT_ERR_INIT;
	size_t before = m->nr, notes = m->nr_notes;
	char *of = NULL;
	int rc;

	if (check_point(r, e) < 0)
		return -1;
	/* Also MODULE:FUNC, as tracefs has it; the point's reader takes that for GROUP:NAME only in
	 * front of '='. */
	colon = strchr(func, ':');
	if (!module && colon && colon[1] != ':') {
		module = of = pt_strndup(func, (size_t)(colon - func));
		func = colon + 1;
	}
	rc = pt_kernel_funcs_find(&k.fs, func, module, e);
	for (size_t i = 0; rc == 0 && i < k.fs.nr; i++) {
		struct pt_err why = PT_ERR_INIT;

		if (add_func(&k, i, &why) == 0)
			continue;
		if (!first.msg[0])
			first = why;
		if (k.fs.nr > 1)
			make_note(m, "left out: %s", why.msg);
	}
	if (rc == 0 && m->nr == before && (rc = -1)) {
		while (m->nr_notes > notes)
			free(m->notes[--m->nr_notes]);
		if (e)
			*e = first;
		if (k.fs.nr > 1)
			pt_err_context(e, "of %zu functions none can be probed; the first",
				       k.fs.nr);
	}
	if (rc == 0)
		rc = make_guards(m, before, r, e);
	if (rc == 0 && k.fs.note)
		make_note(m, "%s", k.fs.note);
	pt_btf_free(k.btf);
	pt_kernel_funcs_deinit(&k.fs);
	free(of);
	return rc;
}
