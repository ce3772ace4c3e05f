#include "task/halt.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "base/proc.h"
#include "base/smallfile.h"
#include "task/spaces.h"
#include "unwind/arch.h"

enum { MAX_STACK = 8 << 20, WAIT_US = 2000000 };

static unsigned long status_number(uint32_t tid, const char *key)
{
	char text[64];

	return pt_proc_status(tid, key, text, sizeof(text)) ? strtoul(text, NULL, 10) : 0;
}

/* Says why a thread may not be halted, and what would help. */
static int halt_refused(uint32_t tid, int sys, struct pt_err *e)
{
	uint32_t tracer = (uint32_t)status_number(tid, "TracerPid");
	char name[64] = "?";
	int scope = pt_file_number("/proc/sys/kernel/yama/ptrace_scope", 0);

	if (tracer) {
		pt_proc_status(tracer, "Name", name, sizeof(name));
		return pt_err_set(
			e,
			"thread %u is traced by another program already: %s, process %u; that one can print its stack, or be ended",
			tid, name, tracer);
	}
	pt_err_sys(e, sys, "thread %u may not be halted", tid);
	if (geteuid() == 0)
		pt_err_advice(e, "; this container lacks the capability CAP_SYS_PTRACE%s",
			      scope == 3 ? ", or kernel.yama.ptrace_scope is 3" : "");
	else if (status_number(tid, "Uid") != geteuid())
		pt_err_advice(e, "; it is another user's: run this as root");
	else if (scope > 0)
		pt_err_advice(
			e,
			"; kernel.yama.ptrace_scope is %d: run this as root, or allow it by `sudo sysctl kernel.yama.ptrace_scope=0`",
			scope);
	else
		pt_err_advice(
			e,
			"; it has changed its privileges, or keeps others from reading it: run this as root");
	return -1;
}

int pt_halt_check(uint32_t pid, struct pt_err *e)
{
	char state[64], path[64], some[8];
	int sys;

	if (!pt_proc_status(pid, "State", state, sizeof(state)))
		return pt_err_set(e, "process %u: there is none", pid);
	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	sys = pt_file_text(path, some, sizeof(some));
	if (*some)
		return 0;
	if (sys && sys != ESRCH)
		return halt_refused(pid, sys, e);
	/* A thread has no memory after its end, and a kernel thread never has any. */
	if (pt_proc_status(pid, "State", state, sizeof(state)) && state[0] != 'Z' &&
	    state[0] != 'X')
		return pt_err_set(
			e, "process %u is a thread of the kernel: it has no stack of a program",
			pid);
	return pt_err_set(e, "process %u has ended%s", pid,
			  state[0] == 'Z'
				  ? "; its parent has not asked for its status yet (a zombie)"
				  : "");
}

/* The device of memfds, System V segments and shared anonymous memory, which is a mount of the
 * kernel's own */
static dev_t shared_memory_device(void)
{
	int fd = memfd_create("pt", MFD_CLOEXEC);
	struct stat st = { 0 };

	if (fd < 0)
		return 0;
	if (fstat(fd, &st) < 0)
		st.st_dev = 0;
	close(fd);
	return st.st_dev;
}

/* True for memory that is no mapped file. A page of a file may have to come from a file system that
 * never answers (FUSE), and a process that waits for it cannot be killed. The file system can make
 * up a mapping's path and inode, but not its device. */
static bool is_memory(struct pt_halted *h, const struct pt_mapping *m)
{
	const struct pt_mapped_file *f = m->file;

	if (!f || (!f->maj && !f->min))
		return true;
	if (!h->shared_device)
		h->shared_device = shared_memory_device();
	return h->shared_device && makedev(f->maj, f->min) == h->shared_device;
}

static const struct pt_mapping *halt_mapping_at(struct pt_halted *h, uint32_t pid, uint64_t addr)
{
	const struct pt_mapping *m;

	if (!h->spaces)
		h->spaces = pt_spaces_new();
	m = pt_spaces_find(h->spaces, pid, addr);
	if (!m && pt_spaces_reread(h->spaces, pid))
		m = pt_spaces_find(h->spaces, pid, addr);
	return m;
}

/* The end of the mapping that the stack pointer points into. */
static uint64_t end_of_stack(struct pt_halted *h, uint32_t pid, uint64_t sp)
{
	const struct pt_mapping *m = halt_mapping_at(h, pid, sp);

	h->on_file = m && !is_memory(h, m);
	return m && !h->on_file ? m->end : 0;
}

