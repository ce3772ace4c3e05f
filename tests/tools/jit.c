/* jit FILE HOW [MS] - makes code at run time and tells of it, as a compiler would; x86-64 only (77: another CPU).
 *
 *     FILE map: /tmp/perf-PID.map; dump: jit-PID.dump in this directory, with unwinding records, lines and times; bare: the same without unwinding records
 *     HOW  of dump and bare: plain, busy (the function itself takes the time: it calls one that does nothing)
 *          of map: plain, cut (its last line has no end), odd (control characters, other lines around), mode (anybody may write to it), owner (another user's),
 *          link (a symbolic link), fifo, old (an hour old), huge
 *
 * The function made keeps no frame pointer and a large frame: nobody passes it without its rules. It calls spin(), which burns MS of CPU time (100):
 * as `one`; then from the same place, overwritten, as `two`; then moved elsewhere (map: a new line) `two` again.
 * Prints its pid. */
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifdef __x86_64__
/* push %rbp; xor %ebp,%ebp; sub $0x90,%rsp; call *%rdi; add $0x90,%rsp; pop %rbp; ret */
static const uint8_t code[] = { 0x55, 0x31, 0xed, 0x48, 0x81, 0xec, 0x90, 0, 0, 0, 0xff, 0xd7, 0x48, 0x81, 0xc4, 0x90, 0, 0, 0, 0x5d, 0xc3 };
/* A CIE (CFA rsp+8, return address at -8) and the function's FDE: what the instructions above do, one by one; it stands at the next multiple of 8. */
static const uint8_t frames[] = {
	20, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 0x10, 1, 0x1b, 0x0c, 7, 8, 0x90, 1, 0, 0,
	32, 0, 0, 0, 28, 0, 0, 0, 0xc8, 0xff, 0xff, 0xff, sizeof(code), 0, 0, 0, 0,
	0x41, 0x0e, 16, 0x86, 2, 0x49, 0x0e, 0xa0, 1, 0x49, 0x0e, 16, 0x41, 0x0e, 8, 0xc6, 0, 0, 0,
};
static const uint8_t header[20] = { 1, 0x1b, 3, 0x3b };

static long burn_ms = 100;
static FILE *out;
static volatile unsigned long sink;

static uint64_t now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

__attribute__((noinline)) static void spin(void)
{
	uint64_t end = now(CLOCK_PROCESS_CPUTIME_ID) + (uint64_t)burn_ms * 1000000u;
	unsigned long i;

	while (now(CLOCK_PROCESS_CPUTIME_ID) < end)
		for (i = 0; i < 200000; i++)
			sink += i;
}

__attribute__((noinline)) static void nothing(void) { __asm__ volatile(""); }

static void call(const uint8_t *at, int busy)
{
	void (*made)(void (*)(void)) = (void (*)(void (*)(void)))(uintptr_t)at;
	uint64_t end = now(CLOCK_PROCESS_CPUTIME_ID) + (uint64_t)burn_ms * 1000000u;

	if (!busy)
		made(spin);
	else
		while (now(CLOCK_PROCESS_CPUTIME_ID) < end)
			for (int i = 0; i < 200000; i++)
				made(nothing);
}

static void u32(uint32_t v) { fwrite(&v, 4, 1, out); }
static void u64(uint64_t v) { fwrite(&v, 8, 1, out); }

static void record(uint32_t id, size_t bytes)
{
	u32(id);
	u32((uint32_t)(16 + bytes));
	u64(now(CLOCK_MONOTONIC));
}

static void load(const void *at, const char *name, uint64_t index, int unwinding)
{
	uint64_t pid = (uint64_t)getpid() | (uint64_t)syscall(SYS_gettid) << 32;

	if (unwinding) {
		record(4, 24 + sizeof(frames) + sizeof(header));
		u64(sizeof(frames) + sizeof(header));
		u64(sizeof(header));
		u64(0);
		fwrite(frames, sizeof(frames), 1, out);
		fwrite(header, sizeof(header), 1, out);
	}
	record(2, 16 + 16 + 7);
	u64((uintptr_t)at);
	u64(1);
	u64((uintptr_t)at);
	u32((uint32_t)(100 + index));
	u32(0);
	fwrite("made.x", 7, 1, out);
	record(0, 40 + strlen(name) + 1 + sizeof(code));
	u64(pid);
	u64((uintptr_t)at);
	u64((uintptr_t)at);
	u64(sizeof(code));
	u64(index);
	fwrite(name, strlen(name) + 1, 1, out);
	fwrite(code, sizeof(code), 1, out);
	fflush(out);
}

