/* bootanswer.h - what a test found out about the running kernel, kept until the next boot.
 *
 * An answer is a small number: 0 means that the test could not tell, and is not kept. It is an item
 * of base/diskcache.h, so the directory must belong to this user and be writable for nobody
 * else. */
#ifndef PT_BASE_BOOTANSWER_H
#define PT_BASE_BOOTANSWER_H

#include <stddef.h>

#include "base/err.h"

/* The kept answer, or that of test(). */
int pt_bootanswer_in(const char *dir, const char *name, int (*test)(void));
/* The same in /run, which only root has; other users test again. */
int pt_bootanswer(const char *name, int (*test)(void));
/* Fills `data` with what root has kept in /run under this name, if it has the same length, or by
 * make(), which returns 0, or -1 with a message. */
int pt_bootanswer_data(const char *name, void *data, size_t len,
		       int (*make)(void *data, struct pt_err *e), struct pt_err *e);

#endif
