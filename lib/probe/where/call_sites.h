/* call_sites.h - the direct calls of a function that nothing else refers to: each call of it is one
 * of these.
 *
 * Nothing is taken on trust: every byte of the object's sections is examined as the start of a
 * displacement (in code), a distance from itself (in data), an address (of 8 bytes; of 4 where the
 * program is not relocatable), a distance from the global offset table. Bytes that only look like a
 * reference count as one. Supported: x86-64, objects with section headers. Sources: x86-64 psABI
 * 4.4 (relocations), gABI chapters 4 and 5. */
#ifndef PT_PROBE_WHERE_CALL_SITES_H
#define PT_PROBE_WHERE_CALL_SITES_H

#include "elf/object.h"

enum { PT_CALL_SITES_MAX = 8, PT_CALL_SITES_BYTES = 5 };

/* The addresses of the call instructions, ascending. 0: there are none or too many, something else
 * refers to the function, or it is unknown. The object owns the index; one thread at a time. */
unsigned pt_call_sites(struct pt_object *o, uint64_t vaddr, uint64_t calls[PT_CALL_SITES_MAX]);

#endif
