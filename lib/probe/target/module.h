/* module.h - a kernel module's file, which nothing has linked yet, as an object with addresses.
 *
 *     struct pt_module m = { 0 };
 *     if (pt_module_open(&m, &object, fd, "dummy.ko.xz", &e) < 0) ...
 *     ... m.name, pt_object_section(object, ".debug_info", &s) ...
 *     pt_object_put(object);
 *     pt_module_deinit(&m);
 *
 * In a relocatable file (ET_REL) each section begins at 0 and the debug information has gaps that
 * relocations fill. Here its sections that are loaded get addresses one behind the other, symbols
 * move along, and the relocations of the sections of debug information are applied to a copy of the
 * file: readers of linked files can read it. Code itself is left as it is. The kernel lays sections
 * out otherwise: what holds there is SYMBOL+OFFSET within one section. Packed files (.xz, .gz,
 * .zst) are unpacked. The file is read whole, the bytes are the module's. Nothing is trusted: what
 * does not fit is left out. Source: gABI chapter 4 "Relocation"; the psABIs of the CPUs for the
 * types of relocations; include/linux/module.h and modinfo(8) for .modinfo. */
#ifndef PT_PROBE_TARGET_MODULE_H
#define PT_PROBE_TARGET_MODULE_H

#include "elf/object.h"

struct pt_module {
	uint8_t *data;
	size_t len_bytes;
	char *name;			/* the kernel's name: dummy */
};

/* Is the open file a module (relocatable or compressed)? Reads its first bytes. */
bool pt_module_is(int fd);
/* Takes the fd, also on failure. The object lives at most as long as the module. Its type stays
 * ET_REL. */
int pt_module_open(struct pt_module *m, struct pt_object **o, int fd, const char *path,
		   struct pt_err *e);
void pt_module_deinit(struct pt_module *m);

/* The section that contains an address, and its start; NULL: none. */
const char *pt_module_section(const struct pt_object *o, uint64_t vaddr, uint64_t *start);

#endif
