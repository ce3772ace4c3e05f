#include <dwarf.h>
#include <elf.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/stage.h"
#include "base/text.h"
#include "code/elfsyms.h"
#include "code/names.h"
#include "probe/functions_priv.h"

/* Pieces of work of a thread. It costs as much as to read some kilobytes of debug information, or some thousand symbols. */
enum { MAX_FUNCTIONS = 1 << 23, FEW_TWICE = 8, SYMBOLS_AT_ONCE = 512, WORTH_SYMBOLS = 2000, UNITS_AT_ONCE = 8, WORTH_BYTES = 256 << 10, MANY_BYTES = 1 << 20, MANY_INFO_BYTES = 16 << 20, USUAL_NAME = 32 };

/* ---- two at a time ---- */

/* To make a thread costs as much as to read some hundred names: it stays from one run to the next. */
struct pt_fn_helper {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t turn;
	void (*run)(void *arg);		/* NULL: nothing to do, or done */
	void *arg;
	bool over;
};

static void *help(void *ctx)
{
	struct pt_fn_helper *h = ctx;

	pthread_mutex_lock(&h->lock);
	while (!h->over) {
		if (!h->run) {
			pthread_cond_wait(&h->turn, &h->lock);
			continue;
		}
		pthread_mutex_unlock(&h->lock);
		h->run(h->arg);
		pthread_mutex_lock(&h->lock);
		h->run = NULL;
		pthread_cond_signal(&h->turn);
	}
	pthread_mutex_unlock(&h->lock);
	return NULL;
}

/* Gives it something to do; NULL for `run`: to end. */
static void tell(struct pt_fn_helper *h, void (*run)(void *arg), void *arg)
{
	pthread_mutex_lock(&h->lock);
	h->run = run;
	h->arg = arg;
	h->over = !run;
	pthread_cond_signal(&h->turn);
	pthread_mutex_unlock(&h->lock);
}

static void free_helper(struct pt_fn_helper *h)
{
	pthread_mutex_destroy(&h->lock);
	pthread_cond_destroy(&h->turn);
	free(h);
}

static struct pt_fn_helper *new_helper(void)
{
	struct pt_fn_helper *h = pt_alloc(sizeof(*h));

	pthread_mutex_init(&h->lock, NULL);
	pthread_cond_init(&h->turn, NULL);
	if (pt_stage_thread(&h->thread, help, h))
		return h;
	free_helper(h);
	return NULL;
}

void pt_fn_run(struct pt_fn_both *b, void (*run)(void *arg), void *first, void *second)
{
	struct pt_fn_helper *h = b->helper;

	if (b->two && !h)
		b->two = (h = b->helper = new_helper()) != NULL;
	if (!h) {
		run(first);
		run(second);
		return;
	}
	tell(h, run, second);
	run(first);
	pthread_mutex_lock(&h->lock);
	while (h->run)
		pthread_cond_wait(&h->turn, &h->lock);
	pthread_mutex_unlock(&h->lock);
}

/* ---- names ---- */

struct source {				/* the object, its debug file */
	struct pt_elfsyms *symbols;
	uint64_t nr;
};

struct shared {
	struct pt_target *t;
	struct source sources[2];
	size_t nr_sources;
	bool inlined;
	atomic_size_t next_symbol, next_unit;
	/* Hashes of mangled names, where many may stand in several tables: to show them is what costs. NULL: they will not. */
	_Atomic uint64_t *seen;
	size_t seen_mask, seen_huge;
	atomic_uchar *seen_strings;	/* bits by offset in .debug_str: names of units, which are the linker's one string mostly */
};

struct reader {
	struct shared *sh;
	struct pt_fn_names *ns;
	struct pt_dwarf *dwarf;
	const struct pt_dw_section *strings;
	struct pt_map others;		/* hashes of names of units that stand elsewhere */
	const enum pt_dw_section_id *unpack;
	size_t nr_unpack;
	bool first, split;
};

