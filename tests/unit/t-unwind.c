/* unwind/unwind.c on this very process: against the compiler's own unwinder (libgcc), from a leaf, through recursion, a signal, realigned frames. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include "base/mem.h"
#include "cli/stacknote.h"
#include "unwind/unwind.h"
#include "test.h"

struct map { uint64_t start, end, pgoff; bool exec; char path[256]; struct pt_object *object; uint64_t bias; bool tried; };
static struct map maps[256];
static size_t nr_maps;

static void read_maps(void)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[512], perm[8];

	nr_maps = 0;
	while (f && nr_maps < PT_NR(maps) && fgets(line, sizeof(line), f)) {
		struct map *m = &maps[nr_maps];

		memset(m, 0, sizeof(*m));
		if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %255s", &m->start, &m->end, perm, &m->pgoff, m->path) >= 4) {
			m->exec = perm[2] == 'x';
			nr_maps++;
		}
	}
	fclose(f);
}

static void drop_maps(void)
{
	while (nr_maps)
		pt_object_put(maps[--nr_maps].object);
}

static bool find(void *ctx, uint64_t addr, struct pt_place *p)
{
	uint64_t vaddr;
	size_t i;

	(void)ctx;
	for (i = 0; i < nr_maps; i++) {
		struct map *m = &maps[i];

		if (addr < m->start || addr >= m->end)
			continue;
		if (!m->tried) {
			m->tried = true;
			if (m->path[0] == '/' && !pt_object_open(&m->object, m->path, NULL) &&
			    pt_object_map_vaddr(m->object, m->pgoff, m->exec, &vaddr))
				m->bias = m->start - vaddr;
			if (!strcmp(m->path, "[vdso]"))
				pt_object_open_memory(&m->object, (void *)m->start, m->end - m->start, "[vdso]", NULL), m->bias = m->start;
		}
		*p = (struct pt_place){ .object = m->object, .bias = m->bias, .exec = m->exec };
		return true;
	}
	return false;
}

static bool read_self(void *ctx, uint64_t addr, void *to, size_t len)
{
	struct iovec local = { to, len }, remote = { (void *)addr, len };

	(void)ctx;
	return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)len;
}

static const struct pt_unwind_ops ops = { find, read_self };

#ifdef __x86_64__
static const struct pt_arch *const arch = &pt_arch_x86_64;

static void regs_of(const ucontext_t *uc, struct pt_regs *r)
{
	static const int order[17] = { REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8, REG_R9, REG_R10, REG_R11,
				       REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP };

	for (int i = 0; i < 17; i++)
		r->r[i] = (uint64_t)uc->uc_mcontext.gregs[order[i]];
	r->valid = (1u << 17) - 1;
}
#else
static const struct pt_arch *const arch;
static void regs_of(const ucontext_t *uc, struct pt_regs *r) { (void)uc, (void)r; }
#endif

static struct result {
	uint64_t want[256], got[256];
	size_t nr_want, nr_got;
	struct pt_unwind_result how;
} res;

static _Unwind_Reason_Code note(struct _Unwind_Context *c, void *arg)
{
	(void)arg;
	if (res.nr_want < PT_NR(res.want) && _Unwind_GetIP(c))
		res.want[res.nr_want++] = _Unwind_GetIP(c);
	return _URC_NO_REASON;
}

static void unwind_from(const ucontext_t *uc)
{
	struct pt_unwinder *u = pt_unwinder_new();
	struct pt_frame frames[256];
	struct pt_regs regs = { .valid = 0 };
	size_t i;

	if (!arch)
		SKIP("no registers of this CPU here");
	read_maps();
	regs_of(uc, &regs);
	res.nr_got = pt_unwind(u, arch, &ops, NULL, &regs, frames, PT_NR(frames), &res.how);
	for (i = 0; i < res.nr_got; i++)
		res.got[i] = frames[i].ip;
	drop_maps();
	pt_unwinder_free(u);
}

static void __attribute__((noinline)) here(void)
{
	ucontext_t uc;

	res = (struct result){ .nr_want = 0 };
	_Unwind_Backtrace(note, NULL);
	getcontext(&uc);
	unwind_from(&uc);
	__asm__ volatile("");
}

/* The stacks are equal but for the leaf's place within here(): all callers' return addresses. */
static void check_same(size_t at_least)
{
	size_t i;

	if (res.nr_got < at_least || res.nr_got != res.nr_want)
		FAIL("%zu frames, not %zu (end %d)", res.nr_got, res.nr_want, res.how.end);
	for (i = 1; i < res.nr_got; i++)
		if (res.got[i] != res.want[i])
			FAIL("frame %zu is %lx, not %lx", i, res.got[i], res.want[i]);
	CHECK_INT(res.how.end, PT_UNWIND_COMPLETE);
	CHECK(!res.how.guessed);
}

TEST(plain_calls)
{
	here();
	check_same(4);
}

