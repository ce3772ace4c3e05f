#include "probe/where/lines.h"

#include <dwarf.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/search.h"

struct work {
	struct pt_lines_of *out;
	const struct pt_instance *in;
	const struct pt_dw_row *rows;
	size_t nr;
	struct pt_source_files files;
	bool apart;
};

static void where_lines_add(struct work *w, uint64_t pc, uint32_t file, uint32_t line, bool empty)
{
	struct pt_lines_of *o = w->out;

	PT_GROW(o->v, o->nr, o->cap);
	o->v[o->nr++] = (struct pt_line_at){ pc, file, pt_source_has(&w->files, file) ? line : 0,
					     w->apart, empty };
	w->apart = false;
}

static size_t first_row(const struct work *w, uint64_t vaddr)
{
	return PT_LEADING(w->nr, i, w->rows[i].vaddr < vaddr);
}

/* Is this the line of a call that is inlined here, or of one around it? Its rows are in the
 * callee's ranges, too, and are no statements. */
static bool where_lines_is_call(const struct work *w, const struct pt_dw_row *r)
{
	const struct pt_tree *t = w->in->tree;

	if (w->in->line == r->line)
		return false;
	for (size_t i = w->in->scope; i; i = pt_tree_function(t, t->v[i].parent))
		if (t->v[i].call_line == r->line && t->v[i].call_file == r->file)
			return true;
	return false;
}

/* Walks the rows of [lo, hi). From its entry on, a callee's code counts as the line of the call;
 * the first rows at that address may still be the caller's own. */
static void where_lines_walk(struct work *w, uint64_t lo, uint64_t hi)
{
	const struct pt_tree *t = w->in->tree;
	const struct pt_tree_scope *s, *own = &t->v[w->in->scope];
	uint64_t at = 0;
	uint32_t view = 0;
	size_t callee = 0, last = 0;

	for (size_t i = first_row(w, lo); i < w->nr && w->rows[i].vaddr < hi; i++) {
		const struct pt_dw_row *r = &w->rows[i];

		view = r->vaddr == at ? view + 1 : 0;
		if (r->vaddr != at || !view)
			callee = pt_tree_callee(t, w->in->scope, r->vaddr);
		at = r->vaddr;
		/* still the caller's */
		if (r->flags & PT_DW_ROW_END ||
		    (w->in->scope && at == own->entry && view < own->entry_view))
			continue;
		s = &t->v[callee];
		if (callee && !(r->vaddr == s->entry && view < s->entry_view)) {
			/* Once, where it is entered or continued; its own statements do not count.
			 */
			if (callee != last)
				where_lines_add(w, r->vaddr, s->call_file, s->call_line, false);
			last = callee;
		} else if (r->flags & PT_DW_ROW_STMT &&
			   !(w->in->scope && where_lines_is_call(w, r))) {
			where_lines_add(w, r->vaddr, r->file, r->line,
					i + 1 < w->nr && w->rows[i + 1].vaddr == r->vaddr &&
				    w->rows[i + 1].line != r->line);
			last = 0;
		}
	}
}

static int where_lines_by_lo(const void *a, const void *b)
{
	const struct pt_dw_span *x = a, *y = b;

	return PT_COMPARE(x->lo, y->lo);
}

void pt_lines_of(struct pt_lines_of *out, struct pt_target *t, const struct pt_instance *in,
		 const char *file)
{
	const struct pt_tree_scope *s = &in->tree->v[in->scope];
	struct pt_dw_lines *l = pt_source_lines(t, in->tree->unit);
	struct work w = { .out = out, .in = in };
	struct pt_dw_span *ranges;

	out->nr = 0;
	if (!l || !s->nr)
		return;
	w.rows = pt_dw_lines_rows(l, &w.nr);
	w.files = pt_source_files_of(l, file);
	ranges = pt_memdup(&in->tree->ranges[s->first], s->nr * sizeof(*ranges));
	qsort(ranges, s->nr, sizeof(*ranges), where_lines_by_lo);
	for (size_t i = 0; i < s->nr && w.files.any; i++) {
		/* The surrounding code cuts inlined code into pieces; only a function's own pieces
		 * are apart. */
		w.apart = i && !in->scope;
		where_lines_walk(&w, ranges[i].lo, ranges[i].hi);
	}
	free(ranges);
	free(w.files.is);
}

void pt_line_at(struct pt_target *t, const struct pt_instance *in, uint64_t pc, const char **file,
		uint32_t *line)
{
	struct pt_dw_lines *l = pt_source_lines(t, in->tree->unit);
	size_t callee = pt_tree_callee(in->tree, in->scope, pc);
	const struct pt_tree_scope *s = &in->tree->v[callee];
	struct work w = { .in = in };
	uint32_t number;
	size_t i;

	*file = NULL;
	*line = 0;
	if (!l)
		return;
	w.rows = pt_dw_lines_around(l, pc, &w.nr);
	i = first_row(&w, pc);
	if (in->scope && pc == in->tree->v[in->scope].entry)
		i += PT_MIN((size_t)in->tree->v[in->scope].entry_view, w.nr - i);
	if (callee && !(pc == s->entry && s->entry_view)) {
		*file = pt_dw_lines_file(l, s->call_file);
		*line = s->call_line;
	} else if (i < w.nr && w.rows[i].vaddr == pc) {
		*file = pt_dw_lines_file(l, w.rows[i].file);
		*line = w.rows[i].line;
	} else if (pt_dw_lines_at(l, pc, &number, line) && *line) {
		*file = pt_dw_lines_file(l, number);
	}
}
