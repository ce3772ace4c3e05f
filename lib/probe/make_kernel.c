/* The running kernel: functions by its symbols, parameters by BTF. */
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
	struct btf *btf;		/* opened when it is needed */
};

static const char *no_image(const struct pt_make_req *r)
{
	return r->no_image ? r->no_image : "that which is here does not have the function";
}

/* Does an argument need names or types from BTF? */
static bool wants_types(const struct pt_make_req *r)
{
	for (size_t i = 0; i < r->nr_args; i++) {
		struct pt_arg a;
		bool wants;

		if (pt_arg_parse(&a, r->args[i], NULL) < 0)
			continue;
		wants = a.kind == PT_ARG_EXPR || a.kind == PT_ARG_VARS || a.kind == PT_ARG_PARAMS;
		pt_arg_deinit(&a);
		if (wants)
			return true;
	}
	return false;
}

static int make_kernel_add_args(struct kernel *k, struct pt_def *def,
				const struct pt_kernel_func *f, struct pt_err *e)
{
	struct pt_var_scope s = { .machine = pt_loc_machine_here(),
				  .word_bytes = sizeof(long),
				  .kernel = true,
				  .ret = k->r->point.ret,
				  .entry = !k->r->point.off,
				  .why_no_types = no_image(k->r) };
	struct pt_btf_func func;
	struct pt_err why = PT_ERR_INIT;

	if (wants_types(k->r)) {
		if (!k->btf)
			k->btf = pt_btf_open(f->module, &why);
		if (k->btf && pt_btf_func(k->btf, f->name, &func, &why) == 0)
			s.func = &func;
		else
			s.why_no_types = why.msg;
	}
	return make_args(k->m, def, k->r, &s, e);
}

static int add_func(struct kernel *k, size_t i, struct pt_err *e)
{
	const struct pt_kernel_func *f = &k->fs.v[i];
	struct pt_buf name = PT_BUF_INIT;
	struct pt_def *def;

	if (pt_kernel_func_allowed("", f, e) < 0)
		return -1;
	def = make_def(k->m);
	def->kind = k->r->point.ret ? 'r' : 'p';
	def->maxactive = k->r->point.ret ? k->r->maxactive : 0;
	pt_event_name(f->name, 0, k->r->point.ret, &name);
	make_names(k->r, def, "probe", name.data);
	pt_buf_deinit(&name);
	if (pt_kernel_func_place(&k->fs, i, k->r->point.off, def, e) == 0 &&
	    make_kernel_add_args(k, def, f, e) == 0)
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

int pt_make_kernel(struct pt_made *m, const struct pt_make_req *r, struct pt_err *e)
{
	struct kernel k = { .m = m, .r = r };
	const char *module = r->module, *func = r->point.func, *colon;
	struct make_try try = make_begin(m, r);
	char *of = NULL;
	int rc;

	if (check_point(r, e) < 0)
		return -1;
	/* Also MODULE:FUNC, as in tracefs; pt_point_parse() takes that for GROUP:NAME only in front
	 * of '='. */
	colon = strchr(func, ':');
	if (!module && colon && colon[1] != ':') {
		module = of = pt_strndup(func, (size_t)(colon - func));
		func = colon + 1;
	}
	rc = pt_kernel_funcs_find(&k.fs, "", func, module, e);
	for (size_t i = 0; rc == 0 && i < k.fs.nr; i++) {
		struct pt_err why = PT_ERR_INIT;

		if (add_func(&k, i, &why) == 0)
			continue;
		if (!try.why.msg[0])
			try.why = why;
		if (k.fs.nr > 1)
			make_note(m, "left out: %s", why.msg);
	}
	try.nr = k.fs.nr;
	if (rc == 0)
		rc = make_end(&try, e);
	if (rc == 0 && k.fs.note)
		make_note(m, "%s", k.fs.note);
	pt_btf_free(k.btf);
	pt_kernel_funcs_deinit(&k.fs);
	free(of);
	return rc;
}