static int __attribute__((noinline)) recurse(int n)
{
	int x;

	if (!n) {
		here();
		return 1;
	}
	x = recurse(n - 1);
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

TEST(recursion)
{
	CHECK_INT(recurse(100), 101);
	check_same(104);
}

static int compare(const void *a, const void *b)
{
	if (!res.nr_want)
		here();
	return *(const char *)a - *(const char *)b;
}

TEST(through_the_c_library)
{
	char text[] = "qsort";

	res.nr_want = 0;
	qsort(text, 5, 1, compare);
	check_same(5);
}

static void on_signal(int sig)
{
	(void)sig;
	here();
}

TEST(through_a_signal)
{
	signal(SIGUSR1, on_signal);
	raise(SIGUSR1);
	check_same(6);
}

static char other_stack[256 * 1024];

TEST(signal_on_a_stack_of_its_own)
{
	stack_t ss = { .ss_sp = other_stack, .ss_size = sizeof(other_stack) };
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };

	CHECK_INT(sigaltstack(&ss, NULL), 0);
	sigaction(SIGUSR2, &sa, NULL);
	raise(SIGUSR2);
	ss.ss_flags = SS_DISABLE;
	sigaltstack(&ss, NULL);
	check_same(6);
}

static int __attribute__((noinline)) realigned(int n)
{
	volatile char wide[64] __attribute__((aligned(64)));
	char *more = __builtin_alloca((size_t)n);

	more[0] = wide[0] = 1;
	here();
	return more[0] + wide[0];
}

TEST(realigned_stack)
{
	CHECK_INT(realigned(100), 2);
	check_same(4);
}

/* The dynamic linker's start code has no CFI: nobody called it. */
TEST(start_of_the_dynamic_linker)
{
	struct pt_unwinder *u = pt_unwinder_new();
	uint64_t base = getauxval(AT_BASE), stack[4] = { 1, 0, 0, 0 };
	struct pt_frame frames[8];
	struct pt_regs regs = { .valid = ~0ull };
	struct pt_place p;
	size_t n;

	if (!arch || !base)
		SKIP("no registers of this CPU here, or no dynamic linker");
	read_maps();
	CHECK(find(NULL, base, &p) && p.object && p.object->entry);
	regs.r[arch->ip] = base + p.object->entry + 8;
	regs.r[arch->sp] = (uint64_t)stack;
	n = pt_unwind(u, arch, &ops, NULL, &regs, frames, PT_NR(frames), &res.how);
	CHECK_INT(n, 1);
	CHECK_INT(res.how.end, PT_UNWIND_COMPLETE);
	CHECK(!res.how.guessed);
	drop_maps();
	pt_unwinder_free(u);
}

#ifdef __x86_64__
/* As the kernel sees a thread within sigreturn: the pc is behind the system call, which is the trampoline's last instruction. */
static void on_return(int sig, siginfo_t *si, void *context)
{
	struct { void *handler; unsigned long flags; void *restorer; unsigned long mask; } kernel_action = { 0 };
	struct pt_unwinder *u = pt_unwinder_new();
	ucontext_t *uc = context;
	struct pt_frame frames[64];
	struct pt_regs regs = { .valid = ~0ull };

	(void)si;
	syscall(SYS_rt_sigaction, sig, NULL, &kernel_action, 8);
	read_maps();
	regs.r[arch->ip] = (uint64_t)kernel_action.restorer + 9;	/* mov $15, %rax; syscall */
	regs.r[arch->sp] = (uint64_t)uc;
	res.nr_got = pt_unwind(u, arch, &ops, NULL, &regs, frames, PT_NR(frames), &res.how);
	res.want[0] = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
	res.got[0] = res.nr_got > 1 ? frames[1].ip : 0;
	drop_maps();
	pt_unwinder_free(u);
}

TEST(behind_the_system_call_of_a_signal_trampoline)
{
	struct sigaction sa = { .sa_sigaction = on_return, .sa_flags = SA_SIGINFO };

	sigaction(SIGUSR1, &sa, NULL);
	raise(SIGUSR1);
	CHECK_INT(res.how.end, PT_UNWIND_COMPLETE);
	CHECK(res.nr_got > 3);
	CHECK_INT(res.got[0], res.want[0]);
}
#endif

/* The stack copy ends early: what is known comes, and the end says why. */
static uint64_t no_further;
static bool read_some(void *ctx, uint64_t addr, void *to, size_t len)
{
	return addr + len <= no_further && read_self(ctx, addr, to, len);
}

static void __attribute__((noinline)) cut_short(void)
{
	static const struct pt_unwind_ops some = { find, read_some };
	struct pt_unwinder *u = pt_unwinder_new();
	struct pt_frame frames[64];
	struct pt_regs regs = { .valid = 0 };
	ucontext_t uc;
	size_t n;

	getcontext(&uc);
	read_maps();
	regs_of(&uc, &regs);
	no_further = (uint64_t)__builtin_frame_address(0) + 24;
	n = pt_unwind(u, arch, &some, NULL, &regs, frames, PT_NR(frames), &res.how);
	drop_maps();
	pt_unwinder_free(u);
	CHECK(n >= 1 && n <= 3);
	CHECK_INT(res.how.end, PT_UNWIND_STACK);
	CHECK(res.how.missing >= no_further - 8);
}

