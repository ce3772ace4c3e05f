/* step EVERY MAX COMMAND...: runs the command one instruction at a time, keeps a stack of its calls and returns by watching the stack pointer, and asks the unwinder
 * every EVERY instructions. Prints "POINTS points, WRONG wrong, STEPS steps" and where the first ones went wrong. Independent of any other unwinder.
 *
 * A call of x86: the stack pointer goes down by a word, on which the address right behind the instruction stands, and the pc is elsewhere. An entry goes when the stack
 * pointer is above its word (return, longjmp, exceptions). Of arm64: BL or BLR, the address behind it in x30; an entry goes by RET to it too. A signal: the kernel puts the
 * return address of the handler on the stack (arm64: in x30); the frame behind it is the interrupted one. Signal stacks of their own are not followed. */
#include <elf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/map.h"
#include "base/mem.h"
#include "unwind/unwind.h"
#include "task/spaces.h"

#if defined(__x86_64__) || defined(__aarch64__)
enum { DEPTH = 4096, SHOWN = 12 };

struct at {				/* where the child stands */
	const struct pt_arch *a;
	uint64_t pc, sp;
	struct pt_regs regs;
};

static pid_t child;
static struct pt_spaces *spaces;
static struct call { uint64_t ip, sp; } calls[DEPTH];
static size_t nr_calls;

static bool read_child(void *ctx, uint64_t addr, void *to, size_t len)
{
	struct iovec local = { to, len }, remote = { (void *)(uintptr_t)addr, len };

	(void)ctx;
	return process_vm_readv(child, &local, 1, &remote, 1, 0) == (ssize_t)len;
}

static struct pt_object *object_of(const struct pt_mapping *m)
{
	static struct pt_object none;
	static struct pt_map objects;		/* by file */
	uint64_t *slot = pt_map_put(&objects, pt_word_of(m->file));
	struct pt_object *o = pt_pointer(*slot);
	char *copy;

	if (o)
		return o == &none ? NULL : o;
	if (!strcmp(m->file->path, "[vdso]")) {
		copy = pt_alloc(m->end - m->start);
		if (!read_child(NULL, m->start, copy, m->end - m->start) || pt_object_open_memory(&o, copy, m->end - m->start, "[vdso]", NULL) < 0)
			o = NULL;
	} else if (m->file->path[0] != '/' || pt_object_open(&o, m->file->path, NULL) < 0) {
		o = NULL;
	}
	*slot = pt_word_of(o ? o : &none);
	return o;
}

static bool find(void *ctx, uint64_t addr, struct pt_place *p)
{
	const struct pt_mapping *m = pt_spaces_find(spaces, (uint32_t)child, addr);
	uint64_t vaddr = 0;

	(void)ctx;
	if (!m && pt_spaces_reread(spaces, (uint32_t)child))
		m = pt_spaces_find(spaces, (uint32_t)child, addr);
	if (!m)
		return false;
	*p = (struct pt_place){ .object = object_of(m), .exec = m->prot & PROT_EXEC };
	if (p->object && strcmp(m->file->path, "[vdso]") && !pt_object_map_vaddr(p->object, m->pgoff, p->exec, &vaddr))
		p->object = NULL;
	p->bias = m->start - vaddr;
	return true;
}

static void push(uint64_t ip, uint64_t sp)
{
	if (nr_calls == DEPTH) {
		fprintf(stderr, "step: more than %d calls deep\n", DEPTH);
		exit(2);
	}
	calls[nr_calls].ip = ip;
	calls[nr_calls++].sp = sp;
}

/* Where the call returns to by now: throwing an exception writes the handler's address over that of the caller. */
static uint64_t returns_to(const struct pt_arch *a, const struct call *c)
{
	uint64_t now = 0;

	return a->lr == a->ip && !(c->sp & 3) && read_child(NULL, c->sp, &now, a->word_bytes) ? now : c->ip;
}

static bool same(struct pt_unwinder *u, const struct at *at, struct pt_unwind_result *end, size_t *got)
{
	static const struct pt_unwind_ops ops = { find, read_child };
	static struct pt_frame frames[DEPTH + 2];
	size_t n = pt_unwind(u, at->a, &ops, NULL, &at->regs, frames, DEPTH + 2, end), i;

	*got = n;
	if (n != nr_calls + 1 || frames[0].ip != at->pc)
		return false;
	for (i = 1; i < n; i++)
		if (frames[i].ip != returns_to(at->a, &calls[nr_calls - i]))
			return false;
	return true;
}

static void show(const struct at *at, const struct pt_unwind_result *end, size_t got)
{
	struct pt_place p = { .object = NULL };

	find(NULL, at->pc, &p);
	printf("  at %#llx of %s: %zu frames, not %zu, or others; end %d\n", (unsigned long long)(at->pc - p.bias), p.object ? p.object->path : "?", got,
	       nr_calls + 1, (int)end->end);
}

