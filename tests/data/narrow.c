/* 32-bit system calls of many kinds: see README.md. It has no libc, so that a compiler of a 64-bit
 * machine can make it. */
#include <asm/unistd_32.h>
/* The arguments are on the stack as int $0x80 wants them in registers; ebp is the sixth. */
long call6(long nr, long a, long b, long c, long d, long e, long f);
__asm__("call6: push %ebx; push %esi; push %edi; push %ebp; mov 20(%esp), %eax; mov 24(%esp), %ebx\n"
	"mov 28(%esp), %ecx; mov 32(%esp), %edx; mov 36(%esp), %esi; mov 40(%esp), %edi\n"
	"mov 44(%esp), %ebp; int $0x80; pop %ebp; pop %edi; pop %esi; pop %ebx; ret");
#define CALL(name, a, b, c, d, e, f) \
	call6(__NR_##name, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
struct iovec { char *base; unsigned len; };
static char buf[4096];
static void all(void)
{
	int p[2], s[2], fds[2] = { 1 << 0, 0 };
	long narrow_time[4] = { 0, 1000, 0, 2000 }, limit[2];
	long long wide_time[4] = { 0, 1000, 0, 2000 };
	struct iovec v[3] = { { "ab", 2 }, { "cde", 3 }, { "", 0 } }, in = { buf, 64 };
	struct { char *name; int len; struct iovec *iov; int nr; char *control; int control_len, flags; }
		out = { 0, 0, v, 2 }, back = { 0, 0, &in, 1 };
	struct { long handler, flags, restorer, mask[2]; } act = { 1, 0x10000000 };
	struct { int fd; short events, revents; } pfd = { 0, 1, 0 };
	struct { short type, whence; int start, len, pid; } lock = { 1, 0, 0, 7, 0 };
	struct { short family; char path[14]; } at = { 1, "no-such-place" };
	char *argv[] = { "narrow", "an argument", 0 }, *envp[] = { "A=1", "B=2", 0 };
	int fd = CALL(openat, -100, "/etc/hosts", 0x8000, 0, 0, 0), made;

	CALL(fstatat64, -100, "/etc/hosts", buf, 0, 0, 0);
	CALL(stat64, "/dev/null", buf, 0, 0, 0, 0);
	CALL(stat, "/etc/hosts", buf, 0, 0, 0, 0);
	CALL(statx, -100, "/etc/hosts", 0, 0x7ff, buf, 0);
	CALL(statfs64, "/", 84, buf, 0, 0, 0);
	CALL(read, fd, buf, 10, 0, 0, 0);
	CALL(pread64, fd, buf, 8, 3, 0, 0);
	CALL(pread64, fd, buf, 8, 3, 1, 0);
	CALL(_llseek, fd, 1, 2, buf, 0, 0);
	CALL(lseek, fd, -1, 2, 0, 0, 0);
	CALL(readv, fd, &in, 1, 0, 0, 0);
	CALL(fcntl64, fd, 3, 0, 0, 0, 0);
	CALL(fcntl64, fd, 1, 0, 0, 0, 0);
	CALL(dup, fd, 0, 0, 0, 0, 0);
	CALL(close, fd, 0, 0, 0, 0, 0);
	CALL(open, "/no/such/file", 0x8000, 0, 0, 0, 0);
	made = CALL(open, "made", 0x8042, 0644, 0, 0, 0);
	CALL(writev, made, v, 3, 0, 0, 0);
	CALL(fcntl64, made, 6, &lock, 0, 0, 0);
	CALL(ftruncate64, made, 5, 1, 0, 0, 0);
	CALL(truncate64, "made", 6, 0, 0, 0, 0);
	CALL(mmap2, 0, 8192, 1, 2, made, 1);
	CALL(mmap2, 0, 8192, 3, 0x22, -1, 0);
	CALL(utimensat, -100, "made", narrow_time, 0, 0, 0);
	CALL(utimensat_time64, -100, "made", wide_time, 0, 0, 0);
	CALL(unlink, "made", 0, 0, 0, 0, 0);
	CALL(pipe2, p, 02000000, 0, 0, 0, 0);
	CALL(write, p[1], "hello", 5, 0, 0, 0);
	pfd.fd = p[0];
	CALL(poll, &pfd, 1, 100, 0, 0, 0);
	CALL(ppoll, &pfd, 1, narrow_time, 0, 0, 0);
	fds[0] = 1 << p[0];
	CALL(_newselect, p[0] + 1, fds, 0, 0, narrow_time, 0);
	CALL(nanosleep, narrow_time, 0, 0, 0, 0, 0);
	CALL(clock_nanosleep_time64, 1, 0, wide_time, 0, 0, 0);
	CALL(clock_gettime, 1, buf, 0, 0, 0, 0);
	CALL(clock_gettime64, 1, buf, 0, 0, 0, 0);
	CALL(gettimeofday, buf, 0, 0, 0, 0, 0);
	CALL(socketpair, 1, 1, 0, s, 0, 0);
	CALL(sendmsg, s[0], &out, 0, 0, 0, 0);
	CALL(recvmsg, s[1], &back, 0, 0, 0, 0);
	CALL(connect, s[0], &at, sizeof(at), 0, 0, 0);
	CALL(rt_sigaction, 10, &act, 0, 8, 0, 0);
	CALL(rt_sigprocmask, 0, 0, buf, 8, 0, 0);
	CALL(kill, CALL(getpid, 0, 0, 0, 0, 0, 0), 10, 0, 0, 0, 0);
	CALL(ugetrlimit, 3, limit, 0, 0, 0, 0);
	CALL(prlimit64, 0, 3, 0, buf, 0, 0);
	CALL(getuid32, 0, 0, 0, 0, 0, 0);
	CALL(getresuid32, buf, buf + 4, buf + 8, 0, 0, 0);
	CALL(setfsuid32, -1, 0, 0, 0, 0, 0);
	CALL(sysinfo, buf, 0, 0, 0, 0, 0);
	CALL(uname, buf, 0, 0, 0, 0, 0);
	CALL(umask, 022, 0, 0, 0, 0, 0);
	CALL(sched_yield, 0, 0, 0, 0, 0, 0);
	if (CALL(fork, 0, 0, 0, 0, 0, 0) == 0)
		CALL(exit_group, 3, 0, 0, 0, 0, 0);
	CALL(waitpid, -1, buf, 0, 0, 0, 0);
	if (CALL(fork, 0, 0, 0, 0, 0, 0) == 0)
		CALL(exit, 4, 0, 0, 0, 0, 0);
	CALL(wait4, -1, buf, 0, 0, 0, 0);
	CALL(execve, "/no/such/program", argv, envp, 0, 0, 0);
	CALL(execve, "/bin/true", argv, envp, 0, 0, 0);
}
void _start(void)
{
	all();
	CALL(exit_group, 0, 0, 0, 0, 0, 0);
}
