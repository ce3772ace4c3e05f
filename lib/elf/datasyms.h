/* datasyms.h - variables of an object by address, for page faults and sampled loads: ELF symbols of
 * type OBJECT in .symtab, else .dynsym. Of several at an address one is chosen (base/choice.h); one
 * without size reaches to the next */
#ifndef PT_ELF_DATASYMS_H
#define PT_ELF_DATASYMS_H

#include "elf/symtab.h"

struct pt_datasyms;
/* The object must outlive it. Never NULL. */
struct pt_datasyms *pt_datasyms_new(const struct pt_object *o);
void pt_datasyms_free(struct pt_datasyms *d);
size_t pt_datasyms_nr(const struct pt_datasyms *d);
/* False: none; *s is unchanged. The object owns the names. */
bool pt_datasyms_find(const struct pt_datasyms *d, uint64_t vaddr, struct pt_symbol *s);

#endif
