/* SDT markers: places in a program's notes, with operands that its assembler wrote. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "probe/make_priv.h"
#include "probe/value/sdtarg.h"

struct sdt_search {
	struct make_try try;
	struct pt_target *t;
	const char *path;
	char *provider, *name;
	size_t found;
	struct pt_buf others;		/* similar names */
	const struct pt_sdt *sdt;	/* the marker at hand */
};

static int add_operand(struct sdt_search *s, struct pt_vars *vars, size_t i, const char *name,
		       const char *type, struct pt_err *e)
{
	struct pt_buf fetch = PT_BUF_INIT;
	const char *own;
	char *number = pt_asprintf("arg%zu", i + 1);
	int rc = pt_sdt_arg(s->t->object, s->sdt, i, &fetch, &own, e);

	if (rc == 0)
		rc = pt_vars_add_text(vars, name ? name : number, fetch.data, type ? type : own, e);
	free(number);
	pt_buf_deinit(&fetch);
	return rc;
}

/* arg2 and $arg2 are the marker's operands here. */
static bool operand_number(const struct pt_arg *a, size_t *n)
{
	char *end;

	if (a->kind == PT_ARG_ARGUMENT) {
		*n = a->argument;
		return true;
	}
	if (a->kind != PT_ARG_EXPR || a->nr_steps || strncmp(a->root, "arg", 3) ||
	    !isdigit((unsigned char)a->root[3]))
		return false;
	*n = strtoul(a->root + 3, &end, 10);
	return !*end && *n;
}

static int add_asked(struct sdt_search *s, struct pt_vars *vars, const char *text,
		     struct pt_err *e)
{
	struct pt_var_scope scope = { .vaddr = s->sdt->vaddr,
				      .machine = s->t->object->machine,
				      .word_bytes = s->t->object->is64 ? 8 : 4 };
	struct pt_arg a;
	size_t n;
	int rc;

	if (pt_arg_parse(&a, text, e) < 0)
		return -1;
	if (operand_number(&a, &n)) {
		char *type = a.type && a.array ? pt_asprintf("%s[%u]", a.type, a.array)
					       : pt_strdup(a.type);

		rc = add_operand(s, vars, n - 1, a.name, type, e);
		free(type);
	} else if (a.kind == PT_ARG_REG || a.kind == PT_ARG_RAW) {
		rc = pt_vars_add(vars, &scope, text, NULL, e);
	} else {
		rc = pt_err_set(e, "%s: a marker has arg1 to arg%zu", text,
				pt_sdt_nr_args(s->sdt->args));
	}
	pt_arg_deinit(&a);
	return rc;
}

static int make_sdt_add_args(struct sdt_search *s, struct pt_def *def, struct pt_err *e)
{
	const struct pt_make_req *r = s->try.r;
	struct pt_vars vars = PT_VARS_INIT;
	size_t nr = pt_sdt_nr_args(s->sdt->args);
	int rc = 0;

	for (size_t i = 0; i < r->nr_args && rc == 0; i++)
		rc = add_asked(s, &vars, r->args[i], e);
	for (size_t i = 0; i < nr && !r->nr_args; i++) {
		struct pt_err why = PT_ERR_INIT;

		if (add_operand(s, &vars, i, NULL, NULL, &why) < 0)
			make_note(s->try.m, "left out: %s:%s: arg%zu: %s", s->sdt->provider,
				  s->sdt->name, i + 1, why.msg);
	}
	if (rc == 0)
		make_add_vars(def, &vars);
	pt_vars_deinit(&vars);
	return rc;
}

static void sanitized(const char *text, struct pt_buf *b)
{
	for (; *text; text++)
		pt_buf_putc(b, isalnum((unsigned char)*text) ? *text : '_');
}

static int make_sdt_add_marker(struct sdt_search *s, struct pt_err *e)
{
	const struct pt_sdt *sdt = s->sdt;
	struct pt_def *def = make_def(s->try.m);
	const struct pt_object *o = s->t->object;
	const uint8_t *semaphore =
		sdt->semaphore ? pt_object_bytes(o, sdt->semaphore, 2, true) : NULL;
	struct pt_buf group = PT_BUF_INIT, name = PT_BUF_INIT;
	int rc = 0;

	def->user = true;
	def->path = pt_strdup(s->path);
	pt_buf_puts(&group, "sdt_");
	sanitized(sdt->provider, &group);
	pt_event_name(sdt->name, 0, false, &name);
	make_names(s->try.r, def, group.data, name.data);
	pt_buf_deinit(&group);
	pt_buf_deinit(&name);
	if (semaphore)
		def->semaphore_off = (uint64_t)(semaphore - o->file.data);
	if (!pt_target_offset(s->t, sdt->vaddr, &def->off))
		rc = pt_err_set(e, "its address 0x%llx is not in the program's code",
				(unsigned long long)sdt->vaddr);
	else if (sdt->semaphore && !semaphore)
		rc = pt_err_set(e, "its semaphore at 0x%llx is not in the program's data",
				(unsigned long long)sdt->semaphore);
	else
		rc = make_sdt_add_args(s, def, e);
	if (rc < 0)
		make_undo(s->try.m);
	return rc;
}

/* A marker at several places is one name. */
static void add_other(struct sdt_search *s)
{
	char *name = pt_asprintf("sdt_%s:%s", s->sdt->provider, s->sdt->name);

	if (!strstr(pt_buf_str(&s->others), name))
		pt_buf_printf(&s->others, "%s%s", s->others.len ? ", " : "", name);
	free(name);
}

static void see_marker(void *arg, const struct pt_sdt *sdt)
{
	struct sdt_search *s = arg;
	struct pt_err why = PT_ERR_INIT;

	s->sdt = sdt;
	if (!pt_text_glob(s->name, sdt->name) ||
	    (*s->provider && !pt_text_glob(s->provider, sdt->provider))) {
		if (s->others.len < 400 && pt_text_distance(s->name, sdt->name, 2) <= 2)
			add_other(s);
		return;
	}
	s->found++;
	if (make_sdt_add_marker(s, &why) == 0)
		return;
	pt_err_context(&why, "%s:%s at 0x%llx", sdt->provider, sdt->name,
		       (unsigned long long)sdt->vaddr);
	make_note(s->try.m, "left out: %s", why.msg);
	s->try.why = why;
}

int pt_make_sdt(struct pt_made *m, const struct pt_make_req *r, struct pt_target *t,
		struct pt_dyn *dyn, struct pt_err *e)
{
	struct sdt_search s = { .try = make_begin(m, r), .t = t };
	const char *colon = strchr(r->marker, ':');
	struct pt_buf path = PT_BUF_INIT;
	int rc = 0;

	s.provider = colon ? pt_strndup(r->marker, (size_t)(colon - r->marker)) : pt_strdup("");
	s.name = pt_strdup(colon ? colon + 1 : r->marker);
	if (pt_dyn_path(dyn, t->path, &path, e) < 0) {
		rc = -1;
	} else {
		s.path = path.data;
		if (!pt_sdt_each(t->object, see_marker, &s))
			rc = pt_err_set(e, "%s has no SDT markers", t->path);
		else if (!s.found && s.others.len)
			rc = pt_err_set(e, "%s has no marker %s; did you mean %s?", t->path,
					r->marker, s.others.data);
		else if (!s.found)
			rc = pt_err_set(e,
					"%s has no marker %s; `pt-list -x %s` shows those it has",
					t->path, r->marker, t->path);
		else
			rc = make_end(&s.try, e);
	}
	free(s.provider);
	free(s.name);
	pt_buf_deinit(&s.others);
	pt_buf_deinit(&path);
	return rc;
}
