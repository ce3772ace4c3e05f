/* symbols.h - one table of ELF symbols (.symtab or .dynsym), for symtab.h and elfsyms.h. Source of
 * the format: gABI chapter 4 "Symbol Table". */
#ifndef PT_ELF_SYMBOLS_H
#define PT_ELF_SYMBOLS_H

#include "elf/object.h"

enum { PT_SYMBOL_NAME_MAX = 1 << 14 };

struct pt_symbols {
	const struct pt_object *object;
	struct pt_section symbols, strings;
	uint8_t *exec;			/* by section: it holds code */
	uint64_t nr;			/* entries; 0: there is no such table. The first is empty */
};

struct pt_elf_symbol {
	uint64_t vaddr, size;
	uint32_t name;			/* offset in the strings */
	uint16_t section;		/* SHN_UNDEF: defined elsewhere */
	uint8_t type, bind, visibility;	/* STT_*, STB_*, STV_* */
};

/* False: no such table, or no strings. Call pt_symbols_close() in any case. */
bool pt_symbols_open(struct pt_symbols *t, const struct pt_object *o, const char *section);
void pt_symbols_close(struct pt_symbols *t);

/* Entry i < t->nr. */
void pt_symbols_read(const struct pt_symbols *t, uint64_t i, struct pt_elf_symbol *x);
/* NULL: there is none, or it is longer than PT_SYMBOL_NAME_MAX. */
const char *pt_symbols_name(const struct pt_symbols *t, const struct pt_elf_symbol *x,
			    size_t *len);
/* Defined in the object; also a label in code: start-up code and assembly have no types. */
bool pt_symbols_is_function(const struct pt_symbols *t, const struct pt_elf_symbol *x);
/* Objects of this CPU have symbols that are marks. */
bool pt_symbols_has_marks(const struct pt_object *o);
/* $x, $d and the like mark what follows as code or data (arm64, arm, riscv). */
bool pt_symbols_is_mark(const struct pt_object *o, const char *name);

#endif
