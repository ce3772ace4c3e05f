#include "elf/gotable.h"

#include <elf.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "base/search.h"
#include "elf/symbols.h"

/* Of the header, by its first word. */
enum form { GO_1_2, GO_1_16, GO_1_18, GO_1_20, NR_FORMS };
static const uint32_t magic[NR_FORMS] = { 0xfffffffb, 0xfffffffa, 0xfffffff0, 0xfffffff1 };

/* Words of struct _func behind the entry. After the last of them come as many words as NR_TABLES
 * says, offsets of more tables of numbers, and then the offsets of other data. */
enum field { NAME, DEPTHS = 3, FILES, LINES, NR_TABLES, UNIT };

/* Of these: PCDATA_InlTreeIndex and FUNCDATA_InlTree of Go's runtime/symtab.go. */
enum { TABLE_OF_CALLS = 2, DATA_OF_CALLS = 3 };

enum {
	HEAD_BYTES = 8,
	MAX_FUNCTIONS = 1 << 24,
	/* words of struct moduledata before the address of the functions' data, without two that
	 * GO_1_20 added */
	MODULE_WORDS = 38,
};

struct part { const uint8_t *data; uint64_t len_bytes; };

struct pt_gotable {
	struct pt_object *object;	/* not a reference: it owns us */
	enum form form;
	unsigned word, quantum;		/* bytes of a pointer; of the shortest instruction */
	uint64_t text;			/* what entries are relative to */
	uint64_t nr, vaddr;
	uint64_t data;			/* what functions' data is relative to; 0: none */
	bool looked_for_data;
	/* numbers of files by unit; file names, or in GO_1_2 their offsets */
	struct part names, units, files, numbers, functions;
	struct part all;
};

static uint64_t gotable_word_at(const struct pt_gotable *t, const uint8_t *p, unsigned bytes)
{
	return bytes == 8 ? pt_load64(p, t->object->swap) : pt_load32(p, t->object->swap);
}

static struct part from(struct part of, uint64_t off)
{
	return off < of.len_bytes ? (struct part){ of.data + off, of.len_bytes - off }
				  : (struct part){ of.data, 0 };
}

static const char *string_at(struct part strings, uint64_t off)
{
	struct part s = from(strings, off);

	return memchr(s.data, 0, PT_MIN(s.len_bytes, (uint64_t)PT_SYMBOL_NAME_MAX))
		       ? (const char *)s.data
		       : "";
}

/* Words that the dynamic linker of a position-independent program fills are in its relocations. */
enum relocation { WHERE = offsetof(Elf64_Rela, r_offset), WHAT = offsetof(Elf64_Rela, r_addend) };

/* The other part of the first relocation with that value; 0: none. */
static uint64_t relocation(struct pt_object *o, enum relocation by, uint64_t value,
			   enum relocation other)
{
	struct pt_section rela;

	if (!pt_object_data(o, ".rela.dyn", &rela) || !o->is64 ||
	    !pt_budget_work(&o->budget, rela.len_bytes / sizeof(Elf64_Rela)))
		return 0;
	for (uint64_t at = 0; rela.len_bytes - at >= sizeof(Elf64_Rela); at += sizeof(Elf64_Rela))
		if (pt_load64(rela.data + at + by, o->swap) == value)
			return pt_load64(rela.data + at + other, o->swap);
	return 0;
}

/* Bytes of an entry's address and of its function's offset in the index. */
static unsigned index_bytes(const struct pt_gotable *t)
{
	return t->form >= GO_1_18 ? 4 : t->word;
}

static uint64_t gotable_entry_at(const struct pt_gotable *t, size_t i)
{
	unsigned bytes = index_bytes(t);

	return t->text + gotable_word_at(t, t->functions.data + i * 2 * bytes, bytes);
}

/* The header behind its first 8 bytes. */
static void gotable_read_head(struct pt_gotable *t, uint64_t vaddr)
{
	struct part *const parts[] = { &t->names, &t->units, &t->files, &t->numbers,
				       &t->functions };
	const uint8_t *p = t->all.data + HEAD_BYTES;
	struct pt_section text;
	uint64_t i = 1, k;

	t->nr = gotable_word_at(t, p, t->word);
	if (t->form == GO_1_2) {
		t->names = t->numbers = t->files = t->all;
		t->functions = from(t->all, HEAD_BYTES + t->word);
		return;
	}
	i++;				/* number of files */
	if (t->form >= GO_1_18) {
		t->text = gotable_word_at(t, p + i * t->word, t->word);
		if (!t->text)
			t->text = relocation(t->object, WHERE, vaddr + HEAD_BYTES + i * t->word,
					     WHAT);
		if (!t->text && pt_object_section(t->object, ".text", &text))
			t->text = text.vaddr;
		i++;
	}
	for (k = 0; k < PT_NR(parts); k++, i++)
		*parts[k] = from(t->all, gotable_word_at(t, p + i * t->word, t->word));
}

