#include "probe/make.h"

#include <elf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "elf/names.h"
#include "probe/target/image.h"
#include "probe/where/kernel.h"
#include "probe/make_priv.h"
#include "probe/where/place_priv.h"
#include "probe/target/tree.h"

void make_note(struct pt_made *m, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	if (!text)
		return;
	PT_GROW(m->notes, m->nr_notes, m->cap_notes);
	m->notes[m->nr_notes++] = text;
}

struct pt_def *make_def(struct pt_made *m)
{
	PT_GROW(m->defs, m->nr, m->cap);
	m->defs[m->nr] = (struct pt_def){ .kind = 'p' };
	return &m->defs[m->nr++];
}

void make_undo(struct pt_made *m)
{
	pt_def_deinit(&m->defs[--m->nr]);
}

struct make_try make_begin(struct pt_made *m, const struct pt_make_req *r)
{
	return (struct make_try){
		.m = m, .r = r, .nr_defs = m->nr, .nr_notes = m->nr_notes, .nr = 1
	};
}

int make_end(const struct make_try *t, struct pt_err *e)
{
	struct pt_made *m = t->m;

	if (m->nr > t->nr_defs)
		return make_guards(m, t->nr_defs, t->r, e);
	while (m->nr_notes > t->nr_notes)
		free(m->notes[--m->nr_notes]);
	if (e)
		*e = t->why;
	if (t->nr > 1)
		pt_err_context(e, "at none of %zu places", t->nr);
	return -1;
}

void make_names(const struct pt_make_req *r, struct pt_def *def, const char *group,
		const char *event)
{
	def->group = pt_strdup(r->point.group ? r->point.group : group);
	def->event = pt_strdup(r->point.name ? r->point.name : event);
}

int pt_made_choose(struct pt_made *m, size_t first, bool no_inlines, uint64_t max,
		   struct pt_err *e)
{
	size_t nr = m->nr, kept = first;

	for (size_t i = first; i < nr; i++) {
		bool inlined = m->defs[i].made && m->defs[i].made->inlined;

		if (no_inlines && inlined)
			pt_def_deinit(&m->defs[i]);
		else
			m->defs[kept++] = m->defs[i];
	}
	m->nr = kept;
	if (nr > first && kept == first)
		return pt_err_set(e, "--no-inlines: the code is inlined at all %zu places",
				  nr - first);
	if (max && kept - first > max)
		return pt_err_set(e, "--max-probes: there are %zu places, which are more than %llu",
				  kept - first, (unsigned long long)max);
	return 0;
}

void pt_made_deinit(struct pt_made *m)
{
	for (size_t i = 0; i < m->nr; i++)
		pt_def_deinit(&m->defs[i]);
	for (size_t i = 0; i < m->nr_notes; i++)
		free(m->notes[i]);
	free(m->defs);
	pt_arena_deinit(&m->places);
	free(m->notes);
	*m = (struct pt_made){ .nr = 0 };
}

static const char *make_keep(struct pt_made *m, const char *s)
{
	return s ? pt_arena_strndup(&m->places, s, strlen(s)) : NULL;
}

static void keep_place(struct pt_made *m, struct pt_def *def, const struct pt_place *p)
{
	struct pt_made_place made = {
		.vaddr = p->vaddr,
		.func = make_keep(m, p->func),
		.outer = make_keep(m, p->outer),
		.file = make_keep(m, p->file),
		.line = p->line,
		.inlined = p->inlined,
	};

	def->made = pt_arena_memdup(&m->places, &made, sizeof(made));
}

/* The unit and scopes of a place in libdw, by their offsets. */
static int scope_dies(struct pt_target *t, const struct pt_place *p, Dwarf_Die *cu, Dwarf_Die *dies,
		      struct pt_err *e)
{
	Dwarf *dw = pt_target_dw(t, e);

	if (!dw)
		return -1;
	if (p->unit->skeleton) {
		if (pt_target_split(t, p->unit, cu, e) < 0)
			return -1;
		dw = dwarf_cu_getdwarf(cu->cu);
	} else if (!dwarf_offdie(dw, p->unit->first, cu)) {
		return pt_err_set(e, "libdw: %s", dwarf_errmsg(-1));
	}
	for (unsigned i = 0; i < p->nr_scopes; i++)
		if (!dwarf_offdie(dw, p->scopes[i], &dies[i]))
			return pt_err_set(e, "libdw: %s", dwarf_errmsg(-1));
	return 0;
}

int make_scope(struct pt_target *t, const struct pt_place *p, Dwarf_Die dies[PT_PLACE_SCOPES],
	       struct pt_var_scope *s, struct pt_err *e)
{
	struct pt_tree tree = { .unit = NULL };