/* Nobody has had it. More than there was room for are shown again, which costs time alone. */
static bool is_first(struct shared *sh, const char *s, size_t len)
{
	uint64_t hash = pt_hash_quick(s, len), is;
	size_t i, tries;

	hash += !hash;
	for (i = hash & sh->seen_mask, tries = 0; tries < 64; i = (i + 1) & sh->seen_mask, tries++) {
		is = 0;
		if (atomic_compare_exchange_strong_explicit(&sh->seen[i], &is, hash, memory_order_relaxed, memory_order_relaxed))
			return true;
		if (is == hash)
			return false;
	}
	return true;
}

static bool may_be_mangled(const char *s)
{
	return s[0] == '_' && (s[1] == 'Z' || s[1] == 'R' || s[1] == '_');
}

static void keep(struct pt_fn_names *ns, const struct pt_fn_name *n)
{
	struct pt_fn_chunk *c = ns->last;

	if (!c || c->nr == PT_NR(c->v)) {
		c = pt_arena_alloc(&ns->own, sizeof(*c));
		c->next = NULL;
		c->nr = 0;
		*(ns->last ? &ns->last->next : &ns->first) = c;
		ns->last = c;
	}
	c->v[c->nr++] = (struct pt_text_item){ pt_text_key(n->shown), n->shown };
	ns->nr++;
}

/* What is known of a name. LOOSE: it is there for the call only. */
enum { MAY_BE_MANGLED = 1, INLINED = 2, IFUNC = 4, LOOSE = 8 };

static void add(struct reader *r, const char *s, size_t len, unsigned flags)
{
	struct pt_fn_names *ns = r->ns;
	struct pt_fn_name n = { .len = (uint32_t)len, .symbol_len = (uint32_t)len, .inlined = flags / INLINED % 2, .ifunc = flags / IFUNC % 2 }, *to;
	const char *shown = s;
	size_t room;

	if (flags & MAY_BE_MANGLED && may_be_mangled(s)) {
		if (r->sh->seen && !is_first(r->sh, s, len))
			return;
		pt_buf_clear(&ns->demangled);
		if (pt_demangle(s, &ns->demangled)) {
			shown = ns->demangled.data;
			n.len = (uint32_t)ns->demangled.len;
		}
	}
	if (pt_text_ascii(shown, n.len) < n.len) {
		pt_buf_clear(&ns->plain);
		pt_text_plain(&ns->plain, shown, n.len);
		shown = ns->plain.data;
		n.len = (uint32_t)ns->plain.len;
	}
	if (ns->nr >= MAX_FUNCTIONS || ns->text_bytes + n.len + sizeof(PT_FN_INLINED_MARK) >= PT_FN_TEXT_MAX / 2 || ns->symbol_bytes + len >= PT_FN_TEXT_MAX / 2)
		return;
	ns->text_bytes += n.len + (n.inlined ? sizeof(PT_FN_INLINED_MARK) : 1);
	ns->symbol_bytes += len + 1;
	n.other = shown != s;
	room = pt_text_room(n.len);
	to = pt_arena_alloc(&ns->own, sizeof(*to) + room + (n.other ? sizeof(s) : 0));
	*to = n;
	pt_text_put(to->shown, shown, n.len);
	if (n.other) {
		s = flags & LOOSE ? pt_arena_strndup(&ns->own, s, len) : s;
		memcpy(to->shown + room, &s, sizeof(s));
	}
	keep(ns, to);
}

/* ---- symbols ---- */

static bool symbol(void *arg, const struct pt_elfsym *s)
{
	struct reader *r = arg;

	if (s->vaddr)
		add(r, s->name, s->name_len, MAY_BE_MANGLED | (s->type == STT_GNU_IFUNC ? IFUNC : 0));
	return true;
}

static bool loose_symbol(void *arg, const struct pt_elfsym *s)
{
	struct reader *r = arg;

	if (s->vaddr)
		add(r, s->name, s->name_len, MAY_BE_MANGLED | LOOSE | (s->type == STT_GNU_IFUNC ? IFUNC : 0));
	return true;
}