/* Fills h->abi, regs_mask, regs; *sp is the stack pointer. 0: it is gone. */
static int halt_copy_registers(struct pt_halted *h, uint32_t tid, uint64_t *sp, struct pt_err *e)
{
	const struct pt_arch *arch = pt_arch_here();
	uint64_t words[64] = { 0 };
	struct iovec set = { words, sizeof(words) };
	struct pt_regs regs;

	if (ptrace(PTRACE_GETREGSET, (pid_t)tid, (void *)(uintptr_t)NT_PRSTATUS, &set) < 0)
		return errno == ESRCH ? 0 : pt_err_sys(e, errno, "registers of thread %u", tid);
	if (arch == &pt_arch_x86_64 && set.iov_len == 4u * pt_arch_i386.nr_ptrace_words)
		arch = &pt_arch_i386;
	if (!arch || set.iov_len != (size_t)arch->word_bytes * arch->nr_ptrace_words)
		return pt_err_set(e, "thread %u: registers of this CPU, or of its 32-bit code, "
				     "are not known here", tid);
	h->abi = arch->word_bytes == 4 ? PERF_SAMPLE_REGS_ABI_32 : PERF_SAMPLE_REGS_ABI_64;
	h->regs_mask = arch->sample_regs;
	for (int i = 0; i < __builtin_popcountll(arch->sample_regs); i++) {
		const char *word = (const char *)words + arch->ptrace_regs[i] * arch->word_bytes;

		h->regs[i] = arch->word_bytes == 4 ? pt_load32(word, false)
						   : pt_load64(word, false);
	}
	pt_arch_regs(arch, h->regs_mask, h->regs, &regs);
	*sp = regs.r[arch->sp];
	return 1;
}

static int halt_copy(struct pt_halted *h, uint32_t pid, uint32_t tid, struct pt_err *e)
{
	struct iovec from, to;
	uint64_t sp, end;
	ssize_t n;
	int rc = halt_copy_registers(h, tid, &sp, e);

	h->stack_len = 0;
	if (rc <= 0)
		return rc;
	end = end_of_stack(h, pid, sp);
	if (end <= sp)
		return 1;
	to.iov_len = PT_MIN(end - sp, (uint64_t)MAX_STACK);
	if (h->cap < to.iov_len) {
		h->cap = to.iov_len;
		h->stack = pt_realloc(h->stack, h->cap, 1);
	}
	to.iov_base = h->stack;
	from = (struct iovec){ (void *)(uintptr_t)sp, to.iov_len };
	n = process_vm_readv((pid_t)tid, &to, 1, &from, 1, 0);
	if (n > 0)
		h->stack_len = (size_t)n;
	return 1;
}

/* Waits until it halts. 1: *sig is the signal that halted it, to be delivered; 0: it is gone; -1:
 * it does not halt. */
static int wait_halt(uint32_t tid, int *sig, struct pt_err *e)
{
	long us = 0, nap = 0;
	int status;

	while (us < WAIT_US) {
		struct timespec t = { 0, nap * 1000 };
		pid_t got = waitpid((pid_t)tid, &status, __WALL | WNOHANG);

		if (got < 0 && errno != EINTR)
			return 0;
		if (got == (pid_t)tid) {
			if (!WIFSTOPPED(status))
				return 0;
			/* PTRACE_EVENT_STOP and the like: no signal */
			*sig = status >> 16 ? 0 : WSTOPSIG(status);
			return 1;
		}
		nap = PT_MIN(nap + 20, 1000L);
		us += nap;
		nanosleep(&t, NULL);
	}
	return pt_err_set(
		e,
		"thread %u does not halt: it waits in the kernel without a way to interrupt it (its state is D, see /proc/%u/stack)",
		tid, tid);
}

/* As wait_halt(). */
static int halt(uint32_t tid, int *sig, struct pt_err *e)
{
	char state[8];
	int sys;

	*sig = 0;
	if (ptrace(PTRACE_SEIZE, (pid_t)tid, NULL, NULL) < 0) {
		sys = errno;
		/* A zombie may not be halted either. */
		if (sys == ESRCH || !pt_proc_status(tid, "State", state, sizeof(state)) ||
		    state[0] == 'Z' || state[0] == 'X')
			return 0;
		return halt_refused(tid, sys, e);
	}
	ptrace(PTRACE_INTERRUPT, (pid_t)tid, NULL, NULL);
	return wait_halt(tid, sig, e);
}

static void halt_release(uint32_t tid, int sig)
{
	ptrace(PTRACE_DETACH, (pid_t)tid, NULL, (void *)(uintptr_t)sig);
}

int pt_halt_briefly(uint32_t tid, struct pt_err *e)
{
	int sig, rc = halt(tid, &sig, e);

	if (rc > 0)
		halt_release(tid, sig);
	return rc;
}

int pt_halt_begin(struct pt_halted *h, uint32_t pid, uint32_t tid, struct pt_err *e)
{
	int rc = halt(tid, &h->sig, e);

	if (rc <= 0)
		return rc;
	h->tid = tid;
	h->pid = pid;
	rc = halt_copy(h, pid, tid, e);
	if (rc <= 0)
		pt_halt_end(h);
	return rc;
}

bool pt_halt_read(void *halted, uint64_t addr, void *to, size_t len)
{
	struct pt_halted *h = halted;
	struct iovec local = { to, len }, remote = { (void *)(uintptr_t)addr, len };
	const struct pt_mapping *m;
	uint64_t at;

	if (!h->tid || addr + len < addr)
		return false;
	for (at = addr; at < addr + len; at = m->end) {
		m = halt_mapping_at(h, h->pid, at);
		if (!m || !is_memory(h, m))
			return false;
	}
	return process_vm_readv((pid_t)h->tid, &local, 1, &remote, 1, 0) == (ssize_t)len;
}

void pt_halt_end(struct pt_halted *h)
{
	if (h->tid)
		halt_release(h->tid, h->sig);
	h->tid = 0;
}

void pt_halted_deinit(struct pt_halted *h)
{
	free(h->stack);
	h->stack = NULL;
	pt_spaces_free(h->spaces);
	h->spaces = NULL;
}