	*s = (struct pt_var_scope){
		.vaddr = p->vaddr,
		.file_off = p->off,
		.entry = p->entry,
		.ret = p->ret,
		.kernel = t->kernel,
		.module = t->kernel && t->object->type == ET_REL,
		.machine = t->object->machine,
		.word_bytes = t->object->is64 ? 8 : 4,
		.object = t->object,
		.debug = t->debug,
		.big_endian = (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) != t->object->swap,
	};
	if (!p->unit)
		return 0;
	if (scope_dies(t, p, &s->cu, dies, e) < 0)
		return -1;
	s->dw = t->dw;
	s->target = t;
	s->has_cu = true;
	s->scopes = dies;
	s->nr_scopes = p->nr_scopes;
	if (p->body)
		s->body_vaddr = p->vaddr;
	else if (p->nr_scopes && pt_tree_read(&tree, p->unit, p->scopes[0]))
		s->body_vaddr = pt_prologue_end(t, &tree);
	pt_tree_deinit(&tree);
	return 0;
}

void make_add_vars(struct pt_def *def, const struct pt_vars *vars)
{
	size_t first = def->nr_args;
	char *name;

	for (size_t i = 0; i < vars->nr; i++) {
		pt_def_add_text(def, vars->v[i].name, vars->v[i].fetch);
		if (vars->v[i].companion)
			make_shorten(def, &def->args[def->nr_args - 1]);
	}
	for (size_t i = 0; i < vars->nr; i++) {		/* behind all values, to be hidden */
		if (!vars->v[i].companion)
			continue;
		name = pt_asprintf("%s%s", vars->v[i].companion,
				   def->args[first + i].name);
		pt_def_add_text(def, name, vars->v[i].companion_fetch);
		free(name);
	}
}

int make_args(struct pt_made *m, struct pt_def *def, const struct pt_make_req *r,
	      const struct pt_var_scope *s, struct pt_err *e)
{
	struct pt_vars vars = PT_VARS_INIT, left_out = PT_VARS_INIT;
	int rc = 0;

	for (size_t i = 0; i < r->nr_args && rc == 0; i++)
		rc = pt_vars_add(&vars, s, r->args[i], &left_out, e);
	if (rc == 0)
		make_add_vars(def, &vars);
	for (size_t i = 0; i < left_out.nr && rc == 0; i++)
		make_note(m, "left out: %s: %.*s", left_out.v[i].name,
			  (int)strcspn(left_out.v[i].why, "\n"), left_out.v[i].why);
	pt_vars_deinit(&vars);
	pt_vars_deinit(&left_out);
	return rc;
}

/* Variables are valid behind a function's prologue, arguments of the calling convention in front of
 * it. */
static int wants_variables(const struct pt_make_req *r, bool *wants, struct pt_err *e)
{
	bool vars = false, args = false, named;

	for (size_t i = 0; i < r->nr_args; i++) {
		struct pt_arg a;

		if (pt_arg_parse(&a, r->args[i], e) < 0)
			return -1;
		named = (a.kind == PT_ARG_EXPR && !a.is_retval) || a.kind == PT_ARG_VARS ||
			a.kind == PT_ARG_PARAMS;
		vars |= named;
		args |= a.kind == PT_ARG_ARGUMENT;
		pt_arg_deinit(&a);
		if (named && r->point.ret)
			return pt_err_set(
				e,
				"%s: where a function has returned its variables are gone; $retval is there",
				r->args[i]);
	}
	*wants = vars && !args;
	return 0;
}

static void make_base_name(const struct pt_place *p, const struct pt_point *point, struct pt_buf *b)
{
	/* As the user wrote it: in the debug information malloc is __libc_malloc. */
	const char *func = point->func && !pt_point_is_glob(point->func) ? point->func
			   : p->func                                     ? p->func
									 : p->symbol;
	char text[32];

	if (!func) {
		snprintf(text, sizeof(text), "abs_0x%llx", (unsigned long long)p->vaddr);
		func = text;
	}
	pt_event_name(func, point->pattern ? p->line : point->line, p->ret, b);
}

void make_place_text(const struct pt_place *p, struct pt_buf *b)
{
	if (p->symbol) {
		if (!pt_demangle(p->symbol, b))
			pt_buf_puts(b, p->symbol);
		if (p->symbol_off)
			pt_buf_printf(b, "+%llu", (unsigned long long)p->symbol_off);
	} else
		pt_buf_printf(b, "0x%llx", (unsigned long long)p->vaddr);
	if (p->inlined && p->func)
		pt_buf_printf(b, " (%s, inlined)", p->func);
}

/* Of a target: its probes' group, and for programs the path as the kernel takes it. */
struct subject {
	struct pt_target *t;
	struct pt_buf group, path;
};

