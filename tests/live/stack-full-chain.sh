# A stack below a signal handler on a stack of its own, deeper than the kernel lists callers: it is truncated, and the limit is named.
. "$PT_TOP/tests/lib.sh"
need gcc; need_root
[ "$(cat /proc/sys/kernel/perf_event_max_stack)" = 127 ] || skip "kernel.perf_event_max_stack is not 127"
cat > alt.c <<'C'
#include <signal.h>
#include <stdlib.h>
static volatile unsigned long sink;
static void spin(int sig) { for (unsigned long i = 0; i < 100000000ul; i++) sink += i + (unsigned long)sig; }
static int __attribute__((noinline)) deep(int n) { volatile char room[256]; room[0] = (char)n; int x = n ? deep(n - 1) : raise(SIGUSR1); return x + room[0]; }
int main(void)
{
	stack_t s = { .ss_sp = malloc(1 << 16), .ss_size = 1 << 16 };
	struct sigaction a = { .sa_handler = spin, .sa_flags = SA_ONSTACK };
	sigaltstack(&s, NULL);
	sigaction(SIGUSR1, &a, NULL);
	return deep(DEPTH) & 0;
}
C
# said DEPTH: what pt-stack says of a recursion so deep
said() {
	gcc -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -DDEPTH=$1 -o alt alt.c || fail "gcc"
	runs 0 pt-stack -F 499 -- ./alt > folded 2> err
	at_least "samples" "$(sed -n "1s/^# samples \([0-9]*\),.*/\1/p" folded)" 10
}
said 300
has "the limit" "$(cat err)" "on another stack, with more callers than the kernel lists (sysctl kernel.perf_event_max_stack=1024 helps)"
said 40
equal "stacks that the kernel lists as a whole" "$(grep -c "more callers than the kernel lists" err)" 0
at_least "whole stacks" "$(grep -c "main;\(deep;\)\{40,41\}.*spin" folded)" 1
# Without a signal, the copy can be larger.
sed -i 's/raise(SIGUSR1)/(spin(0), 0)/' alt.c
said 150
has "the option" "$(cat err)" "beyond the copy, with more callers than the kernel lists (a larger --stack-size helps)"
runs 0 pt-stack -F 499 --stack-size 65528 -- ./alt > folded 2> err
equal "stacks beyond a larger copy" "$(grep -c "beyond the copy" err)" 0
