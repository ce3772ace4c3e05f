#include "probe/where/listing.h"

#include <ctype.h>
#include <dwarf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/text.h"
#include "probe/where/lines.h"
#include "elf/sourcetext.h"

enum { MAX_LISTED = 1 << 20, MAX_LINE = 1 << 24 };

struct asked {
	char *name;			/* function or file */
	char *file;			/* of FUNC@FILE */
	uint32_t from, to;
	bool range, path;		/* lines were given; the name has a slash */
};

struct work {
	struct pt_listing *l;
	struct pt_target *t;
	struct asked a;
	struct pt_map lines;		/* that can be probed */
	uint32_t last;
	struct pt_source_files files;	/* of the unit at hand */
};

/* False: no number, or none that a line can have. */
static bool listing_number(const char *s, const char **end, uint32_t *v)
{
	char *stop;
	unsigned long n = isdigit((unsigned char)*s) ? strtoul(s, &stop, 10) : ULONG_MAX;

	if (n > INT32_MAX)
		return false;
	*v = (uint32_t)n;
	*end = stop;
	return true;
}

/* NAME[@FILE][:LINE[-LINE|+NUMBER]] */
static int listing_parse(struct asked *a, const char *what, struct pt_err *e)
{
	const char *colon = strrchr(what, ':'), *at, *end = what + strlen(what), *rest;
	uint32_t more;

	if (colon && colon > what && colon[-1] != ':' && isdigit((unsigned char)colon[1])) {
		bool good = listing_number(colon + 1, &rest, &a->from);

		a->to = a->from;
		if (good && *rest == '-')
			good = listing_number(rest + 1, &rest, &a->to);
		else if (good && *rest == '+' && (good = listing_number(rest + 1, &rest, &more)))
			a->to = PT_MIN(a->from + more, (uint32_t)INT32_MAX);
		if (!good || *rest || a->to < a->from)
			return pt_err_set(e, "%s: lines are given as FROM, FROM-TO or FROM+NUMBER",
					  what);
		a->range = true;
		end = colon;
	}
	at = memchr(what + 1, '@', (size_t)(end - what - (end > what)));
	if (at)
		a->file = pt_strndup(at + 1, (size_t)(end - at - 1));
	a->name = pt_strndup(what, (size_t)((at ? at : end) - what));
	a->path = strchr(a->name, '/') && !strstr(a->name, "operator/");
	return *a->name ? 0 : pt_err_set(e, "%s: a function's or a file's name is missing", what);
}

static void listing_put_line(struct work *w, uint32_t line)
{
	if (!line || line > MAX_LINE)
		return;
	*pt_map_put(&w->lines, line) = 1;
	w->last = PT_MAX(w->last, line);
}

/* The lines of the first function that was found. */
static void of_function(struct work *w, const struct pt_instances *is)
{
	const struct pt_instance *first = NULL, *in;
	struct pt_lines_of l = { .v = NULL };
	size_t k, others = 0;

	for (size_t i = 0; i < is->nr; i++) {
		in = &is->v[i];
		if (!in->file || !in->line)
			continue;
		if (!first)
			first = in;
		if (in->origin != first->origin) {
			others += strcmp(in->file, first->file) || in->line != first->line;
			continue;
		}
		pt_lines_of(&l, w->t, in, in->file);
		for (k = 0; k < l.nr; k++)
			/* lines of macros and headers above it do not count */
			if (l.v[k].line >= in->line)
				listing_put_line(w, l.v[k].line);
	}
	free(l.v);
	if (!first)
		return;
	w->l->func = pt_strdup(first->name);
	w->l->file = pt_strdup(first->file);
	w->l->first = first->line;
	/* FUNC:0 is its first instruction on any line */
	listing_put_line(w, first->line);
	if (others)
		w->l->note =
			pt_asprintf("other functions go by that name too: FUNC@FILE chooses one");
}

static bool calls(void *arg, const struct pt_tree *tree)
{
	struct work *w = arg;

	for (size_t i = 1; i < tree->nr; i++)
		if (tree->v[i].nr && pt_source_has(&w->files, tree->v[i].call_file))
			listing_put_line(w, tree->v[i].call_line);
	return false;
}

static void of_unit(struct work *w, struct pt_dw_unit *root)
{
	const struct pt_dw_row *rows;
	struct pt_instances is;
	size_t nr;

	rows = pt_dw_lines_rows(pt_source_lines(w->t, root), &nr);
	for (size_t i = 0; i < nr; i++)
		if (rows[i].flags & PT_DW_ROW_STMT && !(rows[i].flags & PT_DW_ROW_END) &&
		    pt_source_has(&w->files, rows[i].file))
			listing_put_line(w, rows[i].line);
	pt_instances_init(&is);
	pt_instances_in(&is, w->t, pt_dw_unit_split(root), calls, w);
	pt_instances_deinit(&is);
	free(w->files.is);
}

