# What pt-trace shows is what happened: paths that are not in memory yet or change meanwhile, calls that fail, are restarted, never return or whose process is killed; every thread and every short process; counts are the kernel's, and what is lost is counted.
. "$PT_TOP/tests/lib.sh"
need_root
need gcc
need_events raw_syscalls:sys_enter

cat > truth.c <<'C'
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
extern char **environ;
static volatile uint64_t name[2];	/* 7 letters and a NUL, written at once */
static volatile int over;
static void *change(void *arg)
{
	for (uint64_t i = 0; !over; i++)
		memcpy((void *)name, i & 1 ? "aaaaaaa" : "bbbbbbb", 8);
	return arg;
}
static void *end_all(void *arg) { usleep(100000); exit(7); return arg; }
static void *yield(void *arg) { sched_yield(); return arg; }
static void take(int s) { (void)s; }
static void alarm_soon(int flags)
{
	struct sigaction sa = { .sa_handler = take, .sa_flags = flags };
	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &(struct itimerval){ .it_value.tv_usec = 50000 }, NULL);
}
int main(int argc, char **argv)
{
	const char *what = argv[1];
	pthread_t t[100];
	int p[2];

	if (!strcmp(what, "untouched")) {
		int fd = open("pages", O_RDWR | O_CREAT | O_TRUNC, 0600);
		pwrite(fd, "/untouched/path", 16, 4096);
		open(mmap(NULL, 8192, PROT_READ, MAP_PRIVATE, fd, 0) + 4096, O_RDONLY);
	} else if (!strcmp(what, "changed")) {
		memcpy((void *)name, "aaaaaaa", 8);
		pthread_create(&t[0], NULL, change, NULL);
		for (int i = 0; i < 5000; i++)
			chdir((const char *)name);
		over = 1;
		pthread_join(t[0], NULL);
	} else if (!strcmp(what, "exec")) {
		execl("/no/such/program", "program", "its argument", NULL);
		if (!vfork()) {
			execl("/proc/self/exe", "again", "nothing", NULL);
			_exit(1);
		}
		wait(NULL);
	} else if (!strcmp(what, "interrupted")) {
		pipe(p);
		alarm_soon(0);
		nanosleep(&(struct timespec){ 5, 0 }, NULL);
		alarm_soon(0);
		read(p[0], p, 1);
		alarm_soon(SA_RESTART);
		if (!fork()) {
			usleep(200000);
			write(p[1], "x", 1);
			_exit(0);
		}
		read(p[0], p, 1);
	} else if (!strcmp(what, "exit")) {
		pipe(p);
		pthread_create(&t[0], NULL, end_all, NULL);
		read(p[0], p, 1);
	} else if (!strcmp(what, "seccomp")) {
		prctl(PR_SET_SECCOMP, 1);	/* strict: read, write, exit, sigreturn */
		write(-1, "still here", 10);
		getppid();
#ifdef __x86_64__
	} else if (!strcmp(what, "narrow")) {	/* 4 is write, and stat of 64-bit programs */
		static char text[] = "from 32 bits";
		static unsigned short groups[] = { 1000, 1001, 1002 };
		static long long at = 0x100000005;
		long ret;
		for (int i = 0; i < 3; i++)
			__asm__ volatile("int $0x80" : "=a"(ret) : "a"(4), "b"(-1), "c"(text), "d"(12) : "memory");
		__asm__ volatile("int $0x80" : "=a"(ret) : "a"(1000) : "memory");
		__asm__ volatile("int $0x80" : "=a"(ret) : "a"(81), "b"(3), "c"(groups) : "memory");	/* setgroups of 16 bits each */
		static struct { unsigned short id[3]; } ids;
		__asm__ volatile("int $0x80" : "=a"(ret) : "a"(182), "b"("/no/such"), "c"(0xffff), "d"(1000) : "memory");	/* chown of 16 bits */
		__asm__ volatile("int $0x80" : "=a"(ret) : "a"(165), "b"(&ids.id[0]), "c"(&ids.id[1]), "d"(&ids.id[2]) : "memory");	/* getresuid, too */
		static struct { short type, whence; int start[2], len[2], pid; } lock = { 1, 0, { 5, 1 }, { 7, 0 }, 0 };
		for (int cmd = 13; cmd < 38; cmd += 24) {	/* F_SETLK64 and F_OFD_SETLK, which would exclude one another */
			int lockfd = open(cmd == 13 ? "locked" : "locked2", O_RDWR | O_CREAT, 0600);
			__asm__ volatile("int $0x80" : "=a"(ret) : "a"(221), "b"(lockfd), "c"(cmd), "d"(&lock) : "memory");
		}
		static unsigned long long set = 1ull << (SIGUSR1 - 1);
		static struct { long long sec, nsec; } soon = { 1, 0 };
		static char info[128];
		sigset_t blocked;
		sigemptyset(&blocked);
		sigaddset(&blocked, SIGUSR1);
		sigprocmask(SIG_BLOCK, &blocked, NULL);
		kill(getpid(), SIGUSR1);
		__asm__ volatile("int $0x80" : "=a"(ret) : "a"(421), "b"(&set), "c"(info), "d"(&soon), "S"(8) : "memory");	/* rt_sigtimedwait_time64 */
		syscall(0x40000001, -1L, "x", 1L);	/* write, of x32 */
		syscall(100000, 1, 2, 3);
		__asm__ volatile("int $0x80" : "=a"(ret) : "a"(377), "b"(-1), "c"(&at), "d"(-1), "S"(0), "D"(1) : "memory");	/* copy_file_range */
		write(-1, text, 12);
#endif
	} else if (!strcmp(what, "filtered") || !strcmp(what, "filterkilled")) {
		struct sock_filter f[] = {
			BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
			BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
			BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOTTY),
			BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getuid, 0, 1),
			BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
			BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		};
		struct sock_fprog all = { 6, f };
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all);
		getppid();
		getpid();
		getppid();
		if (!strcmp(what, "filterkilled"))
			getuid();
	} else if (!strcmp(what, "clone3")) {
		static int tid;
		struct clone_args args = { .flags = CLONE_CHILD_SETTID, .exit_signal = SIGCHLD,
					   .child_tid = (uintptr_t)&tid };
		if (!syscall(SYS_clone3, &args, sizeof(args))) {
			getppid();
			_exit(5);
		}
		wait(NULL);
	} else if (!strcmp(what, "killed")) {
		pipe(p);
		if (!fork()) {
			usleep(100000);
			kill(getppid(), SIGKILL);
			_exit(0);
		}
		read(p[0], p, 1);
	} else if (!strcmp(what, "threads")) {
		for (int i = 0; i < atoi(argv[2]); i += 100) {
			for (int j = 0; j < 100; j++)
				if (pthread_create(&t[j], NULL, yield, NULL))
					return 1;
			for (int j = 0; j < 100; j++)
				pthread_join(t[j], NULL);
		}
	} else if (!strcmp(what, "processes")) {
		for (int i = 0; i < atoi(argv[2]); i++) {
			if (!vfork()) {
				execl(argv[0], "short", "nothing", NULL);
				_exit(1);
			}
			wait(NULL);
		}
	}
	return 0;
}
C
gcc -w -O2 -pthread -static -o pttruth truth.c || fail "gcc"

