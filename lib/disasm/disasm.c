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

/* Mnemonics of a CPU that are no ordinary instruction; the first that fits counts. */
struct mnemonic {
	const char *name;
	enum pt_insn_kind kind;
	bool start;			/* of a longer one, too */
};
static const struct mnemonic
	x86[] = {
		{ "call", PT_INSN_CALL, true }, { "syscall", PT_INSN_SYSCALL, false },
		{ "ret", PT_INSN_RETURN, true }, { "j", PT_INSN_JUMP, true },
		{ "loop", PT_INSN_JUMP, true }, { "(bad)", PT_INSN_BAD, true }, { NULL, 0, false },
	},
	arm64[] = {
		{ "bl", PT_INSN_CALL, false }, { "blr", PT_INSN_CALL, true },
		{ "svc", PT_INSN_SYSCALL, false }, { "ret", PT_INSN_RETURN, true },
		{ "b", PT_INSN_JUMP, false }, { "b.", PT_INSN_JUMP, true },
		{ "br", PT_INSN_JUMP, false }, { "bra", PT_INSN_JUMP, true },
		{ "cbz", PT_INSN_JUMP, false }, { "cbnz", PT_INSN_JUMP, false },
		{ "tbz", PT_INSN_JUMP, false }, { "tbnz", PT_INSN_JUMP, false }, { NULL, 0, false },
	},
	s390[] = {
		{ "bras", PT_INSN_CALL, true }, { "bas", PT_INSN_CALL, true },
		{ "bal", PT_INSN_CALL, true }, { "svc", PT_INSN_SYSCALL, false },
		{ "br %r14", PT_INSN_RETURN, false }, { "bsm", PT_INSN_OTHER, false },
		{ "bp", PT_INSN_OTHER, true },	/* predictions */
		{ "b", PT_INSN_JUMP, true }, { "j", PT_INSN_JUMP, true },
		/* compare and branch */
		{ "cij", PT_INSN_JUMP, true }, { "cgij", PT_INSN_JUMP, true },
		{ "clij", PT_INSN_JUMP, true }, { "clgij", PT_INSN_JUMP, true },
		{ "crj", PT_INSN_JUMP, true }, { "cgrj", PT_INSN_JUMP, true },
		{ "clrj", PT_INSN_JUMP, true }, { "clgrj", PT_INSN_JUMP, true }, { NULL, 0, false },
	},
	riscv[] = {
		{ "jal", PT_INSN_CALL, true }, { "ecall", PT_INSN_SYSCALL, false },
		{ "ret", PT_INSN_RETURN, false }, { "j", PT_INSN_JUMP, true },
		{ "b", PT_INSN_JUMP, true }, { NULL, 0, false },
	},
	power[] = {
		{ "bl", PT_INSN_CALL, false }, { "bctrl", PT_INSN_CALL, false },
		{ "sc", PT_INSN_SYSCALL, false }, { "blr", PT_INSN_RETURN, false },
		{ "b", PT_INSN_JUMP, true }, { NULL, 0, false },
	};

/* triplet: of the objdump that reads a CPU's code; the name of Debian's package, too. */
static const struct cpu {
	const char *arch, *machine, *triplet;
	const struct mnemonic *mnemonics;
	/* A last operand of only 0x and digits is an address, not a number: adrp x3, 0x401000. */
	bool addresses;
} cpus[] = {
	{ "x86_64", "i386:x86-64", "x86_64-linux-gnu", x86, false },
	{ "i386", "i386", "x86_64-linux-gnu", x86, false },
	{ "i686", "i386", "x86_64-linux-gnu", x86, false },
	{ "aarch64", "aarch64", "aarch64-linux-gnu", arm64, true },
	{ "arm64", "aarch64", "aarch64-linux-gnu", arm64, true },
	{ "s390x", "s390:64-bit", "s390x-linux-gnu", s390, true },
	{ "riscv64", "riscv:rv64", "riscv64-linux-gnu", riscv, false },
	{ "ppc64le", "powerpc:common64", "powerpc64le-linux-gnu", power, false },
};

