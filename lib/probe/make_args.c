/* Arguments that need no debug information, and names for all. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "probe/make_priv.h"

/* Fields that every event has, or that the kernel gives probes. */
static bool is_reserved(const char *name)
{
	static const char *const reserved[] = { "common_type",          "common_flags",
						"common_preempt_count", "common_pid",
						"common_tgid",          "__probe_ip",
						"__probe_ret_ip",       "__probe_func" };

	for (size_t i = 0; i < PT_NR(reserved); i++)
		if (!strcmp(name, reserved[i]))
			return true;
	return false;
}

static bool has_arg(const struct pt_def *def, const char *name)
{
	for (size_t i = 0; i < def->nr_args; i++)
		if (!strcmp(def->args[i].name, name))
			return true;
	return false;
}

int make_add_arg(struct pt_def *def, const char *name, const char *fetch, const char *type,
		 struct pt_err *e)
{
	struct pt_buf base = PT_BUF_INIT;
	char *one;

	if (def->nr_args >= PT_DEF_ARGS_MAX)
		return pt_err_set(e, "more than %d arguments", PT_DEF_ARGS_MAX);
	for (const char *p = name; *p && base.len < 28; p++) {
		if (!base.len && isdigit((unsigned char)*p))
			pt_buf_putc(&base, '_');
		pt_buf_putc(&base, isalnum((unsigned char)*p) ? *p : '_');
	}
	if (!base.len)
		pt_buf_puts(&base, "arg");
	one = pt_strdup(base.data);
	for (unsigned n = is_reserved(one) ? 1 : 0; n || has_arg(def, one); n++) {
		free(one);
		one = pt_asprintf("%s_%u", base.data, n + 1);
		if (!has_arg(def, one))
			break;
	}
	pt_def_add_arg(def, one, fetch, type);
	free(one);
	pt_buf_deinit(&base);
	return 0;
}

/* "TYPE[N]" of what the user asked for; empty: the kernel's default. */
static void type_text(const struct pt_arg *a, struct pt_buf *b)
{
	if (a->type)
		pt_buf_puts(b, a->type);
	if (a->type && a->array)
		pt_buf_printf(b, "[%u]", a->array);
}

static int add_plain(struct pt_def *def, const struct pt_arg *a, const char *name,
		     const char *fetch, const char *type)
{
	struct pt_buf t = PT_BUF_INIT;
	char *text;

	type_text(a, &t);
	if (a->type && (!strcmp(a->type, "string") || !strcmp(a->type, "ustring")) &&
	    a->kind != PT_ARG_RAW && strcmp(fetch, "$comm"))
		text = pt_asprintf("+0(%s)", fetch);	/* what the register points to */
	else
		text = pt_strdup(fetch);
	make_add_arg(def, a->name ? a->name : name, text, t.len ? t.data : type, NULL);
	free(text);
	pt_buf_deinit(&t);
	return 0;
}

int make_plain_arg(struct pt_def *def, const struct pt_arg *a, const struct pt_var_scope *s,
		   struct pt_err *e)
{
	char text[64], name[64];
	const char *reg;
	unsigned bytes = 0;

	if (def->nr_args >= PT_DEF_ARGS_MAX)
		return pt_err_set(e, "more than %d arguments", PT_DEF_ARGS_MAX);
	switch (a->kind) {
	case PT_ARG_REG:
		reg = pt_loc_reg_named(s->machine, a->root, &bytes);
		if (!reg) {
			pt_err_set(e, "%%%s: no register of this CPU that the kernel can fetch",
				   a->root);
			return pt_arg_caret(a->text, a->at_root, e);
		}
		snprintf(text, sizeof(text), "%%%s", reg);
		snprintf(name, sizeof(name), "u%u", bytes * 8);
		return add_plain(def, a, a->root, text,
				 bytes && bytes < s->word_bytes ? name : NULL);
	case PT_ARG_ARGUMENT:
		if (s->ret || !s->entry) {
			pt_err_set(
				e,
				"$arg%u: arguments are where the calling convention has them at a function's first instruction only",
				a->argument);
			return pt_arg_caret(a->text, a->at_root, e);
		}
		if (!pt_loc_argument(s, a->argument, text, sizeof(text)))
			return pt_err_set(
				e,
				"$arg%u: the calling convention of this CPU is not known; name a register: %%REG",
				a->argument);
		snprintf(name, sizeof(name), "arg%u", a->argument);
		return add_plain(def, a, name, text, NULL);
	case PT_ARG_RAW:
		snprintf(name, sizeof(name), "%.30s", *a->root == '$' ? a->root + 1 : "arg");
		if (name[0] == 'a' && *a->root != '$')
			snprintf(name, sizeof(name), "arg%zu", def->nr_args + 1);
		return add_plain(def, a, name, a->root, NULL);
	case PT_ARG_EXPR:
		if (!a->is_retval || a->nr_steps || !s->ret)
			return 1;
		return add_plain(def, a, "ret", "$retval", NULL);
	case PT_ARG_VARS:
	case PT_ARG_PARAMS:
		break;
	}
	return 1;
}
