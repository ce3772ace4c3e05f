#include "code/symtab.h"

#include <elf.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/map.h"
#include "base/mem.h"

enum { MAX_SYMBOLS = 1 << 26, MAX_NAME = 1 << 14, COMPARED = 1024, MAX_XZ = 64 << 20 };

struct entry {				/* a symbol while they are gathered */
	uint64_t vaddr, size;
	const char *name;
	uint8_t bind;
	bool plt;
};

struct pt_symtab {
	struct pt_symbol *symbols;
	size_t nr;
	bool full;
	struct entry *entries;
	size_t nr_entries, cap_entries;
	struct pt_names *names;		/* made up ones (foo@plt), those of texts */
	uint8_t *unpacked;		/* .gnu_debugdata */
	struct pt_object *mini;		/* the object in it */
};

static void add(struct pt_symtab *t, const struct entry *x)
{
	if (t->nr_entries >= MAX_SYMBOLS)
		return;
	PT_GROW(t->entries, t->nr_entries, t->cap_entries);
	t->entries[t->nr_entries++] = *x;
}

static const char *name_at(const struct pt_section *strings, uint64_t off)
{
	if (!strings->data || off >= strings->len_bytes || !memchr(strings->data + off, 0, PT_MIN(strings->len_bytes - off, (uint64_t)MAX_NAME)))
		return NULL;
	return (const char *)strings->data + off;
}

struct elf_symbol { uint64_t value, size; uint32_t name; uint16_t shndx; uint8_t info, other; };

static bool read_symbol(const struct pt_object *o, const struct pt_section *s, uint64_t i, struct elf_symbol *x)
{
	size_t one = o->is64 ? 24 : 16;
	struct pt_bytes b;

	if (i >= s->len_bytes / one)
		return false;
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
	if (type != STT_NOTYPE || visibility == STV_HIDDEN || visibility == STV_INTERNAL || x->shndx >= nr_exec || !exec[x->shndx])
		return false;
	return true;
}

/* $x, $d and the like mark what follows as code or data (arm64, arm, riscv): no names. */
static bool is_mapping_symbol(const struct pt_object *o, const char *name)
{
	return name[0] == '$' && (o->machine == EM_AARCH64 || o->machine == EM_ARM || o->machine == EM_RISCV) &&
	       strchr("adtx", name[1] ? name[1] : '?') && (!name[2] || name[2] == '.');
}

static void add_table(struct pt_symtab *t, const struct pt_object *o, const struct pt_section *s)
{
	struct pt_section strings, other;
	size_t nr = pt_object_nr_sections(o), i;
	uint8_t *exec;
	struct elf_symbol x;

	if (!s->data || !pt_object_section_at(o, s->link, &strings, NULL))
		return;
	exec = pt_alloc(nr);
	for (i = 0; i < nr; i++)
		exec[i] = pt_object_section_at(o, i, &other, NULL) && (other.flags & SHF_EXECINSTR);
	for (i = 1; read_symbol(o, s, i, &x); i++) {
		const char *name;

		if (!is_function(&x, exec, nr))
			continue;
		name = name_at(&strings, x.name);
		if (name && *name && !is_mapping_symbol(o, name))
			add(t, &(struct entry){ x.value & (o->machine == EM_ARM ? ~1ull : ~0ull), x.size, name, x.info >> 4, false });
	}
	free(exec);
}

