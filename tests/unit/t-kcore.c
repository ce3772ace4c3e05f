/* elf/kcore.c: code out of an ELF core file made here; what is not in it, or is no such file. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf/kcore.h"
#include "test.h"

static void write_core(const char *path, const void *bytes, size_t len)
{
	FILE *f = fopen(path, "w");

	CHECK(f && fwrite(bytes, len, 1, f) == 1 && fclose(f) == 0);
}

TEST(kcore)
{
	struct { Elf64_Ehdr head; Elf64_Phdr p[2]; char code[16]; } core = {
		.head = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64 }, .e_phoff = sizeof(Elf64_Ehdr), .e_phnum = 2 },
		.p = { { .p_type = PT_NOTE, .p_vaddr = 0xffffffff81000000, .p_filesz = 16 },
		       { .p_type = PT_LOAD, .p_vaddr = 0xffffffff81000000, .p_filesz = 16, .p_offset = sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr) } },
		.code = "0123456789abcdef",
	};
	const char *path = "core", *why = NULL;
	uint8_t *p;

	write_core(path, &core, sizeof(core));
	p = pt_kcore_read(path, 0xffffffff81000004, 12, &why);
	CHECK(p && !memcmp(p, "456789abcdef", 12));
	free(p);
	CHECK(!pt_kcore_read(path, 0xffffffff81000004, 13, &why));
	CHECK_STR(why, "/proc/kcore does not have it");
	CHECK(!pt_kcore_read(path, 0xffffffff80ffffff, 2, &why));
	CHECK(!pt_kcore_read(path, 0xffffffff81000000, SIZE_MAX, &why));
	for (size_t len = 1; len < sizeof(core); len++) {	/* cut anywhere */
		write_core(path, &core, len);
		CHECK(!pt_kcore_read(path, 0xffffffff81000000, 16, &why));
	}
	CHECK(!pt_kcore_read("none", 0xffffffff81000000, 1, &why));
	CHECK_STR(why, "this kernel has no /proc/kcore: give its --vmlinux");
	unlink(path);
}
