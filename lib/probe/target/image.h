/* image.h - where the debug information of the running kernel and of its modules is on this
 * machine, as distributions and kernel builds leave it.
 *
 * Of the kernel: vmlinux-RELEASE in /usr/lib/debug/boot,
 * /usr/lib/debug/lib/modules/RELEASE/vmlinux, the .build-id tree, /boot,
 * /lib/modules/RELEASE/{,build/}vmlinux; of a module: its file below
 * /usr/lib/debug/lib/modules/RELEASE, else below /lib/modules/RELEASE. Only what has debug
 * information and the build-id of the one that runs is taken. Paths are the caller's to free. */
#ifndef PT_PROBE_TARGET_IMAGE_H
#define PT_PROBE_TARGET_IMAGE_H

#include "elf/object.h"

struct pt_image_where {
	const char *root;		/* below which all is looked for; NULL: / */
	const char *symfs;		/* looked below first; NULL: none */
};

/* NULL: there is none, and e says so, and what would bring it. */
char *pt_image_of_kernel(const struct pt_image_where *w, struct pt_err *e);
char *pt_image_of_module(const struct pt_image_where *w, const char *module, struct pt_err *e);

/* "-m WHAT" means a file, not a module that is loaded. */
bool pt_image_is_file(const char *what);

/* An image is of the kernel that runs: by its build-id. -1 and why; an image without one is
 * believed. Of a module that is loaded: the same, by `module`. */
int pt_image_check(const struct pt_object *image, const char *module, struct pt_err *e);
/* The module is loaded. */
bool pt_image_is_loaded(const char *module);

#endif
