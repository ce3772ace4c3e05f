/* frames_data.c - names of data addresses */
#include "stack/frames.h"

#include <elf.h>
#include <sys/mman.h>

#include "elf/datasyms.h"
#include "stack/frames_priv.h"

static struct pt_datasyms *table_of(struct pt_frames *f, struct pt_object *o)
{
	uint64_t *slot = pt_map_put(&f->data, (uint64_t)(uintptr_t)o);
	struct pt_datasyms *d = (struct pt_datasyms *)(uintptr_t)*slot;
	struct pt_object *debug;
	struct pt_section s;

	if (d)
		return d;
	debug = pt_object_section(o, ".symtab", &s) ? NULL : pt_files_debug(f->files, o);
	d = pt_datasyms_new(debug ? debug : o);
	if (debug && !pt_datasyms_nr(d)) {
		pt_datasyms_free(d);
		d = pt_datasyms_new(o);
	}
	*slot = (uint64_t)(uintptr_t)d;
	return d;
}

/* The address in the object. The last page of read-only data and the first page of variables may be
 * the same page of the file; the mapping's rights tell them apart. */
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

	if (place->object && pt_datasyms_find(table_of(f, place->object), vaddr, &s)) {
		x.name = pt_frames_nice_name(f, s.name);
		x.offset = vaddr - s.vaddr;
	}
	return x;
}

void pt_frames_data_free(struct pt_frames *f)
{
	struct pt_map_slot *s;
	size_t i;

	for (i = 0; (s = pt_map_each(&f->data, &i)); )
		pt_datasyms_free((struct pt_datasyms *)(uintptr_t)s->value);
	pt_map_deinit(&f->data);
}
