/* notes.h - ELF notes of a segment, a section or /sys/kernel/notes, and their build-ids.
 *
 *     struct pt_notes n = pt_notes(data, len, align, swap);
 *     while (pt_notes_next(&n, &note))
 *             if (pt_note_is(&note, "stapsdt", 3)) ... note.desc ...
 *
 * Damage ends the run. Source of the format: elf(5), "Notes (Nhdr)". */
#ifndef PT_ELF_NOTES_H
#define PT_ELF_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

struct pt_notes { struct pt_bytes b; const uint8_t *begin; size_t mask; };
struct pt_note {
	uint32_t type;
	const char *name;		/* name_len bytes with the NUL */
	uint32_t name_len;
	struct pt_bytes desc;
};

/* `align`: of the segment or section, 8 or else 4. The caller owns the bytes. */
struct pt_notes pt_notes(const void *data, size_t len, uint64_t align, bool swap);
bool pt_notes_next(struct pt_notes *n, struct pt_note *note);
bool pt_note_is(const struct pt_note *note, const char *name, uint32_t type);

enum { PT_BUILD_ID_MAX = 20, PT_BUILD_ID_TEXT = 2 * PT_BUILD_ID_MAX + 1 };

struct pt_build_id {
	/* 0: none; longer ones are cut to 20 bytes, as in the kernel */
	uint8_t len;
	uint8_t bytes[PT_BUILD_ID_MAX];
};

struct pt_build_id pt_build_id(const void *bytes, size_t len);
/* NT_GNU_BUILD_ID; false: none, *id is unchanged. */
bool pt_build_id_of_notes(struct pt_notes n, struct pt_build_id *id);
/* Of the running kernel (module NULL) or a loaded module. `root`: in front of /sys, "" except in
 * tests. */
bool pt_build_id_of_kernel(const char *root, const char *module, struct pt_build_id *id);
/* True if both are known and equal. */
bool pt_build_id_equal(const struct pt_build_id *a, const struct pt_build_id *b);
/* Hexadecimal. Returns `text`. */
const char *pt_build_id_text(const struct pt_build_id *id, char text[PT_BUILD_ID_TEXT]);
/* The place in a tree of debug files, DIR/.build-id/xx/yyySUFFIX; the caller frees it. NULL: the id
 * is too short. */
char *pt_build_id_path(const char *dir, const struct pt_build_id *id, const char *suffix);
/* perf's cache of files by build-id, such a tree: $PERF_BUILDID_DIR, else ~/.debug; the caller
 * frees it. NULL: there is no home. */
char *pt_build_cache_dir(void);

#endif
