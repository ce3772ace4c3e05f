/* frames_places.c - places of code: the object behind a mapping, each place once; memory for
 * unwinding */
#include <string.h>
#include <sys/mman.h>

#include "base/mem.h"
#include "stack/frames_priv.h"
#include "unwind/cfi.h"

/* A file without build-id is known by its inode, which stays if a linker overwrites the file: it
 * must be older than its first sample. */
static bool written_since(const struct pt_frames *f, const struct pt_mapped_file *file,
			  const struct pt_object *o)
{
	uint64_t now = f->opts.live || f->opts.symfs || !f->clock.here
			       ? 0
			       : pt_frames_wall(f, f->time_ns);

	return now && o->changed_ns > 0 && (uint64_t)o->changed_ns > now &&
	       !strcmp(o->path, file->path);
}

static struct pt_file_query query_for(struct pt_frames *f, const struct pt_mapping *m)
{
	const struct pt_mapped_file *file = m->file;
	struct pt_file_query q = {
		.path = file->path,
		.pid = f->opts.live ? f->pid : file->pid,
		.start = m->start,
		.end = m->end,
		.maj = file->maj,
		.min = file->min,
		.ino = file->ino,
		.build_id = file->build_id,
	};

	if (!q.build_id.len)
		q.told = pt_frames_told_id(f, file->path);
	return q;
}

/* Live, a record does not suffice to share a file's object: another process may have forged the
 * build-id. So each mapping is looked up. */
static void frames_places_look_up(struct pt_frames *f, struct pt_mapping *m)
{
	struct pt_mapped_file *file = m->file;
	struct pt_file_query q = query_for(f, m);
	uint64_t vaddr;

	m->bias_is = PT_BIAS_NONE;
	if (!strcmp(file->path, "[vdso]")) {
		m->bias_is = PT_BIAS_VDSO;
		return;
	}
	if (!m->object_known && (q.build_id.len || !pt_files_is_anonymous(file->path) ||
				 (f->opts.live && !strncmp(file->path, "/memfd:", 7))))
		m->object = pt_files_mapped(f->files, &q);
	m->object_known = true;
	file->rewritten |= m->object && !q.build_id.len && written_since(f, file, m->object);
	if (m->object && !file->rewritten &&
	    (pt_object_map_vaddr(m->object, m->pgoff, m->prot & PROT_EXEC, &vaddr) ||
	     pt_object_map_vaddr(m->object, m->pgoff, true, &vaddr))) {
		m->bias_is = PT_BIAS_KNOWN;
		m->bias = m->start - vaddr;
	}
}

/* The object of a mapping and its bias. NULL: none. */
static struct pt_object *frames_places_object_of(struct pt_frames *f,
						 const struct pt_mapping *mapping, uint64_t *bias)
{
	struct pt_mapping *m = (struct pt_mapping *)mapping;

	if (m->bias_is == PT_BIAS_UNKNOWN)
		frames_places_look_up(f, m);
	*bias = m->bias;
	if (m->bias_is != PT_BIAS_VDSO)
		return m->bias_is == PT_BIAS_KNOWN ? m->object : NULL;
	*bias = m->start;		/* one name, but an image for each word size */
	return pt_vdsos_object(f->vdsos, f->files, m, f->own_vdso, f->opts.live ? f->pid : 0);
}

static bool find_place(void *ctx, uint64_t addr, struct pt_place *p)
{
	struct pt_frames *f = ctx;
	const struct pt_mapping *m = pt_frames_mapping(f, addr);

	if (!m)
		return false;
	p->bias = 0;
	p->object = frames_places_object_of(f, m, &p->bias);
	p->exec = m->prot & PROT_EXEC;
	p->user = m;
	p->start = m->start;
	p->end = m->end;
	if (!p->object && p->exec && pt_files_is_anonymous(m->file->path)) {
		p->object = pt_jit_object(f, addr, &p->bias);
		p->start = p->end;
	}
	return true;
}

/* Reads the stack copy, then files that the process cannot have changed. */
static bool read_memory(void *ctx, uint64_t addr, void *to, size_t len)
{
	struct pt_frames *f = ctx;
	const struct pt_sample *s = &f->rec->sample;
	const struct pt_mapping *m;
	const struct pt_object *o;
	const uint8_t *bytes;
	uint64_t bias;

	if (addr >= f->stack_start && addr - f->stack_start < s->stack_len &&
	    s->stack_len - (addr - f->stack_start) >= len) {
		memcpy(to, (const uint8_t *)s->stack + (addr - f->stack_start), len);
		return true;
	}
	m = pt_frames_mapping(f, addr);
	if (m && !(m->prot & PROT_WRITE) && (o = frames_places_object_of(f, m, &bias)) &&
	    (bytes = pt_object_bytes(o, addr - bias, len, false))) {
		memcpy(to, bytes, len);
		return true;
	}
	return f->read && f->read(f->read_ctx, addr, to, len);
}

