/* kcore.h - memory of the running kernel, from /proc/kcore (an ELF core file, see elf(5)). */
#ifndef PT_ELF_KCORE_H
#define PT_ELF_KCORE_H

#include <stddef.h>
#include <stdint.h>

/* The bytes at an address; the caller frees. NULL: *why, a constant text, says why not. */
uint8_t *pt_kcore_read(const char *path, uint64_t addr, size_t len, const char **why);

#endif
