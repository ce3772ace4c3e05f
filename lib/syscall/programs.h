/* programs.h - the programs that collect system calls in the kernel, instruction by instruction.
 *
 * They are typed raw tracepoints (BPF_TRACE_RAW_TP): they read arguments of tracepoints like
 * memory, so offsets come from the kernel's BTF. What they do, by tracepoint:
 *
 *     sys_enter             remembers arguments and time in the map `tasks`, reads strings
 *     sys_exit              reads results, then writes one record, or adds to a row of `sums`
 *     sched_prepare_exec    reads the strings of an exec again: their pages are in memory now
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
#include "syscall/collect_opts.h"

enum { PT_PROGRAM_KINDS = 9 };

struct pt_programs {
	const struct pt_collect_opts *o;
	/* Maps. rings: an array of ring buffers by CPU, or perf events by CPU (o->perf_rings).
	 * cgroup: tasks are in the one of this map; -1: in any. */
	struct pt_programs_maps {
		int tasks, plans, blank, stats, rings, sums, blank_sum, scratch, cgroup;
	} maps;
	uint32_t self;			/* with o->all: this process is left out */
	/* The kernel's memory may not be read (lockdown): no paths, no siginfo_t. */
	bool no_kernel_reads;
	/* Some plan has such a fetch; has descriptors. */
	bool vectors, tallies, paths;
	uint64_t sample_id;
	uint32_t wake_bytes;		/* wakes the reader each time; a power of two */
	/* of this kernel, from BTF */
	struct pt_programs_kernel {
		int pid, tgid, exit_code, signal;	/* in struct task_struct */
		int signal_flags;		/* in struct signal_struct */
		int bprm_filename;
		int thread_info, status;	/* in struct task_struct; in the first */
		int compat_status;	/* TS_COMPAT, from the task on; -1: no 32-bit programs */
		/* for paths */
		int files, fs, fdt, max_fds, fds, root, pwd, path, parent, name, inode, hash, ino,
			mode, rdev, sb, magic, mount, mount_parent, mount_point, mount_root;
		int tracepoints[PT_PROGRAM_KINDS];	/* type ids; -1: there is none */
	} kernel;
	/* Of this CPU: where the registers of pt_call_record are in struct pt_regs, and the number
	 * among them. The stack pointer, and how far from it the signal mask is that
	 * rt_sigreturn restores; -1: unknown. */
	struct pt_programs_regs {
		int first, nr_at, stack_at, mask_off;
		uint8_t of_compat[PT_CALL_ARGS];	/* arguments of 32-bit programs */
	} regs;
};

/* Fills `kernel` and `regs`, and what cannot be had here. */
int pt_programs_know_kernel(struct pt_programs *p, struct pt_err *e);

struct pt_program_kind {
	const char *tracepoint;
	void (*write)(struct pt_asm *a, const struct pt_programs *p);
	bool (*needed)(const struct pt_programs *p);	/* NULL: always */
	bool delayed;			/* begins after pt_collect_opts.delay_ns */
};
extern const struct pt_program_kind pt_program_kinds[PT_PROGRAM_KINDS];

#endif
