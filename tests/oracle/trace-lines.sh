# pt-trace beside strace, which it watches in the same run: each call of each task, its arguments, result and error, signals and exits.
. "$PT_TOP/tests/lib.sh"
need_root
need strace gcc python3
cat > threads.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg)
{
	for (int i = 0; i < 50; i++) {
		pthread_mutex_lock(&lock);
		nanosleep(&(struct timespec){ .tv_nsec = 1000 }, NULL);
		pthread_mutex_unlock(&lock);
	}
	return arg;
}
int main(void)
{
	pthread_t t[8];
	struct epoll_event e = { .events = EPOLLIN };
	int ep = epoll_create1(EPOLL_CLOEXEC), ev = eventfd(0, EFD_NONBLOCK), tm = timerfd_create(CLOCK_MONOTONIC, 0);

	timerfd_settime(tm, 0, &(struct itimerspec){ .it_value.tv_nsec = 1000000 }, NULL);
	epoll_ctl(ep, EPOLL_CTL_ADD, ev, &e);
	epoll_ctl(ep, EPOLL_CTL_ADD, tm, &e);
	for (int i = 0; i < 8; i++)
		pthread_create(&t[i], NULL, work, NULL);
	epoll_wait(ep, &e, 1, -1);
	for (int i = 0; i < 8; i++)
		pthread_join(t[i], NULL);
	return 0;
}
C
cat > forks.c <<'C'
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
static void take(int s) { (void)s; }
int main(void)
{
	struct sigaction sa = { .sa_handler = take, .sa_flags = SA_RESTART };
	struct sockaddr_un at = { .sun_family = AF_UNIX, .sun_path = "no-such-socket" };
	struct itimerval soon = { .it_value.tv_usec = 1000 };
	struct iovec v[2] = { { "ab", 2 }, { "cd", 2 } };
	struct rlimit lim;
	fd_set set;
	int p[2], s[2], st;
	char buf[64];

	sigaction(SIGALRM, &sa, NULL);
	sigaction(SIGUSR1, &sa, NULL);
	for (int i = 0; i < 20; i++)
		if (!fork()) {
			if (i == 3)
				abort();
			if (i == 4)
				raise(SIGKILL);
			_exit(i);
		}
	while (wait(&st) > 0 || errno == EINTR)
		;
	kill(getpid(), SIGUSR1);
	setitimer(ITIMER_REAL, &soon, NULL);
	pause();
	pipe(p);
	writev(p[1], v, 2);
	poll(&(struct pollfd){ p[0], POLLIN, 0 }, 1, 100);
	readv(p[0], v, 0);
	read(p[0], buf, sizeof(buf));
	FD_ZERO(&set);
	FD_SET(p[0], &set);
	select(p[0] + 1, &set, NULL, NULL, &(struct timeval){ .tv_usec = 1000 });
	socketpair(AF_UNIX, SOCK_STREAM, 0, s);
	sendmsg(s[0], &(struct msghdr){ .msg_iov = v, .msg_iovlen = 2 }, 0);
	recvmsg(s[1], &(struct msghdr){ .msg_iov = &(struct iovec){ buf, 3 }, .msg_iovlen = 1 }, 0);
	send(s[0], "hello\n\001\377", 8, MSG_NOSIGNAL);
	recv(s[1], buf, sizeof(buf), MSG_DONTWAIT);
	connect(s[0], (struct sockaddr *)&at, sizeof(at));
	getrlimit(RLIMIT_NOFILE, &lim);
	umask(022);
	mkdir("d", 0755);
	rename("d", "e");
	rmdir("e");
	mprotect(NULL, 4096, PROT_READ);
	access("/etc/passwd", R_OK | W_OK);
	return 0;
}
C
cat > options.c <<'C'
#include <linux/netlink.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>
static void take(int s) { (void)s; }
int main(void)
{
	int s = socket(AF_INET, SOCK_STREAM, 0), n = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE), ep = epoll_create1(0), one = 1;
	struct { int v[4]; char odd[6]; } o = { { 1, 2, 3, 4 }, "cubic" };
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(1), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr_nl nl = { .nl_family = AF_NETLINK };
	struct epoll_event e = { .events = EPOLLIN };
	socklen_t len = sizeof(one);
	timer_t timer;
	sigset_t set;
	char buf[64];

	setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	setsockopt(s, SOL_TCP, TCP_NODELAY, &o, sizeof(one));
	setsockopt(s, SOL_IP, IP_TTL, &o, sizeof(one));
	setsockopt(s, SOL_TCP, TCP_CONGESTION, o.odd, 5);
	setsockopt(n, SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one));
	setsockopt(-1, SOL_SOCKET, SO_SNDBUF, &o, 0);
	fcntl(s, 4, 04000);
	connect(s, (struct sockaddr *)&at, sizeof(at));
	usleep(10000);
	getsockopt(s, SOL_SOCKET, SO_ERROR, &one, &len);
	bind(n, (struct sockaddr *)&nl, sizeof(nl));
	epoll_ctl(ep, EPOLL_CTL_ADD, s, &e);
	epoll_ctl(ep, EPOLL_CTL_DEL, s, &e);
	llistxattr(".", buf, 0);
	setxattr(".", "user.pt", "text", 4, 0);
	listxattr(".", NULL, 0);
	getxattr(".", "user.pt", buf, sizeof(buf));
	removexattr(".", "user.pt");
	prctl(PR_CAPBSET_READ, 0);
	prctl(PR_SET_NAME, o.odd); prctl(PR_SET_PDEATHSIG, SIGKILL); prctl(PR_GET_DUMPABLE); prctl(PR_SET_DUMPABLE, 1);
	prctl(PR_SET_KEEPCAPS, 0); prctl(PR_GET_KEEPCAPS); prctl(PR_SET_TIMERSLACK, 0);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	signal(SIGALRM, take);
	timer_create(CLOCK_MONOTONIC, &(struct sigevent){ .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM }, &timer);
	timer_settime(timer, 0, &(struct itimerspec){ .it_value.tv_nsec = 1000000 }, NULL);
	pause();
	signal(SIGUSR1, take);
	sigqueue(getpid(), SIGUSR1, (union sigval){ .sival_int = 5 });
	sigqueue(getpid(), SIGUSR1, (union sigval){ 0 });
	return 0;
}
C
gcc -w -pthread -o ptthreads threads.c
gcc -w -o ptoptions options.c
gcc -w -o ptforks forks.c
gcc -w -m32 -O1 -I/usr/include/x86_64-linux-gnu -ffreestanding -fno-stack-protector -fno-pie -no-pie -nostdlib -static \
	-o narrow "$PT_TOP/tests/data/narrow.c" || :
