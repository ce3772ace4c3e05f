/* frames_priv.h - shared by frames.c, frames_places.c (places), frames_walk.c (stacks),
 * frames_names.c (names of places) and their sources frames_kernel.c, frames_jit.c, frames_vdso.c
 */
#ifndef PT_STACK_FRAMES_PRIV_H
#define PT_STACK_FRAMES_PRIV_H

#include "base/arena.h"
#include "base/diskcache.h"
#include "base/map.h"
#include "elf/files.h"
#include "dwarf/inlines.h"
#include "elf/symtab.h"
#include "record/read/source.h"
#include "task/spaces.h"
#include "stack/frames.h"

/* Kernel symbols: --kallsyms, --vmlinux, else /proc/kallsyms if the recorded kernel runs now (by
 * build-id), else what ~/.debug and /usr/lib/debug have by build-id. */
struct pt_kernel;
struct pt_kernel *pt_kernel_new(const char *kallsyms, const char *vmlinux, bool live);
void pt_kernel_free(struct pt_kernel *k);
/* Sets where tables are kept; called before the first name is asked for. */
void pt_kernel_use(struct pt_kernel *k, struct pt_diskcache *keep);
/* BPF programs at kernel addresses (frames_ksyms.c). Tag: the number of the program at an address
 * now, from 1, doubled, odd once it was unloaded; 0: unknown. */
struct pt_ksymbols {
	/* by address, disjoint: the latest */
	struct pt_ksymbol_span { uint64_t addr, end, number; bool gone; } *spans;
	size_t nr, cap;
	/* by number; before: it existed when the recording began */
	struct pt_ksymbol { uint64_t addr, end; char *name; bool before; } *programs;
	size_t nr_programs, cap_programs;
	uint64_t start, end;		/* the range that contains all of them */
};
void pt_ksymbols_feed(struct pt_ksymbols *k, const struct pt_record *rec);
void pt_ksymbols_deinit(struct pt_ksymbols *k);
uint64_t pt_ksymbols_tag(const struct pt_ksymbols *k, uint64_t addr);
/* The program of a tag; with tag 0 the one that was there before any record. NULL: none. */
const struct pt_ksymbol *pt_ksymbols_find(const struct pt_ksymbols *k, uint64_t addr, uint64_t tag);
/* MMAP */
void pt_kernel_feed(struct pt_frames *f, const struct pt_source *s, const struct pt_record *rec);
/* True: its table could not be read, since no more files may be opened. */
bool pt_kernel_refused(const struct pt_kernel *k);
/* NULL: not known. *module: "[kernel.kallsyms]", or the module's name in brackets. */
const char *pt_kernel_name(struct pt_kernel *k, uint64_t addr, const char **module,
			   uint64_t *offset);
/* The vmlinux that has the address, and the address in it; NULL: none, or not known. */
struct pt_object *pt_kernel_object(struct pt_kernel *k, uint64_t addr, uint64_t *vaddr);
struct pt_build_id pt_kernel_build_id(const struct pt_kernel *k, uint64_t addr);
/* As pt_frames_code(), from the vmlinux or from /proc/kcore; addresses are the recorded ones. */
bool pt_kernel_code(struct pt_kernel *k, uint64_t addr, struct pt_frames_code *code,
		    const char **why);
/* Why the kernel's addresses have no names; NULL: they have. */
const char *pt_kernel_why_not(const struct pt_kernel *k);

/* Code made at run time (frames_jit.c), of process f->pid at f->time_ns. */
struct pt_jit;
struct pt_place_at;
void pt_jit_free(struct pt_jit *j);
/* Called before pt_spaces_feed(), which forgets a program that ends; the second one after it. */
void pt_jit_feed(struct pt_frames *f, const struct pt_record *rec);
void pt_jit_see_mapping(struct pt_frames *f, const struct pt_record *rec);
/* The function at addr as an object of the dump's; NULL: no jitdump has it. */
struct pt_object *pt_jit_object(struct pt_frames *f, uint64_t addr, uint64_t *bias);
/* A recorded time in nanoseconds since 1970; 0: unknown. */
uint64_t pt_frames_wall(const struct pt_frames *f, uint64_t time_ns);
/* Tells places of one address apart: by the function there, or while that is unknown by the time.
 * 0: no need to. */
