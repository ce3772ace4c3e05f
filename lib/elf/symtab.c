#include "elf/symtab.h"

#include <elf.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/choice.h"
#include "base/keep.h"
#include "base/mem.h"
#include "base/search.h"
#include "base/sort16.h"

enum {
	MAX_SYMBOLS = 1 << 26,
	MAX_NAME = 1 << 14,
	MAX_STRINGS = 1 << 30,
	MAX_OWN = 64 << 20,
	MAX_XZ = 64 << 20,
	KEPT_VERSION = 2,
	MANY = 50000,
	AHEAD = 16
};

/* Where a name (and a binding) is: an index into the object's .symtab or .dynsym, or an offset into
 * strings of the table's own, a byte of binding in front. */
enum from { SYMTAB, DYNSYM, OWN, NR_FROM };

struct entry {
	uint64_t vaddr;			/* first: what pt_sort16() sorts by */
	uint32_t len;			/* 0 while they are gathered: no size */
	uint32_t ref;			/* enum from << 30 | index or offset */
};

struct source { struct pt_section symbols, strings; };

struct pt_symtab {
	const struct pt_object *object;
	const struct entry *v;
	size_t nr, cap;
	bool full;
	struct pt_budget *budget;	/* the object's */
	struct source from[OWN];
	const char *strings;		/* made up ones (foo@plt), those of .gnu_debugdata */
	size_t strings_len;
	struct pt_buf own;		/* the same, and v, while they are ours */
	struct entry *entries;
	struct pt_kept kept;		/* else they are in here */
};

static void add(struct pt_symtab *t, enum from from, uint64_t at, uint64_t vaddr, uint64_t size)
{
	if (t->nr >= MAX_SYMBOLS || at >= MAX_STRINGS)
		return;
	if (vaddr + size < vaddr)
		size = 0;
	PT_GROW(t->entries, t->nr, t->cap);
	t->entries[t->nr++] = (struct entry){ vaddr, (uint32_t)PT_MIN(size, (uint64_t)UINT32_MAX),
					      (uint32_t)from << 30 | (uint32_t)at };
}

/* A name that stands nowhere else, `suffix` behind it. */
static void add_own(struct pt_symtab *t, const char *name, const char *suffix, uint8_t bind,
		    uint64_t vaddr, uint64_t size)
{
	/* more than any packed table has: many names that share their bytes */
	if (t->own.len > MAX_OWN || !pt_budget_take(t->budget, strlen(name) + strlen(suffix) + 2 +
								       2 * sizeof(struct entry)))
		return;
	pt_buf_putc(&t->own, (char)bind);
	add(t, OWN, t->own.len, vaddr, size);
	pt_buf_puts(&t->own, name);
	pt_buf_add(&t->own, suffix, strlen(suffix) + 1);
	t->strings = t->own.data;
	t->strings_len = t->own.len;
}

static const char *name_at(const struct pt_section *strings, uint64_t off)
{
	if (!strings->data || off >= strings->len_bytes ||
	    !memchr(strings->data + off, 0, PT_MIN(strings->len_bytes - off, (uint64_t)MAX_NAME)))
		return NULL;
	return (const char *)strings->data + off;
}

struct elf_symbol { uint64_t value, size; uint32_t name; uint16_t shndx; uint8_t info, other; };

static bool read_symbol(const struct pt_object *o, const struct pt_section *s, uint64_t i,
			struct elf_symbol *x)
{
	size_t one = o->is64 ? 24 : 16;
	struct pt_bytes b;

