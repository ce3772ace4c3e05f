/* frames_names.c - names of places: ELF symbols and DWARF inlines, the kernel's, JIT compilers' */
#include "stack/frames.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "elf/gotable.h"
#include "elf/names.h"
#include "stack/frames_priv.h"
#include "unwind/arch.h"

enum { INLINES_MAX = 64 };

void pt_frames_module_free(struct pt_frames *f, struct module *m)
{
	if (m->inlines_loaded)
		pt_inlines_save(m->inlines, f->keep, m->object);
	pt_inlines_free(m->inlines);
	free(m);
}

/* Demangles each name once. `raw` lives as long as f. */
const char *pt_frames_nice_name(struct pt_frames *f, const char *raw)
{
	uint64_t *slot = pt_map_put(&f->nice, pt_word_of(raw));

	if (!*slot) {
		struct pt_buf b = PT_BUF_INIT;
		const char *name;

		if (!f->opts.no_demangle && pt_demangle(raw, &b))
			name = pt_names_add(f->names, b.data, b.len);
		else
			name = pt_names_add(f->names, raw, SIZE_MAX);
		pt_buf_deinit(&b);
		*slot = pt_word_of(name);
	}
	return pt_pointer(*slot);
}

static struct module *frames_names_module_of(struct pt_frames *f, struct pt_object *o)
{
	uint64_t *slot = pt_map_put(&f->modules, pt_word_of(o));
	struct module *m = pt_pointer(*slot);
	struct pt_object *debug;

	if (m)
		return m;
	m = pt_alloc(sizeof(*m));
	*slot = pt_word_of(m);
	m->object = o;
	m->rewritten = f->opts.live && !pt_object_unchanged(o);
	if (m->rewritten)
		return m;
	m->symtab = pt_symtab_of(o);
	debug = pt_symtab_full(m->symtab) ? NULL : pt_files_debug(f->files, o);
	if (debug && debug != o && pt_symtab_nr(pt_symtab_of(debug))) {
		m->symtab = pt_symtab_of(debug);
		m->nr_plt = pt_symtab_plt_sections(o, m->plt);
	}
	return m;
}

/* NULL: no debug information, or neither inlined functions nor lines are wanted. */
static struct pt_inlines *inlines_of(struct pt_frames *f, struct module *m)
{
	struct pt_object *debug;

	if (m->inlines_known)
		return m->inlines;
	m->inlines_known = true;
	debug = f->opts.no_inline && !f->opts.lines ? NULL : pt_files_debug(f->files, m->object);
	m->inlines = debug ? pt_inlines_new(debug) : NULL;
	return m->inlines;
}

static void frames_names_add_name(struct pt_frames *f, const struct pt_named_frame *x)
{
	PT_GROW(f->out, f->nr_out, f->cap_out);
	f->out[f->nr_out++] = *x;
}

/* By Go's own table: as pt_inlines_lines_at(). */
static size_t go_frames_at(const struct module *m, uint64_t vaddr, struct pt_inline in[INLINES_MAX])
{
	const struct pt_gotable *go = pt_gotable_of(m->object);
	struct pt_goframe frames[INLINES_MAX];
	struct pt_gofunction f;
	size_t nr;

	if (!go || !pt_gotable_find(go, vaddr, &f))
		return 0;
	nr = pt_gotable_frames(go, &f, vaddr, frames, INLINES_MAX);
	for (size_t i = 0; i < nr; i++)
		in[i] = (struct pt_inline){ .name = frames[i].name,
					    .file = *frames[i].file ? frames[i].file : NULL,
					    .line = frames[i].line };
	return nr;
}

static size_t lines_at(struct pt_frames *f, struct module *m, uint64_t vaddr,
		       struct pt_inline in[INLINES_MAX])
{
	struct pt_inlines *inlines = inlines_of(f, m);
	size_t nr = inlines ? pt_inlines_lines_at(inlines, vaddr, in, INLINES_MAX) : 0;

	return nr ? nr : go_frames_at(m, vaddr, in);
}

/* The same without lines. Only these frames are kept on disk. */
static size_t names_at(struct pt_frames *f, struct module *m, uint64_t vaddr,
		       struct pt_inline in[INLINES_MAX])
{
	struct pt_inlines *inlines = inlines_of(f, m);

	if (!inlines)
		return go_frames_at(m, vaddr, in);
	if (!m->inlines_loaded)
		pt_inlines_load(inlines, f->keep, m->object);
	m->inlines_loaded = true;
	return pt_inlines_at(inlines, vaddr, in, INLINES_MAX);
}

