/* object.h - an ELF file: segments, sections, build-id. Mapped read-only, never trusted.
 *
 * An object is one file: mappings share it where they lead to the same stamp; equal build-ids do
 * not suffice (elf/files.h). Addresses inside are `vaddr` (ELF), places in the file `off`. Source
 * of the format: elf(5), System V gABI chapters 4 and 5. Both classes and byte orders are read;
 * unwinding wants this machine's byte order.
 *
 *     struct pt_object *o;
 *     if (pt_object_open(&o, path, &e) < 0) ...
 *     if (pt_object_section(o, ".eh_frame", &sec)) ... sec.data, sec.len_bytes, sec.vaddr
 *     pt_object_put(o); */
#ifndef PT_ELF_OBJECT_H
#define PT_ELF_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/budget.h"
#include "base/err.h"
#include "base/mapfile.h"
#include "base/untrusted.h"
#include "elf/notes.h"

/* A file and its state: every change to the file changes a member. */
struct pt_stamp {
	struct pt_build_id id;
	uint64_t dev, ino, owner, bytes;
	/* st_ctim: st_mtim changes with it, and can be set back by the file's owner */
	uint64_t changed_ns;
};

struct pt_segment {			/* PT_LOAD */
	uint64_t vaddr, off, file_bytes, mem_bytes;
	uint32_t flags;			/* PF_R, PF_W, PF_X */
};

struct pt_section {
	const uint8_t *data;		/* NULL: not in the file (NOBITS) */
	uint64_t len_bytes;
	uint64_t vaddr;
	uint32_t type, link, info;
	uint64_t flags;
};

/* What is made of an object at first use, and freed with it: by unwind/cfi.c, elf/symtab.c,
 * elf/gotable.c, probe/where/call_sites.c. */
enum {
	PT_OBJECT_CFI,
	PT_OBJECT_SYMTAB,
	PT_OBJECT_DATA_SYMTAB,
	PT_OBJECT_GOTABLE,
	PT_OBJECT_REFS,
	PT_OBJECT_PARTS
};

struct pt_object {
	char *path;			/* as it was opened; for messages */
	/* its names are resolved below it; NULL: our own root */
	struct pt_root *root;
	char *inside;			/* the path below `root`; NULL: unknown, or no file */
	struct pt_mapfile file;
	/* when it was opened; 0: no file */
	int64_t changed_ns;
	struct pt_stamp *stamp;		/* when it was opened; NULL: no file */
	struct pt_budget budget;	/* for reading it */
	uint16_t machine;		/* EM_X86_64 ... */
	uint16_t type;			/* ET_EXEC, ET_DYN */
	bool is64;
	bool swap;			/* foreign byte order */
	uint64_t entry;
	struct pt_build_id build_id;
	struct pt_segment *segments;
	size_t nr_segments;
	uint64_t eh_frame_hdr_vaddr, eh_frame_hdr_bytes;	/* PT_GNU_EH_FRAME; 0: none */
	/* threads may share it; each later part is made by one thread */
	_Atomic unsigned refs;
	/* section headers: offset, size, number, the one with the names */
	uint64_t shoff;
	uint32_t shentsize, shstrndx;
	uint64_t nr_sections;
	struct pt_section eh_frame;	/* of code without a file */
	/* elf/files_debug.c's: its debug file, which may be itself; NULL: none */
	struct pt_object *debug;
	bool debug_known;
	struct pt_object_part { void *data; void (*free)(void *data); } parts[PT_OBJECT_PARTS];
};

/* A file that the user named. */
int pt_object_open(struct pt_object **o, const char *path, struct pt_err *e);
/* A file that `by` refers to, below `root`: its own, or NULL for our trees of debug files. Its
 * owner must be allowed, see base/untrusted.h. */
int pt_object_open_named(struct pt_object **o, const struct pt_object *by, struct pt_root *root,
			 const char *path, struct pt_err *e);
/* The default is its path below our own root. */
void pt_object_place(struct pt_object *o, struct pt_root *root, const char *inside);
/* Without symbolic links, below its root; the caller frees it. NULL: unknown. */
char *pt_object_real_path(const struct pt_object *o);
/* Takes the fd, also on failure. */
int pt_object_open_fd(struct pt_object **o, int fd, const char *path, struct pt_err *e);
/* Over bytes that the caller keeps for the object's life (the vdso, a test's). */
int pt_object_open_memory(struct pt_object **o, const void *data, size_t len, const char *name,
			  struct pt_err *e);
/* Code made at run time, with its call frame information (len_bytes 0: none). The caller keeps the
 * bytes for the object's life. */
struct pt_object *pt_object_of_code(const void *code, size_t len, uint64_t vaddr, uint16_t machine,
				    const struct pt_section *eh_frame, const char *name);
/* True: it was not written to since it was opened. */
bool pt_object_unchanged(const struct pt_object *o);
struct pt_object *pt_object_get(struct pt_object *o);	/* takes a reference */
void pt_object_put(struct pt_object *o);		/* o may be NULL */

/* The first section of that name. */
bool pt_object_section(const struct pt_object *o, const char *name, struct pt_section *s);
/* The same, if its bytes are in the file. */
bool pt_object_data(const struct pt_object *o, const char *name, struct pt_section *s);
bool pt_object_section_at(const struct pt_object *o, size_t i, struct pt_section *s,
			  const char **name);

/* `len` bytes within one segment; NULL: not in the file. `writable`: also from writable segments,
 * whose bytes in a process may differ. */
const uint8_t *pt_object_bytes(const struct pt_object *o, uint64_t vaddr, uint64_t len,
			       bool writable);
/* The bytes from a vaddr to its segment's end, *len. */
const uint8_t *pt_object_from(const struct pt_object *o, uint64_t vaddr, uint64_t *len);
/* The vaddr of a mapping's start: of the PT_LOAD with the file page of `pgoff` and the same rights
 * (x: executable). bias = start - that. False: none fits. */
bool pt_object_map_vaddr(const struct pt_object *o, uint64_t pgoff, bool x, uint64_t *vaddr);

/* For memcmp(); without build-id. */
struct stat;
void pt_stamp_of(const struct stat *st, struct pt_stamp *s);
/* With the build-id. False: the object is not of a file. */
bool pt_object_stamp(const struct pt_object *o, struct pt_stamp *s);
/* "BUILDID-SUM", different for files of the same build-id. Returns `text`. */
enum { PT_STAMP_TEXT = PT_BUILD_ID_TEXT + 17 };
const char *pt_stamp_text(const struct pt_stamp *s, char text[PT_STAMP_TEXT]);

#endif