/* NAME@plt for each entry of the PLT: its relocations stand in the same order. */
static void add_plt(struct pt_symtab *t, struct pt_object *o)
{
	struct pt_section rel, plt, syms, strings;
	bool rela;
	uint64_t one, i, entry = 16, head = 16;

	if (o->machine != EM_X86_64 && o->machine != EM_AARCH64 && o->machine != EM_386)
		return;
	rela = pt_object_section(o, ".rela.plt", &rel);
	if (!rela && !pt_object_section(o, ".rel.plt", &rel))
		return;
	if (pt_object_section(o, ".plt.sec", &plt))
		head = 0;
	else if (!pt_object_section(o, ".plt", &plt))
		return;
	if (o->machine == EM_AARCH64)
		head = 32;
	if (!rel.data || !pt_object_section_at(o, rel.link, &syms, NULL) || !syms.data || !pt_object_section_at(o, syms.link, &strings, NULL))
		return;
	one = o->is64 ? (rela ? 24 : 16) : (rela ? 12 : 8);
	if (!head || plt.len_bytes > head)
		for (i = 0; i < rel.len_bytes / one && head + (i + 1) * entry <= plt.len_bytes; i++) {
			struct pt_bytes b = pt_bytes(rel.data + i * one, one, o->swap);
			struct elf_symbol x;
			const char *name;
			uint64_t sym;
			char *full;

			sym = o->is64 ? (pt_bytes_u64(&b), pt_bytes_u64(&b) >> 32) : (pt_bytes_u32(&b), pt_bytes_u32(&b) >> 8);
			if (!read_symbol(o, &syms, sym, &x) || !(name = name_at(&strings, x.name)) || !*name)
				continue;
			full = pt_asprintf("%s@plt", name);
			add(t, &(struct entry){ plt.vaddr + head + i * entry, entry, pt_names_add(t->names, full, SIZE_MAX), STB_GLOBAL, true });
			free(full);
		}
}

/* .gnu_debugdata: an ELF file with a .symtab, packed by xz. */
static void add_mini(struct pt_symtab *t, struct pt_object *o)
{
	struct pt_section s, inner;
	size_t in = 0, out = 0, cap;
	uint64_t limit = MAX_XZ;
	lzma_ret rc = LZMA_BUF_ERROR;

	if (!pt_object_section(o, ".gnu_debugdata", &s) || !s.data || !s.len_bytes)
		return;
	for (cap = PT_MIN(s.len_bytes, (uint64_t)MAX_XZ / 8) * 8; rc == LZMA_BUF_ERROR && cap <= MAX_XZ; cap *= 2) {
		in = out = 0;
		t->unpacked = pt_realloc(t->unpacked, cap, 1);
		rc = lzma_stream_buffer_decode(&limit, 0, NULL, s.data, &in, s.len_bytes, t->unpacked, &out, cap);
	}
	if (rc != LZMA_OK || pt_object_open_memory(&t->mini, t->unpacked, out, ".gnu_debugdata", NULL) < 0)
		return;
	if (pt_object_section(t->mini, ".symtab", &inner))
		add_table(t, t->mini, &inner);
}

static size_t underscores(const char *s)
{
	size_t n = 0;

	while (n < COMPARED && s[n] == '_')
		n++;
	return n;
}

/* Negative: a is the better name of two at one address. Names are looked at so far only: many long ones that share their bytes would take forever. */
static int prefer(const struct entry *a, const struct entry *b)
{
	size_t ua, ub;

	if (!a->size != !b->size)
		return a->size ? -1 : 1;
	if ((a->bind == STB_WEAK) != (b->bind == STB_WEAK))
		return a->bind == STB_WEAK ? 1 : -1;
	if ((a->bind == STB_GLOBAL) != (b->bind == STB_GLOBAL))
		return a->bind == STB_GLOBAL ? -1 : 1;
	ua = underscores(a->name);
	ub = underscores(b->name);
	if (ua != ub)
		return ua < ub ? -1 : 1;
	ua = strnlen(a->name, COMPARED);
	ub = strnlen(b->name, COMPARED);
	if (ua != ub)
		return ua > ub ? -1 : 1;
	return strncmp(a->name, b->name, COMPARED);
}

static int by_vaddr(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return x->vaddr != y->vaddr ? (x->vaddr > y->vaddr) - (x->vaddr < y->vaddr) : prefer(x, y);
}

/* Sorts what was gathered, one symbol an address, and works out the ends. */
static void finish(struct pt_symtab *t)
{
	size_t i;

	if (t->nr_entries)
		qsort(t->entries, t->nr_entries, sizeof(*t->entries), by_vaddr);
	t->symbols = pt_alloc_array(t->nr_entries, sizeof(*t->symbols));
	for (i = 0; i < t->nr_entries; i++) {
		const struct entry *x = &t->entries[i];

		if (t->nr && t->symbols[t->nr - 1].vaddr == x->vaddr)
			continue;
		t->symbols[t->nr++] = (struct pt_symbol){ x->vaddr, x->vaddr + x->size, x->name };
	}
	for (i = 0; i < t->nr; i++) {
		struct pt_symbol *x = &t->symbols[i];

		if (x->end < x->vaddr)
			x->end = x->vaddr;
		if (x->end == x->vaddr)
			x->end = i + 1 < t->nr ? t->symbols[i + 1].vaddr : (x->vaddr | 4095) + 1;
	}
	free(t->entries);
	t->entries = NULL;
	t->nr_entries = t->cap_entries = 0;
}

