#include "view/frames.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/mem.h"
#include "code/files.h"
#include "code/inlines.h"
#include "code/names.h"
#include "code/symtab.h"
#include "task/spaces.h"
#include "view/frames_priv.h"

enum { DEFAULT_MAX = 1024, INLINES_MAX = 64, MAX_TEXT = 1 << 28 };

struct module {				/* what a mapped file is: its object, symbols, inlines; one an object */
	struct pt_object *object;
	const struct pt_symtab *symtab;	/* NULL until first asked for */
	struct pt_inlines *inlines;
	bool tried_debug;
};

struct names_at {			/* the frames of one address of an object (or the kernel, a JIT), kept */
	uint32_t nr;
	struct { const char *name; uint64_t offset; bool inlined; } at[];
};

struct pt_frames {
	struct pt_frames_opts opts;
	char *arch;
	struct pt_spaces *spaces;
	struct pt_files *files;
	struct pt_unwinder *unwinder;
	struct pt_names *names;
	struct pt_map modules;		/* object: struct module */
	struct pt_map known;		/* hash of (object, vaddr): struct names_at */
	struct pt_map jits;		/* pid: struct pt_jit */
	struct pt_object *vdso;
	struct pt_kernel *kernel;
	struct pt_named_frame *out;
	struct pt_frame *raw;
	size_t nr_out, cap_out, max;
	struct pt_frames_counts counts;
	/* of the sample being unwound */
	uint32_t pid;
	const struct pt_record *rec;
	uint64_t stack_start;
};

struct pt_frames *pt_frames_new(const struct pt_frames_opts *o)
{
	struct pt_frames *f = pt_alloc(sizeof(*f));
	const void *vdso = (const void *)getauxval(AT_SYSINFO_EHDR);

	f->opts = *o;
	f->max = o->max_stack ? o->max_stack : DEFAULT_MAX;
	f->spaces = pt_spaces_new();
	f->files = pt_files_new(&(struct pt_files_opts){ .symfs = o->symfs, .live = o->live });
	f->unwinder = pt_unwinder_new();
	f->names = pt_names_new();
	f->raw = pt_alloc_array(f->max + 1, sizeof(*f->raw));
	f->kernel = pt_kernel_new(o->kallsyms, o->vmlinux, o->live);
	if (vdso)	/* two pages and a half at most; its own headers say */
		pt_object_open_memory(&f->vdso, vdso, 8192, "[vdso]", NULL);
	return f;
}

static void drop_file(struct pt_mapped_file *file)
{
	free(file->user);
}

void pt_frames_free(struct pt_frames *f)
{
	struct pt_map_slot *s;
	size_t i;

	if (!f)
		return;
	for (i = 0; (s = pt_map_each(&f->modules, &i)); ) {
		struct module *m = (struct module *)(uintptr_t)s->value;

		pt_inlines_free(m->inlines);
		free(m);
	}
	for (i = 0; (s = pt_map_each(&f->known, &i)); )
		free((void *)(uintptr_t)s->value);
	for (i = 0; (s = pt_map_each(&f->jits, &i)); )
		pt_jit_free((struct pt_jit *)(uintptr_t)s->value);
	pt_map_deinit(&f->modules);
	pt_map_deinit(&f->known);
	pt_map_deinit(&f->jits);
	pt_spaces_free(f->spaces, drop_file);
	pt_unwinder_free(f->unwinder);
	pt_object_put(f->vdso);
	pt_files_free(f->files);
	pt_kernel_free(f->kernel);
	pt_names_free(f->names);
	free(f->arch);
	free(f->raw);
	free(f->out);
	free(f);
}

void pt_frames_feed(struct pt_frames *f, const struct pt_source *s, const struct pt_record *rec)
{
	const struct pt_info *info;

	if (!f->arch) {
		info = pt_source_info(s);
		f->arch = pt_strdup(info->arch ? info->arch : "x86_64");
	}
	switch (rec->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		if (f->opts.live)
			pt_files_see_process(f->files, rec->u.mmap.pid);
		pt_spaces_feed(f->spaces, rec);
		pt_kernel_feed(f->kernel, s, rec);
		break;
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		pt_spaces_feed(f->spaces, rec);
		break;
	case PERF_RECORD_KSYMBOL:
		pt_kernel_feed(f->kernel, s, rec);
		break;
	}
}