/* Sections first: another thread may need them. */
static void read_symbols(void *arg)
{
	struct reader *r = arg;
	struct shared *sh = r->sh;
	size_t i, k;

	for (i = 0; i < r->nr_unpack; i++)
		pt_dw_need(sh->t->dwarf->main, r->unpack[i], UINT64_MAX);
	for (k = 0; r->first && k < sh->nr_sources; k++)
		pt_elfsyms_rest(sh->sources[k].symbols, loose_symbol, r);
	for (;;) {
		i = atomic_fetch_add(&sh->next_symbol, SYMBOLS_AT_ONCE);
		for (k = 0; k < sh->nr_sources && i >= sh->sources[k].nr; k++)
			i -= sh->sources[k].nr;
		if (k == sh->nr_sources)
			return;
		pt_elfsyms_some(sh->sources[k].symbols, i, i + SYMBOLS_AT_ONCE, symbol, r);
	}
}

/* ---- functions that are inlined ---- */

static bool is_new(struct reader *r, const char *s)
{
	uint64_t off = (uint64_t)((uintptr_t)s - (uintptr_t)r->strings->data), *seen;
	unsigned char bit = (unsigned char)(1 << off % 8);
	bool is;

	if (r->strings->data && off < r->strings->len)
		return !(atomic_load_explicit(&r->sh->seen_strings[off / 8], memory_order_relaxed) & bit) &&
		       !(atomic_fetch_or_explicit(&r->sh->seen_strings[off / 8], bit, memory_order_relaxed) & bit);
	seen = pt_map_put(&r->others, pt_hash_bytes(s, strlen(s)));
	is = !*seen;
	*seen = 1;
	return is;
}

/* Only functions that are inlined somewhere: those with code have their symbols. */
static bool inlined_function(void *arg, const struct pt_dw_die *die, const struct pt_dw_around *around)
{
	struct reader *r = arg;
	struct pt_dw_name n;

	(void)around;
	if (!pt_dw_has(die, PT_DW_INLINE) || (die->v[PT_DW_INLINE] != DW_INL_inlined && die->v[PT_DW_INLINE] != DW_INL_declared_inlined))
		return true;
	n = pt_dw_name(die);
	if (n.name && *n.name && is_new(r, n.name))
		add(r, n.name, strlen(n.name), INLINED | (n.linkage ? MAY_BE_MANGLED : 0));
	return true;
}

static void read_units(void *arg)
{
	struct reader *r = arg;
	struct pt_dw_unit *u, *before = NULL;
	size_t i, end;
	bool more = true;

	r->strings = &r->dwarf->main->sections[PT_DW_STR];
	while (more) {
		i = atomic_fetch_add(&r->sh->next_unit, UNITS_AT_ONCE);
		for (end = i + UNITS_AT_ONCE; i < end; i++) {
			more = (u = pt_dw_unit_nr(r->dwarf->main, i)) != NULL;
			if (!more)
				break;
			if (u->type == DW_UT_type || u->type == DW_UT_split_type)
				continue;
			if (!pt_dw_unit_open(u, NULL))
				continue;
			r->split |= u->dwo_name != NULL;
			u = pt_dw_unit_split(u);
			if (!pt_dw_unit_open(u, NULL))
				continue;
			if (before && before->abbrevs != u->abbrevs)
				pt_dw_abbrevs_drop(before);
			before = u;
			if (pt_dw_any_has(u, DW_TAG_subprogram, PT_DW_INLINE))
				pt_dw_functions(u, inlined_function, r);
		}
	}
}

/* ---- all ---- */

