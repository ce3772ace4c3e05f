#include "elf/symtab.h"

#include <elf.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/choice.h"
#include "base/mem.h"
#include "base/search.h"
#include "base/sort16.h"
#include "elf/gotable.h"
#include "elf/symbols.h"

enum {
	MAX_SYMBOLS = 1 << 26,
	USUAL_SYMBOLS = 1 << 18,
	MAX_STRINGS = 1 << 30,
	MAX_OWN = 64 << 20,
	MAX_XZ = 64 << 20,
};

/* Its address is still this function's, not its neighbour's. */
static const char too_long[] = "[name of more than 16384 characters]";

/* Where name and binding are: index in .symtab or .dynsym, or offset in the table's own strings,
 * behind a byte with the binding, or in Go's. */
enum from { SYMTAB, DYNSYM, OWN, GO };

struct entry {
	uint64_t vaddr;			/* first: pt_sort16() sorts by it */
	uint32_t len;			/* 0 until symtab_finish(): no size */
	uint32_t ref;			/* enum from << 30 | index or offset */
};

struct pt_symtab {
	struct entry *v;
	size_t nr, cap;
	bool full;
	bool data;			/* variables, not functions */
	struct pt_budget *budget;	/* the object's */
	struct pt_symbols from[OWN];
	const struct pt_gotable *go;	/* NULL: none, or not needed */
	struct pt_buf own;		/* made-up names (foo@plt) and those of .gnu_debugdata */
};

static void symtab_add(struct pt_symtab *t, enum from from, uint64_t at, uint64_t vaddr,
		       uint64_t size)
{
	if (t->nr >= MAX_SYMBOLS || at >= MAX_STRINGS)
		return;
	if (vaddr + size < vaddr)
		size = 0;
	PT_GROW(t->v, t->nr, t->cap);
	t->v[t->nr++] = (struct entry){ vaddr, (uint32_t)PT_MIN(size, (uint64_t)UINT32_MAX),
					      (uint32_t)from << 30 | (uint32_t)at };
}

/* Adds a name of the table's own, followed by `suffix`. */
static void symtab_add_own(struct pt_symtab *t, const char *name, const char *suffix, uint8_t bind,
			   uint64_t vaddr, uint64_t size)
{
	/* more than any packed table has: names that share bytes */
	if (t->own.len > MAX_OWN || !pt_budget_take(t->budget, strlen(name) + strlen(suffix) + 2 +
								       2 * sizeof(struct entry)))
		return;
	pt_buf_putc(&t->own, (char)bind);
	symtab_add(t, OWN, t->own.len, vaddr, size);
	pt_buf_puts(&t->own, name);
	pt_buf_add(&t->own, suffix, strlen(suffix) + 1);
}

/* The symbol of a reference that is not OWN. */
static const struct pt_symbols *symbol_of(const struct pt_symtab *t, uint32_t ref,
					  struct pt_elf_symbol *x)
{
	const struct pt_symbols *from = &t->from[ref >> 30];

	pt_symbols_read(from, ref & (MAX_STRINGS - 1), x);
	return from;
}

static const char *symtab_name_of(const struct pt_symtab *t, uint32_t ref)
{
	struct pt_elf_symbol x;
	const char *name;

	if (ref >> 30 == OWN)
		return t->own.data + (ref & (MAX_STRINGS - 1));
	if (ref >> 30 == GO)
		return pt_gotable_name(t->go, ref & (MAX_STRINGS - 1));
	name = pt_symbols_name(symbol_of(t, ref, &x), &x, NULL);
	return name ? name : too_long;
}

static uint8_t bind_of(const struct pt_symtab *t, uint32_t ref)
{
	struct pt_elf_symbol x;

	if (ref >> 30 == OWN)
		return (uint8_t)t->own.data[(ref & (MAX_STRINGS - 1)) - 1];
	if (ref >> 30 == GO)
		return STB_GLOBAL;
	symbol_of(t, ref, &x);
	return x.bind;
}

static bool symtab_is_variable(const struct pt_elf_symbol *x)
{
	return x->name && x->type == STT_OBJECT && x->section != SHN_UNDEF && x->section != SHN_ABS;
}

/* Names that nobody asks for are not read, but for those that are copied (OWN: the object is
 * temporary), and where some are marks. */