	if (i >= s->len_bytes / one)
		return false;
	if (o->is64 && !o->swap) {	/* nearly always */
		Elf64_Sym plain;

		memcpy(&plain, s->data + i * one, sizeof(plain));
		*x = (struct elf_symbol){ plain.st_value, plain.st_size, plain.st_name,
					  plain.st_shndx, plain.st_info, plain.st_other };
		return true;
	}
	b = pt_bytes(s->data + i * one, one, o->swap);
	x->name = pt_bytes_u32(&b);
	if (o->is64) {
		x->info = pt_bytes_u8(&b);
		x->other = pt_bytes_u8(&b);
		x->shndx = pt_bytes_u16(&b);
		x->value = pt_bytes_u64(&b);
		x->size = pt_bytes_u64(&b);
	} else {
		x->value = pt_bytes_u32(&b);
		x->size = pt_bytes_u32(&b);
		x->info = pt_bytes_u8(&b);
		x->other = pt_bytes_u8(&b);
		x->shndx = pt_bytes_u16(&b);
	}
	return true;
}

/* A function, or a label in code (start-up code and assembly have no types). */
static bool is_function(const struct elf_symbol *x, const uint8_t *exec, size_t nr_exec)
{
	uint8_t type = x->info & 15, visibility = x->other & 3;

	if (!x->name || x->shndx == SHN_UNDEF || x->shndx == SHN_ABS)
		return false;
	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		return true;
	if (type != STT_NOTYPE || visibility == STV_HIDDEN || visibility == STV_INTERNAL ||
	    x->shndx >= nr_exec || !exec[x->shndx])
		return false;
	return true;
}

/* $x, $d and the like mark what follows as code or data (arm64, arm, riscv): no names. */
static bool is_mapping_symbol(const struct pt_object *o, const char *name)
{
	return name[0] == '$' &&
	       (o->machine == EM_AARCH64 || o->machine == EM_ARM || o->machine == EM_RISCV) &&
	       strchr("adtx", name[1] ? name[1] : '?') && (!name[2] || name[2] == '.');
}

/* What a reference says; of a kept table it may be anything. */
static const char *name_of(const struct pt_symtab *t, uint32_t ref)
{
	const struct source *from = &t->from[ref >> 30 < OWN ? ref >> 30 : 0];
	uint32_t at = ref & (MAX_STRINGS - 1);
	struct elf_symbol x;
	const char *name = NULL;

	if (ref >> 30 == OWN)
		return at < t->strings_len && memchr(t->strings + at, 0, t->strings_len - at)
			       ? t->strings + at
			       : "";
	if (ref >> 30 < OWN && from->symbols.data && read_symbol(t->object, &from->symbols, at, &x))
		name = name_at(&from->strings, x.name);
	return name ? name : "";
}

static uint8_t bind_of(const struct pt_symtab *t, uint32_t ref)
{
	struct elf_symbol x;

	if (ref >> 30 == OWN)
		return (uint8_t)t->strings[(ref & (MAX_STRINGS - 1)) - 1];
	return read_symbol(t->object, &t->from[ref >> 30].symbols, ref & (MAX_STRINGS - 1), &x)
		       ? x.info >> 4
		       : STB_LOCAL;
}

/* A section of symbols with its strings. False: there is none to read. */
static bool open_source(const struct pt_object *o, const char *section, struct source *from)
{
	if (!pt_object_section(o, section, &from->symbols) || !from->symbols.data ||
	    !pt_object_section_at(o, from->symbols.link, &from->strings, NULL))
		from->symbols.data = NULL;
	return from->symbols.data;
}

/* From OWN: the object does not stay, so the names are copied. */
static void add_table(struct pt_symtab *t, const struct pt_object *o, const struct source *s,
		      enum from from)
{
	struct pt_section other;
	size_t nr = pt_object_nr_sections(o), i;
	uint8_t *exec = pt_alloc(nr);
	struct elf_symbol x;
	bool cut;

	for (i = 0; i < nr; i++)
		exec[i] = pt_object_section_at(o, i, &other, NULL) && (other.flags & SHF_EXECINSTR);
	for (i = 1; read_symbol(o, &s->symbols, i, &x); i++) {
		const char *name;

		if (!is_function(&x, exec, nr))
			continue;
		name = name_at(&s->strings, x.name);
		cut = !name && s->strings.data && x.name < s->strings.len_bytes &&
		      s->strings.len_bytes - x.name > MAX_NAME;
		if (cut)	/* the place is the function's all the same, not its neighbour's */
			name = "[name of more than 16384 characters]";
		if (!name || !*name || is_mapping_symbol(o, name))
			continue;
		if (o->machine == EM_ARM)
			x.value &= ~1ull;
		if (from == OWN || cut)
			add_own(t, name, "", x.info >> 4, x.value, x.size);
		else
			add(t, from, i, x.value, x.size);
	}
	free(exec);
}

