/* hits - calls one function N times: a uprobe on it must be hit exactly as often.
 *
 *     hits --where        prints FILE:0xOFFSET of the function, as uprobe_events takes it
 *     hits N [PROCESSES]  N calls in each of so many processes (1), all at the same time */
#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void pt_test_hit(unsigned long n);

void __attribute__((noinline)) pt_test_hit(unsigned long n)
{
	__asm__ volatile("" : : "r"(n) : "memory");
}

/* The first object listed is the program: the segment that the function lies in gives its place in the file. */
static int find(struct dl_phdr_info *info, size_t size, void *off)
{
	uintptr_t at = (uintptr_t)pt_test_hit - info->dlpi_addr;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && at >= p->p_vaddr && at < p->p_vaddr + p->p_filesz)
			*(uintptr_t *)off = at - p->p_vaddr + p->p_offset;
	}
	return 1;
}

int main(int argc, char **argv)
{
	unsigned long n, processes;
	char path[4096];
	uintptr_t off = 0;
	ssize_t len;

	if (argc > 1 && !strcmp(argv[1], "--where")) {
		len = readlink("/proc/self/exe", path, sizeof(path) - 1);
		dl_iterate_phdr(find, &off);
		if (len <= 0 || !off)
			return 1;
		printf("%.*s:0x%lx\n", (int)len, path, (unsigned long)off);
		return 0;
	}
	n = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
	processes = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
	for (unsigned long i = 1; i < processes; i++)
		if (!fork())
			break;
	for (unsigned long i = 0; i < n; i++)
		pt_test_hit(i);
	while (wait(NULL) > 0)
		;
	return 0;
}
