/* debugpackage.h - which Debian package has the symbols of a file that was installed without them.
 * Source of the format: dpkg(1), /var/lib/dpkg/info/PACKAGE.list, a path a line. */
#ifndef PT_ELF_DEBUGPACKAGE_H
#define PT_ELF_DEBUGPACKAGE_H

#include <stdbool.h>

#include "base/buf.h"

/* Appends the package's name, such as "gzip-dbgsym". Reads the lists of all installed packages,
 * which takes some 10 ms. False: no package has the file. `root`: in front of /var, "" except in
 * tests. */
bool pt_debug_package(const char *root, const char *path, struct pt_buf *name);

#endif
