/* frames_data.c - names of data addresses */
#include "stack/frames.h"

#include <elf.h>
#include <sys/mman.h>

#include "stack/frames_priv.h"

const struct pt_symtab *pt_frames_data_symtab(struct pt_frames *f, struct pt_object *o)
{
	const struct pt_symtab *own = pt_symtab_of_data(o), *full;
	struct pt_object *debug = pt_symtab_full(own) ? NULL : pt_files_debug(f->files, o);

	full = debug ? pt_symtab_of_data(debug) : own;
	return pt_symtab_nr(full) ? full : own;
}

/* The address in the object. The last page of read-only data and the first of variables may share a
 * page of the file; the mapping's rights tell them apart. */
static uint64_t vaddr_of(struct pt_frames *f, uint32_t pid, uint64_t addr,
			 const struct pt_place_at *place)
{
	const struct pt_mapping *m = pt_spaces_find(f->spaces, pid, addr);
	const struct pt_segment *s = place->object->segments;
	size_t i;

	for (i = 0; m && i < place->object->nr_segments; i++)
		if (!(s[i].flags & PF_W) == !(m->prot & PROT_WRITE) &&
		    !(s[i].flags & PF_X) == !(m->prot & PROT_EXEC) &&
		    (s[i].off & ~0xfffull) <= m->pgoff && m->pgoff < s[i].off + s[i].file_bytes)
			return addr - m->start + m->pgoff - s[i].off + s[i].vaddr;
	return place->vaddr;
}

struct pt_named_frame pt_frames_data_at(struct pt_frames *f, uint32_t pid, bool kernel,
					uint64_t addr, uint64_t time_ns)
{
	const struct pt_place_at *place = pt_frames_place(f, pid, kernel, addr, time_ns);
	const struct pt_named_frame *frames;
	size_t nr = pt_frames_name(f, place, &frames);
	struct pt_named_frame x = frames[nr - 1];
	uint64_t vaddr = place->object ? vaddr_of(f, pid, addr, place) : 0;
	struct pt_symbol s;

	if (place->object && pt_symtab_find(pt_frames_data_symtab(f, place->object), vaddr, &s)) {
		x.name = pt_frames_nice_name(f, s.name);
		x.offset = vaddr - s.vaddr;
	}
	return x;
}