const struct pt_unwind_ops pt_frames_unwind_ops = { find_place, read_memory };

static const struct pt_place_at *frames_places_intern(struct pt_frames *f,
						      const struct pt_place_at *want)
{
	uint64_t who = want->object   ? pt_word_of(want->object)
		       : want->kernel ? 1 + 2 * want->jit
				      : ((uint64_t)want->pid << 32 ^ want->generation << 1) +
						pt_hash64(want->jit);
	uint64_t *slot = pt_map_put(&f->places, want->vaddr ^ who * 0x9e3779b97f4a7c15u);
	struct pt_place_at *p;

	for (p = pt_pointer(*slot); p; p = p->next)
		if (p->vaddr == want->vaddr && p->object == want->object &&
		    p->kernel == want->kernel &&
		    (p->object ||
		     (p->jit == want->jit &&
		      (p->kernel || (p->pid == want->pid && p->generation == want->generation)))))
			return p;
	p = pt_arena_memdup(&f->all_places, want, sizeof(*want));
	p->index = f->nr_places++;
	p->next = pt_pointer(*slot);
	*slot = pt_word_of(p);
	return p;
}

uint64_t pt_frames_shown_in(const struct pt_mapping *m, uint64_t addr)
{
	struct pt_mapping *to = (struct pt_mapping *)m;

	if (!m)
		return addr;
	if (!m->shown_known) {
		to->shown_known = true;
		to->shown = !strcmp(m->file->path, "[vdso]")             ? 0 - m->start
			    : pt_files_is_anonymous(m->file->path) ? 0
								   : m->pgoff - m->start;
	}
	return addr + m->shown;
}

const struct pt_place_at *pt_frames_user_place(struct pt_frames *f, const struct pt_mapping *m,
					       uint64_t pc)
{
	struct pt_place_at at = { .vaddr = pc, .file = m ? m->file : NULL };
	uint64_t bias;

	if (m && (at.object = frames_places_object_of(f, m, &bias))) {
		at.vaddr = pc - bias;
	} else {
		at.pid = f->pid;
		at.generation = pt_spaces_generation(f->spaces, f->pid);
		at.anonymous = !m || pt_files_is_anonymous(m->file->path);
		at.jit = at.anonymous ? pt_jit_tag(f, pc) : 0;
		at.time_ns = f->time_ns;
	}
	return frames_places_intern(f, &at);
}

const struct pt_place_at *pt_frames_kernel_place(struct pt_frames *f, uint64_t pc)
{
	return frames_places_intern(f, &(struct pt_place_at){ .kernel = true,
						.vaddr = pc,
						.jit = pt_ksymbols_tag(&f->ksymbols, pc) });
}

const struct pt_place_at *pt_frames_place(struct pt_frames *f, uint32_t pid, bool kernel,
					  uint64_t addr, uint64_t time_ns)
{
	f->pid = pid;
	f->time_ns = time_ns;
	return kernel ? pt_frames_kernel_place(f, addr)
		      : pt_frames_user_place(f, pt_frames_mapping(f, addr), addr);
}

bool pt_frames_module_at(struct pt_frames *f, uint32_t pid, uint64_t addr,
			 struct pt_frames_module *out)
{
	const struct pt_mapping *m;
	const struct pt_object *o;
	uint64_t bias;

	f->pid = pid;
	m = pt_frames_mapping(f, addr);
	if (!m || !(o = frames_places_object_of(f, m, &bias)))
		return false;
	*out = (struct pt_frames_module){
		.path = m->file->path,
		.build_id = o->build_id,
		.base = bias + (o->nr_segments ? o->segments[0].vaddr & ~0xfffull : 0),
		.offset = pt_frames_shown_in(m, addr),
	};
	return true;
}

struct pt_build_id pt_frames_build_id(const struct pt_frames *f, const struct pt_place_at *at)
{
	if (at->kernel)
		return pt_kernel_build_id(f->kernel, at->vaddr);
	if (at->object || !at->file)
		return at->object ? at->object->build_id : (struct pt_build_id){ .len = 0 };
	return at->file->build_id.len ? at->file->build_id : pt_frames_told_id(f, at->file->path);
}

struct pt_frames_address pt_frames_address(const struct pt_place_at *at)
{
	struct pt_frames_address a = { .vaddr = at->vaddr };
	uint64_t end;

	a.has_entry = at->object && pt_cfi_range(at->object, at->vaddr, &a.entry, &end);
	return a;
}