mkdir tree
for i in $(seq 20); do mkdir -p "tree/$((i % 5))/ä $i"; : > "tree/$((i % 5))/ä $i/file"; done
printf 'int main(void) { return 0; }\n' > one.c

bad=0 seen=0
# beside NAME COMMAND...
beside() {
	local name=$1; shift
	command -v "$1" > /dev/null || { echo "$1 is not installed"; return; }
	timeout 60 pt-trace -o "$name.pt" -- strace -ff -o "$name.strace" "$@" > "$name.out" 2> "$name.err"
	! grep 'pt-trace:' "$name.err" || bad=1
	python3 "$PT_TOP/tests/lib/tracelines.py" "$name.pt" "$name".strace.* > "$name.diff" ||
		{ echo "$name:"; head -20 "$name.diff"; bad=1; }
	seen=$((seen + 1))
}
beside find find tree -name '*1*'
beside gcc gcc -c one.c
beside git git init -q repository
beside git-status git -C repository status
beside python3 python3 -I -S -c 'import json; print(open("one.c").read())'
beside node node -e 'console.log(require("fs").readdirSync("tree").length)'
beside bash bash -c 'for i in 1 2; do ls tree | wc -l; done; echo x > f; cat < f; kill -TERM $$'
beside threads ./ptthreads
beside forks ./ptforks
beside options ./ptoptions
# A 32-bit program: the compiler makes it without a 32-bit libc.
if [ "$(uname -m)" = x86_64 ] && ./narrow > narrow.out; then
	beside narrow ./narrow
fi
beside sqlite3 sqlite3 x.db 'create table a(b); insert into a values(1); select * from a;'
at_least "programs" $seen 6
equal "differences" $bad 0
