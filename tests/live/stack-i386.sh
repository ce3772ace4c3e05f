# Stacks of 32-bit programs on x86-64, beside those of 64-bit ones: threads halted in handlers of signals (both kinds of trampoline, a stack of their own, behind a call
# through null), sampled live and recorded, by CFI and by frame pointer, across exec from one word size to the other.
. "$PT_TOP/tests/lib.sh"
need gcc
need_root
[ "$(uname -m)" = x86_64 ] || skip "32-bit programs of x86-64 only"
cat > waits.c <<'C'
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static volatile unsigned sink;
static int to[2];
static void __attribute__((noinline)) waits(void) { char c; for (;;) if (read(to[0], &c, 1) < 0) sink++; }
static void on_signal(int sig) { sink += (unsigned)sig; waits(); __asm__ volatile(""); }
static void on_info(int sig, siginfo_t *info, void *uc) { (void)info, (void)uc; sink += (unsigned)sig; waits(); __asm__ volatile(""); }
static void __attribute__((noinline)) deep(int n, int sig) { if (n) deep(n - 1, sig); else raise(sig); __asm__ volatile(""); }
static void *plain(void *a) { deep(3, SIGUSR1); return a; }
static void *info(void *a) { deep(2, SIGUSR2); return a; }
static void *other(void *a) { stack_t ss = { .ss_sp = malloc(1 << 16), .ss_size = 1 << 16 }; sigaltstack(&ss, NULL); deep(1, SIGHUP); return a; }
static void (*volatile null)(void);
static void __attribute__((noinline)) crashes(void) { null(); __asm__ volatile(""); }
static void *crash(void *a) { crashes(); return a; }
int main(void)
{
	struct sigaction sa = { .sa_handler = on_signal };
	pthread_t t;
	if (pipe(to)) return 1;
	sigaction(SIGUSR1, &sa, NULL);
	sa.sa_sigaction = on_info;
	sa.sa_flags = SA_SIGINFO;
	sigaction(SIGUSR2, &sa, NULL);
	sigaction(SIGSEGV, &sa, NULL);
	sa.sa_flags |= SA_ONSTACK;
	sigaction(SIGHUP, &sa, NULL);
	pthread_create(&t, NULL, plain, NULL);
	pthread_create(&t, NULL, info, NULL);
	pthread_create(&t, NULL, other, NULL);
	pthread_create(&t, NULL, crash, NULL);
	waits();
}
C
cat > spins.c <<'C'
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static volatile unsigned sink;
static unsigned __attribute__((noinline)) leaf(unsigned n) { for (unsigned i = 0; i < 20000; i++) n = n * 1664525 + sink; return n; }
static unsigned __attribute__((noinline)) middle(unsigned n) { unsigned x = leaf(n); __asm__ volatile("" : "+r"(x)); return x + 1; }
static unsigned __attribute__((noinline)) outer(unsigned n) { unsigned x = n ? outer(n - 1) : middle(n); __asm__ volatile("" : "+r"(x)); return x + 1; }
static void on_signal(int sig) { sink += outer(sig == SIGUSR1); }
int main(int argc, char **argv)
{
	signal(SIGUSR1, on_signal);
	for (int i = 0; i < 12000; i++) { sink += outer(2); if (i % 2) raise(SIGUSR1); }
	if (argc > 1) execv(argv[1], argv + 1);
	return 0;
}
C
F="-O2 -g -fno-optimize-sibling-calls -fno-ipa-cp -pthread"
why=$(runs_i386) || skip "$why"
gcc -m32 $F -o waits32 waits.c && gcc $F -o waits64 waits.c && gcc $F -o spins64 spins.c && gcc -m32 $F -o spins32 spins.c && gcc -m32 $F -fno-omit-frame-pointer -o fp32 spins.c || fail "gcc"

# 1. Halted: names from the trampoline's caller on, of each thread.
settled() { [ "$(cat /proc/$pid/task/*/stat 2> /dev/null | sed 's/.*) //' | cut -c1 | sort | tr -d '\n')" = SSSSS ]; }
for p in waits64 waits32; do
	background ./$p
	pid=$!
	until_true 60 settled || fail "$p: its threads do not wait"
	runs 0 pt-stack --once -p $pid > once 2> err
	empty "$p: messages" err
	sed 's/^#[0-9]* *0x0*\([0-9a-f]*\).*/&/' once | awk '/^TID/ { print s; s = "" } /^#/ { s = s ";" ($3 == "" ? ($2 ~ /^0x0+$/ ? "null" : "?") : $3) } END { print s }' > chains
	for want in ';on_signal;.*;raise;deep;deep;deep;deep;plain;' ';on_info;.*;raise;deep;deep;deep;info;' ';on_info;.*;raise;deep;deep;other;' \
		';on_info;[^;]*;null;crashes;crash;' ';read;waits;main;'; do
		equal "$p: threads like $want" "$(grep -c -- "$want" chains)" 1
	done
	[ $p = waits64 ] || equal "$p: trampolines" "$(grep -o '__kernel_rt_sigreturn\|__kernel_sigreturn' chains | sort | uniq -c | tr -s ' \n' ' ')" " 3 __kernel_rt_sigreturn 1 __kernel_sigreturn "
	kill $pid
done

# 2. Sampled: what is in leaf() has come all the way from _start, also through a handler. The first program becomes the other one by exec.
whole() {	# WHAT FOLDED: the share of samples in leaf() whose stacks are whole
	awk -v who="$1" '/;leaf [0-9]+$/ { n += $NF; if ($0 ~ /^[^;]*;_start;.*;main;(outer;)+middle;leaf / || $0 ~ /^[^;]*;_start;.*;main;.*raise;.*;on_signal;(outer;)+middle;leaf /) good += $NF }
		END { print who ": " good " of " n; exit !(n >= 50 && good == n) }' "$2" || { grep leaf "$2" | head -5 >&2; fail "$1: not all stacks of leaf() are whole"; }
}
runs 0 pt-stack -e cpu-clock:u -F 499 -- ./spins64 ./spins32 > live.folded 2> live.err
for p in spins64 spins32; do grep "^$p;" live.folded > $p.folded; whole "$p, live" $p.folded; done
runs 0 pt-record -q -e cpu-clock:u -F 499 --call-graph dwarf,4096 -o dwarf.data -- ./spins32 ./spins64 2> record.err
runs 0 pt-stack dwarf.data > all.folded 2> dwarf.err
for p in spins64 spins32; do grep "^$p;" all.folded > $p.folded; whole "$p, recorded" $p.folded; done
runs 0 pt-record -q -e cpu-clock:u -F 499 --call-graph fp -o fp.data -- ./fp32 2> record.err
runs 0 pt-stack fp.data > fp.folded 2> fp.err
at_least "fp32: stacks by frame pointer" "$(awk '/main;(outer;)+middle;leaf [0-9]+$/ { n += $NF } END { print n + 0 }' fp.folded)" 30
