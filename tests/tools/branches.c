/* branches lbr|brstack|insns|deferred FILE - writes a recording as a CPU with branch records makes it, by hand: samples within this very program, so that its symbols
 * are found. lbr: branches that keep the call stack, beside call chains of the kernel; brstack: the last branches taken, with flags; insns: those of code whose instructions are known; deferred: call chains whose
 * user part comes later, in records of its own. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "rec.h"

#define FIELDS (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME)
#define FN(name) __attribute__((noinline, aligned(64))) static int name(volatile int *x) { return *x * 3 + *x / 7 + (int)sizeof(#name); }

FN(outer) FN(middle) FN(inner) FN(leaf) FN(other)

static const uint64_t kernel = 0xffffffff81000100;
enum { PID = 4242 };

static uint64_t at(int (*f)(volatile int *), unsigned off) { return (uint64_t)(uintptr_t)f + off; }

static void put_maps(struct rec *r)
{
	unsigned long start, end, off, ino;
	unsigned maj, min;
	char line[4096], perms[8], path[4096];
	FILE *f = fopen("/proc/self/maps", "r");

	rec_begin(r, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
	rec_u32(r, PID), rec_u32(r, PID), rec_str(r, "branches");
	rec_u32(r, PID), rec_u32(r, PID), rec_u64(r, 1000), rec_u64(r, 7);
	rec_end(r);
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx %7s %lx %x:%x %lu %4095s", &start, &end, perms, &off, &maj, &min, &ino, path) < 8 || path[0] != '/' || perms[2] != 'x')
			continue;
		rec_begin(r, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
		rec_u32(r, PID), rec_u32(r, PID), rec_u64(r, start), rec_u64(r, end - start), rec_u64(r, off);
		rec_u32(r, maj), rec_u32(r, min), rec_u64(r, ino), rec_u64(r, 0), rec_u32(r, 5), rec_u32(r, 2);
		rec_str(r, path);
		rec_u32(r, PID), rec_u32(r, PID), rec_u64(r, 1001), rec_u64(r, 7);
		rec_end(r);
	}
	if (f)
		fclose(f);
}

/* A sample: its call chain, its branches (from, to, flags); NULL where it has no such. */
static void put_sample(struct rec *r, uint64_t time_ns, uint16_t misc, uint64_t ip, const uint64_t *chain, size_t nr_chain, const uint64_t *branches, size_t nr)
{
	rec_begin(r, PERF_RECORD_SAMPLE, misc);
	rec_u64(r, 7), rec_u64(r, ip), rec_u32(r, PID), rec_u32(r, PID), rec_u64(r, time_ns);
	if (chain)
		rec_u64(r, nr_chain), rec_u64s(r, nr_chain, chain);
	if (branches)
		rec_u64(r, nr), rec_u64s(r, nr * 3, branches);
	rec_end(r);
}

static void lbr(struct rec *r)
{
	const uint64_t user[] = { PERF_CONTEXT_USER, at(leaf, 4), at(other, 9) };
	const uint64_t both[] = { (uint64_t)PERF_CONTEXT_KERNEL, kernel + 0x40, kernel + 0x90, (uint64_t)PERF_CONTEXT_USER, at(leaf, 4), at(other, 9) };
	const uint64_t stack[] = { at(inner, 8), at(leaf, 0), 0, at(middle, 6), at(inner, 0), 0, at(outer, 5), at(middle, 0), 0 };
	const uint64_t deep[] = { at(leaf, 1), at(leaf, 0), 0, at(leaf, 1), at(leaf, 0), 0, at(outer, 5), at(leaf, 0), 0 };
	const uint64_t none[1] = { 0 };

	put_sample(r, 2000000, PERF_RECORD_MISC_USER, at(leaf, 4), user, PT_NR(user), stack, 3);
	put_sample(r, 3000000, PERF_RECORD_MISC_KERNEL, kernel + 0x40, both, PT_NR(both), stack, 3);
	put_sample(r, 4000000, PERF_RECORD_MISC_KERNEL, kernel + 0x40, both, 3, stack, 3);
	put_sample(r, 5000000, PERF_RECORD_MISC_USER, at(leaf, 4), user, PT_NR(user), stack, 1);
	put_sample(r, 6000000, PERF_RECORD_MISC_USER, at(leaf, 1), user, PT_NR(user), deep, 3);
	put_sample(r, 7000000, PERF_RECORD_MISC_USER, at(leaf, 4), user, PT_NR(user), none, 0);
}

