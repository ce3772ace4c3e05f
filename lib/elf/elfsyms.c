#include "elf/elfsyms.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/mem.h"
#include "elf/gotable.h"
#include "elf/symbols.h"
#include "elf/symtab.h"

enum { MAX_VERSIONS = 1 << 15, HIDDEN = 0x8000 };

struct table {
	struct pt_symbols s;
	struct pt_budget *budget;	/* the object's */
	struct pt_section numbers;	/* .gnu.version */
	const char **versions;		/* by number */
	uint64_t names_left;		/* limit of bytes of names */
	/* bits by offset of a name: it is wanted; NULL: all are */
	uint64_t *wanted;
	bool dynamic;
};

/* .gnu.version_d: a chain of definitions; the first name of each is its own. */
static void read_versions(struct table *t)
{
	const struct pt_object *o = t->s.object;
	struct pt_symbols names = { .object = o };
	struct pt_section defs;
	uint64_t at = 0, step = 1;
	unsigned nr;

	if (!pt_object_section(o, ".gnu.version", &t->numbers) ||
	    !pt_object_data(o, ".gnu.version_d", &defs) ||
	    !pt_object_section_at(o, defs.link, &names.strings, NULL))
		return;
	t->versions = pt_alloc_array(MAX_VERSIONS, sizeof(*t->versions));
	for (nr = 0; step && nr < MAX_VERSIONS && at < defs.len_bytes; nr++, at += step) {
		struct pt_bytes b = pt_bytes(defs.data + at, defs.len_bytes - at, o->swap), aux;
		struct pt_elf_symbol name;
		uint32_t aux_at;
		uint16_t number;

		pt_bytes_u32(&b);	/* version of the format, flags */
		number = pt_bytes_u16(&b) & (HIDDEN - 1);
		pt_bytes_u16(&b);
		pt_bytes_u32(&b);	/* hash */
		aux_at = pt_bytes_u32(&b);
		step = pt_bytes_u32(&b);
		if (b.bad || aux_at > defs.len_bytes - at)
			return;
		aux = pt_bytes(defs.data + at + aux_at, defs.len_bytes - at - aux_at, o->swap);
		name.name = pt_bytes_u32(&aux);
		if (!aux.bad && names.strings.data)
			t->versions[number] = pt_symbols_name(&names, &name, NULL);
	}
}

static void table_open(struct table *t, struct pt_object *o, const char *name)
{
	*t = (struct table){ .budget = &o->budget, .dynamic = !strcmp(name, ".dynsym") };
	/* Strings may share their ends. In a genuine table names are short, or a few times its
	 * strings in all; thousands of symbols within one long string would be quadratic. */
	if (pt_symbols_open(&t->s, o, name))
		t->names_left = 4 * t->s.strings.len_bytes + 64 * t->s.nr + (1 << 20);
}

static bool pay_name(struct table *t, size_t len)
{
	if (t->names_left < len) {
		t->budget->hit = PT_LIMIT_WORK;
		return false;
	}
	t->names_left -= len;
	return true;
}

/* False: no function of this object. */
static bool read_symbol(const struct table *t, uint64_t i, struct pt_elfsym *s)
{
	struct pt_elf_symbol x;

	pt_symbols_read(&t->s, i, &x);
	if (!pt_symbols_is_function(&t->s, &x))
		return false;
	*s = (struct pt_elfsym){ .dynamic = t->dynamic,
				 .type = x.type,
				 .bind = x.bind,
				 .vaddr = x.vaddr,
				 .size = x.size };
	s->name = pt_symbols_name(&t->s, &x, &s->name_len);
	return s->name && *s->name && !pt_symbols_is_mark(t->s.object, s->name);
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
		number = pt_load16(t->numbers.data + 2 * i, t->s.object->swap);
		if ((number & (HIDDEN - 1)) > 1)
			s->version = t->versions[number & (HIDDEN - 1)];
		s->is_default = s->version && !(number & HIDDEN);
	}
}

static bool elfsyms_is_wanted(const struct table *t, uint64_t i)
{
	struct pt_elf_symbol x;

	pt_symbols_read(&t->s, i, &x);
	return x.name < t->s.strings.len_bytes && t->wanted[x.name / 64] >> x.name % 64 & 1;
}

static bool table_each(struct table *t, bool (*each)(void *arg, const struct pt_elfsym *s),
		       void *arg)
{
	struct pt_elfsym s;
	uint64_t i;

	for (i = 1; i < t->s.nr; i++) {
		if (t->wanted && !elfsyms_is_wanted(t, i))
			continue;
		if (read_symbol(t, i, &s) && pay_name(t, s.name_len)) {
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

	if (p->over || *name == '*')	/* nobody looks for these names */
		return;
	pt_buf_clear(&p->name);
	pt_buf_puts(&p->name, name);
	pt_buf_puts(&p->name, "@plt");
	s.name = p->name.data;
	s.name_len = p->name.len;
	p->over = !p->each(p->arg, &s);
}

/* With .gnu_debugdata, Go's table and the PLT. */
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

/* What only .gnu_debugdata, Go's table and the PLT have. */
static void each_of_rest(struct pt_object *o, bool has_symtab,
			 bool (*each)(void *arg, const struct pt_elfsym *s), void *arg)
{
	struct passing p = { .each = each, .arg = arg };
	struct pt_section s;

	if (!has_symtab &&
	    (pt_object_section(o, ".gnu_debugdata", &s) || pt_gotable_of(o))) {
		each_of_table(o, each, arg);
		return;
	}
	pt_symtab_plt(o, plt_entry, &p);
	pt_buf_deinit(&p.name);
}

static bool elfsyms_mark(uint64_t *bits, uint64_t at)
{
	bool was = bits[at / 64] >> at % 64 & 1;

	bits[at / 64] |= 1ull << at % 64;
	return was;
}

/* Marks the starts of all strings that contain the word: names may share their ends. What is in
 * front of a mark is marked already. */
static void elfsyms_want(struct table *t, const char *word)
{
	const uint8_t *data = t->s.strings.data, *end, *at, *from;

	if (!t->s.nr)
		return;
	end = data + t->s.strings.len_bytes;
	t->wanted = pt_alloc_array(t->s.strings.len_bytes / 64 + 1, sizeof(*t->wanted));
	for (at = data; (at = memmem(at, (size_t)(end - at), word, strlen(word))); at++) {
		const uint8_t *first = at - PT_MIN(at - data, PT_SYMBOL_NAME_MAX - 1);

		for (from = at; from >= first && (*from || from == at) &&
				!elfsyms_mark(t->wanted, (uint64_t)(from - data));
		     from--)
			;
	}
}

void pt_elfsyms_each(struct pt_object *o, const char *word,
		     bool (*each)(void *arg, const struct pt_elfsym *s), void *arg)
{
	struct table tables[2];
	bool more = true;
	size_t i;

	table_open(&tables[0], o, ".symtab");
	table_open(&tables[1], o, ".dynsym");
	for (i = 0; i < PT_NR(tables) && more; i++) {
		if (word)
			elfsyms_want(&tables[i], word);
		if (tables[i].dynamic && tables[i].s.nr)
			read_versions(&tables[i]);
		more = table_each(&tables[i], each, arg);
	}
	if (more)
		each_of_rest(o, tables[0].s.nr, each, arg);
	for (i = 0; i < PT_NR(tables); i++) {
		free(tables[i].versions);
		pt_symbols_close(&tables[i].s);
		free(tables[i].wanted);
	}
}
