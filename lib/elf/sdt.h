/* sdt.h - SDT markers (SystemTap's sys/sdt.h, DTRACE_PROBE) of an ELF file: places that a program's
 * authors have named.
 *
 * Source of the format: section .note.stapsdt, notes of name "stapsdt" and type 3: address, base,
 * semaphore, then provider, name, arguments as strings
 * (https://sourceware.org/systemtap/wiki/UserSpaceProbeImplementation). Where the file was
 * prelinked, .stapsdt.base tells how far. */
#ifndef PT_ELF_SDT_H
#define PT_ELF_SDT_H

#include <stdint.h>

#include "base/bytes.h"
#include "elf/object.h"

struct pt_sdt {
	const char *provider, *name;
	const char *args;		/* "-4@%edi 8@%rax" */
	uint64_t vaddr;
	/* vaddr of a counter to be raised while it is used; 0: none */
	uint64_t semaphore;
};

/* Calls each(arg, sdt) for each marker in the order of the file; strings are valid as long as the
 * object. Returns their number; a damaged note ends the search. */
size_t pt_sdt_each(const struct pt_object *o, void (*each)(void *arg, const struct pt_sdt *sdt),
		   void *arg);
/* The same for the section's bytes, for a 64-bit file or not, with the vaddr of its .stapsdt.base
 * (0: none). */
size_t pt_sdt_notes(struct pt_notes notes, bool is64, uint64_t base_vaddr,
		    void (*each)(void *arg, const struct pt_sdt *sdt), void *arg);

#endif
