#include "probe/where/functions.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/text.h"
#include "elf/names.h"
#include "probe/spec/match.h"
#include "probe/target/source.h"

/* Reading a shorter list takes no longer than finding it kept. */
enum { VERSION = 5, MAX_TEXT = 1 << 30, WORTH_BYTES = 8 << 10 };

static const char inlined_mark[] = "\t(inlined)";

/* -- read -- */

struct reader {
	struct pt_match *match;		/* only these symbols; NULL: all */
	struct pt_arena arena;		/* of the lines */
	const char **lines;		/* without newline; may contain duplicates */
	size_t nr, cap, bytes;
	struct pt_map seen;		/* hashes of mangled names and of inlined names */
	struct pt_buf demangled, line;	/* scratch */
};

static void functions_add_name(struct reader *r, const char *name, bool inlined)
{
	const char *shown = name;

	/* A mangled name is often in several tables, and is slow to demangle. */
	if (((name[0] == '_' || inlined) &&
	     (*pt_map_put(&r->seen, pt_hash_quick(name, strlen(name))))++) ||
	    (r->match && !pt_match_name(r->match, name, true)))
		return;
	pt_buf_clear(&r->demangled);
	if (name[0] == '_' && pt_demangle(name, &r->demangled))
		shown = r->demangled.data;
	pt_buf_clear(&r->line);
	pt_text_puts(&r->line, shown);
	if (inlined)
		pt_buf_puts(&r->line, inlined_mark);
	r->bytes += r->line.len + 1;
	if (r->bytes > MAX_TEXT || !r->line.len)
		return;
	PT_GROW(r->lines, r->nr, r->cap);
	r->lines[r->nr++] = pt_arena_strndup(&r->arena, r->line.data, r->line.len);
}

static bool add_symbol(void *arg, const struct pt_elfsym *s)
{
	if (s->vaddr)
		functions_add_name(arg, s->name, false);
	return true;
}

/* Only functions that are inlined somewhere: those with code have symbols. */
static bool add_inlined(void *arg, const struct pt_dw_die *die, const struct pt_dw_around *around)
{
	struct pt_dw_name n;

	(void)around;
	if (!pt_dw_has(die, PT_DW_INLINE) || (die->v[PT_DW_INLINE] != DW_INL_inlined &&
					      die->v[PT_DW_INLINE] != DW_INL_declared_inlined))
		return true;
	n = pt_dw_name(die);
	if (n.name && *n.name)
		functions_add_name(arg, n.name, true);
	return true;
}