/* With the copy at hand the unwinder reads it by itself: at each length of it as through the caller's function. */
static uint64_t copy_from, copy_to;
static bool read_copy(void *ctx, uint64_t addr, void *to, size_t len)
{
	return addr >= copy_from && addr + len <= copy_to && read_self(ctx, addr, to, len);
}

static void __attribute__((noinline)) copy_at_hand(void)
{
	static const struct pt_unwind_ops some = { find, read_copy };
	struct pt_unwinder *u = pt_unwinder_new();
	static struct pt_frame asked[64], read[64];
	struct pt_unwind_result how;
	struct pt_regs regs = { .valid = 0 };
	ucontext_t uc;
	size_t n, k, len, most = 0;

	getcontext(&uc);
	read_maps();
	regs_of(&uc, &regs);
	copy_from = regs.r[arch->sp];
	for (len = 0; len < 3000; len += 4) {
		copy_to = copy_from + len;
		regs.stack = NULL;
		n = pt_unwind(u, arch, &some, NULL, &regs, asked, PT_NR(asked), &res.how);
		regs.stack = (const uint8_t *)copy_from;
		regs.stack_addr = copy_from;
		regs.stack_len = len;
		CHECK_INT(pt_unwind(u, arch, &some, NULL, &regs, read, PT_NR(read), &how), n);
		for (k = 0; k < n; k++)
			CHECK(asked[k].ip == read[k].ip && asked[k].vaddr == read[k].vaddr && asked[k].object == read[k].object);
		CHECK(how.end == res.how.end && how.missing == res.how.missing && how.guessed == res.how.guessed);
		most = PT_MAX(most, n);
	}
	CHECK(most >= 3);
	drop_maps();
	pt_unwinder_free(u);
}

TEST(stack_copy_at_hand)
{
	if (!arch)
		SKIP("no registers of this CPU here");
	if (pt_test_sanitized())
		SKIP("the sanitizer moves the frame elsewhere");
	copy_at_hand();
}

/* What no larger copy would reach is not called too short a copy. */
TEST(stack_goes_on_elsewhere)
{
	const uint64_t sp = 0x7ffc10000000;
	const struct { enum pt_unwind_end end; uint64_t missing; bool elsewhere; } cases[] = {
		{ PT_UNWIND_STACK, sp + 8192, false }, { PT_UNWIND_STACK, sp + 65527, false }, { PT_UNWIND_STACK, sp + 65528, true },
		{ PT_UNWIND_STACK, sp - 8, true }, { PT_UNWIND_STACK, 0x55555000, true }, { PT_UNWIND_NO_RULE, 0, false }, { PT_UNWIND_COMPLETE, 0, false },
	};
	size_t i;

	for (i = 0; i < PT_NR(cases); i++) {
		struct pt_frames_how how = { .unwound = true, .unwind = { .end = cases[i].end, .missing = cases[i].missing } };
		struct pt_stacknote n = { .short_copy = 0 };

		how.elsewhere = pt_unwind_goes_elsewhere(&how.unwind, sp);
		CHECK(how.elsewhere == cases[i].elsewhere);
		pt_stacknote_stack(&n, &how);
		CHECK_INT(n.elsewhere, cases[i].elsewhere);
		CHECK_INT(n.short_copy, cases[i].end == PT_UNWIND_STACK && !cases[i].elsewhere);
		pt_stacknote_deinit(&n);
	}
}

TEST(stack_copy_too_short)
{
	if (!arch)
		SKIP("no registers of this CPU here");
	if (pt_test_sanitized())
		SKIP("the sanitizer moves the frame elsewhere");
	cut_short();
}

TEST(call_instructions)
{
	static const struct { uint8_t bytes[8]; bool is; } cases[] = {
		{ { 0x90, 0x90, 0x90, 0xe8, 1, 2, 3, 4 }, true },		/* call rel32 */
		{ { 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0xd0 }, true },	/* call *%rax */
		{ { 0x90, 0x90, 0x90, 0x90, 0x90, 0x41, 0xff, 0xd4 }, true },	/* call *%r12 */
		{ { 0x90, 0x90, 0xff, 0x15, 1, 2, 3, 4 }, true },		/* call *x(%rip) */
		{ { 0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0x50, 0x18 }, true },	/* call *0x18(%rax) */
		{ { 0x90, 0xff, 0x94, 0xc8, 1, 2, 3, 4 }, true },		/* call *x(%rax,%rcx,8) */
		{ { 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0xe0 }, false },	/* jmp *%rax */
		{ { 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xc3 }, false },
	};
	size_t i;

	for (i = 0; i < PT_NR(cases); i++)
		if (pt_arch_x86_64.after_call(cases[i].bytes + 8, 8) != cases[i].is)
			FAIL("case %zu", i);
}
