/* roots.h - what processes of now see as their file system where it is not what we see: mount
 * namespaces (containers) and chroots, each once.
 *
 *     for (i = 0; (root = pt_roots_nr(r, i)); i++)
 *             fd = pt_untrusted_open(root, "/usr/bin/app", 0, NULL);
 *
 * /proc is looked through when first asked; handles are held from then on. Processes that we may
 * not look into are left out, and so is what comes behind 256 roots. */
#ifndef PT_ELF_ROOTS_H
#define PT_ELF_ROOTS_H

#include <stddef.h>

#include "base/untrusted.h"

struct pt_roots;
struct pt_roots *pt_roots_new(void);
void pt_roots_free(struct pt_roots *r);
/* The i-th; NULL: no more. */
struct pt_root *pt_roots_nr(struct pt_roots *r, size_t i);

#endif
