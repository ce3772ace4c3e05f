# pt-stack --once: threads that wait in known places, against what is known and against gdb; all of them are let go, also when a tool is killed.
. "$PT_TOP/tests/lib.sh"
need gcc
need_root
cat > prog.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int to[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned long rounds;
static void __attribute__((noinline)) deep(int n) { char c; if (n) deep(n - 1); else if (read(to[0], &c, 1) < 0) abort(); __asm__ volatile(""); }
static inline __attribute__((always_inline)) void through(int n) { deep(n); __asm__ volatile(""); }
static void *reader(void *arg) { through(20); return arg; }
static void *locker(void *arg) { pthread_mutex_lock(&lock); return arg; }
static void *spinner(void *arg) { for (;;) rounds++; return arg; }
static void __attribute__((noinline)) main_waits(void) { for (;;) pause(); }
int main(void)
{
	pthread_t t;
	if (pipe(to) < 0) return 1;
	pthread_mutex_lock(&lock);
	pthread_create(&t, NULL, reader, NULL);
	pthread_create(&t, NULL, locker, NULL);
	pthread_create(&t, NULL, spinner, NULL);
	main_waits();
}
C
gcc -O2 -g -pthread -fno-optimize-sibling-calls -o prog prog.c || fail "gcc"
background ./prog
pid=$!
settled() { [ "$(cat /proc/$pid/task/*/stat 2> /dev/null | sed 's/.*) //' | cut -c1 | sort | tr -d '\n')" = RSSS ]; }
until_true 60 settled || fail "the program's threads do not wait: $(cat /proc/$pid/task/*/stat)"
runs 0 pt-stack --once -p $pid > once 2> err
empty "messages" err
equal "first line" "$(head -1 once)" "PID $pid - process"
equal "threads" "$(grep -c '^TID' once)" 4
grep -vqE '^(PID [0-9]+ - process|TID [0-9]+:|#[0-9]+ +0x[0-9a-f]{16}( .+)?)$' once && fail "layout: $(cat once)"
stack() { awk -v RS='TID ' -v f="$1" 'index($0, " " f "\n") { print }' once; }
equal "frames of the recursion" "$(stack reader | grep -c ' deep$')" 21
equal "inlined frame" "$(stack reader | grep -A1 ' through .inlined.$' | tail -1 | awk '{ print $3 }')" reader
has "the lock's stack" "$(stack locker)" pthread_mutex_lock
has "main's stack" "$(stack main_waits)" " main"
equal "main's end" "$(stack main_waits | grep '^#' | tail -1 | awk '{ print $3 }')" _start
has "the spinner" "$(stack spinner)" start_thread
if command -v gdb > /dev/null; then
	gdb -q -batch -nx -p $pid -ex 'thread apply all bt' > gdb.out 2> gdb.err
	names() { sed -nE 's/^#[0-9]+ +(0x[0-9a-f]+ in )?([A-Za-z_0-9.]+).*/\2/p' "$1"; }
	# the same addresses on the way up (gdb prints none for the frame at a line's beginning and for inlined ones)
	grep -oE '^#[0-9]+ +0x[0-9a-f]+ in' gdb.out | grep -oE '0x[0-9a-f]+' | sort > gdb.addr
	grep -oE '0x[0-9a-f]{16}' once | sort -u > once.addr
	total=$(grep -c . gdb.addr) missing=$(sort -u gdb.addr | grep -vxFf once.addr | grep -c .)
	at_least "addresses in gdb's answer: $(cat gdb.err)" "$total" 25
	at_most "addresses that gdb has and pt-stack has not" "$missing" 1	# the spinner goes on
else
	echo "gdb is not installed: not compared"
fi
# nobody is held: the spinner goes on, the states are as before, no tracer is left
equal "tracers" "$(cat /proc/$pid/task/*/status | awk '/^TracerPid/ { n += $2 } END { print n }')" 0
ticks() { cat /proc/$pid/stat | sed 's/.*) //' | cut -d' ' -f12; }
from=$(ticks); goes_on() { [ "$(ticks)" -gt "$from" ]; }
until_true 60 goes_on || fail "the spinner does not go on"
until_true 60 settled || fail "threads do not wait as before"
# a stopped process stays stopped and is read all the same
kill -STOP $pid; stopped() { [ "$(sed 's/.*) //' /proc/$pid/stat | cut -c1)" = T ]; }
until_true 60 stopped || fail "not stopped"
runs 0 pt-stack --once -p $pid > once 2> err
equal "frames of the recursion of a stopped process" "$(stack reader | grep -c ' deep$')" 21
until_true 60 stopped || fail "it was stopped and is not any more"
kill -CONT $pid
runs 1 pt-stack --once -p 4194304 > none 2> err
runs 2 pt-stack --once > none 2> err
runs 2 pt-stack --once -p $pid -- true > none 2> err
