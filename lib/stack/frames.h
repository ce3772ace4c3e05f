/* frames.h - turns a sample into named frames: unwinds the stack, finds symbols, adds inlined
 * functions.
 *
 *     struct pt_frames *f = pt_frames_new(&opts);
 *     while (pt_source_next(s, &rec, &e) > 0) {
 *             pt_frames_feed(f, s, rec);                     // every record: maps, execs
 *             if (rec->type == PERF_RECORD_SAMPLE)
 *                     n = pt_frames_of(f, rec, &frames, &how);   // innermost first
 *     }
 *
 * A live session must not read debug files while its rings fill: it calls pt_frames_places() while
 * records come and pt_frames_name() at the end. A place is an address in an object. Equal places
 * are equal pointers, valid for the life of pt_frames.
 *
 * The kernel part of a stack is the recorded call chain. The user part is unwound by CFI
 * (unwind/unwind.h) if registers and stack were recorded, and goes on by the call chain where that
 * ends and the chain has the same frame; else it is the call chain, or the branch records (lbr).
 * Names come from ELF symbols and DWARF of the build that ran (by build-id), the symbols of the
 * recorded kernel, jitdumps and perf-PID.map. Names are interned: equal names are equal pointers
 * for the life of pt_frames. */
#ifndef PT_STACK_FRAMES_H
#define PT_STACK_FRAMES_H

#include "base/err.h"
#include "unwind/unwind.h"
#include "record/read/source.h"

struct pt_frames_opts {
	bool no_inline, no_demangle;
	/* fetch missing debug files (elf/debuginfod.h), which may take long */
	bool debuginfod;
	bool jvm;			/* ask Java virtual machines for names (stack/jvm.h) */
	const char *symfs, *kallsyms, *vmlinux;		/* NULL: not given */
	/* of the recordings (stack/archive.h); the caller's, as long as the pt_frames */
	const char *const *archives;
	size_t nr_archives;
	bool live;
	uint64_t max_stack;		/* 0: 1024 */
	bool lines;			/* look up lines of source */
	/* another unwinder, used in place of pt_unwind(); NULL: none */
	const struct pt_unwind_by *by;
};

enum pt_frame_kind {
	PT_FRAME_USER,
	PT_FRAME_KERNEL,
	PT_FRAME_JIT,
	PT_FRAME_INLINED,		/* in user or kernel code, from DWARF */
};

struct pt_named_frame {
	enum pt_frame_kind kind;
	/* as on the stack; of inlined frames the enclosing function's */
	uint64_t ip;
	const char *name;		/* NULL: unknown */
	/* name is an address: naming was ended early (pt_frames_set_enough()) */
	bool is_address;
	/* path of the object, "[kernel.kallsyms]", "[vdso]", "//anon"; NULL: no mapping */
	const char *module;
	/* from the ELF symbol to the looked-up address, also of inlined frames; 0: no symbol */
	uint64_t offset;
	/* The address as perf script shows it: the looked-up one of unwound stacks, else the
	 * recorded one; of user programs an offset in the file. */
	uint64_t shown;
	/* `shown` minus the looked-up address; perf includes it in offsets */
	uint32_t past;
	const char *file;		/* source file, if asked for; NULL: unknown */
	uint32_t line;			/* 0: not known */
};

struct pt_frames_how {
	/* No stack was recorded (not asked for, or an empty call chain: s390x has none of user
	 * code): the sample's address is its only place. */
	bool ip_alone;
	/* the user part was unwound, by registers and a copy of the stack */
	bool unwound;
	struct pt_unwind_result unwind;
	/* unwind.end is STACK because the kernel copied nothing (during exec, or in a page fault of
	 * the stack) */
	bool no_copy;
	/* unwind.end is STACK because the stack goes on elsewhere (after a signal's own stack, a
	 * coroutine's), where no copy reaches */
	bool elsewhere;
	/* the kernel's call chain, which led beyond the copy, ends at its limit of frames
	 * (kernel.perf_event_max_stack) */
	bool chain_is_full;
	/* the largest copy would hold more frames than this stack has, if all were as large */
	bool larger_copy_helps;
	/* of the outermost unwound frame; NULL: no mapping */
	const char *module;
	bool cut;			/* the stack was longer than max_stack */
	/* A caller by the recorded call chain is an address where nothing is mapped: code without
	 * frame pointers had something else in that register. */
	bool stray;
};

struct pt_frames;
/* an address of an object, of the kernel, or of a process's memory without a file */
struct pt_place_at;
struct pt_frames *pt_frames_new(const struct pt_frames_opts *o);
void pt_frames_free(struct pt_frames *f);
void pt_frames_feed(struct pt_frames *f, const struct pt_source *s, const struct pt_record *rec);
size_t pt_frames_of(struct pt_frames *f, const struct pt_record *rec,
		    const struct pt_named_frame **frames, struct pt_frames_how *how);
/* True: branch records (lbr) are the user part: branches[0].to, then each `from`. */
bool pt_frames_uses_branches(const struct pt_record *rec);
/* The places of a sample, innermost first, valid until the next call. pt_frames_named() gives their
 * frames. */
size_t pt_frames_places(struct pt_frames *f, const struct pt_record *rec,
			const struct pt_place_at *const **places, struct pt_frames_how *how);
/* The same places with `ip`, `shown` and `past` of struct pt_named_frame. */
struct pt_frames_shown { const struct pt_place_at *place; uint64_t ip, shown; uint32_t past; };
size_t pt_frames_as_shown(const struct pt_frames *f, const struct pt_frames_shown **shown);
size_t pt_frames_named(struct pt_frames *f, const struct pt_named_frame **frames);
/* The frames of a place, inlined ones first; at least one. Valid until the next call. Their `ip`,
 * `shown` and `past` are 0. */