static void open_sources(struct shared *sh)
{
	struct pt_object *objects[] = { sh->t->object, sh->t->debug };
	uint64_t all = 0, largest = 0, most, size;
	size_t i;

	for (i = 0; i < PT_NR(objects) && objects[i] && (!i || objects[i] != objects[0]); i++) {
		struct source *s = &sh->sources[sh->nr_sources++];

		s->symbols = pt_elfsyms_new(objects[i]);
		s->nr = pt_elfsyms_nr(s->symbols, false) + pt_elfsyms_nr(s->symbols, true);
		most = PT_MAX(pt_elfsyms_nr(s->symbols, false), pt_elfsyms_nr(s->symbols, true));
		largest = PT_MAX(largest, most);
		all += s->nr;
		s->nr = (s->nr + SYMBOLS_AT_ONCE - 1) / SYMBOLS_AT_ONCE * SYMBOLS_AT_ONCE;
	}
	if (sh->inlined)
		all += PT_MAX(largest, sh->t->dwarf->main->sections[PT_DW_STR].len / USUAL_NAME);
	if (all - largest < largest / FEW_TWICE)
		return;
	for (size = 1024; size < 2 * all && size < MAX_FUNCTIONS; size *= 2)
		;
	sh->seen_mask = size - 1;
}

/* Where names are few it costs nothing until there is a mangled one. */
static void open_seen(struct shared *sh, bool many)
{
	size_t bytes = (sh->seen_mask + 1) * sizeof(*sh->seen);

	if (!sh->seen_mask)
		return;
	sh->seen_huge = many ? bytes : 0;
	sh->seen = many ? pt_map_huge(bytes) : pt_alloc(bytes);
}

void pt_fn_read(struct pt_fn_both *b, struct pt_target *t, bool inlined)
{
	static const enum pt_dw_section_id large[] = { PT_DW_INFO }, others[] = { PT_DW_ABBREV, PT_DW_STR, PT_DW_LINE_STR, PT_DW_STR_OFFSETS };
	struct shared sh = { .t = t, .inlined = inlined };
	struct reader r[2] = { { .sh = &sh, .ns = &b->ns[0], .first = true }, { .sh = &sh, .ns = &b->ns[1] } };
	size_t i, nr = 0;
	uint64_t bytes = 0;

	pt_target_ask(t);
	open_sources(&sh);
	for (i = 0; i < sh.nr_sources; i++) {
		nr += sh.sources[i].nr;
		bytes += pt_elfsyms_bytes(sh.sources[i].symbols);
	}
	b->many = bytes > MANY_BYTES || (inlined && t->dwarf->main->sections[PT_DW_INFO].len > MANY_INFO_BYTES);
	b->two = (nr > WORTH_SYMBOLS || (inlined && t->dwarf->main->sections[PT_DW_INFO].len > WORTH_BYTES)) && pt_stage_wanted();
	b->ns[0].own.huge = b->ns[1].own.huge = b->many;
	open_seen(&sh, b->many);
	if (inlined) {
		r[0].unpack = large, r[0].nr_unpack = PT_NR(large);
		r[1].unpack = others, r[1].nr_unpack = PT_NR(others);
	}
	pt_fn_run(b, read_symbols, &r[0], &r[1]);
	if (inlined) {
		r[0].dwarf = r[1].dwarf = t->dwarf;
		if (b->two)
			b->again = r[1].dwarf = pt_dwarf_again(t->dwarf);
		sh.seen_strings = pt_alloc_array(t->dwarf->main->sections[PT_DW_STR].len / 8 + 1, 1);
		pt_fn_run(b, read_units, &r[0], &r[1]);
	}
	for (i = 0; i < PT_NR(r); i++) {
		b->split |= r[i].split;
		pt_map_deinit(&r[i].others);
	}
	for (i = 0; i < sh.nr_sources; i++)
		pt_elfsyms_free(sh.sources[i].symbols);
	if (sh.seen_huge)
		pt_free_huge((void *)sh.seen, sh.seen_huge);
	else
		free((void *)sh.seen);
	free((void *)sh.seen_strings);
}

void pt_fn_both_deinit(struct pt_fn_both *b)
{
	size_t i;

	for (i = 0; i < PT_NR(b->ns); i++) {
		pt_arena_deinit(&b->ns[i].own);
		pt_buf_deinit(&b->ns[i].demangled);
		pt_buf_deinit(&b->ns[i].plain);
	}
	pt_dwarf_free(b->again);
	if (b->helper) {
		tell(b->helper, NULL, NULL);
		pthread_join(b->helper->thread, NULL);
		free_helper(b->helper);
	}
}