static bool read_table(struct pt_gotable *t, uint64_t vaddr)
{
	const uint8_t *p = t->all.data;
	unsigned bytes;

	t->vaddr = vaddr;
	if (t->all.len_bytes < HEAD_BYTES + 9 * sizeof(uint64_t))
		return false;
	for (t->form = 0; t->form < NR_FORMS; t->form++)
		if (pt_load32(p, t->object->swap) == magic[t->form])
			break;
	t->quantum = p[6];
	t->word = p[7];
	if (t->form == NR_FORMS || p[4] || p[5] || !t->quantum || t->quantum > 4 ||
	    t->word != (t->object->is64 ? 8 : 4))
		return false;
	gotable_read_head(t, vaddr);
	bytes = index_bytes(t);
	/* behind the last entry its end, and in GO_1_2 the offset of the files */
	if (!t->nr || t->nr > MAX_FUNCTIONS || t->functions.len_bytes < (t->nr * 2 + 2) * bytes)
		return false;
	if (t->form == GO_1_2)		/* the offsets of file names are behind the index */
		t->units = from(t->all, pt_load32(t->functions.data + (t->nr * 2 + 1) * t->word,
						  t->object->swap));
	return true;
}

/* The linker of a position-independent program may have merged its section into another. */
static bool gotable_search(struct pt_gotable *t, const struct pt_section *s)
{
	for (uint64_t at = -s->vaddr & 31; at < s->len_bytes; at += 32) {
		t->all = (struct part){ s->data + at, s->len_bytes - at };
		if (read_table(t, s->vaddr + at))
			return true;
	}
	return false;
}

/* Where functions have their data; 0: unknown. A variable of the runtime tells that begins with the
 * table's address. It is looked for when it is first needed: not while samples come in. */
static uint64_t gotable_data_of(const struct pt_gotable *table)
{
	struct pt_gotable *t = table->object->parts[PT_OBJECT_GOTABLE].data;
	static const char *const names[] = { ".noptrdata", ".data", ".go.module" };
	unsigned at = (MODULE_WORDS + (t->form >= GO_1_20 ? 2 : 0)) * t->word;
	struct pt_section s;
	uint64_t off, module;

	if (t->looked_for_data)
		return t->data;
	t->looked_for_data = true;
	for (size_t i = 0; i < PT_NR(names) && t->form >= GO_1_18 && !t->data; i++)
		if (pt_object_data(t->object, names[i], &s))
			for (off = 0; off + at + t->word <= s.len_bytes && !t->data;
			     off += t->word)
				if (gotable_word_at(t, s.data + off, t->word) == t->vaddr)
					t->data = gotable_word_at(t, s.data + off + at, t->word);
	if (!t->data && t->form >= GO_1_18 &&
	    (module = relocation(t->object, WHAT, t->vaddr, WHERE)))
		t->data = relocation(t->object, WHERE, module + at, WHAT);
	return t->data;
}

static bool open_table(struct pt_gotable *t)
{
	static const char *const names[] = { ".gopclntab", ".data.rel.ro.gopclntab" };
	const struct pt_object *o = t->object;
	struct pt_section s, go;
	size_t i;

	for (i = 0; i < PT_NR(names); i++)
		if (pt_object_data(o, names[i], &s)) {
			t->all = (struct part){ s.data, s.len_bytes };
			return read_table(t, s.vaddr);
		}
	return pt_object_section(o, ".go.buildinfo", &go) &&
	       pt_object_data(o, ".data.rel.ro", &s) && gotable_search(t, &s);
}

const struct pt_gotable *pt_gotable_of(struct pt_object *o)
{
	struct pt_gotable *t = o->parts[PT_OBJECT_GOTABLE].data;

	if (!t) {
		t = pt_alloc(sizeof(*t));
		o->parts[PT_OBJECT_GOTABLE] = (struct pt_object_part){ t, free };
		t->object = o;
		if (!open_table(t))
			t->nr = 0;
	}
	return t->nr ? t : NULL;
}

size_t pt_gotable_nr(const struct pt_gotable *t)
{
	return t->nr;
}

const char *pt_gotable_name(const struct pt_gotable *t, uint32_t name_off)
{
	return string_at(t->names, name_off);
}

/* False: the function has no such word. */
static bool gotable_field(const struct pt_gotable *t, const struct pt_gofunction *f, unsigned k,
			  uint32_t *v)
{
	if (f->info_bytes < (k + 1) * 4)
		return false;
	*v = pt_load32(f->info + k * 4, t->object->swap);
	return true;
}

