/* The variables at a point: names, types, and how they are fetched or why they cannot be. */
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "probe/value/btf.h"
#include "probe/where/kernel.h"
#include "probe/make_priv.h"
#include "probe/describe.h"
#include "probe/value/var.h"

static void describe_vars_show_json(const char *where, const struct pt_place *p,
				    const struct pt_vars *vars, struct pt_buf *out)
{
	for (size_t i = 0; i < vars->nr; i++) {
		const struct pt_var *v = &vars->v[i];

		pt_json_open(out, NULL, '{');
		pt_json_str(out, "place", where);
		pt_json_str(out, "file", p ? p->file : NULL);
		if (p && p->line)
			pt_json_u64(out, "line", p->line);
		pt_json_str(out, "name", v->name);
		pt_json_str(out, "type", v->type_name);
		pt_json_str(out, "fetch", v->fetch);
		pt_json_str(out, "why", v->why);
		pt_json_bool(out, "parameter", v->param);
		pt_json_str(out, "range", v->range);
		pt_json_close(out, '}');
		pt_buf_putc(out, '\n');
	}
}

static void describe_vars_show_text(const char *where, const struct pt_place *p,
				    const struct pt_vars *vars, struct pt_buf *out)
{
	pt_buf_puts(out, "\t@<");
	pt_text_puts(out, where);
	pt_buf_putc(out, '>');
	if (p && p->file && p->line) {
		pt_buf_putc(out, ' ');
		pt_text_puts(out, basename(p->file));
		pt_buf_printf(out, ":%u", p->line);
	}
	pt_buf_putc(out, '\n');
	for (size_t i = 0; i < vars->nr; i++) {
		const struct pt_var *v = &vars->v[i];

		pt_buf_puts(out, "\t\t");
		pt_text_puts(out, v->type_name ? v->type_name : "?");
		pt_buf_putc(out, '\t');
		pt_text_puts(out, v->name);
		pt_buf_puts(out, v->fetch ? "\t" : "\t- ");
		pt_text_puts(out, v->fetch ? v->fetch : v->why);
		if (v->range) {
			pt_buf_puts(out, "\t@<");
			pt_text_puts(out, v->range);
			pt_buf_putc(out, '>');
		}
		pt_buf_putc(out, '\n');
	}
	if (!vars->nr)
		pt_buf_puts(out, "\t\t(none)\n");
}

static void describe_vars_head(const char *point, bool json, struct pt_buf *out)
{
	if (json)
		return;
	pt_buf_puts(out, "Available variables at ");
	pt_text_puts(out, point);
	pt_buf_putc(out, '\n');
}

static int of_target(struct pt_target *t, const struct pt_point *p, unsigned more, bool json,
		     struct pt_buf *out, struct pt_err *e)
{
	struct pt_place_opts o = { .variables = true };
	struct pt_buf where = PT_BUF_INIT;
	struct pt_places ps;
	int rc = 0;

	if (!t->debug)
		return pt_target_no_debug(t, e);
	if (pt_places_find(&ps, t, p, &o, e) < 0)
		return -1;
	describe_vars_head(p->text, json, out);
	for (size_t i = 0; i < ps.nr && rc == 0; i++) {
		struct pt_vars vars = PT_VARS_INIT;
		Dwarf_Die dies[PT_PLACE_SCOPES];
		struct pt_var_scope s;

		rc = make_scope(t, &ps.v[i], dies, &s, e);
		if (rc < 0)
			break;
		pt_vars_list(&vars, &s, PT_VARS_LOCAL | more);
		pt_buf_clear(&where);
		make_place_text(&ps.v[i], &where);
		(json ? describe_vars_show_json : describe_vars_show_text)(where.data, &ps.v[i],
									   &vars, out);
		pt_vars_deinit(&vars);
	}
	pt_places_deinit(&ps);
	pt_buf_deinit(&where);
	return rc;
}

/* A function of the running kernel has its parameters by BTF. */
static int of_kernel(const struct pt_subject *s, const struct pt_point *p, bool json,
		     struct pt_buf *out, struct pt_err *e)
{
	struct pt_kernel_funcs fs;
	struct btf *b;
	int rc = 0;

	if (!p->func || p->has_line || p->pattern || p->ret || (p->has_off && p->off))
		return pt_err_set(
			e,
			"%s: the parameters of a FUNC are known of the running kernel, other variables with debug information alone: %s",
			p->text, s->no_image.msg);
	if (pt_kernel_funcs_find(&fs, "", p->func, s->module, e) < 0)
		return -1;
	b = pt_btf_open(fs.v[0].module, e);
	if (!b) {
		pt_kernel_funcs_deinit(&fs);
		return -1;
	}
	describe_vars_head(p->text, json, out);
	for (size_t i = 0; i < fs.nr && rc == 0; i++) {
		struct pt_vars vars = PT_VARS_INIT;
		struct pt_btf_func f;
		struct pt_var_scope scope = { .machine = pt_loc_machine_here(),
					      .word_bytes = sizeof(long),
					      .kernel = true,
					      .entry = true,
					      .func = &f };

		if (i && !strcmp(fs.v[i].name, fs.v[i - 1].name))
			continue;
		rc = pt_btf_func(b, fs.v[i].name, &f, e);
		if (rc == 0)
			pt_vars_list(&vars, &scope, 0);
		if (rc == 0)
			(json ? describe_vars_show_json
			      : describe_vars_show_text)(fs.v[i].name, NULL, &vars, out);
		pt_vars_deinit(&vars);
	}
	pt_btf_free(b);
	pt_kernel_funcs_deinit(&fs);
	return rc;
}

int pt_describe_variables(struct pt_subject *s, const struct pt_point *p, unsigned more, bool json,
			  struct pt_buf *out, struct pt_err *e)
{
	struct pt_target *t;

	if (!pt_subject_is_known(s) && more)
		return pt_err_set(e, "--externs and --range need debug information: %s",
				  s->no_image.msg);
	if (!pt_subject_is_known(s))
		return of_kernel(s, p, json, out, e);
	t = pt_subject_target(s, e);
	return t ? of_target(t, p, more, json, out, e) : -1;
}