/* The frames of an address, innermost first; without inlined functions, the place's own. */
static size_t inlines_at(struct pt_frames *f, struct module *m, uint64_t vaddr,
			 struct pt_inline in[INLINES_MAX])
{
	size_t nr = 0;

	if (f->opts.lines)
		nr = lines_at(f, m, vaddr, in);
	else if (!f->opts.no_inline)
		nr = names_at(f, m, vaddr, in);
	if (f->opts.no_inline && nr > 1) {
		in[0].name = in[nr - 1].name;
		nr = 1;
	}
	return nr;
}

static void set_line(struct pt_frames *f, struct pt_named_frame *x, const struct pt_inline *in)
{
	x->file = in->file && in->line ? pt_names_add(f->names, in->file, SIZE_MAX) : NULL;
	x->line = x->file ? in->line : 0;
}

/* A debug file has no PLT, but often a symbol without size (_init) that seems to cover it. */
static const struct pt_symtab *symtab_for(const struct module *m, uint64_t vaddr)
{
	size_t i;

	for (i = 0; i < m->nr_plt; i++)
		if (vaddr - m->plt[i].vaddr < m->plt[i].len_bytes)
			return pt_symtab_of(m->object);
	return m->symtab;
}

/* Innermost first; none without symbol and debug information. */
static void name_object(struct pt_frames *f, const struct pt_place_at *at)
{
	struct module *m = frames_names_module_of(f, at->object);
	struct pt_named_frame x = { .kind = PT_FRAME_INLINED, .module = pt_place_module(at) };
	struct pt_symbol sym;
	bool known;
	struct pt_inline in[INLINES_MAX];
	size_t nr, i;

	if (m->rewritten)		/* the file has another build's names now */
		return;
	known = pt_symtab_find(symtab_for(m, at->vaddr), at->vaddr, &sym);
	nr = inlines_at(f, m, at->vaddr, in);
	x.offset = known ? at->vaddr - sym.vaddr : 0;
	for (i = 0; i + 1 < nr; i++) {
		set_line(f, &x, &in[i]);
		x.name = pt_frames_nice_name(f, in[i].name);
		frames_names_add_name(f, &x);
	}
	/* The function itself has its ELF symbol's name, inlined ones have DWARF's. */
	x.kind = PT_FRAME_USER;
	if (!known && !nr)
		return;
	if (nr)
		set_line(f, &x, &in[nr - 1]);
	if (known || strcmp(in[nr - 1].name, "??"))
		x.name = pt_frames_nice_name(f, known ? sym.name : in[nr - 1].name);
	else
		x.name = NULL;
	frames_names_add_name(f, &x);
}

static const char *kernel_symbol(struct pt_frames *f, uint64_t addr, uint64_t tag,
				 const char **module, uint64_t *offset)
{
	const struct pt_ksymbol *b = pt_ksymbols_find(&f->ksymbols, addr, tag);
	/* something unknown may have taken the place of a program that is gone */
	const char *name =
		b && !(tag & 1) ? NULL : pt_kernel_name(f->kernel, addr, module, offset);

	if (name || !b)
		return name;
	*offset = addr - b->addr;
	*module = b->name;		/* as in perf, each is a file of its own */
	return b->name;
}

static void name_kernel(struct pt_frames *f, const struct pt_place_at *at)
{
	const char *module = "[kernel.kallsyms]", *name;
	uint64_t offset = 0;

	name = kernel_symbol(f, at->vaddr, at->jit, &module, &offset);
	if (!name)
		f->counts.no_kernel_names = pt_kernel_why_not(f->kernel);
	frames_names_add_name(f, &(struct pt_named_frame){ .kind = PT_FRAME_KERNEL,
					      .name = name ? pt_names_add(f->names, name, SIZE_MAX)
							   : NULL,
					      .module = pt_names_add(f->names, module, SIZE_MAX),
					      .offset = offset });
}

/* Shows the address instead of a name. */
static void name_by_address(struct pt_frames *f, const struct pt_place_at *at)
{
	char text[24];
	int len = snprintf(text, sizeof(text), "0x%llx", (unsigned long long)at->vaddr);

	f->counts.unnamed++;
	frames_names_add_name(
		f, &(struct pt_named_frame){ .kind = at->kernel ? PT_FRAME_KERNEL : PT_FRAME_USER,
					     .name = pt_names_add(f->names, text, (size_t)len),
					     .module = pt_place_module(at),
					     .is_address = true });
}

