#include "probe/where/place.h"

#include <dwarf.h>
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/text.h"
#include "elf/names.h"
#include "probe/where/functions.h"
#include "probe/where/lines.h"
#include "probe/spec/match.h"
#include "probe/where/place_priv.h"

enum { MAX_PLACES = 1 << 20 };

static const char *place_keep(struct pt_places *ps, const char *s)
{
	return s ? pt_names_add(ps->names, s, strlen(s)) : NULL;
}

static struct pt_place *place_add(struct pt_finder *f, uint64_t vaddr)
{
	struct pt_places *ps = f->ps;
	struct pt_place *p;
	struct pt_symbol s;

	if (ps->nr >= MAX_PLACES)
		return NULL;
	PT_GROW(ps->v, ps->nr, ps->cap);
	p = &ps->v[ps->nr];
	*p = (struct pt_place){ .vaddr = vaddr, .ret = f->p->ret };
	if (!f->t->kernel && !pt_target_offset(f->t, vaddr, &p->off))
		return NULL;
	ps->nr++;
	if (pt_target_symbol(f->t, vaddr, &s)) {
		p->symbol = place_keep(ps, s.name);
		p->symbol_off = vaddr - s.vaddr;
	}
	p->func = p->outer = p->symbol;
	return p;
}

static const char *outer_name(struct pt_finder *f, const struct pt_tree *tree)
{
	struct pt_buf b = PT_BUF_INIT;
	struct pt_dw_name n = { NULL, false };
	struct pt_dw_die die;
	const char *name = NULL;

	if (pt_dw_die_at(tree->unit, tree->v[0].off, &die))
		n = pt_dw_name(&die);
	if (n.linkage && pt_demangle(n.name, &b))
		name = place_keep(f->ps, b.data);
	else if (n.name)
		name = place_keep(f->ps, pt_dw_plain_name(&die) ? pt_dw_plain_name(&die) : n.name);
	pt_buf_deinit(&b);
	return name;
}

/* From the outermost function inwards. If there is no room, the scopes next to the first are left
 * out. */
static void set_scopes(struct pt_place *p, const struct pt_tree *tree, size_t scope)
{
	uint64_t up[PT_PLACE_SCOPES];
	unsigned nr = 0;

	for (; scope && nr < PT_PLACE_SCOPES - 1; scope = tree->v[scope].parent)
		up[nr++] = tree->v[scope].off;
	p->unit = tree->unit;
	p->scopes[0] = tree->v[0].off;
	for (p->nr_scopes = 1; nr; )
		p->scopes[p->nr_scopes++] = up[--nr];
}

void pt_place_add(struct pt_finder *f, const struct pt_instance *in, uint64_t vaddr,
		  const char *file, uint32_t line)
{
	uint64_t *seen = pt_map_put(&f->seen, vaddr);
	struct pt_place *p;

	/* A line is hit once, whatever is inlined there. */
	if (*seen &&
	    ((f->p->has_line && !f->p->func) || !strcmp(f->ps->v[*seen - 1].func, in->name)))
		return;
	p = place_add(f, vaddr);
	if (!p)
		return;
	*seen = f->ps->nr;
	p->func = place_keep(f->ps, in->name);
	p->inlined = in->scope > 0;
	p->outer = in->scope ? outer_name(f, in->tree) : p->func;
	p->entry = vaddr == in->tree->v[0].entry;
	set_scopes(p, in->tree, pt_tree_innermost(in->tree, in->scope, vaddr, true));
	p->file = file;
	p->line = line;
	if (!line)
		pt_line_at(f->t, in, vaddr, &p->file, &p->line);
	p->file = place_keep(f->ps, p->file);
}

struct by_symbol {
	struct pt_finder *f;
	struct pt_match match;
	const char *version;		/* behind the @; NULL: any */
	size_t name_len;		/* of the name in front of it */
	struct pt_map seen;		/* vaddr + 1 */
	uint64_t *v;
	size_t nr, cap;
	bool ifunc;
};

static bool versions_agree(const struct by_symbol *b, const struct pt_elfsym *s)
{
	const char *want = b->version + (b->version[0] == '@');

	return s->version && !strcmp(s->version, want) && (b->version[0] != '@' || s->is_default);
}

