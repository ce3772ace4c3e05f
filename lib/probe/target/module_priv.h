/* module_priv.h - module.c and unpack.c. */
#ifndef PT_PROBE_TARGET_MODULE_PRIV_H
#define PT_PROBE_TARGET_MODULE_PRIV_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

/* The file whole, unpacked when it is packed. The fd stays the caller's. */
int module_read(int fd, const char *path, struct pt_buf *out, struct pt_err *e);
/* Begins like a packed file. */
bool module_is_packed(const void *head, size_t len);

#endif
