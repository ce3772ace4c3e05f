/* PLT stubs: their instructions tell the slot they jump through, the relocations its function. So
 * all kinds of PLT (lazy, .plt.sec, .plt.got, full RELRO; any linker) are read alike. Sources:
 * x86-64 psABI 5.2, "Procedure Linkage Table", and its chapter on CET; AAELF64, "Program Linkage
 * Table". */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/search.h"
#include "elf/symbols.h"
#include "elf/symtab.h"

#define BIG_HOST (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

enum { MAX_SLOTS = 1 << 20 };

static const char *const sections[PT_PLT_SECTIONS] = { ".plt", ".plt.sec", ".plt.got", ".iplt" };

/* A word of the global offset table, sorted by its first member. */
struct got_slot { uint64_t vaddr, symbol, addend; };

struct got_slots {
	struct got_slot *v;
	size_t nr, cap;
};

/* False: the relocation does not set a word to a function's address. *resolver: of an IFUNC without
 * symbol. */
static bool fills_slot(uint16_t machine, uint32_t type, bool *resolver)
{
	*resolver = type == (machine == EM_AARCH64 ? R_AARCH64_IRELATIVE : R_X86_64_IRELATIVE);
	if (machine == EM_AARCH64)
		return *resolver || type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT;
	return *resolver || type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT;
}

static void add_slots(struct got_slots *s, const struct pt_object *o, const char *section)
{
	struct pt_section rela;
	uint64_t i;
	bool resolver;

	if (!pt_object_data(o, section, &rela))
		return;
	for (i = 0; i < rela.len_bytes / sizeof(Elf64_Rela) && s->nr < MAX_SLOTS; i++) {
		const uint8_t *p = rela.data + i * sizeof(Elf64_Rela);
		uint64_t info = pt_load64(p + 8, o->swap);

		if (!fills_slot(o->machine, (uint32_t)info, &resolver))
			continue;
		PT_GROW(s->v, s->nr, s->cap);
		s->v[s->nr++] = (struct got_slot){ pt_load64(p, o->swap), resolver ? 0 : info >> 32,
						   pt_load64(p + 16, o->swap) };
	}
}

struct stubs {
	struct pt_object *o;
	struct pt_symbols symbols;	/* that the relocations refer to */
	struct got_slots slots;
	void (*each)(void *arg, const char *name, uint64_t vaddr, uint64_t size);
	void *arg;
};

/* NULL: none. */
static const char *symbol_name(const struct pt_symbols *t, uint64_t i)
{
	struct pt_elf_symbol x;
	const char *name;

	if (i >= t->nr)
		return NULL;
	pt_symbols_read(t, i, &x);
	name = pt_symbols_name(t, &x, NULL);
	return name && *name ? name : NULL;
}

/* NULL: none. Without a symbol it is as in gdb and objdump. */
static const char *slot_name(const struct stubs *s, uint64_t vaddr, char text[64])
{
	size_t at = PT_LEADING(s->slots.nr, i, s->slots.v[i].vaddr < vaddr);
	const struct got_slot *x = &s->slots.v[at];

	if (at == s->slots.nr || x->vaddr != vaddr)
		return NULL;
	if (x->symbol)
		return symbol_name(&s->symbols, x->symbol);
	snprintf(text, 64, "*ABS*+0x%llx", (unsigned long long)x->addend);
	return text;
}

/* [endbr64] [bnd] jmp *slot(%rip). False: no such stub. */
static bool x86_stub(const uint8_t *p, uint64_t len, uint64_t vaddr, uint64_t *slot)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	uint64_t at = 0;

	if (len >= 4 && !memcmp(p, endbr64, 4))
		at = 4;
	at += at < len && p[at] == 0xf2;
	if (len < at + 6 || p[at] != 0xff || p[at + 1] != 0x25)
		return false;
	*slot = vaddr + at + 6 + (uint64_t)(int64_t)(int32_t)pt_load32(p + at + 2, BIG_HOST);
	return true;
}

static uint32_t insn(const uint8_t *p, uint64_t len, uint64_t at)
{
	return at + 4 <= len ? pt_load32(p + at, BIG_HOST) : 0;
}