static bool place_symbol(void *arg, const struct pt_elfsym *s)
{
	struct by_symbol *b = arg;
	const char *want = b->f->p->versioned ? b->f->p->versioned : b->f->p->func;
	bool is;

	if (b->version)
		is = (s->name_len == b->name_len && !memcmp(s->name, want, b->name_len) &&
		      versions_agree(b, s)) ||
		     !strcmp(s->name, want);
	else if (s->name[s->name_len])
		is = s->name_len == strlen(want) && !memcmp(s->name, want, s->name_len);
	else
		is = pt_match_name(&b->match, s->name, true);
	if (!is || !s->vaddr)
		return true;
	b->ifunc |= s->type == STT_GNU_IFUNC;
	if ((*pt_map_put(&b->seen, s->vaddr))++ || b->nr >= MAX_PLACES)
		return true;
	PT_GROW(b->v, b->nr, b->cap);
	b->v[b->nr++] = s->vaddr;
	return true;
}

static void place_add_address(struct pt_finder *f, uint64_t vaddr)
{
	struct pt_instances is;
	struct pt_place *p;

	if (pt_instances_at(&is, f->t, vaddr)) {
		const struct pt_instance *in = &is.v[0];

		struct pt_instance outer = { .tree = in->tree };

		/* A function's first instruction is its own, even if other code is inlined there.
		 */
		if (in->scope && vaddr == in->tree->v[0].entry)
			outer.name = outer_name(f, in->tree);
		pt_place_add(f, outer.name ? &outer : in, vaddr, NULL, 0);
	} else {
		p = place_add(f, vaddr);
		if (p)
			p->entry = p->symbol && !p->symbol_off;
	}
	pt_instances_deinit(&is);
}

/* Collects the addresses of symbols of the name. */
static void collect(struct by_symbol *b)
{
	struct pt_finder *f = b->f;
	const char *word;

	pt_match_init(&b->match, f->p->func);
	word = b->match.word && strstr(b->match.want, b->match.word) &&
			       strstr(f->p->func, b->match.word) &&
			       (!f->p->versioned || strstr(f->p->versioned, b->match.word))
		       ? b->match.word
		       : NULL;
	pt_target_symbols(f->t, word, place_symbol, b);
}

static void place_drop(struct by_symbol *b)
{
	pt_match_deinit(&b->match);
	pt_map_deinit(&b->seen);
	free(b->v);
}

/* Adds places by symbols' names. Returns the number of symbols. */
static size_t by_symbol(struct pt_finder *f, struct pt_err *e)
{
	const char *at = f->p->versioned ? strchr(f->p->versioned, '@') : NULL;
	struct by_symbol b = { .f = f,
			       .version = at ? at + 1 : NULL,
			       .name_len = at ? (size_t)(at - f->p->versioned) : 0 };

	collect(&b);
	for (size_t i = 0; i < b.nr; i++) {
		if (f->p->has_off && pt_place_check(f, b.v[i], b.v[i] + f->p->off, e) < 0) {
			f->failed = true;
			break;
		}
		place_add_address(f, b.v[i] + (f->p->has_off ? f->p->off : 0));
	}
	if (b.ifunc && !f->p->has_off)
		f->ps->note = pt_asprintf(
			"%s chooses among several functions when a program is loaded (an IFUNC): there the choice is probed, once a program, not the calls",
			f->p->func);
	place_drop(&b);
	return b.nr;
}

/* Adds out-of-line copies that the debug information does not describe: gcc merges equal functions
 * and describes one; some units have none. */
static void add_undescribed(struct pt_finder *f, const struct pt_instances *is)
{
	struct by_symbol b = { .f = f };
	struct pt_map entries = PT_MAP_INIT;	/* of functions that it describes */
	struct pt_dw_unit *unit;
	uint64_t off;

	if (!f->t->inlines || f->p->has_off || f->p->versioned || f->p->file)
		return;
	collect(&b);
	for (size_t i = 0; i < is->nr; i++)
		if (!is->v[i].scope)
			*pt_map_put(&entries, is->v[i].tree->v[0].entry) = 1;
	for (size_t i = 0; i < b.nr; i++)
		if (!pt_map_get(&entries, b.v[i]) &&
		    !pt_inlines_function_at(f->t->inlines, b.v[i], &unit, &off))
			place_add_address(f, b.v[i]);
	pt_map_deinit(&entries);
	place_drop(&b);
}

