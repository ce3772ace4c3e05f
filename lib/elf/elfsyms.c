#include "elf/elfsyms.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/mem.h"
#include "base/scan.h"
#include "elf/symtab.h"

enum { MAX_NAME = 1 << 14, MAX_VERSIONS = 1 << 15, HIDDEN = 0x8000, AHEAD = 16 };

struct table {
	struct pt_object *object;
	struct pt_section symbols, strings, numbers;	/* numbers: .gnu.version */
	const char **versions;		/* by number */
	size_t nr_versions;
	uint8_t *exec;			/* by section: it holds code */
	size_t nr_sections;
	uint64_t nr;			/* entries; 0: there is no such table */
	uint64_t names_left;		/* bytes of names that may still be given */
	/* bits by offset of a name: it is asked for; NULL: all are */
	uint64_t *wanted;
	bool dynamic;
};

/* NULL: there is none. */
static const char *string_at(const struct pt_section *strings, uint64_t off, size_t *len)
{
	uint64_t most = strings->data && off < strings->len_bytes
				? PT_MIN(strings->len_bytes - off, (uint64_t)MAX_NAME)
				: 0;
	const uint8_t *nul = most ? memchr(strings->data + off, 0, most) : NULL;

	if (!nul)
		return NULL;
	*len = (size_t)(nul - strings->data - off);
	return (const char *)strings->data + off;
}

/* .gnu.version_d: a chain of definitions, the first name of each is its own. */
static void read_versions(struct table *t)
{
	struct pt_section defs, names;
	uint64_t at = 0, step = 1;
	unsigned nr;

	if (!pt_object_section(t->object, ".gnu.version", &t->numbers) ||
	    !pt_object_section(t->object, ".gnu.version_d", &defs) || !defs.data ||
	    !pt_object_section_at(t->object, defs.link, &names, NULL))
		return;
	t->nr_versions = MAX_VERSIONS;
	t->versions = pt_alloc_array(MAX_VERSIONS, sizeof(*t->versions));
	for (nr = 0; step && nr < MAX_VERSIONS && at < defs.len_bytes; nr++, at += step) {
		struct pt_bytes b = pt_bytes(defs.data + at, defs.len_bytes - at, t->object->swap),
				aux;
		uint32_t aux_at;
		size_t len;
		uint16_t number;

		pt_bytes_u32(&b);	/* version of the format, flags */
		number = pt_bytes_u16(&b) & (HIDDEN - 1);
		pt_bytes_u16(&b);
		pt_bytes_u32(&b);	/* hash */
		aux_at = pt_bytes_u32(&b);
		step = pt_bytes_u32(&b);
		if (b.bad || aux_at > defs.len_bytes - at)
			return;
		aux = pt_bytes(defs.data + at + aux_at, defs.len_bytes - at - aux_at,
			       t->object->swap);
		t->versions[number] = string_at(&names, pt_bytes_u32(&aux), &len);
		if (aux.bad)
			t->versions[number] = NULL;
	}
}

/* Strings share their ends, and functions of one name the whole string: the names of a genuine
 * table are a few times its strings at most, or short. Thousands of symbols that begin at each byte
 * of a long string would be quadratic. */
static uint64_t most_names(const struct table *t)
{
	return 4 * t->strings.len_bytes + 64 * t->nr + (1 << 20);
}

static void table_open(struct table *t, struct pt_object *o, const char *name)
{
	struct pt_section s;
	size_t i;

	*t = (struct table){ .object = o, .dynamic = !strcmp(name, ".dynsym") };
	if (!pt_object_section(o, name, &t->symbols) || !t->symbols.data ||
	    !pt_object_section_at(o, t->symbols.link, &t->strings, NULL) || !t->strings.data)
		return;
	t->nr = t->symbols.len_bytes / (o->is64 ? 24 : 16);
	t->nr_sections = pt_object_nr_sections(o);
	t->exec = pt_alloc(t->nr_sections);
	for (i = 0; i < t->nr_sections; i++)
		t->exec[i] = pt_object_section_at(o, i, &s, NULL) && (s.flags & SHF_EXECINSTR);
	t->names_left = most_names(t);
}

