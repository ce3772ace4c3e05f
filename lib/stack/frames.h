/* frames.h - turns a sample into named frames: unwinds the stack, finds symbols, adds inlined
 * functions.
 *
 *     struct pt_frames *f = pt_frames_new(&opts);
 *     while (pt_source_next(s, &rec, &e) > 0) {
 *             pt_frames_feed(f, s, rec);                     // every record: maps, execs
 *             if (rec->type == PERF_RECORD_SAMPLE)
 *                     // innermost first, good until the next call
 *                     n = pt_frames_of(f, rec, &frames, &how);
 *     }
 *
 * A live session must not read debug files while its rings fill. It works in two steps:
 * pt_frames_places() while records come, pt_frames_name() at the end. A place is an address in an
 * object. Equal places are equal pointers, which are valid for the life of pt_frames.
 *
 * The kernel part of a stack is the recorded call chain. The user part is unwound by CFI
 * (unwind/unwind.h) if registers and stack were recorded; else it is the call chain, else the
 * branch records (lbr). Names come from ELF symbols and DWARF of the build that ran (by build-id),
 * from the symbols of the recorded kernel, and from jitdumps and perf-PID.map. Each address is
 * looked up once. Names are interned: equal names are equal pointers for the life of pt_frames. */
#ifndef PT_STACK_FRAMES_H
#define PT_STACK_FRAMES_H

#include "base/err.h"
#include "unwind/unwind.h"
#include "record/source.h"

struct pt_frames_opts {
	bool no_inline, no_demangle;
	/* fetch missing debug files (elf/debuginfod.h): naming may take long */
	bool debuginfod;
	const char *symfs, *kallsyms, *vmlinux;		/* NULL: not given */
	bool live;
	uint64_t max_stack;		/* 0: 1024 */
	bool lines;			/* look up lines of source */
	const struct pt_unwind_by *by;	/* in place of pt_unwind(); or NULL */
};

enum pt_frame_kind {
	PT_FRAME_USER,
	PT_FRAME_KERNEL,
	PT_FRAME_JIT,
	PT_FRAME_INLINED,		/* in user or kernel code, from DWARF */
};

struct pt_named_frame {
	enum pt_frame_kind kind;
	/* as on the stack; for inlined frames that of the enclosing function */
	uint64_t ip;
	const char *name;		/* NULL: unknown */
	/* name is an address, since naming was ended early (pt_frames_set_enough()) */
	bool is_address;
	/* path of the object, "[kernel.kallsyms]", "[vdso]", "//anon"; NULL: no mapping */
	const char *module;
	/* distance of the looked-up address from the ELF symbol, for inlined frames too; 0 without
	 * a symbol */
	uint64_t offset;
	/* The address as perf script shows it: the looked-up one for unwound stacks, else the
	 * recorded one; for user programs an offset in the file. */
	uint64_t shown;
	/* `shown` minus the looked-up address, which perf includes in offsets */
	uint32_t past;
	const char *file;		/* source file, if asked for; NULL: unknown */
	uint32_t line;			/* 0: not known */
};

struct pt_frames_how {
	bool kernel_only;		/* there is no user part (kernel thread, excluded) */
	bool unwound;			/* by registers and stack copy */
	struct pt_unwind_result unwind;
	/* unwind.end is STACK, for the kernel could copy nothing (amid exec, or a page fault of the
	 * stack itself) */
	bool no_copy;
	/* the same: the stack goes on where no copy from its top would reach */
	bool elsewhere;
	/* of the outermost frame that was unwound: where it ended; NULL: no mapping */
	const char *module;
	bool cut;			/* longer than max_stack */
};

struct pt_frames;
/* one address of an object, of the kernel, or of a process's memory without a file */
struct pt_place_at;
struct pt_frames *pt_frames_new(const struct pt_frames_opts *o);
void pt_frames_free(struct pt_frames *f);
void pt_frames_feed(struct pt_frames *f, const struct pt_source *s, const struct pt_record *rec);
size_t pt_frames_of(struct pt_frames *f, const struct pt_record *rec,
		    const struct pt_named_frame **frames, struct pt_frames_how *how);
/* The user part of its stack is made of its branch records (lbr): branches[0].to, then each
 * `from` */
bool pt_frames_uses_branches(const struct pt_record *rec);
/* The places of a sample, innermost first, good until the next call; nothing is named yet.
 * pt_frames_named() gives the frames of these. */
size_t pt_frames_places(struct pt_frames *f, const struct pt_record *rec,
			const struct pt_place_at *const **places, struct pt_frames_how *how);
/* The same places with what a line of each shows; see struct pt_named_frame. */
struct pt_frames_shown { const struct pt_place_at *place; uint64_t shown; uint32_t past; };
size_t pt_frames_as_shown(const struct pt_frames *f, const struct pt_frames_shown **shown);
size_t pt_frames_named(struct pt_frames *f, const struct pt_named_frame **frames);
/* The frames of a place, inlined ones first; at least one. Good until the next call. `ip`, `shown`
 * and `past` of each are 0. */
size_t pt_frames_name(struct pt_frames *f, const struct pt_place_at *at,
		      const struct pt_named_frame **frames);
/* There is a file behind the place, or it is the kernel's: its names are for good once they were
 * asked for. */