bool pt_gotable_at(const struct pt_gotable *t, size_t i, struct pt_gofunction *f)
{
	unsigned bytes = index_bytes(t);
	struct part info;

	if (i >= t->nr)
		return false;
	info = from(t->form == GO_1_2 ? t->all : t->functions,
		    gotable_word_at(t, t->functions.data + (i * 2 + 1) * bytes, bytes));
	info = from(info, bytes);	/* the entry again */
	*f = (struct pt_gofunction){ .entry = gotable_entry_at(t, i),
				     .end = gotable_entry_at(t, i + 1),
				     .info = info.data,
				     .info_bytes = info.len_bytes };
	if (f->end <= f->entry || !gotable_field(t, f, NAME, &f->name_off))
		return false;
	f->name = pt_gotable_name(t, f->name_off);
	return true;
}

bool pt_gotable_find(const struct pt_gotable *t, uint64_t vaddr, struct pt_gofunction *f)
{
	size_t past = PT_LEADING(t->nr, i, gotable_entry_at(t, i) <= vaddr);

	return past && pt_gotable_at(t, past - 1, f) && vaddr >= f->entry && vaddr < f->end;
}

/* A table of numbers: pairs of differences, of the number (zigzag) and of the address up to which
 * it holds. */
static bool gotable_number_at(const struct pt_gotable *t, const struct pt_gofunction *f,
			      unsigned table, uint64_t vaddr, uint32_t *v)
{
	struct part p;
	struct pt_bytes b;
	uint64_t pc = f->entry, step;
	uint32_t off;

	if (!gotable_field(t, f, table, &off) || !off)
		return false;
	p = from(t->numbers, off);
	b = pt_bytes(p.data, p.len_bytes, false);
	for (*v = UINT32_MAX; pc <= vaddr; pc += pt_bytes_uleb(&b) * t->quantum) {
		step = pt_bytes_uleb(&b);
		if (b.bad || (!step && pc != f->entry))
			break;
		*v += (uint32_t)(step & 1 ? ~(step >> 1) : step >> 1);
	}
	return pt_budget_work(&t->object->budget, p.len_bytes - pt_bytes_left(&b)) && !b.bad &&
	       pc > vaddr;
}

bool pt_gotable_depth(const struct pt_gotable *t, const struct pt_gofunction *f, uint64_t vaddr,
		      int32_t *bytes)
{
	uint32_t v;

	if (!gotable_number_at(t, f, DEPTHS, vaddr, &v))
		return false;
	*bytes = (int32_t)v;
	return *bytes >= 0;
}

static void line_at(const struct pt_gotable *t, const struct pt_gofunction *f, uint64_t vaddr,
		    struct pt_goframe *x)
{
	uint32_t number, unit = 0;
	struct part p;

	if (!gotable_number_at(t, f, FILES, vaddr, &number) ||
	    !gotable_number_at(t, f, LINES, vaddr, &x->line) ||
	    (t->form != GO_1_2 && !gotable_field(t, f, UNIT, &unit)))
		return;
	p = from(t->units, ((uint64_t)unit + number) * 4);
	if (p.len_bytes >= 4)
		x->file = string_at(t->files, pt_load32(p.data, t->object->swap));
}

/* The call at vaddr that was inlined: its function's name, and an address at the call. */
static bool inlined_at(const struct pt_gotable *t, const struct pt_gofunction *f, uint64_t vaddr,
		       const char **name, uint64_t *caller)
{
	/* struct inlinedCall */
	bool new = t->form >= GO_1_20;
	unsigned last = new ? UNIT + 2 : UNIT + 1, bytes = new ? 16 : 20, at = new ? 4 : 12;
	uint32_t nr_tables, calls, i;
	uint64_t data = gotable_data_of(t);
	const uint8_t *p;

	if (!data || !gotable_field(t, f, NR_TABLES, &nr_tables) || nr_tables <= TABLE_OF_CALLS ||
	    nr_tables > UINT16_MAX ||
	    !gotable_number_at(t, f, last + 1 + TABLE_OF_CALLS, vaddr, &i) || i > INT32_MAX ||
	    !gotable_field(t, f, last + 1 + nr_tables + DATA_OF_CALLS, &calls) ||
	    calls == UINT32_MAX)
		return false;
	p = pt_object_bytes(t->object, data + calls + (uint64_t)i * bytes, bytes, false);
	if (!p)
		return false;
	*caller = f->entry + pt_load32(p + at + 4, t->object->swap);
	if (*caller >= f->end)
		return false;
	*name = string_at(t->names, pt_load32(p + at, t->object->swap));
	return true;
}

size_t pt_gotable_frames(const struct pt_gotable *t, const struct pt_gofunction *f, uint64_t vaddr,
			 struct pt_goframe *out, size_t max)
{
	uint64_t caller = vaddr;
	bool inlined = true;
	size_t n;

	for (n = 0; n < max && inlined; n++, vaddr = caller) {
		out[n] = (struct pt_goframe){ .name = f->name, .file = "" };
		line_at(t, f, vaddr, &out[n]);
		inlined = n + 1 < max && inlined_at(t, f, vaddr, &out[n].name, &caller);
	}
	return n;
}