/* A split-off part of a function is no entry: the function was entered before. */
static bool place_is_part(struct pt_finder *f, const struct pt_instance *in)
{
	struct pt_symbol s;

	return in->part ||
	       (!in->scope && pt_symtab_find(pt_symtab_of(f->t->debug), in->tree->v[0].entry, &s) &&
		(strstr(s.name, ".part.") || strstr(s.name, ".cold")));
}

/* Compilers copy code. If they copied the start of an inlined function, it has several entries,
 * each with a row of its declaration's line. In a one-line function all rows have that line, so
 * there its pieces are no entries. */
static void add_entries(struct pt_finder *f, const struct pt_instance *in)
{
	uint64_t entry = in->tree->v[in->scope].entry;
	struct pt_lines_of l = { .v = NULL };
	bool declared = false, more = false, within = false;

	pt_place_add(f, in, entry, NULL, 0);
	if (!in->file || !in->line)
		return;
	pt_lines_of(&l, f->t, in, in->file);
	for (size_t i = 0; i < l.nr; i++) {
		declared |= l.v[i].pc == entry && l.v[i].line == in->line;
		more |= l.v[i].line != in->line;
	}
	for (size_t i = 0; declared && more && i < l.nr; i++) {
		size_t callee = pt_tree_callee(in->tree, in->scope, l.v[i].pc);

		/* the rest of a function that the compiler has split (place_is_part()) */
		if (callee && in->tree->v[callee].call_line == in->line)
			continue;
		if (l.v[i].line == in->line && !within)
			pt_place_add(f, in, l.v[i].pc, in->file, in->line);
		within = l.v[i].line == in->line;
	}
	free(l.v);
}

static int by_instances(struct pt_finder *f, const struct pt_instances *is, struct pt_err *e)
{
	const struct pt_point *p = f->p;
	size_t parts = 0, inlined = 0, outside = 0;

	for (size_t i = 0; i < is->nr; i++)
		parts += place_is_part(f, &is->v[i]);
	for (size_t i = 0; i < is->nr; i++) {
		const struct pt_instance *in = &is->v[i];
		uint64_t pc = in->tree->v[in->scope].entry;

		if (parts < is->nr && place_is_part(f, in))
			continue;
		if (in->scope && (p->ret || p->has_off)) {
			inlined++;
			continue;
		}
		if (p->has_off && !pt_tree_has(in->tree, in->scope, pc + p->off)) {
			outside++;
			continue;
		}
		if (in->scope) {
			add_entries(f, in);
			continue;
		}
		if (p->has_off && pt_place_check(f, pc, pc + p->off, e) < 0)
			return -1;
		if (p->has_off)
			pc += p->off;
		else if (f->o->variables && !p->ret)
			pc = pt_prologue_end(f->t, in->tree);
		pt_place_add(f, in, pc, NULL, 0);
		if (f->ps->nr && f->ps->v[f->ps->nr - 1].vaddr == pc && !p->has_off && !p->ret &&
		    f->o->variables)
			f->ps->v[f->ps->nr - 1].body = true;
	}
	if (f->ps->nr) {
		if (inlined)
			f->ps->note =
				pt_asprintf("%s is also inlined in %zu places, which %s leaves out",
					    p->func, inlined, p->ret ? "%return" : "an offset");
		return 0;
	}
	if (outside)
		return pt_point_wrong(p, p->at_off, e, "%s+%#llx is beyond the end of the function",
				      p->func, (unsigned long long)p->off);
	if (inlined)
		return pt_point_wrong(
			p, p->at_func, e, "%s is inlined wherever it is called: %s", p->func,
			p->ret ? "it does not return" : "there an offset means nothing");
	return pt_err_set(e,
			  is->nr ? "%s lies in no segment of code"
				 : "%s was optimised away: it has no code",
			  p->func);
}