static void add_table(struct pt_symtab *t, const struct pt_symbols *s, enum from from)
{
	bool marks = s->nr && pt_symbols_has_marks(s->object), read = marks || from == OWN;
	struct pt_elf_symbol x;

	if (t->cap - t->nr < s->nr && s->nr <= USUAL_SYMBOLS)
		t->v = pt_realloc(t->v, t->cap = t->nr + s->nr, sizeof(*t->v));
	for (uint64_t i = 1; i < s->nr; i++) {
		const char *name;

		pt_symbols_read(s, i, &x);
		if ((t->data ? !symtab_is_variable(&x) : !pt_symbols_is_function(s, &x)) ||
		    x.name >= s->strings.len_bytes)
			continue;
		name = read ? pt_symbols_name(s, &x, NULL) : NULL;
		if (marks && name && pt_symbols_is_mark(s->object, name))
			continue;
		if (from == OWN)
			symtab_add_own(t, name ? name : too_long, "", x.bind, x.vaddr, x.size);
		else
			symtab_add(t, from, i, x.vaddr, x.size);
	}
}

static void add_plt(void *arg, const char *name, uint64_t vaddr, uint64_t size)
{
	symtab_add_own(arg, name, "@plt", STB_GLOBAL, vaddr, size);
}

/* .gnu_debugdata: an ELF file with a .symtab, compressed by xz. */
static void add_mini(struct pt_symtab *t, struct pt_object *o)
{
	struct pt_section s;
	struct pt_object *mini;
	struct pt_symbols inner;
	uint8_t *unpacked = NULL;
	size_t in = 0, out = 0, cap;
	uint64_t limit = MAX_XZ;
	lzma_ret rc = LZMA_BUF_ERROR;

	if (!pt_object_data(o, ".gnu_debugdata", &s) || !s.len_bytes)
		return;
	for (cap = PT_MIN(s.len_bytes, (uint64_t)MAX_XZ / 8) * 8;
	     rc == LZMA_BUF_ERROR && cap <= MAX_XZ; cap *= 2) {
		in = out = 0;
		unpacked = pt_realloc(unpacked, cap, 1);
		rc = lzma_stream_buffer_decode(&limit, 0, NULL, s.data, &in, s.len_bytes, unpacked,
					       &out, cap);
	}
	if (rc == LZMA_OK &&
	    pt_object_open_memory(&mini, unpacked, out, ".gnu_debugdata", NULL) == 0) {
		if (pt_symbols_open(&inner, mini, ".symtab"))
			add_table(t, &inner, OWN);
		pt_symbols_close(&inner);
		pt_object_put(mini);
	}
	free(unpacked);
}

static void add_go(struct pt_symtab *t, struct pt_object *o)
{
	struct pt_gofunction f;

	t->go = pt_gotable_of(o);
	for (size_t i = 0; t->go && i < pt_gotable_nr(t->go); i++)
		if (pt_gotable_at(t->go, i, &f) && *f.name)
			symtab_add(t, GO, f.name_off, f.entry, f.end - f.entry);
}

static struct pt_choice symtab_choice(const struct pt_symtab *t, const struct entry *x)
{
	uint8_t bind = bind_of(t, x->ref);

	return (struct pt_choice){ symtab_name_of(t, x->ref), x->len, bind == STB_WEAK,
				   bind == STB_GLOBAL };
}

static bool symtab_better(const struct pt_symtab *t, const struct entry *a, const struct entry *b)
{
	struct pt_choice x = symtab_choice(t, a), y = symtab_choice(t, b);

	return pt_choice_better(&x, &y);
}

/* Leaves one symbol an address, and ends those without size. */
static void symtab_finish(struct pt_symtab *t)
{
	struct entry *v = t->v;
	size_t i, n = 0;

	pt_sort16(v, t->nr);
	for (i = 0; i < t->nr; i++) {
		if (!n || v[i].vaddr != v[n - 1].vaddr)
			v[n++] = v[i];
		else if (symtab_better(t, &v[i], &v[n - 1]))
			v[n - 1] = v[i];
	}
	for (i = 0; i < n; i++)
		if (!v[i].len)
			v[i].len = (uint32_t)PT_MIN(i + 1 < n ? v[i + 1].vaddr - v[i].vaddr
							      : 4096 - (v[i].vaddr & 4095),
						    (uint64_t)UINT32_MAX);
	t->nr = n;
}

