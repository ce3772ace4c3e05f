/* datasyms.h - variables of an object by address: what lies at the address of a page fault or of a
 * sampled load. ELF symbols of type OBJECT of .symtab, else .dynsym; functions are elf/symtab.h's.
 * Among several at an address one is chosen (base/choice.h); one without size reaches to the
 * next */
#ifndef PT_ELF_DATASYMS_H
#define PT_ELF_DATASYMS_H

#include "elf/symtab.h"

struct pt_datasyms;
/* The object must outlive it. Never NULL. */
struct pt_datasyms *pt_datasyms_new(const struct pt_object *o);
void pt_datasyms_free(struct pt_datasyms *d);
size_t pt_datasyms_nr(const struct pt_datasyms *d);
/* False: none there, and *s is as it was. Names are the object's. */
bool pt_datasyms_find(const struct pt_datasyms *d, uint64_t vaddr, struct pt_symbol *s);

#endif
