/* notes.h - ELF notes: of a segment or section, or as /sys/kernel/notes has them; and the build-ids
 * among them.
 *
 *     struct pt_notes n = pt_notes(data, len, align, swap);
 *     while (pt_notes_next(&n, &note))
 *             if (pt_note_is(&note, "stapsdt", 3)) ... note.desc ...
 *
 * Nothing in them is believed: damage ends the run. Source of the format: elf(5), "Notes (Nhdr)". */
#ifndef PT_ELF_NOTES_H
#define PT_ELF_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

struct pt_notes { struct pt_bytes b; const uint8_t *begin; size_t mask; };
struct pt_note {
	uint32_t type;
	const char *name;		/* name_len bytes, the NUL at their end included */
	uint32_t name_len;
	struct pt_bytes desc;
};

/* `align`: of the segment or section, 8; anything else is 4. The bytes stay the caller's. */
struct pt_notes pt_notes(const void *data, size_t len, uint64_t align, bool swap);
bool pt_notes_next(struct pt_notes *n, struct pt_note *note);
bool pt_note_is(const struct pt_note *note, const char *name, uint32_t type);

enum { PT_BUILD_ID_MAX = 20, PT_BUILD_ID_TEXT = 2 * PT_BUILD_ID_MAX + 2 };

struct pt_build_id {
	/* 0: none; a longer one is cut to 20 bytes, as the kernel does */
	uint8_t len;
	uint8_t bytes[PT_BUILD_ID_MAX];
};

/* NT_GNU_BUILD_ID; false: there is none, and *id is as it was. */
bool pt_build_id_of_notes(struct pt_notes n, struct pt_build_id *id);
/* Of the kernel that runs, or of its module of that name (NULL: the kernel). `root`: in front of
 * /sys, "" unless testing. */
bool pt_build_id_of_kernel(const char *root, const char *module, struct pt_build_id *id);
/* Both are known, and the same. */
bool pt_build_id_equal(const struct pt_build_id *a, const struct pt_build_id *b);
/* In hexadecimal digits; as_path: with a slash behind the first two, as trees of debug files have
 * it. Returns `text`. */
const char *pt_build_id_text(const struct pt_build_id *id, bool as_path,
			     char text[PT_BUILD_ID_TEXT]);

#endif