static int make_add_place(struct pt_made *m, const struct pt_make_req *r, const struct subject *of,
			  const struct pt_place *p, struct pt_err *e)
{
	struct pt_target *t = of->t;
	struct pt_def *def = make_def(m);
	struct pt_buf name = PT_BUF_INIT;
	Dwarf_Die dies[PT_PLACE_SCOPES];
	struct pt_var_scope s;

	def->kind = p->ret ? 'r' : 'p';
	def->user = !t->kernel;
	make_base_name(p, &r->point, &name);
	make_names(r, def, of->group.data, name.data);
	pt_buf_deinit(&name);
	if (def->user) {
		def->path = pt_strdup(of->path.data);
		def->off = p->off;
	} else if (pt_kernel_place(t, p, def, e) < 0) {
		make_undo(m);
		return -1;
	} else {
		def->maxactive = p->ret ? r->maxactive : 0;
	}
	if (r->nr_args &&
	    (make_scope(t, p, dies, &s, e) < 0 || make_args(m, def, r, &s, e) < 0)) {
		make_undo(m);
		return -1;
	}
	keep_place(m, def, p);
	return 0;
}

int pt_make_user(struct pt_made *m, const struct pt_make_req *r, struct pt_target *t,
		 struct pt_dyn *dyn, struct pt_err *e)
{
	struct pt_place_opts o = { .all = r->all, .first = r->first };
	struct make_try try = make_begin(m, r);
	struct subject of = { .t = t };
	struct pt_buf text = PT_BUF_INIT;
	struct pt_places ps;
	int rc = -1;

	if (t->kernel && dyn && pt_image_check(t->object, t->module, e) < 0)
		return -1;
	if (wants_variables(r, &o.variables, e) < 0 || pt_places_find(&ps, t, &r->point, &o, e) < 0)
		return -1;
	if (t->kernel)
		pt_buf_puts(&of.group, "probe");
	else
		pt_event_group(t->path, &of.group);
	if (!t->kernel && pt_dyn_path(dyn, t->path, &of.path, e) < 0)
		goto out;
	try.nr = ps.nr;
	for (size_t i = 0; i < ps.nr; i++) {
		struct pt_err why = PT_ERR_INIT;

		if (make_add_place(m, r, &of, &ps.v[i], &why) == 0)
			continue;
		if (!try.why.msg[0])
			try.why = why;
		pt_buf_clear(&text);
		make_place_text(&ps.v[i], &text);
		if (ps.nr > 1)
			make_note(m, "left out: %s: %.*s", pt_buf_str(&text),
				  (int)strcspn(why.msg, "\n"), why.msg);
	}
	rc = make_end(&try, e);
	if (ps.note)
		make_note(m, "%s", ps.note);
	if (rc == 0 && dyn && t->module && !pt_image_is_loaded(t->module))
		make_note(m, "the module %s is not loaded: the probe is there once it is",
			  t->module);
out:
	pt_places_deinit(&ps);
	pt_buf_deinit(&of.group);
	pt_buf_deinit(&of.path);
	pt_buf_deinit(&text);
	return rc;
}

/* -- events of them -- */

int pt_events_of_made(struct pt_events *es, struct pt_made *m, struct pt_dyn *dyn,
		      const char *group, bool force, struct pt_err *e)
{
	int rc;

	for (size_t i = 0; group && i < m->nr; i++) {
		free(m->defs[i].group);
		m->defs[i].group = pt_strdup(group);
	}
	if (pt_events_plan(es, m->defs, m->nr, dyn, force, e) < 0)
		return -1;
	m->nr = 0;			/* the definitions are the plan's now */
	rc = group ? pt_dyn_own_group(dyn, group, e) : 0;
	if (rc == 0 && dyn)
		rc = pt_events_make(es, dyn, e);
	if (rc < 0)
		pt_events_deinit(es);
	return rc;
}

void pt_events_say_names(const struct pt_events *es, void (*say)(void *, const char *), void *ctx)
{
	for (size_t i = 0; i < es->nr; i++) {
		const struct pt_new_event *ev = &es->v[i];
		char *text = NULL;

		if (ev->wanted && ev->apart)
			text = pt_asprintf(
				"%s:%s: its places fetch other arguments than those of %s:%s",
				ev->group, ev->name, ev->group, ev->wanted);
		else if (ev->wanted)
			text = pt_asprintf("%s:%s is taken by another probe: this one is %s:%s",
					   ev->group, ev->wanted, ev->group, ev->name);
		if (text)
			say(ctx, text);
		free(text);
	}
}

void pt_events_remove(const struct pt_events *es, struct pt_dyn *dyn)
{
	for (size_t i = 0; i < es->nr; i++)
		pt_dyn_remove(dyn, es->v[i].group, es->v[i].name, NULL);
}