/* What is behind a mapping: found once a file. */
struct resolved { struct pt_object *object; };

static struct pt_object *object_of(struct pt_frames *f, const struct pt_mapping *m)
{
	struct pt_mapped_file *file = m->file;
	struct resolved *r = file->user;
	struct pt_file_query q = {
		.path = file->path, .pid = f->opts.live ? f->pid : file->pid, .start = m->start, .end = m->end,
		.maj = file->maj, .min = file->min, .ino = file->ino,
	};

	if (r)
		return r->object;
	r = file->user = pt_alloc(sizeof(*r));
	q.build_id.len = file->build_id_len;
	memcpy(q.build_id.bytes, file->build_id, sizeof(q.build_id.bytes));
	if (!strcmp(file->path, "[vdso]"))
		r->object = f->vdso;
	else if (q.build_id.len || !pt_files_is_anonymous(file->path))
		r->object = pt_files_object(f->files, &q);
	return r->object;
}

static bool bias_of(struct pt_frames *f, const struct pt_mapping *m, const struct pt_object *o, uint64_t *bias)
{
	uint64_t vaddr;

	if (o == f->vdso) {
		*bias = m->start;
		return true;
	}
	if (!pt_object_map_vaddr(o, m->pgoff, m->prot & PROT_EXEC, 4096, &vaddr) && !pt_object_map_vaddr(o, m->pgoff, true, 4096, &vaddr))
		return false;
	*bias = m->start - vaddr;
	return true;
}

static const struct pt_mapping *mapping_at(struct pt_frames *f, uint32_t pid, uint64_t addr)
{
	return pt_spaces_find(f->spaces, pid, addr);
}

static bool find_place(void *ctx, uint64_t addr, struct pt_place *p)
{
	struct pt_frames *f = ctx;
	const struct pt_mapping *m = mapping_at(f, f->pid, addr);

	if (!m)
		return false;
	*p = (struct pt_place){ .object = object_of(f, m), .exec = m->prot & PROT_EXEC };
	if (p->object && !bias_of(f, m, p->object, &p->bias))
		p->object = NULL;
	return true;
}

/* The dumped stack, then bytes of files that the process cannot have changed. */
static bool read_memory(void *ctx, uint64_t addr, void *to, size_t len)
{
	struct pt_frames *f = ctx;
	const struct pt_sample *s = &f->rec->sample;
	const struct pt_mapping *m;
	const struct pt_object *o;
	const uint8_t *bytes;
	uint64_t bias;

	if (addr >= f->stack_start && addr - f->stack_start < s->stack_len && s->stack_len - (addr - f->stack_start) >= len) {
		memcpy(to, (const uint8_t *)s->stack + (addr - f->stack_start), len);
		return true;
	}
	m = mapping_at(f, f->pid, addr);
	if (!m || (m->prot & PROT_WRITE) || !(o = object_of(f, m)) || !bias_of(f, m, o, &bias))
		return false;
	bytes = pt_object_bytes(o, addr - bias, len, false);
	if (!bytes)
		return false;
	memcpy(to, bytes, len);
	return true;
}

static const struct pt_unwind_ops unwind_ops = { find_place, read_memory };

static const char *nice_name(struct pt_frames *f, const char *raw)
{
	struct pt_buf b = PT_BUF_INIT;
	const char *name;

	if (!f->opts.no_demangle && pt_demangle(raw, &b))
		name = pt_names_add(f->names, b.data, b.len);
	else
		name = pt_names_add(f->names, raw, SIZE_MAX);
	pt_buf_deinit(&b);
	return name;
}

static struct module *module_of(struct pt_frames *f, struct pt_object *o)
{
	uint64_t *slot = pt_map_put(&f->modules, (uint64_t)(uintptr_t)o);
	struct module *m = (struct module *)(uintptr_t)*slot;
	struct pt_object *debug;

