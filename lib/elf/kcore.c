#include "elf/kcore.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

static bool read_at(int fd, void *to, size_t len, uint64_t off)
{
	return pread(fd, to, len, (off_t)off) == (ssize_t)len;
}

/* False: no segment has all of it. */
static bool kcore_find(int fd, uint64_t addr, size_t len, uint64_t *off)
{
	Elf64_Ehdr head;
	Elf64_Phdr p;

	if (!read_at(fd, &head, sizeof(head), 0) || memcmp(head.e_ident, ELFMAG, SELFMAG) ||
	    head.e_ident[EI_CLASS] != ELFCLASS64)
		return false;
	for (unsigned i = 0; i < head.e_phnum; i++) {
		if (!read_at(fd, &p, sizeof(p), head.e_phoff + i * sizeof(p)))
			return false;
		*off = p.p_offset + (addr - p.p_vaddr);
		if (p.p_type == PT_LOAD && addr >= p.p_vaddr && len <= p.p_filesz &&
		    addr - p.p_vaddr <= p.p_filesz - len)
			return true;
	}
	return false;
}

uint8_t *pt_kcore_read(const char *path, uint64_t addr, size_t len, const char **why)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint8_t *bytes = NULL;
	uint64_t off;

	if (fd < 0) {
		*why = errno == ENOENT ? "this kernel has no /proc/kcore: give its --vmlinux"
				       : "only root may read the kernel's code (/proc/kcore)";
		return NULL;
	}
	if (kcore_find(fd, addr, len, &off)) {
		bytes = pt_alloc(len);
		if (!read_at(fd, bytes, len, off)) {
			free(bytes);
			bytes = NULL;
		}
	}
	if (!bytes)
		*why = "/proc/kcore does not have it";
	close(fd);
	return bytes;
}