static bool pay_name(struct table *t, size_t len)
{
	if (t->names_left < len) {
		t->object->budget.hit = PT_LIMIT_WORK;
		return false;
	}
	t->names_left -= len;
	return true;
}

/* One entry; `name`, `section`, `other` are what struct pt_elfsym has not. */
struct entry { uint32_t name; uint16_t section; uint8_t other; };

static void read_entry(const struct table *t, uint64_t i, struct entry *e, struct pt_elfsym *s)
{
	const struct pt_object *o = t->object;
	const uint8_t *at = t->symbols.data + i * (o->is64 ? 24 : 16);
	uint8_t info;

	e->name = pt_load32(at, o->swap);
	if (o->is64) {
		info = at[4];
		e->other = at[5];
		e->section = pt_load16(at + 6, o->swap);
		s->vaddr = pt_load64(at + 8, o->swap);
		s->size = pt_load64(at + 16, o->swap);
	} else {
		s->vaddr = pt_load32(at + 4, o->swap);
		s->size = pt_load32(at + 8, o->swap);
		info = at[12];
		e->other = at[13];
		e->section = pt_load16(at + 14, o->swap);
	}
	s->type = info & 15;
	s->bind = info >> 4;
}

/* False: it is no function of this object. */
static bool read_symbol(const struct table *t, uint64_t i, struct pt_elfsym *s)
{
	struct entry e;

	read_entry(t, i, &e, s);
	if (!e.name || e.section == SHN_UNDEF || e.section == SHN_ABS)
		return false;
	if (s->type == STT_NOTYPE) {
		if ((e.other & 3) == STV_HIDDEN || (e.other & 3) == STV_INTERNAL ||
		    e.section >= t->nr_sections || !t->exec[e.section])
			return false;
	} else if (s->type != STT_FUNC && s->type != STT_GNU_IFUNC) {
		return false;
	}
	if (t->object->machine == EM_ARM)
		s->vaddr &= ~1ull;
	s->dynamic = t->dynamic;
	s->name = string_at(&t->strings, e.name, &s->name_len);
	/* $x, $d and the like mark what follows as code or data: no names. */
	return s->name && *s->name &&
	       !(s->name[0] == '$' && s->type == STT_NOTYPE &&
		 (!s->name[1] || !s->name[2] || s->name[2] == '.'));
}

static void set_version(const struct table *t, uint64_t i, struct pt_elfsym *s)
{
	const char *at = memchr(s->name, '@', s->name_len);
	uint16_t number;

	if (at && at > s->name && !t->dynamic) {
		s->name_len = (size_t)(at - s->name);
		s->is_default = at[1] == '@';
		s->version = at + 1 + s->is_default;
	} else if (t->versions && t->numbers.data && i < t->numbers.len_bytes / 2) {
		number = pt_load16(t->numbers.data + 2 * i, t->object->swap);
		if ((number & (HIDDEN - 1)) > 1)
			s->version = t->versions[number & (HIDDEN - 1)];
		s->is_default = s->version && !(number & HIDDEN);
	}
}

static bool is_wanted(const struct table *t, uint64_t i)
{
	uint32_t name =
		pt_load32(t->symbols.data + i * (t->object->is64 ? 24 : 16), t->object->swap);

	return name < t->strings.len_bytes && t->wanted[name / 64] >> name % 64 & 1;
}

/* Names stand anywhere in a large section: a few are on the way at a time. */
static void fetch_name(const struct table *t, uint64_t i)
{
	uint32_t name =
		pt_load32(t->symbols.data + i * (t->object->is64 ? 24 : 16), t->object->swap);

	__builtin_prefetch(t->strings.data + PT_MIN(name, t->strings.len_bytes));
}

static bool table_each(struct table *t, bool (*each)(void *arg, const struct pt_elfsym *s),
		       void *arg)
{
	struct pt_elfsym s = { .version = NULL };
	uint64_t i;

	for (i = 1; i < t->nr; i++) {
		if (t->wanted && !is_wanted(t, i))
			continue;
		if (i + AHEAD < t->nr && !t->wanted)
			fetch_name(t, i + AHEAD);
		if (read_symbol(t, i, &s) && pay_name(t, s.name_len)) {
			s.version = NULL;
			s.is_default = false;
			set_version(t, i, &s);
			if (!each(arg, &s))
				return false;
		}
	}
	return true;
}

