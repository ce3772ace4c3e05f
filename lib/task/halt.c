#include "task/halt.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "event/sampling.h"

enum { MAX_STACK = 8 << 20, WAIT_MS = 2000 };

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

int pt_halt_threads(uint32_t pid, uint32_t **tids, size_t *nr, struct pt_err *e)
{
	char path[64];
	struct dirent *d;
	size_t cap = 0;
	DIR *dir;

	*tids = NULL;
	*nr = 0;
	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	dir = opendir(path);
	if (!dir)
		return pt_err_sys(e, errno, "process %u", pid);
	while ((d = readdir(dir)))
		if (d->d_name[0] >= '1' && d->d_name[0] <= '9') {
			PT_GROW(*tids, *nr, cap);
			(*tids)[(*nr)++] = (uint32_t)strtoul(d->d_name, NULL, 10);
		}
	closedir(dir);
	if (*nr)
		qsort(*tids, *nr, sizeof(**tids), by_number);
	return 0;
}

/* The mapping that the stack pointer points into: up to where the stack can be read. */
static uint64_t end_of_stack(uint32_t pid, uint64_t sp)
{
	uint64_t start, end, found = 0;
	char path[64], *line = NULL;
	size_t cap = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	f = fopen(path, "re");
	while (f && !found && getline(&line, &cap, f) > 0)
		if (sscanf(line, "%" SCNx64 "-%" SCNx64, &start, &end) == 2 && sp >= start && sp < end)
			found = end;
	free(line);
	if (f)
		fclose(f);
	return found;
}

#if defined(__x86_64__)
static uint64_t registers(const struct user_regs_struct *u, struct pt_halted *h)
{
	const uint64_t in_order[] = {	/* perf's: ax bx cx dx si di bp sp ip flags cs ss, r8-r15 */
		u->rax, u->rbx, u->rcx, u->rdx, u->rsi, u->rdi, u->rbp, u->rsp, u->rip, u->eflags, u->cs, u->ss,
		u->r8, u->r9, u->r10, u->r11, u->r12, u->r13, u->r14, u->r15,
	};

	memcpy(h->regs, in_order, sizeof(in_order));
	return u->rsp;
}
#elif defined(__aarch64__)
static uint64_t registers(const struct user_regs_struct *u, struct pt_halted *h)
{
	memcpy(h->regs, u->regs, sizeof(u->regs));	/* x0-x30, sp, pc */
	h->regs[31] = u->sp;
	h->regs[32] = u->pc;
	return u->sp;
}
#endif

static int copy(struct pt_halted *h, uint32_t pid, uint32_t tid, struct pt_err *e)
{
#if defined(__x86_64__) || defined(__aarch64__)
	struct user_regs_struct u;
	struct iovec regs = { &u, sizeof(u) }, from, to;
	uint64_t sp, end;
	ssize_t n;

	if (ptrace(PTRACE_GETREGSET, (pid_t)tid, (void *)(uintptr_t)NT_PRSTATUS, &regs) < 0)
		return errno == ESRCH ? 0 : pt_err_sys(e, errno, "registers of thread %u", tid);
	if (regs.iov_len != sizeof(u))
		return pt_err_set(e, "thread %u runs 32-bit code, whose stack cannot be read yet", tid);
	h->regs_mask = pt_sampling_user_registers();
	sp = registers(&u, h);
	end = end_of_stack(pid, sp);
	h->stack_len = 0;
	if (end <= sp)
		return 1;
	if (h->cap < PT_MIN(end - sp, (uint64_t)MAX_STACK)) {
		h->cap = PT_MIN(end - sp, (uint64_t)MAX_STACK);
		h->stack = pt_realloc(h->stack, h->cap, 1);
	}
	to = (struct iovec){ h->stack, PT_MIN(end - sp, (uint64_t)MAX_STACK) };
	from = (struct iovec){ (void *)(uintptr_t)sp, to.iov_len };
	n = process_vm_readv((pid_t)tid, &to, 1, &from, 1, 0);
	if (n > 0)
		h->stack_len = (size_t)n;
	return 1;
#else
	(void)h, (void)pid;
	return pt_err_set(e, "thread %u: registers of this CPU cannot be read yet", tid);
#endif
}

/* Until it halts. 1: *sig is the signal that it halted for, to be delivered; 0: it is gone; -1: it does not halt. */
static int wait_halt(uint32_t tid, int *sig, struct pt_err *e)
{
	struct timespec ms = { 0, 1000000 };
	int status, i;

	for (i = 0; i < WAIT_MS; i++) {
		pid_t got = waitpid((pid_t)tid, &status, __WALL | WNOHANG);

		if (got < 0 && errno != EINTR)
			return 0;
		if (got == (pid_t)tid) {
			if (!WIFSTOPPED(status))
				return 0;
			*sig = status >> 16 ? 0 : WSTOPSIG(status);	/* PTRACE_EVENT_STOP and the like are no signals */
			return 1;
		}
		if (i > 20)
			nanosleep(&ms, NULL);
	}
	return pt_err_set(e, "thread %u does not halt: it waits in the kernel without a way to interrupt it (its state is D, see /proc/%u/stack)", tid, tid);
}

int pt_halt_copy(struct pt_halted *h, uint32_t pid, uint32_t tid, struct pt_err *e)
{
	int sig = 0, rc;

	if (ptrace(PTRACE_SEIZE, (pid_t)tid, NULL, NULL) < 0) {
		if (errno == ESRCH)
			return 0;
		pt_err_sys(e, errno, "thread %u cannot be halted", tid);
		pt_err_advice(e, "; another debugger may be at it, or it is another user's (kernel.yama.ptrace_scope)");
		return -1;
	}
	ptrace(PTRACE_INTERRUPT, (pid_t)tid, NULL, NULL);
	rc = wait_halt(tid, &sig, e);
	if (rc <= 0)
		return rc;
	rc = copy(h, pid, tid, e);
	ptrace(PTRACE_DETACH, (pid_t)tid, NULL, (void *)(uintptr_t)sig);
	return rc;
}

void pt_halted_deinit(struct pt_halted *h)
{
	free(h->stack);
	h->stack = NULL;
}