/* [bti c]; adrp x16, slot's page; ldr x17, [x16, #in it]; ... br x17 [nop]. *bytes: its length. */
static bool arm64_stub(const uint8_t *p, uint64_t len, uint64_t vaddr, uint64_t *slot,
		       uint64_t *bytes)
{
	enum { BTI_C = 0xd503245f, BR_X17 = 0xd61f0220, NOP = 0xd503201f, MOST = 24 };
	uint64_t at = insn(p, len, 0) == BTI_C ? 4 : 0, page;
	uint32_t adrp = insn(p, len, at), ldr = insn(p, len, at + 4);

	if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
		return false;
	page = (adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3);
	page = ((page ^ 1 << 20) - (1 << 20)) << 12;
	*slot = ((vaddr + at) & ~0xfffull) + page + (ldr >> 10 & 0xfff) * 8;
	for (at += 8; at < MOST && insn(p, len, at) != BR_X17; at += 4)
		;
	for (at += 4; at < MOST && insn(p, len, at) == NOP; at += 4)
		;
	*bytes = PT_MIN(at, len);
	return true;
}

static void each_stub(const struct stubs *s, const char *section)
{
	bool arm64 = s->o->machine == EM_AARCH64;
	uint64_t at, slot, bytes, other;
	struct pt_section plt;
	const char *name;
	char text[64];

	if (!pt_object_data(s->o, section, &plt))
		return;
	for (at = 0; at < plt.len_bytes; at += bytes) {
		const uint8_t *p = plt.data + at;
		uint64_t len = plt.len_bytes - at;
		bool is;

		bytes = arm64 ? 4 : 8;
		is = arm64 ? arm64_stub(p, len, plt.vaddr + at, &slot, &bytes)
			   : x86_stub(p, len, plt.vaddr + at, &slot);
		/* 8 or 16 bytes; sh_entsize is not reliable */
		if (is && !arm64 && len >= 16 && !x86_stub(p + 8, len - 8, 0, &other))
			bytes = 16;
		if (is && (name = slot_name(s, slot, text)))
			s->each(s->arg, name, plt.vaddr + at, bytes);
	}
}

/* i386: the stubs are in the order of their relocations. */
static void each_i386(const struct stubs *s)
{
	struct pt_section rel, plt;
	uint64_t i, head = 16;
	const char *name;

	if (!pt_object_data(s->o, ".rel.plt", &rel))
		return;
	if (pt_object_section(s->o, ".plt.sec", &plt))
		head = 0;
	else if (!pt_object_section(s->o, ".plt", &plt))
		return;
	for (i = 0; i < rel.len_bytes / 8 && head + (i + 1) * 16 <= plt.len_bytes; i++) {
		name = symbol_name(&s->symbols,
				   pt_load32(rel.data + i * 8 + 4, s->o->swap) >> 8);
		if (name)
			s->each(s->arg, name, plt.vaddr + head + i * 16, 16);
	}
}

void pt_symtab_plt(struct pt_object *o,
		   void (*each)(void *arg, const char *name, uint64_t vaddr, uint64_t size),
		   void *arg)
{
	static const char *const relocations[] = { ".rela.plt", ".rela.dyn", ".rela.iplt" };
	struct stubs s = { .o = o, .each = each, .arg = arg };
	struct pt_section plt;
	size_t i, nr = 0;

	pt_symbols_open(&s.symbols, o, ".dynsym");
	if (o->machine == EM_386 && !o->is64)
		each_i386(&s);
	if ((o->machine != EM_X86_64 && o->machine != EM_AARCH64) || !o->is64)
		goto out;
	for (i = 0; i < PT_NR(sections); i++)
		nr += pt_object_data(o, sections[i], &plt);
	for (i = 0; nr && i < PT_NR(relocations); i++)
		add_slots(&s.slots, o, relocations[i]);
	if (s.slots.nr)
		qsort(s.slots.v, s.slots.nr, sizeof(*s.slots.v), pt_num_compare_u64);
	for (i = 0; s.slots.nr && i < PT_NR(sections); i++)
		each_stub(&s, sections[i]);
	free(s.slots.v);
out:
	pt_symbols_close(&s.symbols);
}

size_t pt_symtab_plt_sections(const struct pt_object *o, struct pt_section out[PT_PLT_SECTIONS])
{
	size_t i, nr = 0;

	for (i = 0; i < PT_NR(sections); i++)
		nr += pt_object_section(o, sections[i], &out[nr]);
	return nr;
}
