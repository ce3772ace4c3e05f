#include "probe/functions.h"

#include <dwarf.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "code/elfsyms.h"
#include "code/names.h"
#include "probe/match.h"

enum { MAX_FUNCTIONS = 1 << 24 };

struct listing {
	struct pt_functions *l;
	struct pt_match match;
	bool all;
	struct pt_buf name;
	struct pt_map seen;		/* raw names: by hash; symbols of .dynsym stand in .symtab too */
};

static void add(struct listing *x, const char *name, bool mangled, bool inlined, bool ifunc)
{
	size_t len = strlen(name);
	uint64_t *seen = pt_map_put(&x->seen, pt_hash_bytes(name, len));

	if (*seen || x->l->nr >= MAX_FUNCTIONS)
		return;
	*seen = 1;
	if (!x->all && !pt_match_name(&x->match, name, mangled))
		return;
	pt_buf_clear(&x->name);
	if (!mangled || name[0] != '_' || !pt_demangle(name, &x->name))
		pt_buf_add(&x->name, name, len);
	PT_GROW(x->l->v, x->l->nr, x->l->cap);
	x->l->v[x->l->nr++] = (struct pt_function){ pt_names_add(x->l->names, x->name.data, x->name.len), inlined, ifunc };
}

static bool symbol(void *arg, const struct pt_elfsym *s)
{
	if (s->vaddr)
		add(arg, s->name, true, false, s->type == STT_GNU_IFUNC);
	return true;
}

/* Only functions that may be inlined: those with code have their symbols. */
static bool entry(void *arg, const struct pt_dw_die *die)
{
	struct pt_dw_name n;
	uint64_t how;

	how = die->v[PT_DW_INLINE];
	if (how != DW_INL_inlined && how != DW_INL_declared_inlined)
		return true;
	n = pt_dw_name(die);
	if (n.name)
		add(arg, n.name, n.linkage, true, false);
	return true;
}

static int by_name(const void *a, const void *b)
{
	const struct pt_function *x = a, *y = b;
	int c = x->name == y->name ? 0 : strcmp(x->name, y->name);

	return c ? c : x->inlined - y->inlined;
}

/* Names that are mangled differently may read the same. */
static void sort(struct pt_functions *l)
{
	size_t i, n = 0;

	if (l->nr)
		qsort(l->v, l->nr, sizeof(*l->v), by_name);
	for (i = 0; i < l->nr; i++)
		if (!n || l->v[n - 1].name != l->v[i].name)
			l->v[n++] = l->v[i];
	l->nr = n;
}

int pt_functions_list(struct pt_functions *l, struct pt_target *t, const char *pattern, bool inlined, struct pt_err *e)
{
	struct listing x = { .l = l, .all = !pattern };
	struct pt_dw_unit *root, *u;
	size_t i;

	*l = (struct pt_functions){ .names = pt_names_new() };
	if (!t->object)
		return pt_err_set(e, "the running kernel's functions are in /proc/kallsyms");
	pt_match_init(&x.match, pattern ? pattern : "*");
	pt_target_ask(t);
	pt_elfsyms_each(t->object, symbol, &x);
	if (t->debug && t->debug != t->object)
		pt_elfsyms_each(t->debug, symbol, &x);
	for (i = 0; inlined && t->dwarf && (root = pt_dw_unit_nr(t->dwarf->main, i)); i++) {
		if (root->type == DW_UT_type || root->type == DW_UT_split_type || !pt_dw_unit_open(root, NULL))
			continue;
		u = pt_dw_unit_split(root);
		pt_dw_inline_functions(u, entry, &x);
	}
	sort(l);
	pt_match_deinit(&x.match);
	pt_map_deinit(&x.seen);
	pt_buf_deinit(&x.name);
	return 0;
}

void pt_functions_deinit(struct pt_functions *l)
{
	if (l->names)
		pt_names_free(l->names);
	free(l->v);
	*l = (struct pt_functions){ .v = NULL };
}
