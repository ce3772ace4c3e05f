# pt-stack --once on threads in all kinds of states (handlers, also on a stack of their own, the vdso, C++, Rust) beside eu-stack; on processes that cannot be read,
# with the reason; on a thousand threads; and nobody stays halted when pt-stack is killed in the middle.
# variants: plain san
. "$PT_TOP/tests/lib.sh"
need gcc g++ eu-stack python3
need_root
cat > kinds.c <<'C'
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static volatile unsigned long rounds;
static void __attribute__((noinline)) in_handler(void) { for (;;) pause(); }
static void handler(int sig) { (void)sig; in_handler(); rounds++; }
static void __attribute__((noinline)) before_signal(int sig) { raise(sig); rounds++; }
static void *plain(void *arg) { before_signal(SIGUSR1); return arg; }
static void *alternate(void *arg)
{
	stack_t st = { .ss_size = 65536, .ss_sp = malloc(65536) };
	sigaltstack(&st, NULL);
	before_signal(SIGUSR2);
	return arg;
}
static void *sleeper(void *arg) { struct timespec t = { 10000, 0 }; nanosleep(&t, NULL); return arg; }
static void *vdso(void *arg) { struct timespec t; for (;;) { clock_gettime(CLOCK_MONOTONIC, &t); rounds++; } return arg; }
int main(void)
{
	struct sigaction a = { .sa_handler = handler };
	pthread_t t;
	sigaction(SIGUSR1, &a, NULL);
	a.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR2, &a, NULL);
	pthread_create(&t, NULL, plain, NULL);
	pthread_create(&t, NULL, alternate, NULL);
	pthread_create(&t, NULL, sleeper, NULL);
	pthread_create(&t, NULL, vdso, NULL);
	pthread_join(t, NULL);
}
C
cat > sorts.cc <<'C'
#include <algorithm>
#include <unistd.h>
#include <vector>
struct waits { int n; bool operator()(int a, int b) const { while (n == 0) pause(); return a < b; } };
template <typename F> static void __attribute__((noinline)) sorts(std::vector<int> &v, F f) { std::sort(v.begin(), v.end(), f); }
int main() { std::vector<int> v{ 3, 1, 2 }; try { sorts(v, waits{ 0 }); } catch (...) { return 1; } }
C
cat > sleeps.rs <<'C'
#[inline(never)] fn doze(n: u64) -> u64 { std::thread::sleep(std::time::Duration::from_secs(n)); n + 1 }
fn main() { let t = std::thread::spawn(|| (1..5).map(|n| doze(n * 100000)).sum::<u64>()); println!("{}", t.join().unwrap()); }
C
cat > many.c <<'C'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static void *waits(void *arg) { for (;;) pause(); return arg; }
static void *ends(void *arg) { return arg; }
int main(int argc, char **argv)
{
	pthread_t t;
	pthread_attr_t a;
	pthread_attr_init(&a);
	pthread_attr_setstacksize(&a, 65536);
	if (argc < 2) for (;;) { pthread_create(&t, &a, ends, NULL); pthread_join(t, NULL); }
	for (int i = 1; i < atoi(argv[1]); i++) if (pthread_create(&t, &a, waits, NULL)) return 1;
	waits(NULL);
}
C
gcc -O2 -g -pthread -o kinds kinds.c && gcc -O2 -g -pthread -o many many.c && g++ -O2 -g -o sorts sorts.cc || fail "gcc"
# addresses FILE: "TID ADDRESS" lines, without inlined frames
addresses() { awk '$1 == "TID" { t = $2 } /^#/ && !/ \[inlined\]/ { print t, $2 }' "$1"; }
# as_eu PID [THREAD]: the same addresses in each thread, but in THREAD
as_eu() {
	runs 0 pt-stack --once -p "$1" > once 2> err
	eu-stack -n 0 -p "$1" > eu 2> eu.err
	for f in once eu; do addresses $f | grep -v "^${2:-none}:" > $f.addr; done
	same_file "addresses" once.addr eu.addr
	at_least "addresses" "$(grep -c . once.addr)" 4
}
background ./kinds
pid=$!
stands() { pt-stack --once -p $pid > once 2> err && [ "$(grep -cE ' in_handler$|nanosleep|__pthread_clockjoin|clock_gettime' once)" -ge 6 ]; }
until_true 60 stands || fail "the program's threads are not where they should be: $(cat once err)"
spinner=$(awk '$1 == "TID" { t = $2 } / vdso$/ { print t + 0 }' once)
as_eu $pid "$spinner"
empty "messages" err
stack() { awk -v RS='TID ' -v f="$1" 'index($0, " " f "\n") { print }' once | sed -nE 's/^#[0-9]+ +0x[0-9a-f]+ ?//p' | tr '\n' ' '; }
has "under a handler on the thread's own stack" "$(stack plain)" "in_handler handler __restore_rt"
has "and on" "$(stack plain)" "before_signal plain start_thread"
has "under a handler on a stack of its own" "$(stack alternate)" "before_signal alternate start_thread"
has "in the vdso" "$(stack vdso)" "vdso start_thread"
# modules and build-ids, as eu-stack has them
runs 0 pt-stack --once --no-inline -b --modules -p $pid > once 2> err
eu-stack -b -m -p $pid > eu 2> eu.err
for f in once eu; do awk -v s="$spinner:" '$1 == "TID" { t = $2 } t != s' $f | sed -E 's/^(#[0-9]+ +0x[0-9a-f]+) .*( - \/)/\1\2/' > $f.modules; done
same_file "modules and build-ids" once.modules eu.modules
# lines of source: where each frame calls
runs 0 pt-stack --once -l -p $pid > once 2> err
line() { grep -n "$1" kinds.c | head -1 | cut -d: -f1; }
for f in in_handler=pause before_signal=raise alternate=before_signal.SIGUSR2 plain=before_signal.SIGUSR1 main=pthread_join; do
	grep -A1 " ${f%=*}$" once | grep -q "/kinds.c:$(line "${f#*=}")$" || fail "line of ${f%=*}, $(line "${f#*=}"): $(grep -A1 " ${f%=*}$" once)"
done
# one thread
runs 0 pt-stack --once -t "$spinner" > once 2> err
equal "threads with -t" "$(grep -c ^TID once)" 1
has "that thread" "$(cat once)" " vdso"
if pt-doctor -q | grep -q 'second opinions on stacks (lib'; then
	runs 0 pt-stack --once --second-opinion -p $pid > once 2> err
	equal "libunwind" "$(cat err)" "pt-stack: libunwind agrees on 5 of 5 stacks"
	equal "stacks" "$(grep -c ^TID once)" 5
fi
background ./sorts
pid=$!
stands() { pt-stack --once -p $pid > once 2> err && grep -q pause once; }
until_true 60 stands || fail "C++: $(cat once err)"
as_eu $pid
has "C++ frames" "$(cat once)" " waits::operator() [inlined]"
if command -v rustc > /dev/null && rustc -O -g -o sleeps sleeps.rs 2> rust.err; then
	background ./sleeps
	pid=$!
	stands() { pt-stack --once -p $pid > once 2> err && grep -q nanosleep once && grep -q futex once; }
	until_true 60 stands || fail "Rust: $(cat once err)"
	as_eu $pid
	has "Rust frames" "$(cat once)" "sleeps::doze"
fi
# what cannot be read, and why
refused() { runs 1 "$@" > none 2> err; empty "output" none; }
refused pt-stack --once -p 4194304; has "none" "$(cat err)" "process 4194304: there is none"
if grep -qsx kthreadd /proc/2/comm; then refused pt-stack --once -p 2; has "kernel thread" "$(cat err)" "a thread of the kernel"; fi
sh -c 'sleep 0 & exec sleep 1000' & pt_pids="$pt_pids $!"; parent=$!
zombie() { z=$(pgrep -P $parent) && grep -q 'State:.*Z' /proc/$z/status; }
until_true 60 zombie || fail "no zombie"
refused pt-stack --once -p "$z"; has "zombie" "$(cat err)" "zombie"
if setpriv --reuid 65534 --regid 65534 --clear-groups pt-stack --version > none 2> err; then
	refused setpriv --reuid 65534 --regid 65534 --clear-groups pt-stack --once -p $pid; has "another user's" "$(cat err)" "run this as root"
fi
python3 -c 'import ctypes, sys, time
assert ctypes.CDLL(None).ptrace(0x4206, int(sys.argv[1]), 0, 0) == 0
time.sleep(100000)' $pid & tracer=$!; pt_pids="$pt_pids $tracer"
traced() { [ "$(awk '/^TracerPid/ { print $2 }' /proc/$pid/status)" = $tracer ]; }
until_true 60 traced || fail "not traced"
runs 1 pt-stack --once -t $pid > none 2> err; has "traced already" "$(cat err)" "traced by another program already: python3, process $tracer"
kill $tracer
# several at once; the good ones are printed
runs 1 pt-stack --once -p 4194304,$pid > once 2> err
equal "processes" "$(grep -c ^PID once)" 1
# threads and processes that end meanwhile
background ./many
for i in 1 2 3 4 5 6 7 8; do pt-stack --once -p $! > once 2> err; [ $? -lt 2 ] || fail "ending threads: $(cat err)"; done
for i in 1 2 3 4 5 6 7 8; do sh -c : & pt-stack --once -p $! > once 2> err; [ $? -lt 2 ] || fail "ending process: $(cat err)"; done
wait $! 2> /dev/null
background ./many 1000
pid=$!
all() { [ "$(ls /proc/$pid/task | wc -l)" = 1000 ] && ! grep -q 'State:.*[RD]' /proc/$pid/task/*/status; }
until_true 60 all || fail "$(ls /proc/$pid/task | wc -l) threads"
runs 0 pt-stack --once -p $pid > once 2> err
equal "a thousand threads" "$(grep -c ^TID once)" 1000
equal "their stacks" "$(grep -cE ' waits( \[inlined\])?$' once)" 1000
# killed in the middle, by turns early and late: all run on
for i in 1 2 3 4 5 6 7 8 9 10; do
	pt-stack --once -p $pid > once 2> err & one=$!
	sleep 0.0$i
	kill -KILL $one 2> err
	wait $one 2> err
done
free() { ! grep -q 'TracerPid:.*[1-9]' /proc/$pid/task/*/status && all; }
until_true 60 free || fail "halted or traced: $(grep -hE 'State|TracerPid' /proc/$pid/task/*/status | sort | uniq -c)"