static void add_plt(void *arg, const char *name, uint64_t vaddr, uint64_t size)
{
	add_own(arg, name, "@plt", STB_GLOBAL, vaddr, size);
}

/* .gnu_debugdata: an ELF file with a .symtab, packed by xz. */
static void add_mini(struct pt_symtab *t, struct pt_object *o)
{
	struct pt_section s;
	struct pt_object *mini;
	struct source inner;
	uint8_t *unpacked = NULL;
	size_t in = 0, out = 0, cap;
	uint64_t limit = MAX_XZ;
	lzma_ret rc = LZMA_BUF_ERROR;

	if (!pt_object_section(o, ".gnu_debugdata", &s) || !s.data || !s.len_bytes)
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
		if (open_source(mini, ".symtab", &inner))
			add_table(t, mini, &inner, OWN);
		pt_object_put(mini);
	}
	free(unpacked);
}

static struct pt_choice choice(const struct pt_symtab *t, const struct entry *x)
{
	uint8_t bind = bind_of(t, x->ref);

	return (struct pt_choice){ name_of(t, x->ref), x->len, bind == STB_WEAK,
				   bind == STB_GLOBAL };
}

static bool better(const struct pt_symtab *t, const struct entry *a, const struct entry *b)
{
	struct pt_choice x = choice(t, a), y = choice(t, b);

	return pt_choice_better(&x, &y);
}

/* Sorts what was gathered, one symbol an address, and works out the ends of those without size. */
static void finish(struct pt_symtab *t)
{
	struct entry *v = t->entries;
	size_t i, n = 0;

	pt_sort16(v, t->nr);
	for (i = 0; i < t->nr; i++) {
		if (!n || v[i].vaddr != v[n - 1].vaddr)
			v[n++] = v[i];
		else if (better(t, &v[i], &v[n - 1]))
			v[n - 1] = v[i];
	}
	for (i = 0; i < n; i++)
		if (!v[i].len)
			v[i].len = (uint32_t)PT_MIN(i + 1 < n ? v[i + 1].vaddr - v[i].vaddr
							      : 4096 - (v[i].vaddr & 4095),
						    (uint64_t)UINT32_MAX);
	t->nr = n;
	t->v = v;
}

/* ---- kept for the next time ---- */

/* Keeps a table only where making it is slow: many symbols, or packed ones. The key is the file's
 * stamp: a file with a forged build-id has an item of its own. */
static bool kept_name(const struct pt_object *o, const struct pt_symtab *t, char name[96],
		      struct pt_stamp *key)
{
	struct pt_section s;
	char text[PT_STAMP_TEXT];

	if (!o->keep || !o->build_id.len || !pt_object_stamp(o, key) ||
	    (t->full ? t->from[SYMTAB].symbols.len_bytes / 24 < MANY
		     : !pt_object_section(o, ".gnu_debugdata", &s)))
		return false;
	snprintf(name, 96, "sym-%s", pt_stamp_text(key, text));
	return true;
}

static bool get_kept(struct pt_symtab *t, const struct pt_object *o, const char *name,
		     const struct pt_stamp *key)
{
	uint64_t nr;

	if (!pt_keep_get(o->keep, name, KEPT_VERSION, key, sizeof(*key), &t->kept))
		return false;
	if (t->kept.len_bytes >= sizeof(nr)) {
		memcpy(&nr, t->kept.data, sizeof(nr));
		if (nr <= (t->kept.len_bytes - sizeof(nr)) / sizeof(*t->v)) {
			t->v = (const struct entry *)(t->kept.data + sizeof(nr));
			t->nr = nr;
			t->strings = (const char *)(t->v + nr);
			t->strings_len = t->kept.len_bytes - sizeof(nr) - nr * sizeof(*t->v);
			return true;
		}
	}
	pt_kept_release(&t->kept);
	return false;
}