struct reading {
	struct pt_insns *in;
	const struct pt_disasm_code *code;
	const struct cpu *cpu;
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

static enum pt_insn_kind disasm_kind_of(const struct cpu *cpu, const char *text)
{
	if (*text == '.')			/* ".byte", ".inst", ".long": data */
		return PT_INSN_BAD;
	text = behind_prefixes(text);
	for (const struct mnemonic *m = cpu->mnemonics; m->name; m++) {
		size_t n = strlen(m->name);

		if (!strncmp(text, m->name, n) && (m->start || !text[n] || text[n] == ' '))
			return m->kind;
	}
	return PT_INSN_OTHER;
}

/* The address that an instruction refers to: the last operand, as in "jmp    0x1139",
 * "cbz x0, 0x88" and "b.ne 0x88  // b.any", or in a comment behind: "# 0x4014". It loses its 0x, as
 * objdump writes it where it has symbols. */
static bool take_target(char *text, bool last_operand, uint64_t *target)
{
	char *comment = strstr(text, "# 0x"), *end = strstr(text, "  //"), *at;

	end = end ? end : text + strlen(text);
	for (at = end; at > text && at[-1] != ' ' && at[-1] != ','; )
		at--;
	if (comment)
		at = comment + 2;
	else if (!last_operand)
		return false;
	if (strncmp(at, "0x", 2))
		return false;
	*target = strtoull(at, NULL, 16);
	memmove(at, at + 2, strlen(at + 2) + 1);
	return true;
}

/* "    1139:\tpush   %rbp" */
static void disasm_take_line(void *arg, const char *line, size_t len)
{
	struct reading *r = arg;
	struct pt_insns *in = r->in;
	const char *colon = memchr(line, ':', len);
	struct pt_insn x = { .vaddr = strtoull(line, NULL, 16) };
	bool last_operand;

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
	x.kind = disasm_kind_of(r->cpu, r->text.data);
	last_operand = x.kind == PT_INSN_JUMP || x.kind == PT_INSN_CALL ||
		       (x.kind == PT_INSN_OTHER && r->cpu->addresses);
	x.has_target = take_target(r->text.data, last_operand, &x.target);
	x.text = pt_arena_strndup(&in->text, r->text.data, strlen(r->text.data));
	PT_GROW(in->v, in->nr, in->cap);
	in->v[in->nr++] = x;
}

static void disasm_read_all(int fd, struct reading *r)
{
	struct pt_lines lines = { .line = disasm_take_line, .arg = r };
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

static int disasm_start(const char *program, char **argv, int bytes, int *out, pid_t *pid)
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

static int disasm_run(const char *program, struct reading *r, struct pt_err *e)
{
	const struct pt_disasm_code *code = r->code;
	char *adjust = pt_asprintf("--adjust-vma=0x%llx", (unsigned long long)code->vaddr);
	int fd = bytes_file(code), out = -1, rc, status = 0;
	const char *argv[] = { "objdump", "-D", "-w", "-z", "-b", "binary", "--no-show-raw-insn",
			       adjust, "-m", r->cpu->machine, "/proc/self/fd/3",
			       code->intel ? "-Mintel" : NULL, NULL };
	pid_t pid;

	rc = fd < 0 ? errno : disasm_start(program, (char **)argv, fd, &out, &pid);
	free(adjust);
	if (fd >= 0)
		close(fd);
	if (rc)
		return pt_err_sys(e, rc, "%s", program);
	disasm_read_all(out, r);
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
	bool found;
	int rc = 0;

	for (size_t i = 0; i < PT_NR(cpus) && !r.cpu; i++)
		r.cpu = strcmp(cpus[i].arch, code->arch) ? NULL : &cpus[i];
	if (!r.cpu)
		return pt_err_set(e, "nothing here reads code of %s", code->arch);
	if (code->len_bytes > MAX_CODE)
		return pt_err_set(e, "more than %d MB of code", MAX_CODE >> 20);
	found = find_objdump(r.cpu, &program);
	if (found)
		rc = disasm_run(program.data, &r, e);
	pt_buf_deinit(&program);
	if (rc < 0)
		return -1;
	if (!rc || !in->nr)
		return pt_err_set(e, "%s code of %s (package binutils, or binutils-%s)",
				  found ? "the objdump of this machine does not read"
					: "there is no objdump, which reads",
				  code->arch, r.cpu->triplet);
	in->v[in->nr - 1].len_bytes =
		(uint32_t)(code->vaddr + code->len_bytes - in->v[in->nr - 1].vaddr);
	return 0;
}
