#include "elf/sdt.h"

#include <string.h>

#include "base/mem.h"

enum { NOTE_STAPSDT = 3, MAX_STRING = 4096 };

static uint64_t word(struct pt_bytes *b, bool is64)
{
	return is64 ? pt_bytes_u64(b) : pt_bytes_u32(b);
}

static bool read_one(struct pt_bytes *desc, bool is64, uint64_t base_vaddr, struct pt_sdt *sdt)
{
	uint64_t base;

	sdt->vaddr = word(desc, is64);
	base = word(desc, is64);
	sdt->semaphore = word(desc, is64);
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

size_t pt_sdt_notes(struct pt_bytes b, bool is64, uint64_t base_vaddr,
		    void (*each)(void *arg, const struct pt_sdt *sdt), void *arg)
{
	size_t nr = 0;

	while (pt_bytes_left(&b) >= 12) {
		uint32_t name_len = pt_bytes_u32(&b), desc_len = pt_bytes_u32(&b),
			 type = pt_bytes_u32(&b);
		const char *name = pt_bytes_take(&b, name_len);
		struct pt_bytes desc;
		struct pt_sdt sdt;

		pt_bytes_take(&b, -name_len & 3u);
		desc = pt_bytes_sub(&b, desc_len);
		if (b.bad)
			break;
		/* the last one may end without */
		pt_bytes_take(&b, PT_MIN(-desc_len & 3u, pt_bytes_left(&b)));
		if (type != NOTE_STAPSDT || name_len != 8 || memcmp(name, "stapsdt", 8) ||
		    !read_one(&desc, is64, base_vaddr, &sdt))
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

	if (!pt_object_section(o, ".note.stapsdt", &notes) || !notes.data)
		return 0;
	if (!pt_object_section(o, ".stapsdt.base", &base))
		base.vaddr = 0;
	return pt_sdt_notes(pt_bytes(notes.data, notes.len_bytes, o->swap), o->is64, base.vaddr,
			    each, arg);
}
