#include "record/buildid.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/untrusted.h"
#include "event/abi.h"

enum {
	MAX_PHDRS = 1024,
	MAX_NOTES = 64 << 10,
	MAX_IDS = 1 << 18,
};

#define MISC_BUILD_ID_SIZE (1u << 15)	/* the 21st byte of the id holds its length */

static bool notes_at(int fd, uint64_t off, uint64_t len, uint64_t align, bool swap,
		     struct pt_build_id *id)
{
	uint8_t *p;
	ssize_t n;
	bool found;

	if (!len || off > INT64_MAX)
		return false;
	p = pt_alloc(PT_MIN(len, (uint64_t)MAX_NOTES));
	n = pread(fd, p, PT_MIN(len, (uint64_t)MAX_NOTES), (off_t)off);
	found = n > 0 && pt_build_id_of_notes(pt_notes(p, (size_t)n, align, swap), id);
	free(p);
	return found;
}

/* Reads the notes of 32-bit or 64-bit program headers. */
static bool notes_of_phdrs(int fd, bool wide, bool swap, uint64_t off, size_t size, size_t nr,
			   struct pt_build_id *id)
{
	uint8_t *p;
	size_t i;
	ssize_t n;
	bool found = false;

	if (size < (wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr)) || nr > MAX_PHDRS ||
	    off > INT64_MAX)
		return false;
	p = pt_alloc(nr * size);
	n = pread(fd, p, nr * size, (off_t)off);
	for (i = 0; n > 0 && !found && (i + 1) * size <= (size_t)n; i++) {
		const uint8_t *h = p + i * size;

		if (pt_load32(h, swap) != PT_NOTE)
			continue;
		if (wide)
			found = notes_at(fd, pt_load64(h + offsetof(Elf64_Phdr, p_offset), swap),
					 pt_load64(h + offsetof(Elf64_Phdr, p_filesz), swap),
					 pt_load64(h + offsetof(Elf64_Phdr, p_align), swap), swap,
					 id);
		else
			found = notes_at(fd, pt_load32(h + offsetof(Elf32_Phdr, p_offset), swap),
					 pt_load32(h + offsetof(Elf32_Phdr, p_filesz), swap),
					 pt_load32(h + offsetof(Elf32_Phdr, p_align), swap), swap,
					 id);
	}
	free(p);
	return found;
}

bool pt_build_id_fd(int fd, struct pt_build_id *id)
{
	union { unsigned char ident[EI_NIDENT]; Elf32_Ehdr e32; Elf64_Ehdr e64; } h;
	const unsigned char ours =
		__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? ELFDATA2MSB : ELFDATA2LSB;
	ssize_t n = pread(fd, &h, sizeof(h), 0);
	const uint8_t *p = (const uint8_t *)&h;
	bool swap;

	if (n < (ssize_t)sizeof(h.e32) || memcmp(h.ident, ELFMAG, SELFMAG))
		return false;
	swap = h.ident[EI_DATA] != ours;
	if (h.ident[EI_CLASS] == ELFCLASS64 && n >= (ssize_t)sizeof(h.e64))
		return notes_of_phdrs(fd, true, swap,
				      pt_load64(p + offsetof(Elf64_Ehdr, e_phoff), swap),
				      pt_load16(p + offsetof(Elf64_Ehdr, e_phentsize), swap),
				      pt_load16(p + offsetof(Elf64_Ehdr, e_phnum), swap), id);
	if (h.ident[EI_CLASS] == ELFCLASS32)
		return notes_of_phdrs(fd, false, swap,
				      pt_load32(p + offsetof(Elf32_Ehdr, e_phoff), swap),
				      pt_load16(p + offsetof(Elf32_Ehdr, e_phentsize), swap),
				      pt_load16(p + offsetof(Elf32_Ehdr, e_phnum), swap), id);
	return false;
}

/* Closes the fd. ino 0: any. */
static bool read_file(int fd, uint64_t ino, struct pt_build_id *id)
{
	struct stat st;
	bool found;

	if (fd < 0)
		return false;
	found = (!ino || (fstat(fd, &st) == 0 && st.st_ino == ino)) && pt_build_id_fd(fd, id);
	close(fd);
	return found;
}

bool pt_build_id_mapped(pid_t pid, const char *path, uint64_t ino, struct pt_build_id *id)
{
	struct pt_root *root = pt_root_new_process(pid);
	bool found = read_file(pt_untrusted_open(root, path, 0, NULL), ino, id);

	pt_root_put(root);
	return found;
}

bool pt_build_id_mapping(pid_t pid, uint64_t start, uint64_t end, struct pt_build_id *id)
{
	char path[96];

	snprintf(path, sizeof(path), "/proc/%d/map_files/%llx-%llx", (int)pid,
		 (unsigned long long)start, (unsigned long long)end);
	return read_file(pt_untrusted_open(NULL, path, PT_UNTRUSTED_KERNEL_LINK, NULL), 0, id);
}

struct entry {
	struct pt_build_id id;
	uint16_t misc;
	uint32_t pid;
	char *path;
};

struct pt_build_ids {
	struct entry *entries;
	size_t nr, cap;
	struct pt_map seen;		/* hash of path and id */
};

struct pt_build_ids *pt_build_ids_new(void)
{
	return pt_alloc(sizeof(struct pt_build_ids));
}

void pt_build_ids_free(struct pt_build_ids *l)
{
	size_t i;

	if (!l)
		return;
	for (i = 0; i < l->nr; i++)
		free(l->entries[i].path);
	free(l->entries);
	pt_map_deinit(&l->seen);
	free(l);
}

size_t pt_build_ids_nr(const struct pt_build_ids *l) { return l->nr; }

void pt_build_ids_add(struct pt_build_ids *l, uint16_t misc, uint32_t pid,
		      const struct pt_build_id *id, const char *path, size_t path_len)
{
	uint64_t key = pt_hash_bytes(path, path_len) ^
		       pt_hash64(pt_hash_bytes(id->bytes, sizeof(id->bytes)));
	uint64_t *seen;

	if (!id->len || l->nr >= MAX_IDS || path_len >= PATH_MAX)
		return;
	seen = pt_map_put(&l->seen, key);
	if (*seen)
		return;
	*seen = 1;
	PT_GROW(l->entries, l->nr, l->cap);
	l->entries[l->nr++] = (struct entry){
		.id = *id, .misc = misc, .pid = pid, .path = pt_strndup(path, path_len)
	};
}

void pt_build_ids_section(const struct pt_build_ids *l, struct pt_buf *b)
{
	static const char zeros[64];
	size_t i, len, padded;

	for (i = 0; i < l->nr; i++) {
		const struct entry *en = &l->entries[i];
		struct {
			struct perf_event_header header;
			uint32_t pid;
			uint8_t id[20], id_len, reserved[3];
		} r = {
			.header.misc = (uint16_t)(en->misc | MISC_BUILD_ID_SIZE),
			.pid = en->pid,
			.id_len = en->id.len,
		};

		memcpy(r.id, en->id.bytes, sizeof(r.id));
		len = strlen(en->path);
		padded = (len + sizeof(zeros)) / sizeof(zeros) * sizeof(zeros);
		r.header.size = (uint16_t)(sizeof(r) + padded);
		pt_buf_add(b, &r, sizeof(r));
		pt_buf_add(b, en->path, len);
		pt_buf_add(b, zeros, padded - len);
	}
}
