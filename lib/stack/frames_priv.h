/* frames_priv.h - shared by frames.c (what it is fed, and asked), frames_places.c (places),
 * frames_walk.c (stacks), frames_names.c (names of places), frames_kernel.c and frames_jit.c (where
 * those come from). */
#ifndef PT_STACK_FRAMES_PRIV_H
#define PT_STACK_FRAMES_PRIV_H

#include "base/arena.h"
#include "base/keep.h"
#include "base/map.h"
#include "elf/files.h"
#include "dwarf/inlines.h"
#include "elf/symtab.h"
#include "record/source.h"
#include "task/spaces.h"
#include "stack/frames.h"

/* Kernel symbols: --kallsyms, --vmlinux, else /proc/kallsyms when the recording was made by the
 * kernel that runs now (build-id of its notes), else what is found by build-id in ~/.debug and
 * /usr/lib/debug. */
struct pt_kernel;
struct pt_kernel *pt_kernel_new(const char *kallsyms, const char *vmlinux, bool live);
void pt_kernel_free(struct pt_kernel *k);
/* where tables are kept; before the first name */
void pt_kernel_use(struct pt_kernel *k, struct pt_keep *keep);
/* What came and went in the kernel: the side that sees records numbers it (frames_ksyms.c). See:
 * the number of what came, 0: nothing did. Tag: what was at an address when asked, and whether it
 * was gone by then; 0: nothing that is known. */
struct pt_ksymbols;
struct pt_ksymbols *pt_ksymbols_new(void);
void pt_ksymbols_free(struct pt_ksymbols *k);
uint64_t pt_ksymbols_see(struct pt_ksymbols *k, uint64_t addr, uint64_t end, bool gone);
uint64_t pt_ksymbols_tag(const struct pt_ksymbols *k, uint64_t addr);
/* MMAP, KSYMBOL: takes what they tell of the kernel. */
void pt_kernel_feed(struct pt_kernel *k, struct pt_ksymbols *symbols, const struct pt_source *s,
		    const struct pt_record *rec);
/* its table could not be opened, since no more files may be */
bool pt_kernel_refused(const struct pt_kernel *k);
/* NULL: not known. *module: "[kernel.kallsyms]", or the module's name in brackets. */
const char *pt_kernel_name(struct pt_kernel *k, uint64_t addr, uint64_t tag, const char **module,
			   uint64_t *offset);
/* The vmlinux that has the address, and the address in it; NULL: none, or not known. */
struct pt_object *pt_kernel_object(struct pt_kernel *k, uint64_t addr, uint64_t *vaddr);
/* As pt_frames_code(), from the vmlinux or from /proc/kcore; addresses are the recorded ones. */
bool pt_kernel_code(struct pt_kernel *k, uint64_t addr, uint64_t tag, struct pt_frames_code *code,
		    const char **why);
/* why addresses of the kernel itself have no names; NULL: they have */
const char *pt_kernel_why_not(const struct pt_kernel *k);

/* The build-ids that a recording has by path (frames_ids.c). Seen again: what came since. Len 0:
 * none. */
struct pt_path_ids;
struct pt_path_ids *pt_path_ids_new(void);
void pt_path_ids_free(struct pt_path_ids *p);
void pt_path_ids_see(struct pt_path_ids *p, const struct pt_source *s);
struct pt_build_id pt_path_ids_of(const struct pt_path_ids *p, const char *path);

/* Code made at run time: frames_jit.c. The sample is f->pid's, at f->time_ns. */
struct pt_jit;
struct pt_place_at;
void pt_jit_free(struct pt_jit *j);
void pt_jit_limits(const struct pt_jit *j,
		   void (*each)(void *arg, const char *path, const struct pt_budget *b), void *arg);
/* MMAP behind pt_spaces_feed(), the others in front of it */
void pt_jit_feed(struct pt_frames *f, const struct pt_record *rec);
/* The function at addr as an object, if a jitdump holds it; else NULL. The dump's. */
struct pt_object *pt_jit_object(struct pt_frames *f, uint64_t addr, uint64_t *bias);
/* Of the recording's clock in nanoseconds since 1970; 0: not known. */
uint64_t pt_frames_wall(const struct pt_frames *f, uint64_t time_ns);
/* What tells places apart that have their address in common: which function was there, or, not
 * known yet, when. 0: there is nothing to tell apart. */
uint64_t pt_jit_tag(struct pt_frames *f, uint64_t addr);
bool pt_jit_name(struct pt_frames *f, const struct pt_place_at *at, struct pt_named_frame *x);
/* As pt_frames_code(), pt_frames_symbol() and pt_frames_source(), from the jitdump. */
bool pt_jit_code(struct pt_frames *f, const struct pt_place_at *at, struct pt_frames_code *code,
		 const char **why);
const char *pt_jit_symbol(struct pt_frames *f, const struct pt_place_at *at, uint64_t addr,
			  uint64_t *offset);
bool pt_jit_source(struct pt_frames *f, const struct pt_place_at *at, uint64_t addr,
		   struct pt_frames_source *s);

/* The kernel's images in processes: our own, those of programs of another word size (read from one
 * of them, or found by build-id). */
