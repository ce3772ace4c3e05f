/* module.h - a kernel module's file, which nothing has linked yet, as an object with addresses.
 *
 * In a relocatable file (ET_REL) each section begins at 0 and the debug information has gaps that
 * relocations fill. libdwfl gives addresses to the sections that are loaded, and relocates the
 * debug information; the object is a copy of the file with these, in memory. The kernel places the
 * sections elsewhere, so it is given SYMBOL+OFFSET, which is valid within a section. Packed files
 * (.xz, .gz, .zst) are unpacked. Nothing is trusted: what does not fit is left out. Source: gABI
 * chapter 4; include/linux/module.h and modinfo(8) for .modinfo. */
#ifndef PT_PROBE_TARGET_MODULE_H
#define PT_PROBE_TARGET_MODULE_H

#include "elf/object.h"

/* Is the open file a module (relocatable or compressed)? Reads its first bytes. */
bool pt_module_is(int fd);
/* Takes the fd, also on failure. The object's type stays ET_REL. *name: the kernel's name of the
 * module, for the caller to free. */
int pt_module_open(struct pt_object **o, char **name, int fd, const char *path, struct pt_err *e);

/* The section that contains an address, and its start; NULL: none. */
const char *pt_module_section(const struct pt_object *o, uint64_t vaddr, uint64_t *start);

#endif