/* Suggests a similar name in any namespace. */
static void advise_near(struct pt_finder *f, struct pt_err *e)
{
	size_t max = strlen(f->p->func) > 4 ? 2 : 1, best = max + 1, d;
	struct pt_buf name = PT_BUF_INIT, near = PT_BUF_INIT;
	const char *last, *at = NULL;
	struct pt_functions l;
	struct pt_function is;

	pt_functions_list(&l, f->t, NULL, true);
	while (pt_functions_next(&l, &at, &is)) {
		pt_buf_clear(&name);
		pt_buf_add(&name, is.name, is.len);
		last = strstr(f->p->func, "::") || strchr(name.data, '<') ? NULL
									  : strrchr(name.data, ':');
		d = pt_text_distance(last ? last + 1 : name.data, f->p->func, max);
		if (d < best) {
			best = d;
			pt_buf_clear(&near);
			pt_buf_puts(&near, name.data);
		}
	}
	if (near.len)
		pt_err_advice(e, "; did you mean %s?", near.data);
	pt_buf_deinit(&name);
	pt_buf_deinit(&near);
	pt_functions_deinit(&l);
}

static int not_found(struct pt_finder *f, struct pt_err *e)
{
	pt_err_set(e, "%s: no function %s", f->t->path,
		   f->p->versioned ? f->p->versioned : f->p->func);
	if (e && !pt_point_is_glob(f->p->func))
		advise_near(f, e);
	if (!f->t->dwarf)
		pt_err_advice(
			e,
			" (it has no debug information: functions that are inlined%s are not known)",
			pt_symtab_full(pt_symtab_of(f->t->object))
				? ""
				: ", or that others do not see,");
	if (e)
		e->sys = ENOENT;
	return pt_point_caret(f->p, f->p->at_func, e);
}

static int place_find(struct pt_finder *f, struct pt_err *e)
{
	const struct pt_point *p = f->p;
	struct pt_instances is;
	int rc;

	if (p->has_addr) {
		if (pt_place_check(f, 0, p->addr, e) < 0)
			return -1;
		place_add_address(f, p->addr);
		return f->ps->nr ? 0
				 : pt_err_set(e, "%s: there is no code at %#llx", f->t->path,
					      (unsigned long long)p->addr);
	}
	if (p->has_line || p->pattern) {
		if (!f->t->dwarf)
			return pt_target_no_debug(f->t, e);
		if (!p->func && p->has_line && !p->line)
			return pt_point_wrong(p, p->at_line, e, "lines of a file count from 1");
		if (!p->func)
			return pt_place_file_line(f, p->file, e);
	}
	pt_instances_find(&is, f->t, p->func, p->file);
	/* FUNC:0 is the function itself, whatever its first line is */
	if (p->pattern || (p->has_line && p->line))
		rc = is.nr || is.declared || p->file ? pt_place_lines(f, &is, e)
						     : pt_place_file_line(f, p->func, e);
	else if (is.nr && !(p->versioned && by_symbol(f, e))) {
		add_undescribed(f, &is);
		rc = by_instances(f, &is, e);
		if (rc == 0 && is.empty && !f->ps->note)
			f->ps->note = pt_asprintf(
				"%s is inlined in %zu more places, where no instruction is its own: they are left out",
				p->func, is.empty);
	} else if (f->ps->nr || (!p->file && by_symbol(f, e)) || (p->versioned && by_symbol(f, e)))
		rc = f->failed   ? -1
		     : f->ps->nr ? 0
				 : pt_err_set(e, "%s lies in no segment of code", p->func);
	else if (is.declared)
		rc = by_instances(f, &is, e);
	else
		rc = f->failed ? -1 : not_found(f, e);
	pt_instances_deinit(&is);
	return f->failed ? -1 : rc;
}

int pt_places_find(struct pt_places *ps, struct pt_target *t, const struct pt_point *p,
		   const struct pt_place_opts *o, struct pt_err *e)
{
	struct pt_finder f = { .ps = ps, .t = t, .p = p, .o = o };
	int rc;

	*ps = (struct pt_places){ .names = pt_names_new() };
	pt_target_ask(t);
	rc = place_find(&f, e);
	if (rc == 0 && f.pieces > 1 && !o->all && !ps->note)
		ps->note = pt_asprintf(
			"%s: the code of the line is in %zu pieces%s, each is hit; --first takes the first alone",
			p->text, f.pieces, ps->nr > f.pieces ? " where there are most" : "");
	pt_map_deinit(&f.seen);
	if (rc < 0)
		pt_places_deinit(ps);
	return rc;
}

void pt_places_deinit(struct pt_places *ps)
{
	if (ps->names)
		pt_names_free(ps->names);
	free(ps->v);
	free(ps->note);
	*ps = (struct pt_places){ .v = NULL };
}
