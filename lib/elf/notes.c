#include "elf/notes.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/smallfile.h"

enum { MAX_FILE = 64 << 10 };

struct pt_notes pt_notes(const void *data, size_t len, uint64_t align, bool swap)
{
	return (struct pt_notes){ pt_bytes(data, len, swap), data, align == 8 ? 7 : 3 };
}

/* Padding counts from the start of the notes; it may be missing at the end. */
static void skip_padding(struct pt_notes *n)
{
	size_t past = (size_t)(n->b.at - n->begin);

	pt_bytes_take(&n->b, PT_MIN(-past & n->mask, pt_bytes_left(&n->b)));
}

bool pt_notes_next(struct pt_notes *n, struct pt_note *note)
{
	uint32_t desc_len;

	if (pt_bytes_left(&n->b) < sizeof(Elf64_Nhdr))
		return false;
	note->name_len = pt_bytes_u32(&n->b);
	desc_len = pt_bytes_u32(&n->b);
	note->type = pt_bytes_u32(&n->b);
	note->name = pt_bytes_take(&n->b, note->name_len);
	skip_padding(n);
	note->desc = pt_bytes_sub(&n->b, desc_len);
	skip_padding(n);
	return !n->b.bad;
}

bool pt_note_is(const struct pt_note *note, const char *name, uint32_t type)
{
	return note->type == type && note->name_len == strlen(name) + 1 &&
	       !memcmp(note->name, name, note->name_len);
}

struct pt_build_id pt_build_id(const void *bytes, size_t len)
{
	struct pt_build_id id = { .len = (uint8_t)PT_MIN(len, sizeof(id.bytes)) };

	memcpy(id.bytes, bytes, id.len);
	return id;
}

bool pt_build_id_of_notes(struct pt_notes n, struct pt_build_id *id)
{
	struct pt_note note;

	while (pt_notes_next(&n, &note)) {
		size_t len = pt_bytes_left(&note.desc);

		if (!len || !pt_note_is(&note, "GNU", NT_GNU_BUILD_ID))
			continue;
		*id = pt_build_id(note.desc.at, len);
		return true;
	}
	return false;
}

bool pt_build_id_of_kernel(const char *root, const char *module, struct pt_build_id *id)
{
	struct pt_buf notes = PT_BUF_INIT;
	char *path;
	bool known;

	if (module && (strchr(module, '/') || *module == '.'))
		return false;
	path = module ? pt_asprintf("%s/sys/module/%s/notes/.note.gnu.build-id", root, module)
		      : pt_asprintf("%s/sys/kernel/notes", root);
	known = !pt_file_add(path, MAX_FILE, &notes) &&
		pt_build_id_of_notes(pt_notes(notes.data, notes.len, 4, false), id);
	pt_buf_deinit(&notes);
	free(path);
	return known;
}

bool pt_build_id_equal(const struct pt_build_id *a, const struct pt_build_id *b)
{
	return a->len && a->len == b->len && !memcmp(a->bytes, b->bytes, a->len);
}

const char *pt_build_id_text(const struct pt_build_id *id, char text[PT_BUILD_ID_TEXT])
{
	size_t i;

	text[0] = '\0';
	for (i = 0; i < id->len; i++)
		sprintf(text + 2 * i, "%02x", id->bytes[i]);
	return text;
}

char *pt_build_id_path(const char *dir, const struct pt_build_id *id, const char *suffix)
{
	char text[PT_BUILD_ID_TEXT];

	pt_build_id_text(id, text);
	return id->len < 2 ? NULL
			   : pt_asprintf("%s/.build-id/%.2s/%s%s", dir, text, text + 2, suffix);
}

char *pt_build_cache_dir(void)
{
	const char *dir = getenv("PERF_BUILDID_DIR"), *home = getenv("HOME");

	if (dir && *dir)
		return pt_strdup(dir);
	return home && *home ? pt_asprintf("%s/.debug", home) : NULL;
}
