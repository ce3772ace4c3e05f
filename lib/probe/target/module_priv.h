/* module_priv.h - shared by module.c and module_read.c. */
#ifndef PT_PROBE_TARGET_MODULE_PRIV_H
#define PT_PROBE_TARGET_MODULE_PRIV_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

/* The whole file, unpacked. The fd stays the caller's. */
int module_read(int fd, const char *path, struct pt_buf *out, struct pt_err *e);
/* Does it begin like a compressed file? */
bool module_is_packed(const void *head, size_t len);

#endif