	if (m)
		return m;
	m = pt_alloc(sizeof(*m));
	*slot = (uint64_t)(uintptr_t)m;
	m->object = o;
	m->symtab = pt_symtab_of(o);
	debug = pt_symtab_full(m->symtab) && f->opts.no_inline ? NULL : pt_files_debug(f->files, o);
	if (debug && debug != o && !pt_symtab_full(m->symtab) && pt_symtab_nr(pt_symtab_of(debug)))
		m->symtab = pt_symtab_of(debug);
	if (debug && !f->opts.no_inline)
		m->inlines = pt_inlines_new(debug);
	return m;
}

static struct names_at *keep(struct pt_frames *f, uint64_t hash, uint32_t nr)
{
	struct names_at *n = pt_alloc(sizeof(*n) + nr * sizeof(n->at[0]));

	n->nr = nr;
	*pt_map_put(&f->known, hash) = (uint64_t)(uintptr_t)n;
	return n;
}

/* Frames of a place in an object, innermost first; none without symbol and debug information. */
static const struct names_at *names_of(struct pt_frames *f, struct pt_object *o, uint64_t vaddr)
{
	uint64_t hash = pt_hash64((uint64_t)(uintptr_t)o ^ pt_hash64(vaddr)), *slot = pt_map_get(&f->known, hash);
	struct pt_inline in[INLINES_MAX];
	const struct pt_symbol *sym;
	struct names_at *n;
	struct module *m;
	size_t nr = 0, i;

	if (slot)
		return (const struct names_at *)(uintptr_t)*slot;
	m = module_of(f, o);
	sym = pt_symtab_find(m->symtab, vaddr);
	if (m->inlines)
		nr = pt_inlines_at(m->inlines, vaddr, in, INLINES_MAX);
	n = keep(f, hash, nr ? (uint32_t)nr : sym ? 1 : 0);
	for (i = 0; i < n->nr; i++) {
		bool outermost = i + 1 == n->nr;

		n->at[i].inlined = !outermost;
		/* The function itself goes by its ELF symbol, the others by what DWARF says. */
		if (outermost && sym) {
			n->at[i].name = nice_name(f, sym->name);
			n->at[i].offset = vaddr - sym->vaddr;
		} else {
			n->at[i].name = nice_name(f, in[i].name);
		}
	}
	return n;
}

static void add_frame(struct pt_frames *f, const struct pt_named_frame *x)
{
	if (f->nr_out >= f->max)
		return;
	PT_GROW(f->out, f->nr_out, f->cap_out);
	f->out[f->nr_out++] = *x;
	f->counts.frames++;
	f->counts.unknown += !x->name;
}

static bool add_jit(struct pt_frames *f, uint64_t ip, uint64_t pc, const char *module)
{
	uint64_t generation = pt_spaces_generation(f->spaces, f->pid), *slot = pt_map_put(&f->jits, f->pid);
	const struct pt_symbol *sym;
	struct pt_jit *jit;

	if (!*slot)
		*slot = (uint64_t)(uintptr_t)pt_jit_new(f->pid, f->opts.live);
	jit = (struct pt_jit *)(uintptr_t)*slot;
	sym = pt_jit_find(jit, pc, generation);
	if (!sym)
		return false;
	add_frame(f, &(struct pt_named_frame){ PT_FRAME_JIT, ip, pt_names_add(f->names, sym->name, SIZE_MAX), module, pc - sym->vaddr });
	return true;
}

/* The frames of one user address; `o` NULL: looked up here. */
static void add_user(struct pt_frames *f, uint64_t ip, uint64_t pc)
{
	const struct pt_mapping *m = mapping_at(f, f->pid, pc);
	struct pt_object *o = m ? object_of(f, m) : NULL;
	const struct names_at *n = NULL;
	uint64_t bias;
	uint32_t i;

	if (o && bias_of(f, m, o, &bias))
		n = names_of(f, o, pc - bias);
	else if ((!m || pt_files_is_anonymous(m->file->path)) && add_jit(f, ip, pc, m ? m->file->path : NULL))
		return;
	for (i = 0; n && i < n->nr; i++)
		add_frame(f, &(struct pt_named_frame){ n->at[i].inlined ? PT_FRAME_INLINED : PT_FRAME_USER, ip, n->at[i].name, m->file->path, n->at[i].offset });
	if (!n || !n->nr)
		add_frame(f, &(struct pt_named_frame){ PT_FRAME_USER, ip, NULL, m ? m->file->path : NULL, 0 });
}

