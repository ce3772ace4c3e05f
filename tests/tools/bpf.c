/* bpf - loads a BPF program, lets it run for about so many milliseconds of CPU time, and goes: for samples within BPF code.
 *
 *     bpf NAME MS         exit status 77: this kernel or this user cannot */
#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { BODY = 3000 };

static uint64_t cpu_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

int main(int argc, char **argv)
{
	static struct bpf_insn code[BODY + 2];
	uint8_t packet[64] = { 0 };
	union bpf_attr a;
	uint64_t until;
	int i, fd;

	if (argc != 3)
		return 2;
	code[0] = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 1 };
	for (i = 1; i <= BODY; i++)
		code[i] = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MUL | BPF_K, .dst_reg = BPF_REG_0, .imm = 3 };
	code[BODY + 1] = (struct bpf_insn){ .code = BPF_JMP | BPF_EXIT };
	memset(&a, 0, sizeof(a));
	a.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
	a.insns = (uint64_t)(uintptr_t)code;
	a.insn_cnt = BODY + 2;
	a.license = (uint64_t)(uintptr_t)"GPL";
	strncpy(a.prog_name, argv[1], sizeof(a.prog_name) - 1);
	fd = (int)syscall(SYS_bpf, BPF_PROG_LOAD, &a, sizeof(a));
	if (fd < 0) {
		fprintf(stderr, "bpf: %s\n", strerror(errno));
		return 77;
	}
	for (until = cpu_ms() + strtoull(argv[2], NULL, 10); cpu_ms() < until; ) {
		memset(&a, 0, sizeof(a));
		a.test.prog_fd = (uint32_t)fd;
		a.test.data_in = (uint64_t)(uintptr_t)packet;
		a.test.data_size_in = sizeof(packet);
		a.test.repeat = 1000;
		if (syscall(SYS_bpf, BPF_PROG_TEST_RUN, &a, sizeof(a)) < 0 && errno != EINTR) {
			fprintf(stderr, "bpf: cannot run it: %s\n", strerror(errno));
			return 77;
		}
	}
	close(fd);
	return 0;
}
