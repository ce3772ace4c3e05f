/* roots.h - what processes of now see as their file system where it is not what we see: mount namespaces (containers) and chroots, each once.
 *
 *     for (i = 0; (fd = pt_roots_open(r, i, "/usr/bin/app")) != PT_ROOTS_END; i++)
 *             ...                        // -1: it has no such file
 *
 * /proc is looked through when first asked; handles are held from then on. Processes that we may not look into are left out, and so is what comes behind 256 roots. */
#ifndef PT_CODE_ROOTS_H
#define PT_CODE_ROOTS_H

#include <stddef.h>

enum { PT_ROOTS_END = -2 };

struct pt_roots;
struct pt_roots *pt_roots_new(void);
void pt_roots_free(struct pt_roots *r);
/* For reading, without blocking; the caller's to close and to check. Links lead to what they lead to in there. */
int pt_roots_open(struct pt_roots *r, size_t i, const char *path);
/* The same below any directory handle. */
int pt_roots_open_below(int dir, const char *path, int flags);

#endif
