#include "elf/sdt.h"

enum { NOTE_STAPSDT = 3, MAX_STRING = 4096 };

static bool sdt_read_one(struct pt_bytes *desc, bool is64, uint64_t base_vaddr, struct pt_sdt *sdt)
{
	size_t word = is64 ? 8 : 4;
	uint64_t base;

	sdt->vaddr = pt_bytes_number(desc, word);
	base = pt_bytes_number(desc, word);
	sdt->semaphore = pt_bytes_number(desc, word);
	sdt->provider = pt_bytes_str(desc, MAX_STRING);
	sdt->name = pt_bytes_str(desc, MAX_STRING);
	sdt->args = pt_bytes_str(desc, MAX_STRING);
	if (base_vaddr && base) {
		sdt->vaddr += base_vaddr - base;
		if (sdt->semaphore)
			sdt->semaphore += base_vaddr - base;
	}
	return !desc->bad && *sdt->provider && *sdt->name;
}

size_t pt_sdt_notes(struct pt_notes n, bool is64, uint64_t base_vaddr,
		    void (*each)(void *arg, const struct pt_sdt *sdt), void *arg)
{
	struct pt_note note;
	struct pt_sdt sdt;
	size_t nr = 0;

	while (pt_notes_next(&n, &note)) {
		if (!pt_note_is(&note, "stapsdt", NOTE_STAPSDT) ||
		    !sdt_read_one(&note.desc, is64, base_vaddr, &sdt))
			continue;
		each(arg, &sdt);
		nr++;
	}
	return nr;
}

size_t pt_sdt_each(const struct pt_object *o, void (*each)(void *arg, const struct pt_sdt *sdt),
		   void *arg)
{
	struct pt_section notes, base;

	if (!pt_object_data(o, ".note.stapsdt", &notes))
		return 0;
	if (!pt_object_section(o, ".stapsdt.base", &base))
		base.vaddr = 0;
	return pt_sdt_notes(pt_notes(notes.data, notes.len_bytes, 4, o->swap), o->is64, base.vaddr,
			    each, arg);
}