#ifdef __x86_64__
static void look(struct at *at)
{
	struct user_regs_struct r;

	ptrace(PTRACE_GETREGS, child, NULL, &r);
	if (r.cs == 0x23) {		/* the kernel's segment of 32-bit code */
		at->a = &pt_arch_i386;
		at->regs = (struct pt_regs){ .r = { r.rax, r.rcx, r.rdx, r.rbx, r.rsp, r.rbp, r.rsi, r.rdi, r.rip }, .valid = (1 << 9) - 1 };
	} else {
		at->a = &pt_arch_x86_64;
		at->regs = (struct pt_regs){ .r = { r.rax, r.rdx, r.rcx, r.rbx, r.rsi, r.rdi, r.rbp, r.rsp, r.r8, r.r9, r.r10, r.r11, r.r12, r.r13,
						    r.r14, r.r15, r.rip }, .valid = (1 << 17) - 1 };
	}
	at->pc = r.rip;
	at->sp = r.rsp;
}

/* Where the handler at which it stands returns to. */
static bool handler_returns(const struct at *at, uint64_t *ip)
{
	return read_child(NULL, at->sp, ip, at->a->word_bytes);
}

static void one_step(const struct at *was, const struct at *now)
{
	uint64_t top = 0;

	while (nr_calls && calls[nr_calls - 1].sp < now->sp)
		nr_calls--;
	if (now->sp == was->sp - now->a->word_bytes && handler_returns(now, &top) && top > was->pc && top <= was->pc + 8 && now->pc != top)
		push(top, now->sp);
}
#else
static void look(struct at *at)
{
	struct user_regs_struct r;
	struct iovec v = { &r, sizeof(r) };

	ptrace(PTRACE_GETREGSET, child, (void *)(uintptr_t)NT_PRSTATUS, &v);
	at->a = &pt_arch_aarch64;
	memcpy(at->regs.r, r.regs, sizeof(r.regs));
	at->regs.r[31] = at->sp = r.sp;
	at->regs.r[32] = at->pc = r.pc;
	at->regs.valid = (1ull << 33) - 1;
}

static bool handler_returns(const struct at *at, uint64_t *ip)
{
	*ip = at->regs.r[30];
	return true;
}

static void one_step(const struct at *was, const struct at *now)
{
	uint8_t code[4];

	while (nr_calls && calls[nr_calls - 1].sp < now->sp)
		nr_calls--;
	if (!read_child(NULL, was->pc, code, 4))
		return;
	if (now->a->after_call(code + 4, 4) && now->regs.r[30] == was->pc + 4)
		push(was->pc + 4, now->sp);
	else if (code[3] == 0xd6 && (code[2] & 0xe0) == 0x40 && nr_calls && calls[nr_calls - 1].ip == now->pc)	/* RET, RETAA, RETAB */
		nr_calls--;
}
#endif

int main(int argc, char **argv)
{
	unsigned long every = argc > 3 ? strtoul(argv[1], NULL, 10) : 0, max = argc > 3 ? strtoul(argv[2], NULL, 10) : 0, steps = 0, points = 0, wrong = 0;
	struct pt_unwinder *u = pt_unwinder_new();
	struct pt_unwind_result end;
	struct at was, now;
	uint64_t back = 0;
	int status, sig = 0;
	size_t got;

	if (!every)
		return fprintf(stderr, "usage: step EVERY MAX COMMAND...\n"), 2;
	child = fork();
	if (!child) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execv(argv[3], argv + 3);
		_exit(127);
	}
	if (waitpid(child, &status, 0) < 0 || !WIFSTOPPED(status))
		return fprintf(stderr, "step: %s cannot be run\n", argv[3]), 2;
	ptrace(PTRACE_SETOPTIONS, child, NULL, PTRACE_O_EXITKILL);
	spaces = pt_spaces_new();
	look(&was);
	while (steps < max) {
		if (ptrace(PTRACE_SINGLESTEP, child, NULL, sig) < 0 || waitpid(child, &status, 0) < 0 || !WIFSTOPPED(status))
			break;
		if (WSTOPSIG(status) != SIGTRAP) {	/* to be delivered by the next step, which ends at the handler's first instruction */
			sig = WSTOPSIG(status);
			continue;
		}
		look(&now);
		if (sig && handler_returns(&now, &back)) {
			push(was.pc, was.sp - 1);
			push(back, now.sp);
		} else {
			one_step(&was, &now);
		}
		sig = 0;
		was = now;
		if (++steps % every)
			continue;
		points++;
		if (!same(u, &now, &end, &got) && wrong++ < SHOWN)
			show(&now, &end, got);
	}
	kill(child, SIGKILL);
	printf("%lu points, %lu wrong, %lu steps\n", points, wrong, steps);
	return points < 1000 || wrong * 1000 > points;
}
#else
int main(void)
{
	return fprintf(stderr, "step: knows x86 and arm64 only\n"), 77;
}
#endif
