/* package.h - the distribution's package that a file belongs to, for what to install. By the lists of Debian's dpkg; nothing elsewhere. */
#ifndef PT_PROBE_PACKAGE_H
#define PT_PROBE_PACKAGE_H

#include <stdbool.h>

#include "base/buf.h"

/* Adds the package's name without its architecture. `lists`: the folder of *.list files, NULL: where dpkg has them. False: no package has the file. */
bool pt_package_of(const char *lists, const char *path, struct pt_buf *name);

#endif