static void move(const void *from, const void *to, uint64_t index)
{
	record(1, 48);
	u64((uint64_t)getpid());
	u64((uintptr_t)to);
	u64((uintptr_t)from);
	u64((uintptr_t)to);
	u64(sizeof(code));
	u64(index);
	fflush(out);
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void begin_dump(void)
{
	char path[64];

	snprintf(path, sizeof(path), "jit-%d.dump", getpid());
	out = fopen(path, "w+");
	if (!out || mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(out), 0) == MAP_FAILED)
		die(path);
	u32(0x4a695444);
	u32(1);
	u32(40);
	u32(EM_X86_64);
	u32(0);
	u32((uint32_t)getpid());
	u64(now(CLOCK_MONOTONIC));
	u64(0);
}

static void begin_map(char path[64], const char *how)
{
	char other[80];

	snprintf(path, 64, "/tmp/perf-%d.map", getpid());
	snprintf(other, sizeof(other), "%s.other", path);
	unlink(path);	/* of a process that had this pid before */
	unlink(other);
	if (!strcmp(how, "fifo")) {
		if (mkfifo(path, 0644))
			die(path);
		out = fopen("/dev/null", "w");
		return;
	}
	out = fopen(!strcmp(how, "link") ? other : path, "w");
	if (!out || (!strcmp(how, "link") && symlink(other, path)))
		die(path);
	if (!strcmp(how, "mode") && fchmod(fileno(out), 0666))
		die(path);
	if (!strcmp(how, "owner") && fchown(fileno(out), 65534, 65534))
		die(path);
}

static void map_line(const void *at, const char *name, const char *how)
{
	int odd = !strcmp(how, "odd") && *name == 'o', huge = !strcmp(how, "huge"), i;

	if (odd)
		fprintf(out, "nonsense\n%lx zz bad\n%lx %zx overwritten\n\n", (unsigned long)(uintptr_t)at, (unsigned long)(uintptr_t)at, sizeof(code));
	for (i = 0; huge && i < 400000; i++)
		fprintf(out, "%x 10 filler %d\n", 0x10000 + i * 16, i);
	fprintf(out, "%lx %zx %s%s%s", (unsigned long)(uintptr_t)at, sizeof(code), name, odd ? " \x1b[31m;\x01<x>" : "", !strcmp(how, "cut") && *name == 't' ? "" : "\n");
	if (odd)
		fprintf(out, "ffffffffffffffff ffffffffffffffff all\n0 ffffffffffffffff most\n%lx %zx %s \x1b[31m;\x01<x>\n", (unsigned long)(uintptr_t)at, sizeof(code), name);
	fflush(out);
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[2] : "plain";
	int map = argc > 1 && !strcmp(argv[1], "map"), unwinding = argc > 1 && strcmp(argv[1], "bare"), busy = !strcmp(how, "busy");
	struct timespec old[2] = { { .tv_sec = time(NULL) - 3600 }, { .tv_sec = time(NULL) - 3600 } };
	uint8_t *at = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[64] = "";

	printf("%d\n", getpid());
	fflush(stdout);
	if (argc > 3)
		burn_ms = atol(argv[3]);
	if (at == MAP_FAILED)
		die("mmap");
	memcpy(at, code, sizeof(code));
	if (map)
		begin_map(path, how);
	else
		begin_dump();
	if (map)
		map_line(at, "one", how);
	else
		load(at, "one", 1, unwinding);
	call(at, busy);
	if (!map) {			/* without times there is but one name for an address */
		memset(at, 0xcc, sizeof(code));
		memcpy(at, code, sizeof(code));
		load(at, "two", 2, unwinding);
		call(at, busy);
	}
	memcpy(at + 4096, code, sizeof(code));
	if (map)
		map_line(at + 4096, "two", how);
	else
		move(at, at + 4096, 2);
	call(at + 4096, busy);
	fclose(out);
	if (!strcmp(how, "old") && utimensat(AT_FDCWD, path, old, 0))
		die(path);
	return 0;
}
#else
int main(void)
{
	fprintf(stderr, "jit: not for this CPU\n");
	return 77;
}
#endif