static void of_file(struct work *w, const char *file)
{
	struct pt_dw_unit *root;
	size_t i = 0;

	while ((root = pt_source_next_unit(w->t, &i, file, &w->l->file, &w->files)))
		of_unit(w, root);
}

/* With a source all lines, else those that can be probed. */
static void listing_fill(struct work *w)
{
	struct pt_listing *l = w->l;
	uint32_t from = l->first, to = w->last, line;
	const char *text;
	size_t len = 0;

	if (w->a.range) {
		from = l->first + w->a.from;
		to = w->a.to > INT32_MAX - l->first ? INT32_MAX : l->first + w->a.to;
	} else if (!l->func) {
		from = 1;
		to = l->source ? INT32_MAX : w->last;
	} else if (l->source && (text = pt_source_text_line(l->source, to + 1, &len)) && len &&
		   text[0] == '}') {
		/* the closing brace of a function that is only inlined has no code */
		to++;
	}
	for (line = PT_MAX(from, 1u); line <= to && l->nr < MAX_LISTED; line++) {
		bool probeable = pt_map_get(&w->lines, line);

		text = l->source ? pt_source_text_line(l->source, line, &len) : NULL;
		if (l->source ? !text : line > w->last)
			break;
		if (!text && !probeable)
			continue;
		PT_GROW(l->v, l->nr, l->cap);
		l->v[l->nr++] = (struct pt_listed){
			.line = line, .probeable = probeable, .text = text, .len = len
		};
	}
}

static int listing_make(struct work *w, struct pt_err *e)
{
	struct pt_instances is;
	bool declared = false;

	if (!w->t->dwarf)
		return pt_target_no_debug(w->t, e);
	if (!w->a.path) {
		pt_instances_find(&is, w->t, w->a.name, w->a.file);
		of_function(w, &is);
		declared = is.declared;
		pt_instances_deinit(&is);
	}
	if (!w->l->func && !w->a.file)
		of_file(w, w->a.name);
	if (!w->l->file)
		return declared ? pt_err_set(e, "%s was optimised away: it has no code", w->a.name)
				: pt_err_set(e, "%s: no function%s %s", w->t->path,
					     w->a.file ? "" : " and no source file", w->a.name);
	w->l->source = pt_source_text_open(w->t->object, w->t->source_dir, w->l->file);
	if (w->l->source) {
		w->l->path = pt_strdup(pt_source_text_path(w->l->source));
		if (!w->l->note && pt_source_text_newer(w->l->source, w->t->object))
			w->l->note = pt_asprintf("%s was changed after %s was built: lines may be "
						 "others",
						 w->l->path, w->t->path);
	} else if (!w->l->note) {
		w->l->note = pt_asprintf("%s is not here: lines without their text", w->l->file);
	}
	listing_fill(w);
	if (!w->l->nr)
		return pt_err_set(e, "%s has no such lines", w->l->func ? w->l->func : w->l->file);
	return 0;
}

int pt_listing_make(struct pt_listing *l, struct pt_target *t, const char *what, struct pt_err *e)
{
	struct work w = { .l = l, .t = t };
	int rc;

	*l = (struct pt_listing){ .v = NULL };
	pt_target_ask(t);
	rc = listing_parse(&w.a, what, e);
	if (!rc)
		rc = listing_make(&w, e);
	free(w.a.name);
	free(w.a.file);
	pt_map_deinit(&w.lines);
	if (rc < 0)
		pt_listing_deinit(l);
	return rc;
}

void pt_listing_deinit(struct pt_listing *l)
{
	pt_source_text_free(l->source);
	free(l->func);
	free(l->file);
	free(l->path);
	free(l->note);
	free(l->v);
	*l = (struct pt_listing){ .v = NULL };
}

void pt_listing_print(const struct pt_listing *l, struct pt_buf *out)
{
	const char *file = l->path ? l->path : l->file;

	pt_buf_putc(out, '<');
	if (l->func) {
		pt_text_puts(out, l->func);
		pt_buf_putc(out, '@');
	}
	pt_text_puts(out, file);
	pt_buf_printf(out, ":%u>\n", l->nr ? l->v[0].line - l->first : 0);
	for (size_t i = 0; i < l->nr; i++) {
		if (l->v[i].probeable)
			pt_buf_printf(out, "%7u  ", l->v[i].line - l->first);
		else
			pt_buf_puts(out, "         ");
		if (l->v[i].text)
			pt_source_text_add(out, l->v[i].text, l->v[i].len, "\t");
		pt_buf_putc(out, '\n');
	}
}