const struct pt_symtab *pt_symtab_of(struct pt_object *o)
{
	struct pt_symtab *t = o->symtab;
	struct pt_section s;

	if (t)
		return t;
	t = o->symtab = pt_alloc(sizeof(*t));
	o->free_symtab = pt_symtab_free;
	t->names = pt_names_new();
	if (pt_object_section(o, ".symtab", &s) && s.data) {
		t->full = true;
		add_table(t, o, &s);
	} else {
		if (pt_object_section(o, ".dynsym", &s))
			add_table(t, o, &s);
		add_mini(t, o);
	}
	add_plt(t, o);
	finish(t);
	return t;
}

bool pt_symtab_find(const struct pt_symtab *t, uint64_t vaddr, struct pt_symbol *s)
{
	size_t lo = 0, hi = t->nr, look;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (t->symbols[mid].vaddr <= vaddr)
			lo = mid + 1;
		else
			hi = mid;
	}
	/* A label inside of a function ends before it: the function around is a few symbols back. */
	for (look = 0; look < 16 && lo > look; look++)
		if (vaddr < t->symbols[lo - 1 - look].end) {
			*s = t->symbols[lo - 1 - look];
			return true;
		}
	return false;
}

size_t pt_symtab_nr(const struct pt_symtab *t)
{
	return t->nr;
}

bool pt_symtab_at(const struct pt_symtab *t, size_t i, struct pt_symbol *s)
{
	if (i >= t->nr)
		return false;
	*s = t->symbols[i];
	return true;
}

bool pt_symtab_full(const struct pt_symtab *t)
{
	return t->full;
}

void pt_symtab_free(struct pt_symtab *t)
{
	if (!t)
		return;
	pt_object_put(t->mini);
	pt_names_free(t->names);
	free(t->unpacked);
	free(t->entries);
	free(t->symbols);
	free(t);
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

/* A hexadecimal number (0x in front or not); steps behind it. False: none there. */
static bool hex(const char **s, const char *end, uint64_t *v)
{
	const char *p = *s;

	if (end - p > 2 && p[0] == '0' && (p[1] | 32) == 'x')
		p += 2;
	for (*s = p, *v = 0; p < end && hex_digit(*p) >= 0 && p - *s < 16; p++)
		*v = *v << 4 | (uint64_t)hex_digit(*p);
	if (p == *s)
		return false;
	*s = p;
	return true;
}

static bool blank(const char **s, const char *end)
{
	const char *p = *s;

	while (*s < end && (**s == ' ' || **s == '\t'))
		++*s;
	return *s > p;
}

struct pt_symtab *pt_symtab_of_kallsyms(const char *text, size_t len)
{
	const char *end = text + len, *line, *next;
	struct pt_symtab *t = pt_alloc(sizeof(*t));

	t->full = true;
	t->names = pt_names_new();
	for (line = text; line < end; line = next) {
		const char *eol = memchr(line, '\n', (size_t)(end - line)), *s = line, *to;
		struct entry x = { .bind = STB_GLOBAL };
		char type;

		eol = eol ? eol : end;
		next = eol + 1;
		if (!hex(&s, eol, &x.vaddr) || !blank(&s, eol))
			continue;
		type = s < eol ? *s++ : 0;
		if (!type || !strchr("tTwW", type) || !blank(&s, eol))
			continue;
		x.bind = type == 't' ? STB_LOCAL : type == 'T' ? STB_GLOBAL : STB_WEAK;
		to = memchr(s, '\t', (size_t)(eol - s));		/* "\t[module]" */
		to = to ? to : eol;
		while (to > s && (to[-1] == ' ' || to[-1] == '\r'))
			to--;
		if (to == s)
			continue;
		x.name = pt_names_add(t->names, s, PT_MIN((size_t)(to - s), (size_t)4096));
		add(t, &x);
	}
	finish(t);
	return t;
}
