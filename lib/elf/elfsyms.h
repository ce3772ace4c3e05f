/* elfsyms.h - every function symbol of an object by name: aliases, versions, IFUNCs too
 * (elf/symtab.h has one for each address). Source: gABI chapter 4 "Symbol Table", LSB "Symbol
 * Versioning" (.gnu.version, .gnu.version_d) */
#ifndef PT_ELF_ELFSYMS_H
#define PT_ELF_ELFSYMS_H

#include "elf/object.h"

struct pt_elfsym {
	const char *name;		/* as in the file; valid during the call */
	/* without the version in it (memcpy@@GLIBC_2.14 in .symtab) */
	size_t name_len;
	const char *version;		/* "GLIBC_2.14"; NULL: none */
	/* the default version: NAME@@VERSION */
	bool is_default;
	bool dynamic;			/* of .dynsym */
	/* STT_FUNC, STT_GNU_IFUNC, STT_NOTYPE (a label in code); STB_* */
	uint8_t type, bind;
	uint64_t vaddr, size;
};

/* Symbols of .symtab, .dynsym (perhaps again), then those that only .gnu_debugdata, Go's table
 * (elf/gotable.h) and the PLT have, until each() returns false. `word` (NULL: all): those whose
 * names contain it, and perhaps some others, in a tenth of the time. */
void pt_elfsyms_each(struct pt_object *o, const char *word,
		     bool (*each)(void *arg, const struct pt_elfsym *s), void *arg);

#endif