# traced STATUS WHAT: runs that part of the program; the lines are in the file a
traced() {
	runs "$1" timeout 30 pt-trace -o a -- ./pttruth "$2"
	lines=$(cat a)
}
traced 0 untouched
has "a path of an untouched page" "$lines" '"/untouched/path", O_RDONLY) = -1 ENOENT'

traced 0 changed
equal "calls with one path or the other" "$(grep -cE 'chdir\("(a{7}|b{7})"\) += -1 ENOENT' a)" 5000

traced 0 exec
has "exec that fails" "$lines" 'execve("/no/such/program", ["program", "its argument"]'
has "exec that fails" "$(grep no/such a)" ' = -1 ENOENT (No such file or directory)'
has "vfork" "$lines" 'vfork()'
has "exec that succeeds" "$lines" 'execve("/proc/self/exe", ["again", "nothing"]'

traced 0 interrupted
has "a sleep" "$lines" '= ? ERESTART_RESTARTBLOCK (Interrupted by signal)'
has "its signal" "$lines" '--- SIGALRM {si_signo=SIGALRM, si_code=SI_KERNEL'
equal "reads to be restarted" "$(grep -cE 'read\([0-9]+, 0x[0-9a-f]+, 1\) += \? ERESTARTSYS' a)" 2
has "the read that was restarted" "$lines" '"x", 1)'