uint64_t pt_jit_tag(struct pt_frames *f, uint64_t addr);
/* False: unknown, *x is unchanged. */
bool pt_jit_name(struct pt_frames *f, const struct pt_place_at *at, struct pt_named_frame *x);
/* As pt_frames_code(), pt_frames_symbol() and pt_frames_source(), from the jitdump. */
bool pt_jit_code(struct pt_frames *f, const struct pt_place_at *at, struct pt_frames_code *code,
		 const char **why);
const char *pt_jit_symbol(struct pt_frames *f, const struct pt_place_at *at, uint64_t addr,
			  uint64_t *offset);
bool pt_jit_source(struct pt_frames *f, const struct pt_place_at *at, uint64_t addr,
		   struct pt_frames_source *s);

/* The kernel's images in processes: ours, and those of another word size (read from a process, or
 * found by build-id). */
struct pt_vdsos;
struct pt_vdsos *pt_vdsos_new(void);
void pt_vdsos_free(struct pt_vdsos *v);
/* NULL: there is none. `own`: ours will do for processes of our word size. `pid`: a live process
 * that has it; 0: none. */
struct pt_object *pt_vdsos_object(struct pt_vdsos *v, struct pt_files *files,
				  const struct pt_mapping *m, bool own, uint32_t pid);

/* a mapped file */
struct module {
	struct pt_object *object;
	bool rewritten;			/* in place, since it was opened: no names */
	const struct pt_symtab *symtab;	/* NULL until first asked for */
	/* the sections of PLT stubs, if symtab is that of a debug file, which has none */
	struct pt_section plt[PT_PLT_SECTIONS];
	size_t nr_plt;
	/* with inlines_known: its inlined functions; NULL: it has none */
	struct pt_inlines *inlines;
	bool inlines_known, inlines_loaded;
};

struct pt_place_at {
	struct pt_place_at *next;	/* same hash */
	/* NULL: the kernel's, or memory without a readable file */
	struct pt_object *object;
	uint64_t vaddr;			/* in the object; else the address to look up */
	/* without object: tells programs of a process apart (exec) */
	uint64_t generation;
	const struct pt_mapped_file *file;	/* NULL: the kernel's, or no mapping is known */
	uint64_t jit;			/* pt_jit_tag(), or of the kernel pt_ksymbols_tag() */
	uint64_t time_ns;		/* with a tag: the time of the first sample at this place */
	struct pt_named_frame *frames;	/* in all_places */
	uint32_t nr_frames;		/* 0 until asked for */
	uint32_t index;			/* 0, 1, ... as they come */
	uint32_t pid;			/* without object: the process */
	bool kernel;
	bool anonymous;			/* memory without a file: it may be JIT code */
	bool unknown;			/* it has no name yet, but JIT files may still bring one */
};

/* A place that an address of a process was in. */
enum { PT_SEEN_PLACES = 4096 };
struct seen_place {
	uint64_t pc, shown;		/* shown: what pt_frames_shown_in() adds */
	uint64_t maps;			/* valid as long as f->maps has this value */
	const struct pt_place_at *place;
	uint32_t pid;
};

/* The path of what is mapped there; NULL: not known. */
static inline const char *pt_place_module(const struct pt_place_at *at)
{
	return at->file ? at->file->path : NULL;
}