bool pt_frames_has_file(const struct pt_place_at *at);
/* Where a place is: its address in the object (without one: in memory), and where the code around
 * it begins by the unwind information of the object. */
struct pt_frames_address { uint64_t vaddr, entry; bool has_entry; };
struct pt_frames_address pt_frames_address(const struct pt_place_at *at);
/* The function that a place is in, by the symbols of its file, and the function's code. */
struct pt_frames_code {
	const char *name;		/* as frames have it */
	const char *path;		/* of the file; arch: of its code, as uname -m */
	const char *arch;
	/* addresses in the file's own numbering; of the kernel and of code made at run time: in
	 * memory */
	uint64_t start, end;
	const uint8_t *bytes;		/* of the file */
	const struct pt_object *object;
};
/* False: there is no code to show; *why, a constant text, says why. */
bool pt_frames_code(struct pt_frames *f, const struct pt_place_at *at, struct pt_frames_code *code,
		    const char **why);
/* The function or variable at an address of the same file; NULL: none. */
const char *pt_frames_symbol(struct pt_frames *f, const struct pt_place_at *at, uint64_t vaddr,
			     uint64_t *offset);
/* The source line of an address of the same file, in the innermost inlined function; depth: how
 * many functions around it it is inlined into. Needs opts.lines only if opts.no_inline is set.
 * False: not known. */
struct pt_frames_source { const char *function, *file; uint32_t line; unsigned depth; };
bool pt_frames_source(struct pt_frames *f, const struct pt_place_at *at, uint64_t vaddr,
		      struct pt_frames_source *s);
/* Places are numbered from 0 on as they come: for what a caller remembers of them. */
uint32_t pt_frames_index(const struct pt_place_at *at);
/* One address of a process (or the kernel's): its frames, inlined ones first. For pt-script's `sym`
 * of a sample's ip or addr. Time of the sample, UINT64_MAX: not known. */
size_t pt_frames_at(struct pt_frames *f, uint32_t pid, bool kernel, uint64_t addr, uint64_t time_ns,
		    const struct pt_named_frame **frames);
const struct pt_place_at *pt_frames_place(struct pt_frames *f, uint32_t pid, bool kernel,
					  uint64_t addr, uint64_t time_ns);
/* The same of data: variables' names where the object has them, no inlined frames. */
struct pt_named_frame pt_frames_data_at(struct pt_frames *f, uint32_t pid, bool kernel,
					uint64_t addr, uint64_t time_ns);

/* Of a live session, before its first name: it is over, and nothing waits any more. Until then
 * nothing is kept, and of what earlier runs kept only the kernel's symbols are used (base/keep.h).
 * A session that names while it records does without. */
void pt_frames_settle(struct pt_frames *f);
/* Reads the maps of a live process as they are now, for stacks that come from no recording
 * (task/halt.h). False: it is gone, or may not be read. */
bool pt_frames_read_maps(struct pt_frames *f, uint32_t pid);
/* Where memory is read that neither stack copy nor files have (task/halt.h), for the samples that
 * follow; NULL: nowhere. */
void pt_frames_set_memory(struct pt_frames *f,
			  bool (*read)(void *ctx, uint64_t addr, void *to, size_t len), void *ctx);
/* What is mapped at an address of a process: its path, build-id, and where its first byte would be.
 * False: no file. */
struct pt_frames_module { const char *path; struct pt_build_id build_id; uint64_t base; };
bool pt_frames_module_at(struct pt_frames *f, uint32_t pid, uint64_t addr,
			 struct pt_frames_module *m);
/* A module that is memory without a file, where a JIT compiler's code may be. */
bool pt_frames_is_anonymous(const char *module);
/* Asked before a place is named: once it is true, places that have no names yet get none, but their
 * address. They are counted (pt_frames_counts, unnamed). NULL: always false. */
void pt_frames_set_enough(struct pt_frames *f, bool (*enough)(void *ctx), void *ctx);

struct pt_frames_counts {
	uint64_t stacks, frames, unknown;	/* unknown: frames without a name */
	uint64_t ends[PT_UNWIND_NR];		/* how unwound stacks ended */
	uint64_t unnamed;		/* places left without names, since that was enough */
	/* no more may be open: RLIMIT_NOFILE, or the system's table is full */
	uint64_t refused_files;
	uint64_t unmapped_files;	/* no more may be mapped: vm.max_map_count */
	bool refused_kernel;		/* among them the kernel's symbols */
	/* programs whose perf-PID.map or jitdump was not believed: another user's, anybody's to
	 * write, or older than the program */
	uint64_t jit_refused;
	/* recorded: files of theirs that other users own, or that were written to when the process
	 * had ended; used */
	uint64_t jit_doubtful;
	/* places where several functions were by and by, the recording's clock not being the
	 * jitdump's: the last one is named */
	uint64_t jit_timeless;
	/* the same: it is the CPU's counter, which recordings by the kernel's own clock know, and
	 * no others */
	bool jit_counter;
	/* kernel addresses came, and for this reason they have no names; NULL: they have, or none
	 * came */
	const char *no_kernel_names;
};
struct pt_frames_counts pt_frames_counts(const struct pt_frames *f);
/* Files that were not read to their end, as that would have taken too much (base/budget.h). */
void pt_frames_limits(const struct pt_frames *f,
		      void (*each)(void *arg, const char *path, const struct pt_budget *b),
		      void *arg);

#endif