traced 7 exit
equal "exit in a thread" "$(grep -c 'exit_group(7)' a)" 1
equal "a read that never returns" "$(grep -cE 'read\([0-9]+, .*(= \?|unfinished)' a)" 1
equal "ends of threads" "$(grep -c '+++ exited with 7 +++' a)" 2

# 32-bit calls: a 64-bit program makes some, and one is of no name; -e and -c know them.
if [ "$(uname -m)" = x86_64 ] && ./pttruth narrow; then
	traced 0 narrow
	equal "writes" "$(grep -cE '^write\(-1, "from 32 bits", 12\) += -1 EBADF' a)" 4
	equal "a call without a name" "$(grep -cE '^syscall_1000\(.*ENOSYS' a)" 1
	has "identities of 16 bits" "$lines" "setgroups(3, [1000, 1001, 1002])"
	has "chown" "$lines" 'chown("/no/such", -1, 1000) '
	has "getresuid" "$lines" "getresuid([0], [0], [0])"
	for command in F_SETLK64 F_OFD_SETLK; do
		at_least "$command" "$(grep -cE "^fcntl64\\([0-9]+, $command, \\{l_type=F_WRLCK, l_whence=SEEK_SET, l_start=4294967301, l_len=7\\}\\) += 0" a)" 1
	done
	has "siginfo of 32 bits" "$lines" "rt_sigtimedwait_time64([USR1], {si_signo=SIGUSR1, si_code=SI_USER, si_pid=$(sed -nE 's/^getpid\(\) += //p' a), si_uid=0}, {tv_sec=1, tv_nsec=0}, 8)"
	equal "calls of x32" "$(grep -cE '^syscall_0x40000001\(0xffffffffffffffff, .*ENOSYS' a)" 1
	equal "a great number" "$(grep -cE '^syscall_100000\(0x1, 0x2, 0x3, .*ENOSYS' a)" 1
	equal "great numbers in the sum" "$(pt-trace -c -- ./pttruth narrow | awk '/other numbers/ { print $4, $5 }')" "2 2"
	has "an offset of 64 bits" "$lines" "copy_file_range(-1, [4294967301], -1, NULL, 1, "
	runs 0 pt-trace -e write -c -o a -- ./pttruth narrow
	equal "sums of both kinds" "$(awk '/write/ { printf "%s %s %s %s ", $4, $5, $(NF - 1) ~ /write/ ? $(NF - 1) : $NF, $NF == "(32-bit)" }' a)" "3 3 write 1 1 1 write 0 "
	equal "their numbers" "$(pt-trace -j -e write -- ./pttruth narrow | grep -c '"nr":4,"bits":32')" 3
fi

traced 137 seccomp
has "a call that is allowed" "$lines" 'write(-1, "still here", 10)'
has "a call that is not" "$(tail -1 a)" '+++ killed by SIGKILL +++'

traced 0 filtered
equal "calls that seccomp refuses" "$(grep -cE '^getppid\(\.\.\.\) += -1 ENOTTY' a)" 2
has "calls that it lets pass" "$lines" 'getpid()'
# 31: SIGSYS
traced 159 filterkilled
has "a call that kills" "$(tail -3 a)" 'getuid(...)'
has "its signal" "$(tail -2 a)" '--- SIGSYS {si_signo=SIGSYS, si_code=SYS_SECCOMP'
has "its end" "$(tail -1 a)" '+++ killed by SIGSYS'

