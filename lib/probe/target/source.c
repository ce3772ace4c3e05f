#include "probe/target/source.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { MAX_STEPS = 32, MAX_PARTS = 256 };

struct pt_dw_lines *pt_source_lines(struct pt_target *t, struct pt_dw_unit *unit)
{
	struct pt_dw_unit *root = unit->skeleton ? unit->skeleton : unit;
	uint64_t *slot;

	if (!pt_dw_unit_open(root, NULL))
		return NULL;
	slot = pt_map_put(&t->lines, pt_word_of(root));
	if (!*slot)
		*slot = pt_word_of(pt_dw_lines_new(root));
	return pt_pointer(*slot);
}

struct part { const char *s; size_t len; };

/* Splits a path into names; resolves "." and, where possible, "..". */
static size_t target_source_parts_of(const char *path, struct part parts[MAX_PARTS])
{
	size_t nr = 0, len;

	for (; *path && nr < MAX_PARTS; path += len) {
		path += strspn(path, "/");
		len = strcspn(path, "/");
		if (!len || (len == 1 && path[0] == '.'))
			continue;
		if (len == 2 && !memcmp(path, "..", 2) && nr &&
		    !(parts[nr - 1].len == 2 && !memcmp(parts[nr - 1].s, "..", 2)))
			nr--;
		else
			parts[nr++] = (struct part){ path, len };
	}
	return nr;
}

bool pt_source_is(const char *path, const char *want)
{
	struct part a[MAX_PARTS], b[MAX_PARTS];
	size_t nr_a, nr_b;

	nr_b = target_source_parts_of(want, b);
	nr_a = target_source_parts_of(path, a);
	if (!nr_b || nr_a < nr_b || (want[0] == '/' && nr_a != nr_b))
		return false;
	for (size_t i = 1; i <= nr_b; i++)
		if (a[nr_a - i].len != b[nr_b - i].len ||
		    memcmp(a[nr_a - i].s, b[nr_b - i].s, b[nr_b - i].len))
			return false;
	return true;
}

struct pt_source_files pt_source_files_of(struct pt_dw_lines *l, const char *path)
{
	struct pt_source_files f = { .nr = l ? pt_dw_lines_nr_files(l) : 0 };
	const char *last = basename(path), *name, *full;
	size_t len = strlen(last), n;

	f.is = pt_alloc(f.nr);
	for (uint32_t i = 0; i < f.nr; i++) {
		name = pt_dw_lines_name(l, i);
		n = name ? strlen(name) : 0;
		/* Most differ without building their paths. */
		if (!name || n < len || strcmp(name + n - len, last) ||
		    !(full = pt_dw_lines_file(l, i)))
			continue;
		f.is[i] = pt_source_is(full, path);
		f.any |= f.is[i];
	}
	return f;
}

bool pt_target_next_unit(struct pt_target *t, struct pt_target_units *u)
{
	struct pt_dw_unit *before = u->unit;

	while ((u->root = pt_dw_unit_nr(t->dwarf->main, u->next++))) {
		if (u->root->type == DW_UT_type || u->root->type == DW_UT_split_type ||
		    !pt_dw_unit_open(u->root, NULL))
			continue;
		u->unit = pt_dw_unit_split(u->root);
		if (!pt_dw_unit_open(u->unit, NULL))
			continue;
		if (before && before->abbrevs != u->unit->abbrevs)
			pt_dw_abbrevs_drop(before);
		return true;
	}
	return false;
}

struct pt_dw_unit *pt_source_next_unit(struct pt_target *t, size_t *i, const char *file,
				       char **path, struct pt_source_files *files)
{
	struct pt_dw_unit *unit;

	while ((unit = pt_dw_unit_nr(t->dwarf->main, (*i)++))) {
		struct pt_dw_lines *l;

		if (!pt_dw_unit_open(unit, NULL) || !unit->has_stmt_list ||
		    unit->type == DW_UT_type)
			continue;
		l = pt_dw_lines_new(unit);
		*files = pt_source_files_of(l, file);
		for (uint32_t n = 0; !*path && n < files->nr; n++)
			if (files->is[n])
				*path = pt_strdup(pt_dw_lines_file(l, n));
		pt_dw_lines_free(l);
		if (files->any)
			break;
		free(files->is);
	}
	return unit;
}

bool pt_source_declared(struct pt_target *t, const struct pt_dw_die *die, const char **file,
			uint32_t *line)
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
			struct pt_dw_lines *l = pt_source_lines(t, at.unit);

			*file = l ? pt_dw_lines_file(l, (uint32_t)at.v[PT_DW_DECL_FILE]) : NULL;
			return true;
		}
		if (!pt_dw_origin(&at, &at))
			break;
	}
	return known;
}
