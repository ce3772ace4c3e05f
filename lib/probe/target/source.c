#include "probe/target/source.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/search.h"

enum { MAX_STEPS = 32, MAX_PARTS = 256, SOME = 3 };

/* Of a unit, as far as it was asked for. */
struct pt_source_table {
	struct pt_dw_lines *files, *rows;
	struct pt_dw_lines *some[SOME];	/* of these functions */
	uint64_t functions[SOME];
	unsigned nr;
};

static struct pt_source_table *table_of(struct pt_target *t, struct pt_dw_unit *unit, struct pt_dw_unit **root)
{
	uint64_t *slot;

	*root = unit->skeleton ? unit->skeleton : unit;
	if (!pt_dw_unit_open(*root, NULL))
		return NULL;
	slot = pt_map_put(&t->lines, (uint64_t)(uintptr_t)*root);
	if (!*slot)
		*slot = (uint64_t)(uintptr_t)pt_alloc(sizeof(struct pt_source_table));
	return (struct pt_source_table *)(uintptr_t)*slot;
}

void pt_source_deinit(struct pt_target *t)
{
	struct pt_map_slot *s;
	unsigned n;
	size_t i;

	for (i = 0; (s = pt_map_each(&t->lines, &i)); ) {
		struct pt_source_table *x = (struct pt_source_table *)(uintptr_t)s->value;

		pt_dw_lines_free(x->files);
		pt_dw_lines_free(x->rows);
		for (n = 0; n < x->nr; n++)
			pt_dw_lines_free(x->some[n]);
		free(x);
	}
	pt_map_deinit(&t->lines);
}

struct pt_dw_lines *pt_source_lines(struct pt_target *t, struct pt_dw_unit *unit)
{
	struct pt_dw_unit *root;
	struct pt_source_table *x = table_of(t, unit, &root);

	if (x && !x->rows)
		x->rows = pt_dw_lines_new_rows(root);
	return x ? x->rows : NULL;
}

struct pt_dw_lines *pt_source_files(struct pt_target *t, struct pt_dw_unit *unit)
{
	struct pt_dw_unit *root;
	struct pt_source_table *x = table_of(t, unit, &root);

	if (x && !x->files)
		x->files = pt_dw_lines_new_files(root);
	return x ? x->files : NULL;
}

struct pt_dw_lines *pt_source_lines_of(struct pt_target *t, const struct pt_tree *tree)
{
	struct pt_dw_unit *root;
	struct pt_source_table *x = table_of(t, tree->unit, &root);
	struct pt_dw_span *spans;
	unsigned n;
	size_t nr;

	if (!x || x->rows)
		return x ? x->rows : NULL;
	for (n = 0; n < x->nr; n++)
		if (x->functions[n] == tree->v[0].off)
			return x->some[n];
	if (x->nr == SOME)		/* each reads all of it: once more, and that is all */
		return pt_source_lines(t, tree->unit);
	/* All code of the function and of what is inlined into it. */
	spans = pt_memdup(tree->ranges, tree->nr_ranges * sizeof(*spans));
	nr = pt_tree_join(spans, tree->nr_ranges);
	x->functions[x->nr] = tree->v[0].off;
	x->some[x->nr++] = pt_dw_lines_new_rows_in(root, spans, nr);
	free(spans);
	return x->some[n];
}

struct part { const char *s; size_t len; };

/* The names between slashes, without "." and with ".." worked out where there is something to leave. */
static size_t parts_of(const char *path, struct part parts[MAX_PARTS])
{
	size_t nr = 0, len;

	for (; *path && nr < MAX_PARTS; path += len) {
		path += strspn(path, "/");
		len = strcspn(path, "/");
		if (!len || (len == 1 && path[0] == '.'))
			continue;
		if (len == 2 && !memcmp(path, "..", 2) && nr && !(parts[nr - 1].len == 2 && !memcmp(parts[nr - 1].s, "..", 2)))
			nr--;
		else
			parts[nr++] = (struct part){ path, len };
	}
	return nr;
}

bool pt_source_is(const char *path, const char *want)
{
	struct part a[MAX_PARTS], b[MAX_PARTS];
	size_t nr_a, nr_b, i;

	nr_b = parts_of(want, b);
	nr_a = parts_of(path, a);
	if (!nr_b || nr_a < nr_b || (want[0] == '/' && nr_a != nr_b))
		return false;
	for (i = 1; i <= nr_b; i++)
		if (a[nr_a - i].len != b[nr_b - i].len || memcmp(a[nr_a - i].s, b[nr_b - i].s, b[nr_b - i].len))
			return false;
	return true;
}

struct pt_source_files pt_source_files_of(struct pt_dw_lines *l, const char *path, bool exact)
{
	struct pt_source_files f = { .nr = l ? pt_dw_lines_nr_files(l) : 0 };
	const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path, *name, *full;
	size_t len = strlen(last), n;
	uint32_t i;

	f.is = pt_alloc(f.nr);
	for (i = 0; i < f.nr; i++) {
		name = pt_dw_lines_name(l, i);
		n = name ? strlen(name) : 0;
		/* Most are told apart without putting their paths together. */
		if (!name || n < len || strcmp(name + n - len, last) || !(full = pt_dw_lines_file(l, i)))
			continue;
		f.is[i] = exact ? !strcmp(full, path) || pt_source_is(full, path) : pt_source_is(full, path);
		f.any |= f.is[i];
	}
	return f;
}

bool pt_source_declared(struct pt_target *t, const struct pt_dw_die *die, const char **file, uint32_t *line)
{
	struct pt_dw_die at = *die;
	bool known = false;
	int step;

	*file = NULL;
	for (step = 0; step < MAX_STEPS; step++) {
		if (!known && pt_dw_has(&at, PT_DW_DECL_LINE)) {
			*line = (uint32_t)at.v[PT_DW_DECL_LINE];
			known = true;
		}
		if (known && pt_dw_has(&at, PT_DW_DECL_FILE)) {
			struct pt_dw_lines *l = pt_source_files(t, at.unit);

			*file = l ? pt_dw_lines_file(l, (uint32_t)at.v[PT_DW_DECL_FILE]) : NULL;
			return true;
		}
		if (!pt_dw_origin(&at, &at))
			break;
	}
	return known;
}

bool pt_source_at(struct pt_target *t, const struct pt_tree *tree, uint64_t vaddr, const char **file, uint32_t *line)
{
	struct pt_dw_lines *l = pt_source_lines_of(t, tree);
	const struct pt_dw_row *rows;
	size_t nr, past;

	if (!l)
		return false;
	rows = pt_dw_lines_rows(l, &nr);
	past = PT_LEADING(nr, i, rows[i].vaddr <= vaddr);
	if (!past || rows[past - 1].flags & PT_DW_ROW_END || !rows[past - 1].line)
		return false;
	*file = pt_dw_lines_file(l, rows[past - 1].file);
	*line = rows[past - 1].line;
	return true;
}
