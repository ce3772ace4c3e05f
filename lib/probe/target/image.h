/* image.h - where the debug information of the running kernel and of its modules is on this
 * machine, as distributions and kernel builds leave it. Only what has debug information and the
 * build-id of the one that runs is taken. Paths are the caller's to free. */
#ifndef PT_PROBE_TARGET_IMAGE_H
#define PT_PROBE_TARGET_IMAGE_H

#include "elf/object.h"

struct pt_image_where {
	const char *root;		/* the tree to search; NULL: / */
	const char *symfs;		/* searched first; NULL: none */
};

/* Of a module, or of the kernel (module NULL). NULL: none; e says what would provide it. */
char *pt_image_find(const struct pt_image_where *w, const char *module, struct pt_err *e);

/* True: "-m WHAT" names a file, not a loaded module. */
bool pt_image_is_file(const char *what);

/* Checks by build-id that an image is of the running kernel, or with `module` of that loaded
 * module. An image without a build-id is accepted. -1: e says why not. */
int pt_image_check(const struct pt_object *image, const char *module, struct pt_err *e);
/* True: the module is loaded. */
bool pt_image_is_loaded(const char *module);

#endif