struct passing {
	bool (*each)(void *arg, const struct pt_elfsym *s);
	void *arg;
	struct pt_buf name;
	bool over;
};

static void plt_entry(void *arg, const char *name, uint64_t vaddr, uint64_t size)
{
	struct pt_elfsym s = { .type = STT_FUNC, .bind = STB_LOCAL, .vaddr = vaddr, .size = size };
	struct passing *p = arg;

	if (p->over || *name == '*')	/* nothing that one would look for by name */
		return;
	pt_buf_clear(&p->name);
	pt_buf_puts(&p->name, name);
	pt_buf_puts(&p->name, "@plt");
	s.name = p->name.data;
	s.name_len = p->name.len;
	p->over = !p->each(p->arg, &s);
}

/* All that is in the table of addresses, which has .gnu_debugdata, and the entries of the PLT. */
static void each_of_table(struct pt_object *o, bool (*each)(void *arg, const struct pt_elfsym *s),
			  void *arg)
{
	const struct pt_symtab *st = pt_symtab_of(o);
	struct pt_symbol one;
	size_t i;

	for (i = 0; pt_symtab_at(st, i, &one); i++) {
		struct pt_elfsym x = { .name = one.name,
				       .name_len = strlen(one.name),
				       .type = STT_FUNC,
				       .bind = STB_LOCAL,
				       .vaddr = one.vaddr,
				       .size = one.end - one.vaddr };

		if (!each(arg, &x))
			return;
	}
}

/* What only .gnu_debugdata and the PLT have. */
static void each_of_rest(struct pt_object *o, bool has_symtab,
			 bool (*each)(void *arg, const struct pt_elfsym *s), void *arg)
{
	struct passing p = { .each = each, .arg = arg };
	struct pt_section s;

	if (!has_symtab && pt_object_section(o, ".gnu_debugdata", &s)) {
		each_of_table(o, each, arg);
		return;
	}
	pt_symtab_plt(o, plt_entry, &p);
	pt_buf_deinit(&p.name);
}

static bool mark(uint64_t *bits, uint64_t at)
{
	bool was = bits[at / 64] >> at % 64 & 1;

	bits[at / 64] |= 1ull << at % 64;
	return was;
}

/* All beginnings of strings that hold the word: linkers let names share their ends. Where one is
 * marked those in front of it are: they had their turn with an earlier word. */
static void want(struct table *t, const char *word)
{
	struct pt_scan scan = pt_scan(word, strlen(word));
	const uint8_t *data = t->strings.data, *end, *at, *from;

	if (!t->nr)
		return;
	end = data + t->strings.len_bytes;
	t->wanted = pt_alloc_array(t->strings.len_bytes / 64 + 1, sizeof(*t->wanted));
	for (at = data; (at = pt_scan_next(&scan, at, end)); at++)
		for (from = at; from >= data && (*from || from == at) && at - from < MAX_NAME &&
				!mark(t->wanted, (uint64_t)(from - data));
		     from--)
			;
}

void pt_elfsyms_each_with(struct pt_object *o, const char *word,
			  bool (*each)(void *arg, const struct pt_elfsym *s), void *arg)
{
	struct table tables[2];
	bool more = true;
	size_t i;

	table_open(&tables[0], o, ".symtab");
	table_open(&tables[1], o, ".dynsym");
	for (i = 0; i < PT_NR(tables) && more; i++) {
		if (word)
			want(&tables[i], word);
		if (tables[i].dynamic && tables[i].nr)
			read_versions(&tables[i]);
		more = table_each(&tables[i], each, arg);
	}
	if (more)
		each_of_rest(o, tables[0].nr, each, arg);
	for (i = 0; i < PT_NR(tables); i++) {
		free(tables[i].versions);
		free(tables[i].exec);
		free(tables[i].wanted);
	}
}

void pt_elfsyms_each(struct pt_object *o, bool (*each)(void *arg, const struct pt_elfsym *s),
		     void *arg)
{
	pt_elfsyms_each_with(o, NULL, each, arg);
}