struct pt_vdsos;
struct pt_vdsos *pt_vdsos_new(void);
void pt_vdsos_free(struct pt_vdsos *v);
/* NULL: it cannot be had. `own`: ours will do for processes of our word size. `pid`: a live process
 * that has it, 0: none. */
struct pt_object *pt_vdsos_object(struct pt_vdsos *v, struct pt_files *files,
				  const struct pt_mapping *m, bool own, uint32_t pid);

/* what a mapped file is: its object, symbols, inlines; one an object */
struct module {
	struct pt_object *object;
	bool rewritten;			/* in place, since it was opened: no names */
	const struct pt_symtab *symtab;	/* NULL until first asked for */
	/* symtab is a debug file's, which has no PLT: the object's own */
	struct pt_section plt[PT_PLT_SECTIONS];
	size_t nr_plt;
	struct pt_object *debug;	/* what the inlines are read from */
	struct pt_inlines *inlines;
	struct pt_kept kept;		/* what earlier runs knew of them */
	size_t saved;			/* so much of what was learned is kept */
};

struct pt_place_at {
	struct pt_place_at *next;	/* same hash */
	bool kernel;
	/* NULL: the kernel's, or memory without a file that can be read */
	struct pt_object *object;
	uint64_t vaddr;			/* in the object; else the address to look up */
	uint32_t pid;			/* without object: whose, and of which of its programs */
	uint64_t generation;
	const char *module;		/* interned by pt_spaces */
	bool anonymous;			/* JIT symbols may be had */
	uint64_t jit;			/* pt_jit_tag(); the kernel's: pt_ksymbols_tag() */
	uint64_t time_ns;		/* of the first sample that was here; with a tag */
	uint32_t index;			/* 0, 1, ... as they come */
};

struct named {				/* what is known of a place, by its index */
	struct pt_named_frame *frames;	/* NULL until asked for */
	uint32_t nr;
	/* JIT symbols were not there when last asked for: they may come */
	bool unknown;
};

struct pt_frames {
	struct pt_frames_opts opts;
	char *arch;
	struct pt_spaces *spaces;
	struct pt_files *files;
	struct pt_unwinder *unwinder;
	struct pt_names *names;
	struct pt_map modules;		/* object: struct module */
	struct pt_map places;		/* hash: struct pt_place_at */
	struct pt_arena all_places;
	uint32_t nr_places;
	struct named *named;		/* of the first so many places */
	size_t nr_named;
	/* address of a name as it is in a file: the one to show, of `names` */
	struct pt_map nice;
	struct pt_map jits;		/* program: struct pt_jit */
	/* recorded: pid: when its program began, its process ended */
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
	/* our own is the processes': live, or the recording was made by the kernel that runs here
	 */
	bool own_vdso;
	struct pt_kernel *kernel;
	struct pt_ksymbols *ksymbols;
	struct pt_path_ids *path_ids;
	struct pt_keep *keep;		/* NULL: nothing is kept */
	struct pt_named_frame *out;
	size_t nr_out, cap_out;
	struct pt_named_frame *all;	/* what pt_frames_of() gives */
	size_t cap_all;
	struct pt_frame *raw;		/* of the unwinder */
	/* of the sample: places, and the addresses on the stack */
	const struct pt_place_at **stack;
	uint64_t *ips;
	struct pt_frames_shown *shown;
	size_t nr, max;
	struct pt_frames_counts counts;
	/* Maps read again: processes whose address hit none, and all after the kernel lost
	 * side-band records. */
	struct pt_map reread;		/* pid: when */
	uint64_t loss_ns;		/* of the last; 0: none */
	uint64_t second, rereads;	/* so many in this second of the records' time */
	/* of the sample being unwound */
	uint32_t pid;
	uint64_t time_ns;		/* UINT64_MAX: it has none */
	const struct pt_record *rec;
	uint64_t stack_start;
	/* other memory; NULL: none */
	bool (*read)(void *ctx, uint64_t addr, void *to, size_t len);
	void *read_ctx;
	bool (*enough)(void *ctx);	/* no more names; NULL: never */
	void *enough_ctx;
};

/* frames_places.c: of the process and the time that `f` has. A place is there once and lives as
 * long as `f`; a mapping may be NULL. */
static inline const struct pt_mapping *pt_frames_mapping(struct pt_frames *f, uint32_t pid,
							 uint64_t addr)
{
	return pt_spaces_find(f->spaces, pid, addr);
}
const struct pt_place_at *pt_frames_user_place(struct pt_frames *f, const struct pt_mapping *m,
					       uint64_t pc);
const struct pt_place_at *pt_frames_kernel_place(struct pt_frames *f, uint64_t pc);
/* how perf script would show it */
uint64_t pt_frames_shown_in(struct pt_frames *f, const struct pt_mapping *m, uint64_t addr);
/* Mappings, and memory: the stack of the sample, bytes of files. The context is `f`. */
extern const struct pt_unwind_ops pt_frames_unwind_ops;

/* what it learned is kept */
void pt_frames_module_free(struct pt_frames *f, struct module *m);
/* demangled, unless that is not wanted; interned */
const char *pt_frames_nice_name(struct pt_frames *f, const char *raw);

/* Symbols of the variables of an object. */
const struct pt_symtab *pt_frames_data_symtab(struct pt_frames *f, struct pt_object *o);

#endif
