/* program.h - programs as a shell finds them. */
#ifndef PT_CLI_PROGRAM_H
#define PT_CLI_PROGRAM_H

#include "base/buf.h"

/* 0 when `name` can be run (with a slash: that file; else looked for on PATH), or the errno that a shell would tell of: ENOENT, EACCES, ENOTDIR ...
 * `path` (may be NULL): where it was found. */
int pt_program_find(const char *name, struct pt_buf *path);

#endif