struct pt_frames {
	struct pt_frames_opts opts;
	char *arch;
	struct pt_spaces *spaces;
	struct pt_files *files;
	struct pt_unwinder *unwinder;
	struct pt_names *names;
	struct pt_map modules;		/* object: struct module */
	struct pt_map places;		/* hash: struct pt_place_at */
	struct pt_arena all_places;	/* and their names */
	uint32_t nr_places;
	struct seen_place *seen;	/* a cache of user code; NULL: live, where time matters */
	uint64_t maps;			/* changes with the maps of processes */
	/* raw name -> shown name */
	struct pt_map nice;
	struct pt_map jits;		/* program: struct pt_jit */
	/* time spent waiting for Java machines that did not answer */
	uint64_t jvm_ns;
	/* recorded, by pid: when its program began, its process ended */
	struct pt_map born, ended;
	bool has_dumps;
	struct {			/* what times are of */
		int clockid;		/* -1: the kernel's own */
		bool has_wall;		/* clock_ns was wall_ns since 1970 */
		bool here;		/* of this machine, by its name */
		uint64_t clock_ns, wall_ns;
		uint64_t shift, mult, zero;	/* of the CPU's counter; mult 0: not known */
	} clock;
	struct pt_vdsos *vdsos;
	/* processes have our own: live, or recorded under the kernel that runs here */
	bool own_vdso;
	bool same_release;		/* recorded under a kernel of this release */
	struct pt_kernel *kernel;
	struct pt_ksymbols ksymbols;
	/* Build-ids that the recorder found at paths when it ended. Interned path -> struct
	 * pt_build_id in all_places; len 0: several different ones. */
	struct pt_map told_ids;
	size_t nr_told;			/* how many of the source's build-ids were taken over */
	struct pt_diskcache *keep;		/* the cache on disk; NULL: nothing is kept */
	struct pt_named_frame *out;
	size_t nr_out, cap_out;
	struct pt_named_frame *all;	/* what pt_frames_of() gives */
	size_t cap_all;
	struct pt_frame *raw;		/* what the unwinder fills in */
	/* of the sample */
	const struct pt_place_at **stack;
	struct pt_frames_shown *shown;
	size_t nr, max;
	struct pt_frames_counts counts;
	/* When maps were read again: of processes whose address hit none, and of all after the
	 * kernel lost side-band records. */
	struct pt_map reread;		/* pid: when */
	uint64_t loss_ns;		/* when the kernel last lost side-band records; 0: never */
	uint64_t second, rereads;	/* `rereads` in this second of the records' time */
	/* of the sample being unwound */
	uint32_t pid;
	uint64_t time_ns;		/* UINT64_MAX: it has none */
	const struct pt_record *rec;
	uint64_t stack_start;
	/* reads memory that is in no copy and no file, see pt_frames_set_memory(); NULL: none */
	bool (*read)(void *ctx, uint64_t addr, void *to, size_t len);
	void *read_ctx;
	bool (*enough)(void *ctx);	/* see pt_frames_set_enough(); NULL: never */
	void *enough_ctx;
};

/* frames_places.c, for the process and time of `f`. Each place exists once, for the life of `f`. A
 * mapping may be NULL. */
static inline const struct pt_mapping *pt_frames_mapping(struct pt_frames *f, uint64_t addr)
{
	return pt_spaces_find(f->spaces, f->pid, addr);
}
/* NULL: not supported. */
static inline const struct pt_arch *pt_frames_arch(const struct pt_frames *f, uint64_t abi)
{
	return pt_arch_of(f->arch ? f->arch : "x86_64", abi);
}
const struct pt_place_at *pt_frames_user_place(struct pt_frames *f, const struct pt_mapping *m,
					       uint64_t pc);
const struct pt_place_at *pt_frames_kernel_place(struct pt_frames *f, uint64_t pc);
/* The address as perf script would show it. */
uint64_t pt_frames_shown_in(const struct pt_mapping *m, uint64_t addr);
/* The context is `f`. */
extern const struct pt_unwind_ops pt_frames_unwind_ops;

/* Build-ids of paths, for mappings without one (frames_ids.c): takes what is new. Len 0: none. */
void pt_frames_see_ids(struct pt_frames *f, const struct pt_source *s);
struct pt_build_id pt_frames_told_id(const struct pt_frames *f, const char *path);

/* The inlined functions that were looked up are kept in the cache. */
void pt_frames_module_free(struct pt_frames *f, struct module *m);
/* The name, demangled unless opts.no_demangle; interned. */
const char *pt_frames_nice_name(struct pt_frames *f, const char *raw);

/* Symbols of the variables of an object. */
const struct pt_symtab *pt_frames_data_symtab(struct pt_frames *f, struct pt_object *o);

#endif