size_t pt_frames_name(struct pt_frames *f, const struct pt_place_at *at,
		      const struct pt_named_frame **frames);
/* The place is in a file or the kernel: its names are final. */
bool pt_frames_has_file(const struct pt_place_at *at);
/* The address in the object (in memory if there is none), and the start of the code around it by
 * CFI. */
struct pt_frames_address { uint64_t vaddr, entry; bool has_entry; };
struct pt_frames_address pt_frames_address(const struct pt_place_at *at);
/* Of the place's file, of the kernel or of its module; length 0: not known. */
struct pt_build_id pt_frames_build_id(const struct pt_frames *f, const struct pt_place_at *at);
/* The function that a place is in, by symbols, and its code. */
struct pt_frames_code {
	const char *name;		/* as frames have it */
	const char *path;		/* of the file; arch: of its code, as uname -m */
	const char *arch;
	/* addresses in the file's own numbering; of the kernel and of code made at run time: in
	 * memory */
	uint64_t start, end;
	const uint8_t *bytes;		/* of the file */
	struct pt_object *object;
};
/* False: there is none; *why, a constant text, says why. */
bool pt_frames_code(struct pt_frames *f, const struct pt_place_at *at, struct pt_frames_code *code,
		    const char **why);
/* The function or variable at an address of the same file; NULL: none. */
const char *pt_frames_symbol(struct pt_frames *f, const struct pt_place_at *at, uint64_t vaddr,
			     uint64_t *offset);
/* The source line of an address of the same file, in the innermost inlined function. depth: how
 * many functions it is inlined into. Needs opts.lines only with opts.no_inline. False: unknown. */
struct pt_frames_source { const char *function, *file; uint32_t line; unsigned depth; };
bool pt_frames_source(struct pt_frames *f, const struct pt_place_at *at, uint64_t vaddr,
		      struct pt_frames_source *s);
/* Places are numbered from 0 as they come. */
uint32_t pt_frames_index(const struct pt_place_at *at);
/* The place of one address. Time of the sample; UINT64_MAX: unknown. */
const struct pt_place_at *pt_frames_place(struct pt_frames *f, uint32_t pid, bool kernel,
					  uint64_t addr, uint64_t time_ns);
/* The same for data: variables' names, no inlined frames. */
struct pt_named_frame pt_frames_data_at(struct pt_frames *f, uint32_t pid, bool kernel,
					uint64_t addr, uint64_t time_ns);

/* For a live session before its first name: nothing waits any more, so that the cache on disk
 * (base/diskcache.h) may be used. Until then only the kernel's symbols are taken from it. */
void pt_frames_settle(struct pt_frames *f);
/* Reads the maps of a live process now, for stacks from no recording (task/halt.h). False: it is
 * gone, or may not be read. */
bool pt_frames_read_maps(struct pt_frames *f, uint32_t pid);
/* Reads memory that neither stack copy nor files have (task/halt.h), for later samples; NULL: none.
 */
void pt_frames_set_memory(struct pt_frames *f,
			  bool (*read)(void *ctx, uint64_t addr, void *to, size_t len), void *ctx);
/* What a process has mapped at an address: path, build-id, address of its first byte; the address's
 * offset in the file. False: no file. */
struct pt_frames_module { const char *path; struct pt_build_id build_id; uint64_t base, offset; };
bool pt_frames_module_at(struct pt_frames *f, uint32_t pid, uint64_t addr,
			 struct pt_frames_module *m);
/* Memory without a file, where a JIT compiler's code may be. */
bool pt_frames_is_anonymous(const char *module);
/* Sets enough(), which is asked before each place is named. Once it returns true, new places get
 * their address as name and are counted (pt_frames_counts.unnamed). NULL: never. */
void pt_frames_set_enough(struct pt_frames *f, bool (*enough)(void *ctx), void *ctx);

struct pt_frames_counts {
	uint64_t stacks, frames, unknown;	/* unknown: frames without a name */
	uint64_t ends[PT_UNWIND_NR];		/* how unwound stacks ended */
	uint64_t unnamed;		/* named by their address (pt_frames_set_enough()) */
	/* files not opened: RLIMIT_NOFILE, or the system's table is full */
	uint64_t refused_files;
	uint64_t unmapped_files;	/* no more may be mapped: vm.max_map_count */
	bool refused_kernel;		/* among them the kernel's symbols */
	/* programs whose perf-PID.map or jitdump is another user's, writable by anybody, or older
	 * than the program */
	uint64_t jit_refused;
	/* recorded: such files that another user owns, or that were written after the process had
	 * ended; used */
	uint64_t jit_doubtful;
	/* places whose address several functions had, looked up without time, since the recording's
	 * clock is not the jitdump's: the last one is named */
	uint64_t jit_timeless;
	/* the jitdump's is the CPU's counter, which only recordings by the kernel's own clock
	 * know */
	bool jit_counter;
	/* Java virtual machines; without a map, not asked for one */
	uint64_t jvms, jvm_unasked;
	/* those that wrote no map, although they were asked (opts.jvm); why not the
	 * first one */
	uint64_t jvm_silent;
	const char *jvm_why;
	/* why kernel addresses have no names; NULL: they have, or there are none */
	const char *no_kernel_names;
};
struct pt_frames_counts pt_frames_counts(const struct pt_frames *f);
/* The limits on the files that it reads: pt_budgets_hit() gives those that were not read to their
 * end. */
const struct pt_budgets *pt_frames_budgets(const struct pt_frames *f);
/* The files behind its places. */
struct pt_files *pt_frames_files(struct pt_frames *f);

#endif
