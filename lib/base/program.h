/* program.h - programs as a shell finds them, libraries about as the loader does. */
#ifndef PT_BASE_PROGRAM_H
#define PT_BASE_PROGRAM_H

#include <stdbool.h>

#include "base/buf.h"

/* 0 when `name` can be run (with a slash: that file; else looked for on PATH), or the errno that a
 * shell would tell of: ENOENT, EACCES, ENOTDIR ... `path` (may be NULL): where it was found. */
int pt_program_find(const char *name, struct pt_buf *path);
/* A library by its soname ("libc.so.6"): in the folders that this tool's own were loaded from, then
 * the usual ones. False: not there. */
bool pt_library_find(const char *name, struct pt_buf *path);

#endif
