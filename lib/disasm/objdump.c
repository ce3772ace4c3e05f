/* objdump.c - code of any CPU that this machine's objdump(1) knows. The bytes go by a file in
 * memory; nothing else of the program's file is read. */
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
#include "disasm/disasm_priv.h"

extern char **environ;

enum { BYTES_FD = 3, MAX_CODE = 16 << 20 };

static const struct machine { const char *arch, *machine; } machines[] = {
	{ "x86_64", "i386:x86-64" }, { "i386", "i386" },         { "i686", "i386" },
	{ "aarch64", "aarch64" },    { "arm64", "aarch64" },     { "s390x", "s390:64-bit" },
	{ "riscv64", "riscv:rv64" }, { "ppc64le", "powerpc:common64" },
};

struct reading {
	struct pt_insns *in;
	const struct pt_disasm_code *code;
};

/* Mnemonics of jumps, calls and returns on the CPUs above. */
static enum pt_insn_kind kind_of(const char *text, size_t len)
{
	static const struct { const char *name; enum pt_insn_kind kind; bool start; } names[] = {
		{ "call", PT_INSN_CALL, true },   { "bl", PT_INSN_CALL, false },
		{ "blr", PT_INSN_CALL, false },   { "bras", PT_INSN_CALL, true },
		{ "ret", PT_INSN_RETURN, true },  { "(bad)", PT_INSN_BAD, true },
		{ ".byte", PT_INSN_BAD, true },   { ".inst", PT_INSN_BAD, true },
		{ ".long", PT_INSN_BAD, true },   { "b.", PT_INSN_JUMP, true },
		{ "b", PT_INSN_JUMP, false },     { "br", PT_INSN_JUMP, false },
		{ "cb", PT_INSN_JUMP, true },     { "tb", PT_INSN_JUMP, true },
		{ "j", PT_INSN_JUMP, true },
	};

	for (size_t i = 0; i < PT_NR(names); i++) {
		size_t n = strlen(names[i].name);

		if (n <= len && !strncmp(text, names[i].name, n) && (names[i].start || n == len))
			return names[i].kind;
	}
	return PT_INSN_OTHER;
}

/* The last operand, if it is an address: "jmp    0x1139", "cbz x0, 0x88". */
static bool target_of(const char *text, uint64_t *target)
{
	const char *last = strrchr(text, ' '), *comma = strrchr(text, ',');
	char *end;

	last = comma > last ? comma : last;
	if (!last || strncmp(last + 1, "0x", 2))
		return false;
	*target = strtoull(last + 1, &end, 16);
	return !*end;
}

/* "    1139:\tpush   %rbp" */
static void take_line(void *arg, const char *line, size_t len)
{
	struct reading *r = arg;
	const struct pt_disasm_code *c = r->code;
	const char *colon = memchr(line, ':', len), *text;
	struct pt_insn *x;
	uint64_t vaddr;
	size_t n;

	if (!colon || colon + 1 == line + len || colon[1] != '\t')
		return;
	vaddr = strtoull(line, NULL, 16);
	if (vaddr - c->vaddr >= c->len_bytes ||
	    (r->in->nr && vaddr <= r->in->v[r->in->nr - 1].vaddr))
		return;
	if (r->in->nr)
		r->in->v[r->in->nr - 1].len_bytes =
			(uint32_t)(vaddr - r->in->v[r->in->nr - 1].vaddr);
	text = colon + 2;
	n = (size_t)(line + len - text);
	while (n && isspace((unsigned char)text[n - 1]))
		n--;
	x = pt_insns_add(r->in, vaddr, 0, text, n);
	x->kind = kind_of(x->text, strcspn(x->text, " \t"));
	if (x->kind == PT_INSN_JUMP || x->kind == PT_INSN_CALL)
		x->has_target = target_of(x->text, &x->target);
}

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
}

static const char *machine_of(const char *arch)
{
	for (size_t i = 0; i < PT_NR(machines); i++)
		if (!strcmp(machines[i].arch, arch))
			return machines[i].machine;
	return NULL;
}

int pt_disasm_objdump(struct pt_insns *in, const struct pt_disasm_code *code, struct pt_err *e)
{
	const char *machine = machine_of(code->arch);
	struct reading r = { in, code };
	struct pt_buf program = PT_BUF_INIT;
	char *adjust;
	int fd, out = -1, rc, status = 0;
	pid_t pid;

	if (!machine || code->len_bytes > MAX_CODE || pt_program_find("objdump", &program))
		return 0;
	fd = bytes_file(code);
	if (fd < 0)
		return pt_err_sys(e, errno, "code for objdump");
	adjust = pt_asprintf("--adjust-vma=0x%llx", (unsigned long long)code->vaddr);
	rc = start(program.data,
		   (char *[]){ (char *)"objdump", (char *)"-D", (char *)"-w", (char *)"-b",
			       (char *)"binary", (char *)"--no-show-raw-insn", adjust,
			       (char *)"-m", (char *)machine, (char *)"/proc/self/fd/3",
			       (char *)(code->intel ? "-Mintel" : NULL), NULL },
		   fd, &out, &pid);
	free(adjust);
	close(fd);
	if (rc) {
		rc = pt_err_sys(e, rc, "%s", program.data);
	} else {
		read_all(out, &r);
		close(out);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	}
	pt_buf_deinit(&program);
	if (rc < 0)
		return -1;
	if (in->nr)
		in->v[in->nr - 1].len_bytes =
			(uint32_t)(code->vaddr + code->len_bytes - in->v[in->nr - 1].vaddr);
	in->by = "objdump";
	return in->nr && WIFEXITED(status) && !WEXITSTATUS(status);
}