static void add_kernel(struct pt_frames *f, uint64_t ip, uint64_t pc)
{
	const char *module = "[kernel.kallsyms]";
	uint64_t offset = 0;
	const char *name = pt_kernel_name(f->kernel, pc, &module, &offset);

	f->counts.wrong_kernel |= !name && pt_kernel_is_other(f->kernel);
	add_frame(f, &(struct pt_named_frame){ PT_FRAME_KERNEL, ip, name ? pt_names_add(f->names, name, SIZE_MAX) : NULL, module, offset });
}

/* A recorded call chain: marks tell which part follows. With `user` false only the kernel's part. True when it had a user part. */
static bool add_chain(struct pt_frames *f, const uint64_t *ips, uint64_t nr, bool user)
{
	bool kernel = (f->rec->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL, had_user = false, first = true;
	uint64_t i;

	for (i = 0; i < nr; i++) {
		uint64_t ip = ips[i];

		if (ip >= (uint64_t)PERF_CONTEXT_MAX) {
			kernel = ip == (uint64_t)PERF_CONTEXT_KERNEL || ip == (uint64_t)PERF_CONTEXT_GUEST_KERNEL;
			first = true;
			continue;
		}
		had_user |= !kernel;
		if (kernel)
			add_kernel(f, ip, first ? ip : ip - 1);
		else if (user)
			add_user(f, ip, first ? ip : ip - 1);
		first = false;
	}
	return had_user;
}

static bool add_unwound(struct pt_frames *f, struct pt_frames_how *how)
{
	const struct pt_sample *s = &f->rec->sample;
	const struct pt_arch *a = pt_arch_of(f->arch ? f->arch : "x86_64", s->user_abi);
	struct pt_regs regs;
	size_t n, i;

	if (!a || s->user_abi == PERF_SAMPLE_REGS_ABI_NONE)
		return false;
	pt_arch_regs(a, s->user_mask, s->user_regs, &regs);
	f->stack_start = regs.r[a->sp];
	n = pt_unwind(f->unwinder, a, &unwind_ops, f, &regs, f->raw, f->max, &how->unwind);
	for (i = 0; i < n; i++)
		add_user(f, f->raw[i].ip, f->raw[i].pc);
	how->unwound = true;
	f->counts.ends[how->unwind.end]++;
	f->counts.guessed += how->unwind.guessed;
	return n > 0;
}

size_t pt_frames_of(struct pt_frames *f, const struct pt_record *rec, const struct pt_named_frame **frames, struct pt_frames_how *how)
{
	const struct pt_sample *s = &rec->sample;
	bool dwarf = (rec->has & PERF_SAMPLE_REGS_USER) && (rec->has & PERF_SAMPLE_STACK_USER), user = false;

	*how = (struct pt_frames_how){ .unwound = false };
	f->rec = rec;
	f->pid = rec->pid;
	f->nr_out = 0;
	if (f->opts.live)
		pt_files_see_process(f->files, rec->pid);
	if (rec->has & PERF_SAMPLE_CALLCHAIN)
		user = add_chain(f, s->callchain, s->nr_callchain, !dwarf);
	else if (!dwarf && (rec->has & PERF_SAMPLE_IP)) {
		bool kernel = (rec->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;

		if (kernel)
			add_kernel(f, s->ip, s->ip);
		else
			add_user(f, s->ip, s->ip);
		user = !kernel;
	}
	if (dwarf)
		user = add_unwound(f, how);
	how->kernel_only = !user;
	how->cut = f->nr_out >= f->max;
	f->counts.stacks++;
	*frames = f->out;
	return f->nr_out;
}

size_t pt_frames_at(struct pt_frames *f, uint32_t pid, bool kernel, uint64_t addr, const struct pt_named_frame **frames)
{
	f->pid = pid;
	f->nr_out = 0;
	if (kernel)
		add_kernel(f, addr, addr);
	else
		add_user(f, addr, addr);
	*frames = f->out;
	return f->nr_out;
}

struct pt_frames_counts pt_frames_counts(const struct pt_frames *f)
{
	struct pt_frames_counts c = f->counts;
	struct pt_files_counts files = pt_files_counts(f->files);

	c.missing_files = files.missing;
	c.other_builds = files.other_build;
	return c;
}