static void put_kept(const struct pt_symtab *t, const struct pt_object *o, const char *name,
		     const struct pt_stamp *key)
{
	uint64_t nr = t->nr;
	struct iovec parts[] = { { &nr, sizeof(nr) },
				 { t->entries, nr * sizeof(*t->v) },
				 { t->own.data, t->own.len } };

	pt_keep_put(o->keep, name, KEPT_VERSION, key, sizeof(*key), parts, t->own.len ? 3 : 2);
}

static void symtab_free(struct pt_symtab *t)
{
	if (t->kept.data)
		pt_kept_release(&t->kept);
	pt_buf_deinit(&t->own);
	free(t->entries);
	free(t);
}

const struct pt_symtab *pt_symtab_of(struct pt_object *o)
{
	struct pt_symtab *t = o->symtab;
	struct pt_stamp key;
	char name[96];
	bool keep;

	if (t)
		return t;
	t = o->symtab = pt_alloc(sizeof(*t));
	o->free_symtab = symtab_free;
	t->object = o;
	t->budget = &o->budget;
	t->full = open_source(o, ".symtab", &t->from[SYMTAB]);
	if (!t->full)
		open_source(o, ".dynsym", &t->from[DYNSYM]);
	keep = kept_name(o, t, name, &key);
	if (keep && get_kept(t, o, name, &key))
		return t;
	if (t->full)
		add_table(t, o, &t->from[SYMTAB], SYMTAB);
	else if (t->from[DYNSYM].symbols.data)
		add_table(t, o, &t->from[DYNSYM], DYNSYM);
	if (!t->full)
		add_mini(t, o);
	pt_symtab_plt(o, add_plt, t);
	finish(t);
	if (keep)
		put_kept(t, o, name, &key);
	return t;
}

static struct pt_symbol told(const struct pt_symtab *t, const struct entry *x)
{
	return (struct pt_symbol){ x->vaddr, x->vaddr + x->len, name_of(t, x->ref) };
}

bool pt_symtab_find(const struct pt_symtab *t, uint64_t vaddr, struct pt_symbol *s)
{
	size_t past = PT_LEADING(t->nr, i, t->v[i].vaddr <= vaddr), look;

	/* A label inside of a function ends before it: the function around is a few symbols back */
	for (look = 0; look < 16 && past > look; look++)
		if (vaddr - t->v[past - 1 - look].vaddr < t->v[past - 1 - look].len) {
			*s = told(t, &t->v[past - 1 - look]);
			return true;
		}
	return false;
}

void pt_symtab_named_all(const struct pt_symtab *t, struct pt_symtab_name *names, size_t nr)
{
	struct elf_symbol x;
	size_t from, k, left = nr;
	const char *is;
	uint64_t i, one = t->object->is64 ? 24 : 16;

	for (from = 0; from < OWN; from++) {
		const struct source *s = &t->from[from];

		for (i = 1; left && s->symbols.data && read_symbol(t->object, &s->symbols, i, &x);
		     i++) {
			/* Names stand anywhere in a large section. */
			if ((i + AHEAD + 1) * one <= s->symbols.len_bytes)
				__builtin_prefetch(
					s->strings.data +
					PT_MIN(pt_load32(s->symbols.data + (i + AHEAD) * one,
							 t->object->swap),
					       s->strings.len_bytes));
			if (x.shndx == SHN_UNDEF || x.name >= s->strings.len_bytes ||
			    !s->strings.data)
				continue;
			for (k = 0; k < nr; k++)
				if (!names[k].there &&
				    s->strings.data[x.name] == (uint8_t)*names[k].name &&
				    (is = name_at(&s->strings, x.name)) &&
				    !strcmp(is, names[k].name)) {
					names[k].vaddr = x.value;
					names[k].there = true;
					left--;
				}
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