/* False: some units are in files of their own. */
static bool read_units(struct reader *r, struct pt_target *t)
{
	struct pt_target_units units = { .next = 0 };
	bool whole = true;

	while (pt_target_next_unit(t, &units)) {
		whole = whole && !units.root->dwo_name;
		if (pt_dw_any_has(units.unit, DW_TAG_subprogram, PT_DW_INLINE, NULL))
			pt_dw_functions(units.unit, NULL, add_inlined, r);
	}
	return whole;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Of a name with code and a name that is inlined, which follows it, the first one counts. */
static void join_lines(struct reader *r, struct pt_buf *text)
{
	const char *last = "\t";
	size_t last_len = 1;

	if (r->nr)
		qsort(r->lines, r->nr, sizeof(*r->lines), by_text);
	pt_buf_grow(text, r->bytes);
	for (size_t i = 0; i < r->nr; i++) {
		size_t len = strcspn(r->lines[i], "\t");

		if (len == last_len && !memcmp(r->lines[i], last, len))
			continue;
		last = r->lines[i];
		last_len = len;
		pt_buf_puts(text, last);
		pt_buf_putc(text, '\n');
	}
}

/* False: the list cannot be kept. */
static bool read_list(struct pt_functions *l, struct pt_target *t, bool inlined,
		      struct pt_match *match)
{
	struct reader r = { .match = match };
	bool whole;

	pt_target_ask(t);
	pt_target_symbols(t, NULL, add_symbol, &r);
	whole = !inlined || read_units(&r, t);
	join_lines(&r, &l->own);
	l->text = l->own.data;
	l->len = l->own.len;
	free(r.lines);
	pt_arena_deinit(&r.arena);
	pt_map_deinit(&r.seen);
	pt_buf_deinit(&r.demangled);
	pt_buf_deinit(&r.line);
	return whole;
}

/* -- kept -- */

struct key { struct pt_stamp object, debug, alternate; };
_Static_assert(sizeof(struct key) <= PT_DISKCACHE_KEY_MAX, "a key fits");

static bool stamp_of(const struct pt_object *o, struct pt_stamp *s)
{
	return o->build_id.len && pt_object_stamp(o, s);
}

/* False: there is no cache, or the file cannot be identified. */
static bool functions_make_key(struct pt_target *t, bool inlined, struct key *k, char name[96])
{
	const struct pt_dw_file *alt = t->keep && t->dwarf ? pt_dw_alt(t->dwarf->main) : NULL;
	char text[PT_STAMP_TEXT];

	memset(k, 0, sizeof(*k));
	if (!t->keep || !stamp_of(t->object, &k->object) ||
	    (t->debug && !stamp_of(t->debug, &k->debug)) ||
	    (alt && !stamp_of(alt->object, &k->alternate)))
		return false;
	snprintf(name, 96, "%s-%s", inlined ? "fni" : "fns", pt_stamp_text(&k->object, text));
	return true;
}

/* The whole list, kept or read. */
static void whole_list(struct pt_functions *l, struct pt_target *t, bool inlined)
{
	struct iovec part;
	struct key k;
	char name[96];
	bool keeps = functions_make_key(t, inlined, &k, name);

	if (keeps && pt_diskcache_get(t->keep, name, VERSION, &k, sizeof(k), &l->kept)) {
		l->text = (const char *)l->kept.data;
		l->len = l->kept.len_bytes;
		if (l->len && l->text[l->len - 1] == '\n')
			return;
		pt_functions_deinit(l);
	}
	if (read_list(l, t, inlined, NULL) && keeps && l->len >= WORTH_BYTES) {
		part = (struct iovec){ l->own.data, l->len };
		pt_diskcache_put(t->keep, name, VERSION, &k, sizeof(k), &part, 1);
	}
}

/* -- chosen -- */

/* Leaves the lines that match. */
static void functions_choose(struct pt_functions *l, struct pt_match *m)
{
	struct pt_buf chosen = PT_BUF_INIT, name = PT_BUF_INIT;
	const char *at = NULL, *line = l->text;
	struct pt_function f;

	for (; pt_functions_next(l, &at, &f); line = at) {
		pt_buf_clear(&name);
		pt_buf_add(&name, f.name, f.len);
		if (pt_match_shown(m, name.data))
			pt_buf_add(&chosen, line, (size_t)(at - line));
	}
	pt_buf_deinit(&name);
	pt_functions_deinit(l);
	*l = (struct pt_functions){ .text = chosen.data, .len = chosen.len, .own = chosen };
}

static void functions_list(struct pt_functions *l, struct pt_target *t, const char *pattern,
			   bool inlined)
{
	struct pt_match m;

	*l = (struct pt_functions){ .len = 0 };
	if (!pattern) {
		whole_list(l, t, inlined);
		return;
	}
	pt_match_init(&m, pattern);
	if (m.by_symbol) {
		read_list(l, t, inlined, &m);
	} else {
		whole_list(l, t, inlined);
		functions_choose(l, &m);
	}
	pt_match_deinit(&m);
}

void pt_functions_list(struct pt_functions *l, struct pt_target *t, const char *pattern,
		       bool inlined)
{
	functions_list(l, t, pattern, inlined && t->dwarf);
	if (!l->len && pattern && !inlined && t->dwarf) {
		pt_functions_deinit(l);
		functions_list(l, t, pattern, true);
	}
}

bool pt_functions_next(const struct pt_functions *l, const char **at, struct pt_function *f)
{
	const char *line = *at ? *at : l->text, *end = l->text + l->len, *tab;

	if (!l->len || line == end)
		return false;
	end = memchr(line, '\n', (size_t)(end - line));
	tab = memchr(line, '\t', (size_t)(end - line));
	*f = (struct pt_function){ line, (size_t)((tab ? tab : end) - line), tab };
	*at = end + 1;
	return true;
}

void pt_functions_deinit(struct pt_functions *l)
{
	if (l->kept.data)
		pt_cached_release(&l->kept);
	pt_buf_deinit(&l->own);
	*l = (struct pt_functions){ .len = 0 };
}
