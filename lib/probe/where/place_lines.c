/* place_lines.c - places of source lines. */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "probe/where/lines.h"
#include "probe/where/place_priv.h"
#include "elf/sourcetext.h"

enum { NEAR = 2 };

struct wanted {
	uint32_t line;
	/* search lines by the pattern instead of the number */
	const struct pt_source_text *text;
	const char *pattern;
	/* nearest lines with code, the nearest first; 0: none */
	uint32_t below[NEAR], above[NEAR];
};

static bool place_lines_is_wanted(const struct wanted *w, uint32_t line)
{
	return w->text ? line && pt_source_text_agrees(w->text, line, w->pattern) : line == w->line;
}

static void note_near(struct wanted *w, uint32_t line)
{
	uint32_t *v = line < w->line ? w->below : w->above;

	if (!line || w->text)
		return;
	for (size_t i = 0; i < NEAR; i++) {
		if (v[i] == line)
			return;
		if (!v[i] || (line < w->line ? line > v[i] : line < v[i])) {
			uint32_t out = v[i];

			v[i] = line;
			if (!out)
				return;
			line = out;
		}
	}
}

/* The address behind the prologue if variables are wanted, since some are not in place before. */
static uint64_t settled(struct pt_finder *f, const struct pt_instance *in, uint64_t pc)
{
	uint64_t entry = in->tree->v[0].entry, end;

	if (!f->o->variables || in->scope || pc < entry)
		return pc;
	end = pt_prologue_end(f->t, in->tree);
	return pc < end ? end : pc;
}

/* Adds the line's places in one instance. */
static void places_in(struct pt_finder *f, const struct pt_instance *in, const char *file,
		      struct wanted *w, struct pt_lines_of *l)
{
	bool has_code = false;
	uint32_t within = 0, last = 0;
	size_t before, pieces = 0;

	pt_lines_of(l, f->t, in, file);
	for (size_t i = 0; i < l->nr; i++)
		has_code |= !l->v[i].empty && place_lines_is_wanted(w, l->v[i].line);
	for (size_t i = 0; i < l->nr; i++) {
		/* A line without an instruction of its own would be hit in passing; it is used only
		 * if the line has nothing else. */
		if (l->v[i].empty && has_code && !f->o->all)
			continue;
		if (!place_lines_is_wanted(w, l->v[i].line)) {
			note_near(w, l->v[i].line);
			within = 0;
			continue;
		}
		before = f->ps->nr;
		if ((within != l->v[i].line || l->v[i].apart || f->o->all) &&
		    !(f->o->first && pieces && last == l->v[i].line))
			pt_place_add(f, in, settled(f, in, l->v[i].pc),
				     pt_dw_lines_file(pt_source_lines(f->t, in->tree->unit),
						      l->v[i].file),
				     l->v[i].line);
		within = l->v[i].line;
		if (f->ps->nr == before)
			continue;
		pieces = last == within ? pieces + 1 : 1;
		last = within;
		f->pieces = PT_MAX(f->pieces, pieces);
	}
}

/* `base`: the function's first line, which `what` counts from; 0: a file's lines. */
static int no_code(struct pt_finder *f, const char *what, const char *file, const struct wanted *w,
		   uint32_t base, struct pt_err *e)
{
	struct pt_buf near = PT_BUF_INIT, absolute = PT_BUF_INIT;

	for (int i = NEAR - 1; i >= -NEAR; i--) {
		uint32_t line = i >= 0 ? w->below[i] : w->above[-i - 1];

		if (line && line >= base)
			pt_buf_printf(&near, "%s%u",
				      near.len ? ", " : "; the nearest lines that have: ",
				      line - base);
	}
	if (base)
		pt_buf_printf(&absolute, " (%s:%u)", file ? file : "?", w->line);
	pt_point_wrong(f->p, f->p->at_line, e, "%s:%u%s has no code%s", what, w->line - base,
		       pt_buf_str(&absolute), pt_buf_str(&near));
	pt_buf_deinit(&near);
	pt_buf_deinit(&absolute);
	return -1;
}

/* `text` NULL: the source of `file` is not here. */
static int none_agrees(struct pt_finder *f, const struct pt_source_text *text, const char *file,
		       struct pt_err *e)
{
	if (text)
		return pt_point_wrong(
			f->p, f->p->at_pattern, e,
			"no line with code agrees with the pattern; * stands for any text");
	return pt_point_wrong(f->p, f->p->at_pattern, e,
			      "%s: the source is not here: a pattern is of its text", file);
}

