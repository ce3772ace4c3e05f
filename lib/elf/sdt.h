/* sdt.h - SDT markers (SystemTap's sys/sdt.h, DTRACE_PROBE) of an ELF file.
 *
 * Source of the format: section .note.stapsdt, notes of name "stapsdt" and type 3: address, base,
 * semaphore, then provider, name, arguments as strings
 * (https://sourceware.org/systemtap/wiki/UserSpaceProbeImplementation). .stapsdt.base tells how far
 * prelinking moved the file. */
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

/* Calls each() for markers in the order of the file; strings are the object's. Returns their
 * number; damage ends the search. */
size_t pt_sdt_each(const struct pt_object *o, void (*each)(void *arg, const struct pt_sdt *sdt),
		   void *arg);
/* The same for the section's bytes. base_vaddr: of .stapsdt.base; 0: none. */
size_t pt_sdt_notes(struct pt_notes notes, bool is64, uint64_t base_vaddr,
		    void (*each)(void *arg, const struct pt_sdt *sdt), void *arg);

#endif