size_t pt_frames_name(struct pt_frames *f, const struct pt_place_at *at,
		      const struct pt_named_frame **frames)
{
	struct pt_place_at *to = (struct pt_place_at *)at;
	struct pt_named_frame x = { .kind = PT_FRAME_USER, .module = pt_place_module(at) };

	/* what is unknown may have been named by its compiler meanwhile */
	if (!to->nr_frames || (to->unknown && f->opts.live)) {
		f->nr_out = 0;
		if (f->enough && f->enough(f->enough_ctx))
			name_by_address(f, at);
		else if (at->kernel)
			name_kernel(f, at);
		else if (at->object)
			name_object(f, at);
		else if (at->anonymous)
			to->unknown = !pt_jit_name(f, at, &x);
		if (!f->nr_out)
			frames_names_add_name(f, &x);
		if (to->nr_frames < f->nr_out)
			to->frames = pt_arena_alloc(&f->all_places,
						    f->nr_out * sizeof(*f->out));
		memcpy(to->frames, f->out, f->nr_out * sizeof(*f->out));
		to->nr_frames = (uint32_t)f->nr_out;
	}
	*frames = to->frames;
	return to->nr_frames;
}

bool pt_frames_code(struct pt_frames *f, const struct pt_place_at *at, struct pt_frames_code *code,
		    const char **why)
{
	const struct pt_arch *arch = at->object ? pt_arch_of_machine(at->object->machine) : NULL;
	struct pt_symbol s;
	struct module *m;

	*why = NULL;
	if (at->kernel) {
		*code = (struct pt_frames_code){ .path = "[kernel.kallsyms]", .arch = f->arch };
		if (!pt_ksymbols_find(&f->ksymbols, at->vaddr, at->jit))
			return pt_kernel_code(f->kernel, at->vaddr, code, why);
		*why = "code of BPF programs is not read";
	}
	else if (!at->object && !at->anonymous)
		*why = "the file that ran is not here";
	if (*why)
		return false;
	if (!at->object)
		return pt_jit_code(f, at, code, why);
	m = frames_names_module_of(f, at->object);
	if (m->rewritten)
		*why = "the file was rewritten since";
	else if (!pt_symtab_find(symtab_for(m, at->vaddr), at->vaddr, &s))
		*why = "the file has no symbol for it";
	if (*why)
		return false;
	*code = (struct pt_frames_code){
		.name = pt_frames_nice_name(f, s.name),
		.path = pt_place_module(at),
		/* a CPU whose stacks are not unwound is the recorded one */
		.arch = arch ? arch->name : f->arch ? f->arch : "",
		.start = s.vaddr,
		.end = s.end,
		.object = at->object,
		.bytes = pt_object_bytes(at->object, s.vaddr, s.end - s.vaddr, false),
	};
	if (!code->bytes)
		*why = "its code is not in the file";
	return code->bytes;
}

const char *pt_frames_symbol(struct pt_frames *f, const struct pt_place_at *at, uint64_t vaddr,
			     uint64_t *offset)
{
	struct module *m = at->object ? frames_names_module_of(f, at->object) : NULL;
	const char *module;
	struct pt_symbol s;

	if (at->kernel)
		return kernel_symbol(f, vaddr, 0, &module, offset);
	if (!m && at->anonymous)
		return pt_jit_symbol(f, at, vaddr, offset);
	if (!m || m->rewritten ||
	    (!pt_symtab_find(symtab_for(m, vaddr), vaddr, &s) &&
	     !pt_symtab_find(pt_frames_data_symtab(f, at->object), vaddr, &s)))
		return NULL;
	*offset = vaddr - s.vaddr;
	return pt_frames_nice_name(f, s.name);
}

bool pt_frames_source(struct pt_frames *f, const struct pt_place_at *at, uint64_t vaddr,
		      struct pt_frames_source *s)
{
	struct pt_inline in[INLINES_MAX];
	struct pt_object *o = at->kernel ? pt_kernel_object(f->kernel, vaddr, &vaddr) : at->object;
	struct module *m = o ? frames_names_module_of(f, o) : NULL;
	size_t nr = m && !m->rewritten ? lines_at(f, m, vaddr, in) : 0;

	if (!m && at->anonymous)
		return pt_jit_source(f, at, vaddr, s);
	if (!nr || !in[0].file || !in[0].line)
		return false;
	*s = (struct pt_frames_source){ .function = pt_frames_nice_name(f, in[0].name),
					.file = pt_names_add(f->names, in[0].file, SIZE_MAX),
					.line = in[0].line,
					.depth = (unsigned)nr - 1 };
	return true;
}
