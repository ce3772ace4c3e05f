# pt-trace beside strace, which it watches in the same run: the same calls in the same order; sums count exactly; strings are escaped; nothing stays behind.
# variants: plain san
. "$PT_TOP/tests/lib.sh"
need_root
need strace
need gcc

# Names, arguments and results of a program whose addresses do not matter.
cat > calls.c <<'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
	struct stat st;
	int fd, p[2], status;

	open("no\033[31msuch", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	open("no\033[31msuch", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	unlink("no\033[31msuch");
	fd = open("/dev/null", O_WRONLY);
	for (int i = 0; i < 1000; i++)
		write(fd, "0123456789abcdef0123456789abcdef0123456789abcdef", 48);
	lseek(fd, 5, SEEK_SET);
	stat("/dev/null", &st);
	pipe2(p, O_CLOEXEC);
	dup3(fd, 9, O_CLOEXEC);
	close(77);
	if (!fork()) {
		mkdir("/proc/none", 0755);
		_exit(3);
	}
	wait(&status);
	return 0;
}
C
gcc -w -o ptcalls calls.c
which=openat,unlink,write,lseek,newfstatat,pipe2,dup3,close,mkdir
runs 0 strace -f -qq -e signal=none -e trace=$which -o b ./ptcalls
runs 0 pt-trace -qq -e signal=none -e $which -o a -- ./ptcalls
# The order among two processes is not given: the child has one line.
plain() { sed -E 's/^(\[pid +[0-9]+\]|[0-9]+) +//; s/ +/ /g'; }
plain < a | sort > a.plain
plain < b | sort > b.plain
cmp -s a.plain b.plain || fail "not as strace: $(diff a.plain b.plain | head -5)"
equal "writes" "$(grep -c '^write' a)" 1000
no_escape=$(tr -d '\n' < a | tr -d ' -~')
equal "bytes that are not printable" "$no_escape" ""

# In the same run: what strace's own child does is seen by both.
runs 0 pt-trace -qq -e signal=none -e $which -o a -- strace -f -qq -e signal=none -e trace=$which -o b ./ptcalls
equal "mkdir beside strace" "$(grep -c 'mkdir("/proc/none", 0755) *= -1 ENOENT' a)" 1
equal "writes beside strace" "$(grep -c '^\[pid.*write([0-9]*, "0123456789abcdef0123456789abcdef"\.\.\., 48) = 48' a)" "$(grep -c 'write([0-9]*, "0123' b)"

# The end of tasks, and signals.
runs 137 pt-trace -o a -- sh -c '(exit 3); kill -9 $$'
has "exit of a child" "$(cat a)" '+++ exited with 3 +++'
has "SIGCHLD" "$(cat a)" '--- SIGCHLD {si_signo=SIGCHLD, si_code=CLD_EXITED'
has "killed" "$(tail -1 a)" '+++ killed by SIGKILL +++'

# Sums count exactly.
pt-trace -c -o a -- dd if=/dev/zero of=/dev/null bs=1 count=20000 2> errors
equal "writes in the sum" "$(awk '$NF == "write" && $4 >= 20000 && $4 < 20010 { print "yes" }' a)" yes

# Only what failed in one way.
equal "filters by error" "$(pt-trace -qq -e signal=none --errno EBADF -- ./ptcalls 2> errors | grep -c 'close(77) *= -1 EBADF')" 1

# A call that goes on when watching ends; what is watched goes on, too.
sh -c 'while :; do sleep 0.1; done' & server=$!
pt_pids="$pt_pids $server"
pt-trace -qq -o a -p $server --for 0.35
at_least "a call that goes on" "$(grep -c 'wait4(.*<unfinished \.\.\.>$' a)" 1
kill -0 $server || fail "the server was ended"

# No program and no map of pt-trace's is left, neither after its end nor after SIGKILL.
held() { sed -nE 's/^(prog|map)_id:[[:space:]]*/\1 /p' "/proc/$1/fdinfo/"* 2> errors | sort -u > held; [ "$(grep -c prog held)" -ge 2 ]; }
gone() { ! "$PT_TOOLS/bpfids" | grep -qxFf held; }
pt-trace -c -o a -p $server --for 2 & tracer=$!
pt_pids="$pt_pids $tracer"
until_true 10 held $tracer || fail "no programs while it runs"
wait $tracer
until_true 10 gone || fail "left after the end: $("$PT_TOOLS/bpfids" | grep -xFf held)"
: > a
pt-trace -g -o a -p $server > out 2> errors & tracer=$!
pt_pids="$pt_pids $tracer"
until_true 10 test -s a || fail "nothing is traced"
held $tracer || fail "no programs while it runs"
gone && fail "programs in use are not found"
kill -9 $tracer
wait $tracer 2> errors
until_true 10 gone || fail "left after SIGKILL: $("$PT_TOOLS/bpfids" | grep -xFf held)"
kill -0 $server || fail "the server was ended"
kill $server
wait 2> errors
