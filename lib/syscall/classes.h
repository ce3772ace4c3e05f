/* classes.h - strace's classes of system calls: %file, %network, %process ... */
#ifndef PT_SYSCALL_CLASSES_H
#define PT_SYSCALL_CLASSES_H

#include <stdbool.h>
#include <stdint.h>

/* With or without the %. */
bool pt_class_exists(const char *name);
bool pt_class_has(const char *name, const char *call);
/* "file, desc, ..." */
const char *pt_class_names(void);
/* The result is a descriptor. `arg`: the second argument, which says it for fcntl. */
bool pt_class_returns_fd(const char *call, uint64_t arg);

#endif
