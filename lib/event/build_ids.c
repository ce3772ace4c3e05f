#include "event/build_ids.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/bootanswer.h"
#include "event/abi.h"
#include "event/open.h"
#include "event/ring.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008u
#endif

/* The smallest file that the kernel takes a build-id from. It is in memory, so its device is 0: if
 * the fault strikes other recorders of this thread, they read a build-id of length 0. */
static int small_elf(void)
{
	const struct { Elf64_Ehdr e; Elf64_Phdr p; Elf64_Nhdr n; char name[4], id[20];
	} f = {
		.e = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
				     __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? ELFDATA2MSB
									    : ELFDATA2LSB,
				     EV_CURRENT },
			.e_type = ET_DYN,
			.e_version = EV_CURRENT,
			.e_ehsize = sizeof(Elf64_Ehdr),
			.e_phoff = sizeof(Elf64_Ehdr),
			.e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 1,
		},
		.p = { .p_type = PT_NOTE,
		       .p_offset = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr),
		       .p_filesz = 36,
		       .p_memsz = 36,
		       .p_align = 4 },
		.n = { .n_namesz = 4, .n_descsz = 20, .n_type = NT_GNU_BUILD_ID },
		.name = "GNU", .id = "pt-build-id-selftest",
	};
	int fd = memfd_create("pt-build-ids", MFD_CLOEXEC | MFD_NOEXEC_SEAL);

	if (fd < 0 && errno == EINVAL)
		fd = memfd_create("pt-build-ids", MFD_CLOEXEC);
	if (fd >= 0 && write(fd, &f, sizeof(f)) != sizeof(f)) {
		close(fd);
		return -1;
	}
	return fd;
}

static int open_event(uint64_t flags, uint64_t *id)
{
	struct pt_attr a = pt_dummy_attr(PT_ATTR_SAMPLE_ID_ALL | PT_ATTR_MMAP | PT_ATTR_MMAP_DATA |
					 PT_ATTR_MMAP2 | flags);
	int fd;

	a.sample_type = PERF_SAMPLE_IDENTIFIER;
	fd = pt_perf_open(&a, 0, -1, -1, 0);
	if (fd >= 0 && ioctl(fd, PERF_EVENT_IOC_ID, id) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/* 1 or 0: the bit in the event's record of the mapping at `addr`; -1: there is no such record. */
static int has_bit(struct pt_ring *r, uint64_t addr, uint64_t id)
{
	uint64_t head = pt_ring_head(r);
	const uint8_t *p;
	int found = -1;

	for (r->at = 0; found < 0 && (p = pt_ring_peek(r, head)); ) {
		uint32_t size = pt_load16(p + 6, false);

		if (pt_load32(p, false) == PERF_RECORD_MMAP2 && size >= 80 &&
		    pt_load64(p + 16, false) == addr && pt_load64(p + size - 8, false) == id)
			found = !!(pt_load16(p + 4, false) & PERF_RECORD_MISC_MMAP_BUILD_ID);
		pt_ring_skip(r, size);
	}
	return found;
}

/* The kernel visits the newest event of a task first, so the one that asks for build-ids is opened
 * last. Both write into one ring. */
int pt_build_ids_test(void)
{
	enum pt_build_ids_are are = PT_BUILD_IDS_UNTESTED;
	int elf = small_elf(), plain = -1, asks = -1;
	uint64_t plain_id = 0, asks_id = 0;
	struct pt_ring ring = { 0 };
	void *map = MAP_FAILED;

	if (elf >= 0)
		plain = open_event(0, &plain_id);
	if (plain >= 0 && pt_ring_open(&ring, plain, 1, NULL) == 0)
		asks = open_event(PT_ATTR_BUILD_ID, &asks_id);
	if (asks >= 0 && ioctl(asks, PERF_EVENT_IOC_SET_OUTPUT, plain) == 0)
		map = mmap(NULL, sizeof(Elf64_Ehdr), PROT_READ, MAP_PRIVATE, elf, 0);
	if (map != MAP_FAILED) {
		int plain_bit = has_bit(&ring, (uint64_t)(uintptr_t)map, plain_id);

		if (has_bit(&ring, (uint64_t)(uintptr_t)map, asks_id) == 1 && plain_bit >= 0)
			are = plain_bit ? PT_BUILD_IDS_HARMFUL : PT_BUILD_IDS_HARMLESS;
		munmap(map, sizeof(Elf64_Ehdr));
	}
	if (asks >= 0)
		close(asks);
	pt_ring_close(&ring);
	if (plain >= 0)
		close(plain);
	if (elf >= 0)
		close(elf);
	return are;
}

enum pt_build_ids_are pt_build_ids_are(const char *dir)
{
	static const char name[] = "pt-build-ids";

	return (enum pt_build_ids_are)(dir ? pt_bootanswer_in(dir, name, pt_build_ids_test)
					   : pt_bootanswer(name, pt_build_ids_test));
}
