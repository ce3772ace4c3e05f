#include "disasm/disasm.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/lines.h"
#include "base/mem.h"
#include "base/program.h"

extern char **environ;

enum { BYTES_FD = 3, MAX_CODE = 16 << 20 };

/* triplet: of the objdump that reads a CPU's code; the name of Debian's package, too. */
static const struct cpu { const char *arch, *machine, *triplet; } cpus[] = {
	{ "x86_64", "i386:x86-64", "x86_64-linux-gnu" },
	{ "i386", "i386", "x86_64-linux-gnu" },
	{ "i686", "i386", "x86_64-linux-gnu" },
	{ "aarch64", "aarch64", "aarch64-linux-gnu" },
	{ "arm64", "aarch64", "aarch64-linux-gnu" },
	{ "s390x", "s390:64-bit", "s390x-linux-gnu" },
	{ "riscv64", "riscv:rv64", "riscv64-linux-gnu" },
	{ "ppc64le", "powerpc:common64", "powerpc64le-linux-gnu" },
};

struct reading {
	struct pt_insns *in;
	const struct pt_disasm_code *code;
	struct pt_buf text;
};

void pt_insns_deinit(struct pt_insns *in)
{
	free(in->v);
	pt_arena_deinit(&in->text);
	*in = (struct pt_insns){ .nr = 0 };
}

/* -- objdump's lines -- */

static const char *behind_prefixes(const char *text)
{
	static const char *const prefixes[] = { "bnd ", "notrack ", "rep ", "repz ", "data16 ",
						"addr32 " };

	for (size_t i = 0; i < PT_NR(prefixes); i++)
		if (!strncmp(text, prefixes[i], strlen(prefixes[i])))
			return behind_prefixes(text + strlen(prefixes[i]));
	return text;
}

/* Mnemonics of jumps, calls and returns on the CPUs above. */
static enum pt_insn_kind kind_of(const char *text)
{
	static const struct { const char *name; enum pt_insn_kind kind; bool start; } names[] = {
		{ "call", PT_INSN_CALL, true },   { "bl", PT_INSN_CALL, false },
		{ "blr", PT_INSN_CALL, false },   { "bras", PT_INSN_CALL, true },
		{ "syscall", PT_INSN_SYSCALL, false }, { "svc", PT_INSN_SYSCALL, false },
		{ "ecall", PT_INSN_SYSCALL, false },   { "sc", PT_INSN_SYSCALL, false },
		{ "ret", PT_INSN_RETURN, true },  { "(bad)", PT_INSN_BAD, true },
		{ ".byte", PT_INSN_BAD, true },   { ".inst", PT_INSN_BAD, true },
		{ ".long", PT_INSN_BAD, true },   { "b.", PT_INSN_JUMP, true },
		{ "b", PT_INSN_JUMP, false },     { "br", PT_INSN_JUMP, false },
		{ "cbz", PT_INSN_JUMP, false },   { "cbnz", PT_INSN_JUMP, false },
		{ "tbz", PT_INSN_JUMP, false },   { "tbnz", PT_INSN_JUMP, false },
		{ "j", PT_INSN_JUMP, true },      { "loop", PT_INSN_JUMP, true },
	};
	size_t len;

	text = behind_prefixes(text);
	len = strcspn(text, " ");
	for (size_t i = 0; i < PT_NR(names); i++) {
		size_t n = strlen(names[i].name);

		if (n <= len && !strncmp(text, names[i].name, n) && (names[i].start || n == len))
			return names[i].kind;
	}
	return PT_INSN_OTHER;
}

/* The address that an instruction refers to: the last operand, as in "jmp    0x1139" and
 * "cbz x0, 0x88", or in a comment behind: "# 0x4014". It loses its 0x, as objdump writes it where it
 * has symbols. */
static bool take_target(char *text, bool jumps, uint64_t *target)
{
	char *comment = strstr(text, "# 0x"), *at = strrchr(text, ' '), *comma = strrchr(text, ',');

	at = comma > at ? comma : at;
	if (comment)
		at = comment + 1;
	else if (!jumps)
		return false;
	if (!at || strncmp(at + 1, "0x", 2))
		return false;
	*target = strtoull(at + 1, NULL, 16);
	memmove(at + 1, at + 3, strlen(at + 3) + 1);
	return true;
}

