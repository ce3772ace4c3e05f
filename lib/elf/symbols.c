#include "elf/symbols.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"

static size_t entry_bytes(const struct pt_symbols *t)
{
	return t->object->is64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
}

bool pt_symbols_open(struct pt_symbols *t, const struct pt_object *o, const char *section)
{
	struct pt_section s;
	const uint8_t *nul;

	*t = (struct pt_symbols){ .object = o };
	if (!pt_object_data(o, section, &t->symbols) ||
	    !pt_object_section_at(o, t->symbols.link, &t->strings, NULL) || !t->strings.data)
		return false;
	/* so that each name in there has an end */
	nul = memrchr(t->strings.data, 0, t->strings.len_bytes);
	t->strings.len_bytes = nul ? (uint64_t)(nul + 1 - t->strings.data) : 0;
	t->nr = t->symbols.len_bytes / entry_bytes(t);
	t->exec = pt_alloc(o->nr_sections);
	for (size_t i = 0; i < o->nr_sections; i++)
		t->exec[i] = pt_object_section_at(o, i, &s, NULL) && (s.flags & SHF_EXECINSTR);
	return true;
}

void pt_symbols_close(struct pt_symbols *t)
{
	free(t->exec);
	*t = (struct pt_symbols){ .nr = 0 };
}

void pt_symbols_read(const struct pt_symbols *t, uint64_t i, struct pt_elf_symbol *x)
{
	const uint8_t *at = t->symbols.data + i * entry_bytes(t);
	bool is64 = t->object->is64, swap = t->object->swap;
	uint8_t info = at[is64 ? 4 : 12];

	*x = (struct pt_elf_symbol){
		.vaddr = is64 ? pt_load64(at + 8, swap) : pt_load32(at + 4, swap),
		.size = is64 ? pt_load64(at + 16, swap) : pt_load32(at + 8, swap),
		.name = pt_load32(at, swap),
		.section = pt_load16(at + (is64 ? 6 : 14), swap),
		.type = info & 15,
		.bind = info >> 4,
		.visibility = at[is64 ? 5 : 13] & 3,
	};
	if (t->object->machine == EM_ARM && x->type != STT_OBJECT)
		x->vaddr &= ~1ull;	/* the bit that marks Thumb code */
}

const char *pt_symbols_name(const struct pt_symbols *t, const struct pt_elf_symbol *x, size_t *len)
{
	const uint8_t *name, *nul;

	if (x->name >= t->strings.len_bytes)
		return NULL;
	name = t->strings.data + x->name;
	nul = memchr(name, 0, PT_MIN(t->strings.len_bytes - x->name, (uint64_t)PT_SYMBOL_NAME_MAX));
	if (nul && len)
		*len = (size_t)(nul - name);
	return nul ? (const char *)name : NULL;
}

bool pt_symbols_is_function(const struct pt_symbols *t, const struct pt_elf_symbol *x)
{
	if (!x->name || x->section == SHN_UNDEF || x->section == SHN_ABS)
		return false;
	if (x->type == STT_FUNC || x->type == STT_GNU_IFUNC)
		return true;
	return x->type == STT_NOTYPE && x->visibility != STV_HIDDEN &&
	       x->visibility != STV_INTERNAL && x->section < t->object->nr_sections &&
	       t->exec[x->section];
}

bool pt_symbols_has_marks(const struct pt_object *o)
{
	return o->machine == EM_AARCH64 || o->machine == EM_ARM || o->machine == EM_RISCV;
}

bool pt_symbols_is_mark(const struct pt_object *o, const char *name)
{
	return name[0] == '$' && pt_symbols_has_marks(o) &&
	       strchr("adtx", name[1] ? name[1] : '?') && (!name[2] || name[2] == '.');
}