static void brstack(struct rec *r)
{
	enum { MISPRED = 1, PREDICTED = 2, IN_TX = 4, ABORT = 8 };
	uint64_t b[40 * 3];
	unsigned i;

	for (i = 0; i < 40; i++) {
		b[3 * i] = at(i % 3 ? leaf : inner, i % 16);
		b[3 * i + 1] = i == 5 ? 0x10 : at(i % 2 ? middle : outer, 0);
		b[3 * i + 2] = (i & 15) | (uint64_t)i * 3 << 4 | (uint64_t)(i % 16) << 20 | (uint64_t)(i % 4) << 24 | (uint64_t)(i / 16 * 3) << 26 | (uint64_t)(i % 5) << 30;
	}
	put_sample(r, 2000000, PERF_RECORD_MISC_USER, at(leaf, 4), NULL, 0, b, 16);
	put_sample(r, 3000000, PERF_RECORD_MISC_USER, at(leaf, 4), NULL, 0, b + 3 * 16, 24);
	put_sample(r, 4000000, PERF_RECORD_MISC_USER, at(leaf, 4), NULL, 0, b, 0);
	for (i = 0; i < 16; i++)
		b[3 * i + 2] = 15ull << 20 | (uint64_t)i << 26;
	put_sample(r, 4500000, PERF_RECORD_MISC_USER, at(leaf, 4), NULL, 0, b, 16);
	b[0] = kernel + 0x40;
	put_sample(r, 5000000, PERF_RECORD_MISC_USER, at(leaf, 4), NULL, 0, b, 1);
}

#ifdef __x86_64__
enum { MAIN, JUMP, OVER, CALL, BACK, INSIDE, AFTER, SUB, RET, NR_PLACES };
extern const int32_t insn_places[NR_PLACES];
int insns_main(volatile int *x), insns_long(volatile int *x);
__asm__(".text\n.globl insns_main, insns_sub\n.type insns_main, @function\n.type insns_sub, @function\n"
	"insns_main:\n\txor %eax, %eax\n\tadd $1, %eax\n.Ljump:\n\tjmp .Lover\n\tnop\n"
	".Lover:\n\tmov %eax, %ecx\n.Lcall:\n\tcall insns_sub\n.Lback:\n\tmovabs $0x1122334455667788, %rdx\n.Linside:\n\tsub $3, %eax\n.Lafter:\n\tnop\n\tret\n"
	".size insns_main, . - insns_main\n"
	"insns_sub:\n\tlea 1(%rcx), %eax\n.Lret:\n\tret\n.size insns_sub, . - insns_sub\n"
	".globl insns_long\n.type insns_long, @function\ninsns_long:\n\t.fill 15000, 1, 0x90\n\tret\n.size insns_long, . - insns_long\n"
	".section .rodata\n.balign 4\n.globl insn_places\ninsn_places:\n"
	".long insns_main - insns_main, .Ljump - insns_main, .Lover - insns_main, .Lcall - insns_main, .Lback - insns_main, .Linside - insns_main, .Lafter - insns_main, "
	"insns_sub - insns_main, .Lret - insns_main\n.text\n");

static void insns(struct rec *r)
{
	enum { MISPRED = 1, PREDICTED = 2, IN_TX = 4, ABORT = 8 };
	enum { FORGED = 300 };
	uint64_t p[NR_PLACES], b[5 * 3], forged[FORGED * 3];

	for (int i = 0; i < NR_PLACES; i++)
		p[i] = at(insns_main, (unsigned)insn_places[i]);
	memcpy(b, (const uint64_t[]){ p[RET], p[BACK], PREDICTED | 7 << 4, p[CALL], p[SUB], MISPRED | 300 << 4, p[JUMP], p[OVER], PREDICTED | IN_TX,
				      at(leaf, 0), p[MAIN], PREDICTED | 9 << 4, kernel, at(leaf, 0), 0 }, sizeof(b));
	put_sample(r, 2000000, PERF_RECORD_MISC_USER, p[INSIDE], NULL, 0, b, 4);
	put_sample(r, 3000000, PERF_RECORD_MISC_USER, p[RET], NULL, 0, b, 3);	/* the branch itself */
	put_sample(r, 4000000, PERF_RECORD_MISC_USER, p[AFTER], NULL, 0, b + 6, 2);	/* the call is missing */
	put_sample(r, 5000000, PERF_RECORD_MISC_USER, p[MAIN], NULL, 0, b, 1);	/* in front of the last block */
	put_sample(r, 6000000, PERF_RECORD_MISC_USER, p[INSIDE], NULL, 0, b, 0);
	b[2] |= ABORT;
	put_sample(r, 7000000, PERF_RECORD_MISC_USER, p[INSIDE], NULL, 0, b, 5);
	b[3]--;					/* in the midst of an instruction */
	put_sample(r, 8000000, PERF_RECORD_MISC_USER, p[INSIDE], NULL, 0, b, 4);
	/* more code between branches than a CPU would record */
	for (int i = 0; i < FORGED; i++)
		memcpy(forged + 3 * i, (const uint64_t[]){ at(insns_long, 15000), at(insns_long, 0), 0 }, 24);
	put_sample(r, 10000000, PERF_RECORD_MISC_USER, at(insns_long, 15000), NULL, 0, forged, FORGED);
}
#else
static void insns(struct rec *r) { (void)r; }
static int insns_main(volatile int *x) { return *x; }
#endif

