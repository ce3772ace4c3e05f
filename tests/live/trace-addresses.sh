# Socket addresses as they were given, constants below zero, and which task the lines without [pid N] are of.
# variants: plain san
. "$PT_TOP/tests/lib.sh"
need_root; need gcc
cat > prog.c <<'C'
#include <linux/netlink.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
	struct sockaddr_in6 a = { .sin6_family = AF_INET6, .sin6_port = htons(9), .sin6_flowinfo = htonl(7), .sin6_scope_id = 1 };
	struct sockaddr_nl n = { .nl_family = AF_NETLINK, .nl_groups = 0x11 };
	struct rusage r;
	int s = socket(AF_INET6, SOCK_DGRAM, 0);

	a.sin6_addr.s6_addr[0] = 0xfe, a.sin6_addr.s6_addr[1] = 0x80, a.sin6_addr.s6_addr[15] = 5;
	connect(s, (void *)&a, sizeof(a));
	bind(s, (void *)&a, 10);
	bind(socket(AF_NETLINK, SOCK_RAW, 0), (void *)&n, sizeof(n));
	getrusage(RUSAGE_CHILDREN, &r);
	if (!fork())
		_exit(3);
	wait(NULL);
	return 0;
}
C
gcc -O1 -w -o prog prog.c || fail "gcc"
pt-trace -e connect,bind,getrusage,wait4 -- ./prog > out 2> err || fail "pt-trace: $(cat err)"
all=$(cat out)
has "an address with flow and scope" "$all" 'sin6_port=htons(9), sin6_flowinfo=htonl(7), inet_pton(AF_INET6, "fe80::5", &sin6_addr), sin6_scope_id=1}'
has "an address that is cut short" "$all" '{sa_family=AF_INET6, sa_data="\0\t\0\0\0\7\376\200"}, 10)'
has "groups" "$all" 'nl_groups=0x000011}'
has "a constant below zero" "$all" 'getrusage(RUSAGE_CHILDREN, '
# The child's end is the first line.
pt-trace -e wait4 -- ./prog > out 2> err || fail "pt-trace: $(cat err)"
has "the child's end" "$(grep 'exited with 3' out)" '[pid '
equal "the command's lines that have a number" "$(grep -c '^\[pid.*wait4\|^\[pid.*exited with 0' out)" 0