int pt_place_lines(struct pt_finder *f, const struct pt_instances *is, struct pt_err *e)
{
	struct pt_source_text *text = NULL;
	struct pt_lines_of l = { .v = NULL };
	struct wanted w = { .line = 0 };
	const struct pt_instance *first = NULL;

	for (size_t i = 0; i < is->nr; i++) {
		const struct pt_instance *in = &is->v[i];

		if (!in->file || !in->line)
			continue;
		if (!first || w.line != in->line + f->p->line)
			w = (struct wanted){ .line = in->line + f->p->line };
		if (f->p->pattern && (!first || strcmp(first->file, in->file))) {
			pt_source_text_free(text);
			text = pt_source_text_open(f->t->object, f->t->source_dir, in->file);
		}
		first = in;
		w.text = text;
		w.pattern = f->p->pattern;
		if (text || !f->p->pattern)
			places_in(f, in, in->file, &w, &l);
	}
	pt_source_text_free(text);
	free(l.v);
	if (f->ps->nr)
		return 0;
	if (first && f->p->pattern)
		return none_agrees(f, text, first->file, e);
	if (first)
		return no_code(f, f->p->func, first->file, &w, first->line, e);
	return is->nr ? pt_err_set(
				e,
				"%s: the debug information does not say where it begins: use FILE:LINE",
				f->p->func)
		      : pt_err_set(e, "%s was optimised away: it has no code", f->p->func);
}

struct by_file {
	const struct pt_dw_row *rows;	/* of the unit */
	const struct pt_source_files *files;
	struct pt_dw_span *hits;	/* from the row to the next one */
	size_t nr, cap;
	const struct wanted *w;
};

/* Has the function code of the line, by a row or by a call that is inlined? */
static bool place_lines_has_line(void *arg, const struct pt_tree *tree)
{
	const struct by_file *b = arg;

	for (size_t i = 0; i < b->nr; i++)
		if (pt_tree_has(tree, 0, b->hits[i].lo))
			return true;
	for (size_t i = 1; i < tree->nr; i++)
		if (place_lines_is_wanted(b->w, tree->v[i].call_line) &&
		    pt_source_has(b->files, tree->v[i].call_file))
			return true;
	return false;
}

/* Collects the line's rows and the nearest lines. */
static void look_at_rows(struct by_file *b, size_t nr_rows, struct wanted *w)
{
	b->nr = 0;
	for (size_t i = 0; i < nr_rows; i++) {
		const struct pt_dw_row *r = &b->rows[i];

		if (r->flags & PT_DW_ROW_END || !(r->flags & PT_DW_ROW_STMT) ||
		    !pt_source_has(b->files, r->file))
			continue;
		if (!place_lines_is_wanted(w, r->line)) {
			note_near(w, r->line);
			continue;
		}
		PT_GROW(b->hits, b->nr, b->cap);
		b->hits[b->nr++] = (struct pt_dw_span){ r->vaddr, r->vaddr };
	}
}

static void place_lines_in_unit(struct pt_finder *f, struct pt_dw_unit *root, const char *file,
				const struct pt_source_files *files, struct wanted *w)
{
	struct by_file b = { .files = files, .w = w };
	struct pt_lines_of of = { .v = NULL };
	struct pt_instances is;
	struct wanted none;
	size_t nr;

	b.rows = pt_dw_lines_rows(pt_source_lines(f->t, root), &nr);
	look_at_rows(&b, nr, w);
	pt_instances_init(&is);
	pt_instances_in(&is, f->t, pt_dw_unit_split(root), place_lines_has_line, &b);
	for (size_t i = 0; i < is.nr; i++) {
		none = (struct wanted){ .line = w->line, .text = w->text, .pattern = w->pattern };
		places_in(f, &is.v[i], file, &none, &of);
	}
	pt_instances_deinit(&is);
	free(of.v);
	free(b.hits);
}

int pt_place_file_line(struct pt_finder *f, const char *file, struct pt_err *e)
{
	struct wanted w = { .line = f->p->line, .pattern = f->p->pattern };
	struct pt_source_text *text = NULL;
	struct pt_source_files files;
	struct pt_dw_unit *root;
	char *there = NULL;		/* the file in the debug information */
	bool looked = false;
	size_t i = 0;
	int rc;

	while ((root = pt_source_next_unit(f->t, &i, file, &there, &files))) {
		if (!looked && f->p->pattern)
			w.text = text = pt_source_text_open(f->t->object, f->t->source_dir, there);
		looked = true;
		if (text || !f->p->pattern)
			place_lines_in_unit(f, root, file, &files, &w);
		free(files.is);
	}
	pt_source_text_free(text);
	if (f->ps->nr) {
		rc = 0;
	} else if (there) {
		rc = f->p->pattern ? none_agrees(f, text, there, e)
				   : no_code(f, file, file, &w, 0, e);
	} else {
		rc = pt_point_wrong(f->p, f->p->func ? f->p->at_func : f->p->at_file, e,
				    "%s: no %ssource file %s", f->t->path,
				    f->p->func ? "function and no " : "", file);
	}
	free(there);
	return rc;
}