traced 0 clone3
has "clone3" "$lines" 'clone3({flags=CLONE_CHILD_SETTID, child_tid=0x'
has "its exit signal" "$(grep clone3 a)" 'exit_signal=SIGCHLD, stack=NULL, stack_size=0}, 88) = '
has "the child" "$lines" 'getppid()'
equal "their ends" "$(grep -cE '\+\+\+ exited with (0|5) \+\+\+$' a)" 2

# Children that the command leaves behind are watched to their end, which is that of the session; its status is the command's.
runs 3 timeout 30 pt-trace -o a -- sh -c '(sleep 0.4; ./pttruth seccomp; exit 9) & exit 3'
lines=$(cat a)
has "the command's end" "$lines" '+++ exited with 3 +++'
has "a child behind it" "$lines" 'write(-1, "still here", 10)'
has "its end" "$(tail -1 a)" '+++ exited with 9 +++'
equal "calls of sums" "$(timeout 30 pt-trace -c -e write -- sh -c '(sleep 0.4; ./pttruth seccomp) & exit 0' | awk '$NF == "write" { print $4 }')" 1
runs 3 timeout 30 pt-trace --for 0.5 -e exit_group -o a -- sh -c 'sleep 20 & exit 3'
equal "ends, with --for" "$(grep -c '+++' a)" 1

traced 137 killed
equal "the read of one who is killed" "$(grep -cE 'read\([0-9]+, .*(= \?|unfinished)' a)" 1
equal "killed" "$(grep -c '+++ killed by SIGKILL +++' a)" 1

# Every thread.
runs 0 timeout 60 pt-trace -o a -- ./pttruth threads 10000 2> errors
empty "messages" errors
equal "calls of threads" "$(grep -c 'sched_yield()' a)" 10000
equal "ends of threads" "$(grep -c '+++ exited with 0 +++' a)" 10001

# Every process, and each of its calls, by the kernel's own count: of the command, whose exec begins the count.
runs 0 timeout 60 pt-trace -o a -- pt-stat -x, -o count -e raw_syscalls:sys_enter -- ./pttruth processes 2000 2> errors
empty "messages" errors
counted=$(grep raw_syscalls count | cut -d, -f1)
seen=$(awk '
	{ task = $1 == "[pid" ? $2 : 0; sub(/^\[pid +[0-9]+\] /, "") }
	/^execve\("[^"]*pttruth", \["[^"]*pttruth", "processes"/ { ours[task] = 1; next }
	/^execve\("[^"]*pttruth", \["short"/ { ours[task] = 1; shorts++ }
	task in ours && !/^(\+\+\+|---)/ { calls++ }
	END { print calls, shorts }' a)
equal "calls, and short processes" "$seen" "$counted 2000"

# A reader that is too slow: what is shown and what is lost are all there was.
calls=$(pt-trace -c -e read,write -- dd if=/dev/zero of=/dev/null bs=64 count=200000 2> errors | awk '$NF == "total" { print $4 }')
at_least "calls" "$calls" 400000
rm a
pt-trace -e read,write -o a -- dd if=/dev/zero of=/dev/null bs=64 count=200000 2> errors &
tracer=$!
until_true 20 test -s a || fail "no lines"
kill -STOP $tracer
until_true 60 grep -q copied errors || fail "dd does not end"
kill -CONT $tracer
wait $tracer
read -r lost all <<< "$(sed -nE 's/^pt-trace: ([0-9,]+) of ([0-9,]+) pt:syscall w[a-z]* lost.*/\1 \2/p' errors | tr -d ,)"
at_least "lost calls" "${lost:-0}" 1
equal "shown and lost" "$(($(grep -vc '^+++' a) + lost))" "$calls"
equal "of so many" "$all" "$calls"
equal "the end of dd, shown or lost" "$(grep -c '^+++' a) $(grep -c 'signal.* lost' errors)" \
	"$(grep -q '^+++' a && echo 1 0 || echo 0 1)"
