/* classes.h - strace's classes of system calls: %file, %network, %process ... */
#ifndef PT_SYSCALL_CLASSES_H
#define PT_SYSCALL_CLASSES_H

#include <stdbool.h>

/* With or without the %. */
bool pt_class_exists(const char *name);
bool pt_class_has(const char *name, const char *call);
/* "file, desc, ..." */
const char *pt_class_names(void);

#endif
