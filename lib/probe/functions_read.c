#include <dwarf.h>
#include <elf.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/stage.h"
#include "code/elfsyms.h"
#include "probe/functions_priv.h"

/* A thread costs as much as to read some kilobytes of debug information. */
enum { MAX_FUNCTIONS = 1 << 24, UNITS_AT_ONCE = 8, WORTH_BYTES = 256 << 10 };

/* ---- two at a time ---- */

struct one { void (*run)(void *arg); void *arg; };

static void *run_one(void *ctx)
{
	const struct one *o = ctx;

	o->run(o->arg);
	return NULL;
}

void pt_fn_both(void (*run)(void *arg), void *a, void *b, bool two)
{
	struct one second = { run, b };
	pthread_t t;
	bool started = two && pt_stage_wanted() && pt_stage_thread(&t, run_one, &second);

	run(a);
	if (started)
		pthread_join(t, NULL);
	else
		run(b);
}

/* ---- symbols ---- */

struct gathering {
	struct pt_fn_names *ns;
	const struct pt_object *object;	/* whose symbols are read */
	struct pt_map seen;		/* hash of a name: its number + 1 */
};

static void add(struct gathering *g, const struct pt_fn_name *n, const struct pt_object *of)
{
	size_t len = strlen(n->s);
	uint64_t *seen = pt_map_put(&g->seen, pt_hash_bytes(n->s, len));

	if (*seen || g->ns->nr >= MAX_FUNCTIONS)
		return;
	PT_GROW(g->ns->v, g->ns->nr, g->ns->cap);
	g->ns->v[g->ns->nr++] = *n;
	*seen = g->ns->nr;
	/* One that is put together for the call only. */
	if (of && ((const uint8_t *)n->s < of->file.data || (const uint8_t *)n->s >= of->file.data + of->file.len_bytes))
		g->ns->v[g->ns->nr - 1].s = pt_arena_memdup(&g->ns->own, n->s, len + 1);
}

static bool symbol(void *arg, const struct pt_elfsym *s)
{
	struct gathering *g = arg;

	if (s->vaddr)
		add(g, &(struct pt_fn_name){ s->name, true, false, s->type == STT_GNU_IFUNC }, g->object);
	return true;
}

/* ---- functions that are inlined ---- */

/* What one thread reads, of what another one does not. */
struct reader {
	struct pt_dwarf *dwarf;
	atomic_size_t *next_unit;
	const struct pt_dw_section *strings;
	uint8_t *seen;			/* bits, by offset in these */
	struct pt_map others;		/* hashes of names that stand elsewhere */
	struct pt_fn_name *v;
	size_t nr, cap;
	bool split;
};

/* The same names come from many units, and are the linker's one string then. */
static bool is_new(struct reader *r, const char *s)
{
	uint64_t off = (uint64_t)((uintptr_t)s - (uintptr_t)r->strings->data), *seen;
	bool is;

	if (r->strings->data && off < r->strings->len) {
		is = !(r->seen[off / 8] >> off % 8 & 1);
		r->seen[off / 8] |= (uint8_t)(1 << off % 8);
		return is;
	}
	seen = pt_map_put(&r->others, pt_hash_bytes(s, strlen(s)));
	is = !*seen;
	*seen = 1;
	return is;
}

/* Only functions that may be inlined: those with code have their symbols. */
static bool entry(void *arg, const struct pt_dw_die *die)
{
	uint64_t how = die->v[PT_DW_INLINE];
	struct reader *r = arg;
	struct pt_dw_name n;

	if (how != DW_INL_inlined && how != DW_INL_declared_inlined)
		return true;
	n = pt_dw_name(die);
	if (!n.name || !*n.name || !is_new(r, n.name) || r->nr >= MAX_FUNCTIONS)
		return true;
	PT_GROW(r->v, r->nr, r->cap);
	r->v[r->nr++] = (struct pt_fn_name){ n.name, n.linkage, true, false };
	return true;
}

static void read_units(void *arg)
{
	struct reader *r = arg;
	struct pt_dw_unit *u;
	size_t i, end;

	r->strings = &r->dwarf->main->sections[PT_DW_STR];
	r->seen = pt_alloc(r->strings->len / 8 + 1);
	for (;;) {
		i = atomic_fetch_add(r->next_unit, UNITS_AT_ONCE);
		for (end = i + UNITS_AT_ONCE; i < end; i++) {
			if (!(u = pt_dw_unit_nr(r->dwarf->main, i)))
				return;
			if (u->type == DW_UT_type || u->type == DW_UT_split_type || !pt_dw_unit_open(u, NULL))
				continue;
			r->split |= u->dwo_name != NULL;
			pt_dw_inline_functions(pt_dw_unit_split(u), entry, r);
		}
	}
}

struct unpacking { struct pt_dw_file *file; const enum pt_dw_section_id *ids; size_t nr; };

static void unpack(void *arg)
{
	const struct unpacking *u = arg;
	size_t i;

	for (i = 0; i < u->nr; i++)
		pt_dw_need(u->file, u->ids[i], UINT64_MAX);
}

/* Two readers, each with every other few units. */
static void read_inlined(struct gathering *g, struct pt_target *t)
{
	static const enum pt_dw_section_id large[] = { PT_DW_INFO }, others[] = { PT_DW_ABBREV, PT_DW_STR, PT_DW_LINE_STR, PT_DW_STR_OFFSETS };
	struct pt_dw_file *main_file = t->dwarf->main;
	struct unpacking a = { main_file, large, PT_NR(large) }, b = { main_file, others, PT_NR(others) };
	bool two = main_file->sections[PT_DW_INFO].len > WORTH_BYTES && pt_stage_wanted();
	atomic_size_t next_unit = 0;
	struct reader r[2] = { { .dwarf = t->dwarf, .next_unit = &next_unit }, { .next_unit = &next_unit } };
	size_t k, i;

	if (two) {
		pt_fn_both(unpack, &a, &b, true);
		g->ns->again = r[1].dwarf = pt_dwarf_again(t->dwarf);
		pt_fn_both(read_units, &r[0], &r[1], true);
	} else {
		read_units(&r[0]);
	}
	for (k = 0; k < PT_NR(r); k++) {
		for (i = 0; i < r[k].nr; i++)
			add(g, &r[k].v[i], NULL);
		g->ns->split |= r[k].split;
		pt_map_deinit(&r[k].others);
		free(r[k].seen);
		free(r[k].v);
	}
}

void pt_fn_read(struct pt_fn_names *ns, struct pt_target *t, bool inlined)
{
	struct gathering g = { .ns = ns, .object = t->object };

	pt_target_ask(t);
	pt_elfsyms_each(t->object, symbol, &g);
	if (t->debug && t->debug != t->object) {
		g.object = t->debug;
		pt_elfsyms_each(t->debug, symbol, &g);
	}
	if (inlined && t->dwarf)
		read_inlined(&g, t);
	pt_map_deinit(&g.seen);
}

void pt_fn_names_deinit(struct pt_fn_names *ns)
{
	pt_dwarf_free(ns->again);
	pt_arena_deinit(&ns->own);
	free(ns->v);
}
