/* programs.h - the programs that collect system calls in the kernel, instruction by instruction.
 *
 * They are typed raw tracepoints (BPF_TRACE_RAW_TP): they read arguments of tracepoints like
 * memory, so offsets come from the kernel's BTF. What they do, by tracepoint:
 *
 *     sys_enter             remembers arguments and time in the map `tasks`, reads strings
 *     sys_exit              reads results, then writes one record, or adds to a row of `sums`
 *     sched_process_fork    watches children
 *     sched_process_exec    the path of a program whose memory could not be read before
 *     sched_process_exit    an open call, then the exit
 *     signal_deliver        a signal; signal_generate: one that is ignored
 *     sched_switch          (sums) time off the CPU within a call
 *
 * Nothing is written for tasks that are not in `tasks` (with `all`: sys_enter adds them) nor for
 * calls whose plan is not wanted. */
#ifndef PT_SYSCALL_PROGRAMS_H
#define PT_SYSCALL_PROGRAMS_H

#include <stdbool.h>

#include "syscall/assemble.h"
#include "syscall/layout.h"

/* What identifies a row of sums. */
enum pt_sum_by { PT_SUM_TOTAL, PT_SUM_THREAD, PT_SUM_CGROUP };

struct pt_programs {
	/* Maps. rings: an array of ring buffers by CPU, or perf events by CPU (perf_rings). */
	int tasks, plans, blank, stats, rings, sums, blank_sum, scratch;
	bool perf_rings;
	/* with all: only this user's tasks; those in the cgroup of this map; -1: in any */
	bool of_user;
	uint32_t uid;
	int cgroup;
	bool all;
	uint32_t self;			/* with all: this process is left out */
	bool lines, sum;		/* what sys_exit writes */
	/* The kernel's memory may not be read (lockdown): no paths, no siginfo_t. */
	bool no_kernel_reads;
	/* Some plan has such a fetch. */
	bool vectors, tallies;
	bool paths;			/* some plan has descriptors */
	enum pt_sum_by by;
	bool failed, succeeded;		/* only such calls */
	const int *errnos;		/* only these errors; NULL: all */
	size_t nr_errnos;
	uint64_t longer_ns;		/* only calls that took at least that */
	uint64_t signals;		/* bit n-1: signal n is written */
	bool exits;			/* exits of tasks are written */
	uint64_t sample_id;
	uint32_t wake_bytes;		/* wakes the reader each time; a power of two */
	uint16_t text_max;		/* of strings that are no paths, NUL included */
	/* of this kernel, from BTF */
	struct pt_programs_kernel {
		int pid, tgid, exit_code, signal;	/* in struct task_struct */
		int signal_flags;		/* in struct signal_struct */
		int bprm_filename;
		/* for paths */
		int files, fs, fdt, max_fds, fds, root, pwd, path, parent, name, inode, hash, ino,
			mode, rdev, sb, magic, mount, mount_parent, mount_point, mount_root;
	} kernel;
	/* Of this CPU: where the registers of pt_call_record are in struct pt_regs, and the number
	 * among them. The stack pointer, and how far from it the signal mask is that
	 * rt_sigreturn restores; -1: unknown. */
	struct pt_programs_regs { int first, nr_at, stack_at, mask_off; } regs;
};

/* Fills `kernel` and `regs`, and what cannot be had here. */
struct btf;
int pt_programs_know_kernel(struct pt_programs *p, const struct btf *btf, struct pt_err *e);

struct pt_program_kind {
	const char *tracepoint;
	void (*write)(struct pt_asm *a, const struct pt_programs *p);
	bool (*needed)(const struct pt_programs *p);	/* NULL: always */
	bool delayed;			/* begins after pt_collect_opts.delay_ns */
};
extern const struct pt_program_kind pt_program_kinds[];
enum { PT_PROGRAM_KINDS = 8 };

#endif
