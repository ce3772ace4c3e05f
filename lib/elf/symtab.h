/* symtab.h - functions of an object by address: ELF symbols (.symtab, else .dynsym, and
 * .gnu_debugdata, Go's own table), entries of the PLT as NAME@plt.
 *
 * base/choice.h chooses among symbols of one address; a symbol without size reaches to the next.
 * Names are mangled, valid for the table's life, and stay in the mapped file. Sources: gABI chapter
 * 4 "Symbol Table"; .gnu_debugdata: gdb manual, "MiniDebugInfo". */
#ifndef PT_ELF_SYMTAB_H
#define PT_ELF_SYMTAB_H

#include "elf/object.h"

struct pt_symbol {
	uint64_t vaddr, end;		/* [vaddr, end) */
	const char *name;
};

struct pt_symtab;
/* Made at first use, freed with the object. Never NULL, but may be empty. */
const struct pt_symtab *pt_symtab_of(struct pt_object *o);
/* Of variables (type OBJECT), for page faults and sampled loads. */
const struct pt_symtab *pt_symtab_of_data(struct pt_object *o);
/* False: no function that has a name; *s is unchanged. */
bool pt_symtab_find(const struct pt_symtab *t, uint64_t vaddr, struct pt_symbol *s);
size_t pt_symtab_nr(const struct pt_symtab *t);
/* In the order of addresses. The name of a damaged file's symbol may be empty. */
bool pt_symtab_at(const struct pt_symtab *t, size_t i, struct pt_symbol *s);
/* It has a .symtab: a detached file has no more names. */
bool pt_symtab_full(const struct pt_symtab *t);

/* The object's PLT stubs (elf/plt.c), without making a table, by the functions that they call
 * ("puts"; the table has puts@plt). An IFUNC without symbol is "*ABS*+0xADDEND". */
void pt_symtab_plt(struct pt_object *o,
		   void (*each)(void *arg, const char *name, uint64_t vaddr, uint64_t size),
		   void *arg);

/* The sections of such stubs; returns their number. */
enum { PT_PLT_SECTIONS = 4 };
size_t pt_symtab_plt_sections(const struct pt_object *o, struct pt_section out[PT_PLT_SECTIONS]);

/* The first symbol of that name in .symtab or .dynsym, of any type, such as a kernel's _text, whose
 * address has a better one in the table. */
bool pt_symtab_named(const struct pt_symtab *t, const char *name, uint64_t *vaddr);
/* The same for several names at once. */
struct pt_symtab_name { const char *name; uint64_t vaddr; bool there; };
void pt_symtab_named_all(const struct pt_symtab *t, struct pt_symtab_name *names, size_t nr);

#endif
