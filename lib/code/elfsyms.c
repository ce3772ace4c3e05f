#include "code/elfsyms.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/mem.h"
#include "code/symtab.h"

enum { MAX_NAME = 1 << 14, MAX_VERSIONS = 1 << 15, HIDDEN = 0x8000 };

struct table {
	const struct pt_object *object;
	struct pt_section symbols, strings, numbers;	/* numbers: .gnu.version */
	const char **versions;		/* by number */
	size_t nr_versions;
	uint8_t *exec;			/* by section: it holds code */
	size_t nr_sections;
	bool dynamic;
};

static const char *string_at(const struct pt_section *strings, uint64_t off)
{
	if (!strings->data || off >= strings->len_bytes || !memchr(strings->data + off, 0, PT_MIN(strings->len_bytes - off, (uint64_t)MAX_NAME)))
		return NULL;
	return (const char *)strings->data + off;
}

/* .gnu.version_d: a chain of definitions, the first name of each is its own. */
static void read_versions(struct table *t)
{
	struct pt_section defs, names;
	uint64_t at = 0, step = 1;
	unsigned nr;

	if (!pt_object_section(t->object, ".gnu.version", &t->numbers) || !pt_object_section(t->object, ".gnu.version_d", &defs) || !defs.data ||
	    !pt_object_section_at(t->object, defs.link, &names, NULL))
		return;
	t->nr_versions = MAX_VERSIONS;
	t->versions = pt_alloc_array(MAX_VERSIONS, sizeof(*t->versions));
	for (nr = 0; step && nr < MAX_VERSIONS && at < defs.len_bytes; nr++, at += step) {
		struct pt_bytes b = pt_bytes(defs.data + at, defs.len_bytes - at, t->object->swap), aux;
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
		aux = pt_bytes(defs.data + at + aux_at, defs.len_bytes - at - aux_at, t->object->swap);
		t->versions[number] = string_at(&names, pt_bytes_u32(&aux));
		if (aux.bad)
			t->versions[number] = NULL;
	}
}

static bool table_open(struct table *t, struct pt_object *o, const char *name)
{
	struct pt_section s;
	size_t i;

	*t = (struct table){ .object = o, .dynamic = !strcmp(name, ".dynsym") };
	if (!pt_object_section(o, name, &t->symbols) || !t->symbols.data || !pt_object_section_at(o, t->symbols.link, &t->strings, NULL))
		return false;
	t->nr_sections = pt_object_nr_sections(o);
	t->exec = pt_alloc(t->nr_sections);
	for (i = 0; i < t->nr_sections; i++)
		t->exec[i] = pt_object_section_at(o, i, &s, NULL) && (s.flags & SHF_EXECINSTR);
	if (t->dynamic)
		read_versions(t);
	return true;
}

static void table_close(struct table *t)
{
	free(t->versions);
	free(t->exec);
}

/* False: it is no function of this object. */
static bool read_symbol(const struct table *t, uint64_t i, struct pt_elfsym *s)
{
	const struct pt_object *o = t->object;
	struct pt_bytes b;
	uint32_t name;
	uint16_t section;
	uint8_t info, other;

	b = pt_bytes(t->symbols.data + i * (o->is64 ? 24 : 16), o->is64 ? 24 : 16, o->swap);
	name = pt_bytes_u32(&b);
	if (!o->is64) {
		s->vaddr = pt_bytes_u32(&b);
		s->size = pt_bytes_u32(&b);
	}
	info = pt_bytes_u8(&b);
	other = pt_bytes_u8(&b);
	section = pt_bytes_u16(&b);
	if (o->is64) {
		s->vaddr = pt_bytes_u64(&b);
		s->size = pt_bytes_u64(&b);
	}
	s->type = info & 15;
	s->bind = info >> 4;
	s->dynamic = t->dynamic;
	if (!name || section == SHN_UNDEF || section == SHN_ABS)
		return false;
	if (s->type == STT_NOTYPE) {
		if ((other & 3) == STV_HIDDEN || (other & 3) == STV_INTERNAL || section >= t->nr_sections || !t->exec[section])
			return false;
	} else if (s->type != STT_FUNC && s->type != STT_GNU_IFUNC) {
		return false;
	}
	if (o->machine == EM_ARM)
		s->vaddr &= ~1ull;
	s->name = string_at(&t->strings, name);
	/* $x, $d and the like mark what follows as code or data: no names. */
	return s->name && *s->name && !(s->name[0] == '$' && s->type == STT_NOTYPE && (!s->name[1] || !s->name[2] || s->name[2] == '.'));
}

static void set_version(const struct table *t, uint64_t i, struct pt_elfsym *s)
{
	const char *at = strchr(s->name, '@');
	uint16_t number;

	s->name_len = strlen(s->name);
	s->version = NULL;
	s->is_default = false;
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

static bool table_each(struct pt_object *o, const char *name, bool (*each)(void *arg, const struct pt_elfsym *s), void *arg, bool *any)
{
	struct pt_elfsym s;
	struct table t;
	uint64_t i, nr;
	bool on = true;

	if (!table_open(&t, o, name))
		return true;
	*any = true;
	nr = t.symbols.len_bytes / (o->is64 ? 24 : 16);
	for (i = 1; i < nr && on; i++)
		if (read_symbol(&t, i, &s)) {
			set_version(&t, i, &s);
			on = each(arg, &s);
		}
	table_close(&t);
	return on;
}

struct passing { bool (*each)(void *arg, const struct pt_elfsym *s); void *arg; struct pt_buf name; bool over; };

static void plt_entry(void *arg, const char *name, uint64_t vaddr, uint64_t size)
{
	struct pt_elfsym s = { .type = STT_FUNC, .bind = STB_LOCAL, .vaddr = vaddr, .size = size };
	struct passing *p = arg;

	if (p->over)
		return;
	pt_buf_clear(&p->name);
	pt_buf_puts(&p->name, name);
	pt_buf_puts(&p->name, "@plt");
	s.name = p->name.data;
	s.name_len = p->name.len;
	p->over = !p->each(p->arg, &s);
}

/* All that is in the table of addresses, which has .gnu_debugdata, and the entries of the PLT. */
static void each_of_table(struct pt_object *o, bool (*each)(void *arg, const struct pt_elfsym *s), void *arg)
{
	const struct pt_symtab *st = pt_symtab_of(o);
	struct pt_symbol one;
	size_t i;

	for (i = 0; pt_symtab_at(st, i, &one); i++) {
		struct pt_elfsym x = { .name = one.name, .name_len = strlen(one.name), .type = STT_FUNC, .bind = STB_LOCAL, .vaddr = one.vaddr, .size = one.end - one.vaddr };

		if (!each(arg, &x))
			return;
	}
}

void pt_elfsyms_each(struct pt_object *o, bool (*each)(void *arg, const struct pt_elfsym *s), void *arg)
{
	struct passing p = { .each = each, .arg = arg };
	bool full = false, dynamic = false;
	struct pt_section s;

	if (!table_each(o, ".symtab", each, arg, &full) || !table_each(o, ".dynsym", each, arg, &dynamic))
		return;
	if (!full && pt_object_section(o, ".gnu_debugdata", &s)) {
		each_of_table(o, each, arg);
		return;
	}
	pt_symtab_plt(o, plt_entry, &p);
	pt_buf_deinit(&p.name);
}