static void symtab_free(void *symtab)
{
	struct pt_symtab *t = symtab;

	pt_buf_deinit(&t->own);
	for (size_t i = 0; i < OWN; i++)
		pt_symbols_close(&t->from[i]);
	free(t->v);
	free(t);
}

/* The object's table, made at its first use. */
static const struct pt_symtab *table_of(struct pt_object *o, bool data)
{
	struct pt_object_part *part = &o->parts[data ? PT_OBJECT_DATA_SYMTAB : PT_OBJECT_SYMTAB];
	struct pt_symtab *t = part->data;

	if (t)
		return t;
	t = pt_alloc(sizeof(*t));
	*part = (struct pt_object_part){ t, symtab_free };
	t->data = data;
	t->budget = &o->budget;
	t->full = pt_symbols_open(&t->from[SYMTAB], o, ".symtab");
	if (!t->full)
		pt_symbols_open(&t->from[DYNSYM], o, ".dynsym");
	add_table(t, &t->from[SYMTAB], SYMTAB);
	add_table(t, &t->from[DYNSYM], DYNSYM);
	if (!t->full && !data) {
		add_mini(t, o);
		add_go(t, o);
	}
	if (!data)
		pt_symtab_plt(o, add_plt, t);
	symtab_finish(t);
	return t;
}

const struct pt_symtab *pt_symtab_of(struct pt_object *o) { return table_of(o, false); }
const struct pt_symtab *pt_symtab_of_data(struct pt_object *o) { return table_of(o, true); }

static struct pt_symbol told(const struct pt_symtab *t, const struct entry *x)
{
	return (struct pt_symbol){ x->vaddr, x->vaddr + x->len, symtab_name_of(t, x->ref) };
}

bool pt_symtab_find(const struct pt_symtab *t, uint64_t vaddr, struct pt_symbol *s)
{
	size_t past = PT_LEADING(t->nr, i, t->v[i].vaddr <= vaddr), look;

	/* A label in a function ends before it: the enclosing function is a few symbols back. */
	for (look = 0; look < 16 && past > look; look++) {
		const struct entry *x = &t->v[past - 1 - look];

		if (vaddr - x->vaddr < x->len && *symtab_name_of(t, x->ref)) {
			*s = told(t, x);
			return true;
		}
	}
	return false;
}

static size_t set_named(struct pt_symtab_name *names, size_t nr, const struct pt_symbols *t,
			const struct pt_elf_symbol *x)
{
	char first = (char)t->strings.data[x->name];
	size_t set = 0;

	for (size_t k = 0; k < nr; k++) {
		const char *name = names[k].there || first != *names[k].name
					   ? NULL
					   : pt_symbols_name(t, x, NULL);

		if (!name || strcmp(name, names[k].name))
			continue;
		names[k].vaddr = x->vaddr;
		names[k].there = true;
		set++;
	}
	return set;
}

void pt_symtab_named_all(const struct pt_symtab *t, struct pt_symtab_name *names, size_t nr)
{
	struct pt_elf_symbol x;
	size_t left = nr;

	for (size_t from = 0; from < OWN; from++) {
		const struct pt_symbols *s = &t->from[from];

		for (uint64_t i = 1; left && i < s->nr; i++) {
			pt_symbols_read(s, i, &x);
			if (x.section != SHN_UNDEF && x.name < s->strings.len_bytes)
				left -= set_named(names, nr, s, &x);
		}
	}
}

bool pt_symtab_named(const struct pt_symtab *t, const char *name, uint64_t *vaddr)
{
	struct pt_symtab_name one = { .name = name };

	pt_symtab_named_all(t, &one, 1);
	if (one.there)
		*vaddr = one.vaddr;
	return one.there;
}

size_t pt_symtab_nr(const struct pt_symtab *t)
{
	return t->nr;
}

bool pt_symtab_at(const struct pt_symtab *t, size_t i, struct pt_symbol *s)
{
	if (i >= t->nr)
		return false;
	*s = told(t, &t->v[i]);
	return true;
}

bool pt_symtab_full(const struct pt_symtab *t)
{
	return t->full;
}