/* "    1139:\tpush   %rbp" */
static void take_line(void *arg, const char *line, size_t len)
{
	struct reading *r = arg;
	struct pt_insns *in = r->in;
	const char *colon = memchr(line, ':', len);
	struct pt_insn x = { .vaddr = strtoull(line, NULL, 16) };
	bool jumps;

	if (!colon || colon + 1 == line + len || colon[1] != '\t')
		return;
	if (x.vaddr - r->code->vaddr >= r->code->len_bytes ||
	    (in->nr && x.vaddr <= in->v[in->nr - 1].vaddr))
		return;
	if (in->nr)
		in->v[in->nr - 1].len_bytes = (uint32_t)(x.vaddr - in->v[in->nr - 1].vaddr);
	pt_buf_clear(&r->text);
	for (const char *p = colon + 2; p < line + len; p++)
		pt_buf_putc(&r->text, (char)(*p == '\t' ? ' ' : *p));
	while (r->text.len && isspace((unsigned char)r->text.data[r->text.len - 1]))
		r->text.len--;
	pt_buf_add(&r->text, "", 0);		/* ends it */
	x.kind = kind_of(r->text.data);
	jumps = x.kind == PT_INSN_JUMP || x.kind == PT_INSN_CALL;
	x.has_target = take_target(r->text.data, jumps, &x.target);
	x.text = pt_arena_strndup(&in->text, r->text.data, strlen(r->text.data));
	PT_GROW(in->v, in->nr, in->cap);
	in->v[in->nr++] = x;
}

static void read_all(int fd, struct reading *r)
{
	struct pt_lines lines = { .line = take_line, .arg = r };
	char block[1 << 14];
	ssize_t n;

	while ((n = read(fd, block, sizeof(block))) > 0 || (n < 0 && errno == EINTR))
		if (n > 0)
			pt_lines_feed(&lines, block, (size_t)n);
	pt_lines_end(&lines);
	pt_lines_deinit(&lines);
	pt_buf_deinit(&r->text);
}

/* -- running it -- */

static int bytes_file(const struct pt_disasm_code *c)
{
	int fd = memfd_create("code", MFD_CLOEXEC);
	size_t done = 0;
	ssize_t n;

	while (fd >= 0 && done < c->len_bytes) {
		n = write(fd, c->bytes + done, c->len_bytes - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			close(fd);
			return -1;
		}
		done += (size_t)n;
	}
	return fd;
}

static int start(const char *program, char **argv, int bytes, int *out, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	int ends[2], rc;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return errno;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, bytes, BYTES_FD);
	rc = posix_spawn(pid, program, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	if (rc)
		close(ends[0]);
	*out = ends[0];
	return rc;
}

static int run(const char *program, const struct cpu *cpu, struct reading *r, struct pt_err *e)
{
	const struct pt_disasm_code *code = r->code;
	char *adjust = pt_asprintf("--adjust-vma=0x%llx", (unsigned long long)code->vaddr);
	int fd = bytes_file(code), out = -1, rc, status = 0;
	const char *argv[] = { "objdump", "-D", "-w", "-b", "binary", "--no-show-raw-insn", adjust,
			       "-m", cpu->machine, "/proc/self/fd/3",
			       code->intel ? "-Mintel" : NULL, NULL };
	pid_t pid;

	rc = fd < 0 ? errno : start(program, (char **)argv, fd, &out, &pid);
	free(adjust);
	if (fd >= 0)
		close(fd);
	if (rc)
		return pt_err_sys(e, rc, "%s", program);
	read_all(out, r);
	close(out);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

/* That CPU's own objdump, else the machine's, which often reads several. False: there is none. */
static bool find_objdump(const struct cpu *cpu, struct pt_buf *program)
{
	char *own = pt_asprintf("%s-objdump", cpu->triplet);
	bool found = !pt_program_find(own, program);

	free(own);
	return found || !pt_program_find("objdump", program);
}

int pt_disasm(struct pt_insns *in, const struct pt_disasm_code *code, struct pt_err *e)
{
	struct reading r = { .in = in, .code = code };
	struct pt_buf program = PT_BUF_INIT;
	const struct cpu *cpu = NULL;
	bool found;
	int rc = 0;

	for (size_t i = 0; i < PT_NR(cpus) && !cpu; i++)
		cpu = strcmp(cpus[i].arch, code->arch) ? NULL : &cpus[i];
	if (!cpu)
		return pt_err_set(e, "nothing here reads code of %s", code->arch);
	if (code->len_bytes > MAX_CODE)
		return pt_err_set(e, "more than %d MB of code", MAX_CODE >> 20);
	found = find_objdump(cpu, &program);
	if (found)
		rc = run(program.data, cpu, &r, e);
	pt_buf_deinit(&program);
	if (rc < 0)
		return -1;
	if (!rc || !in->nr)
		return pt_err_set(e, "%s code of %s (package binutils, or binutils-%s)",
				  found ? "the objdump of this machine does not read"
					: "there is no objdump, which reads",
				  code->arch, cpu->triplet);
	in->v[in->nr - 1].len_bytes =
		(uint32_t)(code->vaddr + code->len_bytes - in->v[in->nr - 1].vaddr);
	return 0;
}