static void put_deferred(struct rec *r, uint64_t time_ns, uint64_t cookie, const uint64_t *ips, size_t nr)
{
	rec_begin(r, PT_RECORD_CALLCHAIN_DEFERRED, PERF_RECORD_MISC_USER);
	rec_u64(r, cookie), rec_u64(r, nr), rec_u64s(r, nr, ips);
	rec_u32(r, PID), rec_u32(r, PID), rec_u64(r, time_ns), rec_u64(r, 7);
	rec_end(r);
}

/* Two samples of one entry to the kernel wait for one record; one waits in vain; one has its user part at once. */
static void deferred(struct rec *r)
{
	const uint64_t first[] = { (uint64_t)PERF_CONTEXT_KERNEL, kernel + 0x40, PT_CONTEXT_USER_DEFERRED, 0x100000001 };
	const uint64_t second[] = { (uint64_t)PERF_CONTEXT_KERNEL, kernel + 0x80, kernel + 0x90, PT_CONTEXT_USER_DEFERRED, 0x100000001 };
	const uint64_t lost[] = { (uint64_t)PERF_CONTEXT_KERNEL, kernel + 0x40, PT_CONTEXT_USER_DEFERRED, 0x100000009 };
	const uint64_t now[] = { (uint64_t)PERF_CONTEXT_USER, at(leaf, 4), at(outer, 9) };
	const uint64_t user[] = { (uint64_t)PERF_CONTEXT_USER, at(leaf, 4), at(middle, 9), at(outer, 9) };

	put_sample(r, 2000000, PERF_RECORD_MISC_KERNEL, kernel + 0x40, first, PT_NR(first), NULL, 0);
	put_sample(r, 2500000, PERF_RECORD_MISC_KERNEL, kernel + 0x80, second, PT_NR(second), NULL, 0);
	put_deferred(r, 3000000, 0x100000001, user, PT_NR(user));
	put_sample(r, 4000000, PERF_RECORD_MISC_KERNEL, kernel + 0x40, lost, PT_NR(lost), NULL, 0);
	put_sample(r, 5000000, PERF_RECORD_MISC_USER, at(leaf, 4), now, PT_NR(now), NULL, 0);
}

int main(int argc, char **argv)
{
	struct rec_event ev = { .attr = { .type = PERF_TYPE_HARDWARE, .sample_period = 1000, .sample_type = FIELDS, .flags = PT_ATTR_SAMPLE_ID_ALL | PT_ATTR_MMAP | PT_ATTR_COMM | PT_ATTR_EXCLUDE_GUEST },
				.attr_bytes = PT_ATTR_SIZE_VER7, .ids = { 7 }, .nr_ids = 1 };
	struct rec data = REC(false), file = REC(false);
	volatile int x = argc;
	FILE *f;

	if (argc != 3)
		return 2;
	x = outer(&x) + middle(&x) + inner(&x) + leaf(&x) + other(&x) + insns_main(&x);
	put_maps(&data);
	if (!strcmp(argv[1], "lbr")) {
		ev.attr.sample_type |= PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK;
		ev.attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK | PERF_SAMPLE_BRANCH_NO_CYCLES | PERF_SAMPLE_BRANCH_NO_FLAGS;
		lbr(&data);
	} else if (!strcmp(argv[1], "brstack") || !strcmp(argv[1], "insns")) {
		ev.attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
		ev.attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
		(argv[1][0] == 'b' ? brstack : insns)(&data);
	} else {
		ev.attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
		ev.attr.flags |= PT_ATTR_DEFER_CALLCHAIN | PT_ATTR_DEFER_OUTPUT;
		deferred(&data);
	}
	rec_file(&file, &ev, 1, &data, NULL, 0);
	f = fopen(argv[2], "w");
	if (!f || fwrite(file.b.data, 1, file.b.len, f) != file.b.len || fclose(f))
		return 1;
	rec_free(&data);
	rec_free(&file);
	return 0;
}
