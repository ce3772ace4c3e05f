# variants: plain san
# Waits that had begun before a session of pt-stack --off-cpu, or had not ended when it did: they are there with their stacks, for the time within the session, and marked.
. "$PT_TOP/tests/lib.sh"
need gcc
need_root
need_events sched:sched_switch
prog=stalls$$	# the whole machine is watched, too: not the name of another run
cat > stalls.c <<'C'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static int never[2], late[2], last[2];
static uint64_t released_us;
static uint64_t us(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000; }
static void take(int fd) { char c; if (read(fd, &c, 1) != 1) abort(); }
static void __attribute__((noinline)) hang_here(void) { take(never[0]); __asm__ volatile(""); }
static void __attribute__((noinline)) late_here(void) { take(late[0]); __asm__ volatile(""); }
static void __attribute__((noinline)) last_here(void) { take(last[0]); __asm__ volatile(""); }
static void __attribute__((noinline)) vfork_here(void) { if (!vfork()) for (;;) pause(); __asm__ volatile(""); }
static void *hang(void *arg) { hang_here(); return arg; }
static void *late_then_last(void *arg) { late_here(); released_us = us(); last_here(); return arg; }
static void *uninterruptible(void *arg) { vfork_here(); return arg; }
int main(void)	/* a byte from standard input releases the one that is late; another one asks when that was, and how long ago */
{
	pthread_t t;
	if (pipe(never) < 0 || pipe(late) < 0 || pipe(last) < 0) return 1;
	pthread_create(&t, NULL, hang, NULL);
	pthread_create(&t, NULL, late_then_last, NULL);
	pthread_create(&t, NULL, uninterruptible, NULL);
	for (;;) {
		take(0);
		if (write(late[1], "x", 1) != 1) return 1;
		take(0);
		printf("%lu %lu\n", released_us, us() - released_us);
		fflush(stdout);
	}
}
C
gcc -O2 -g -pthread -fno-optimize-sibling-calls -fno-ipa-icf -o $prog stalls.c || fail "gcc"
spin
# sum FOLDED FUNCTION open|ended: microseconds
sum() { awk -v program="$prog;" -v f=";$2;" -v end="$3" 'index($0, program) == 1 && index($0, f) && (/;\[not ended\] [0-9]+$/ ? "open" : "ended") == end { n += $NF } END { print n + 0 }' "$1"; }
all_wait() { [ "$(cat /proc/$pid/task/*/stat | grep -cE "^[0-9]+ \\($prog\\) [SD]")" = 4 ]; }
begin() {
	rm -f in told; mkfifo in
	exec 9<> in
	background bash -c "exec ./$prog < in > told"; pid=$!
	until_true 20 all_wait || fail "it does not wait"
}
end() {
	printf x >&9; until_true 20 [ -s told ] || fail "it tells nothing"
	all_wait || fail "its threads do not wait any more: $(cat /proc/$pid/task/*/stat)"
	kill -9 $(pgrep -P $pid) $pid; wait $pid 2> /dev/null
}
close_to() { [ $(($2 * 100)) -ge $(($3 * 95)) ] && [ $(($2 * 100)) -le $(($3 * 105)) ] || fail "$1: $2 us, not $3: $(cat "$4")"; }
# release_within COMMAND...: in its middle the late one is released. Halting is seen by the threads' switches; where nobody is halted, by the tool's events.
begun() { [ "$(cat /proc/$pid/task/*/status | grep ^voluntary)" != "$before" ] || { [ $halts = no ] && ls -l /proc/$tool/fd | grep -q perf_event; }; }
release_within() {
	local tool before halts=yes
	case " $* " in *" -a "*) halts=no ;; esac
	before=$(cat /proc/$pid/task/*/status | grep ^voluntary)
	"$@" & tool=$!
	until_true 60 begun || fail "$* does not begin"
	sleep 1; printf x >&9
	wait $tool || fail "$* ended with status $?: $(cat err)"
}
# check WHAT FOLDED: by construction all of these are the time since the threads were halted, or add up to it
check() {
	local hang released ago
	read -r released ago < told
	hang=$(sum "$2" hang_here open)
	at_least "$1, what hangs" "$hang" 1000000
	equal "$1, what hangs, ended" "$(sum "$2" hang_here ended)" 0
	close_to "$1, late and then last" $(($(sum "$2" late_here ended) + $(sum "$2" last_here open))) "$hang" "$2"
	equal "$1, late, not ended" "$(sum "$2" late_here open)" 0
	at_least "$1, last" "$(sum "$2" last_here open)" 1
	at_most "$1, last" "$(sum "$2" last_here open)" "$ago"
	! grep -q ptrace "$2" || fail "$1: halting counts as a wait: $(cat "$2")"
}
begin
release_within pt-stack --off-cpu -p $pid --for 3 > live 2> err; cp err live.err
end
check "live" live
has "what is said" "$(cat live.err)" "waits have not ended"
# The thread that cannot be interrupted is not halted; the kernel tells what it does there.
has "vfork" "$(grep ';\[unknown\];.*;\[not ended\] ' live)" clone
has "what is said of it" "$(cat live.err)" "1 more thread has waited throughout"
at_least "vfork, the whole session" "$(awk '/;\[unknown\];/ { print $NF }' live)" 3000000
at_most "what hangs, from when it was halted" "$(sum live hang_here open)" "$(awk '/;\[unknown\];/ { print $NF }' live)"

# A recording: the same, but for what cannot be halted.
begin
release_within pt-record -q --off-cpu --call-graph dwarf -p $pid --for 3 -o rec.data > out 2> err
end
runs 0 pt-stack --off-cpu rec.data > rec 2> rec.err
check "recording" rec

# The whole machine: nobody is halted; of those who waited throughout there is the kernel's part.
begin
release_within pt-stack --off-cpu --annotate -a --for 3 > machine 2> err
end
at_least "the whole machine, last" "$(sum machine last_here open)" 1
equal "the whole machine, programs halted" "$(sum machine hang_here open)" 0
equal "the whole machine, throughout" "$(grep -c '^'$prog';\[unknown\];.*pipe_read_\[k\];\[not ended\] ' machine)" 1
runs 0 pt-stack --off-cpu -a --comm 'nobody-*' --for 0.2 > none 2> err
! grep -q '^[^#]' none || fail "others than those chosen: $(cat none)"

# A recording has nothing of a thread that no switch is of: that is said.
sleep 100 & sleeper=$!
runs 0 pt-record -q --sched -g -p $sleeper --for 0.3 -o quiet.data > out 2> err
kill $sleeper
runs 0 pt-stack --off-cpu quiet.data > quiet 2> quiet.err
has "a thread without a switch" "$(cat quiet.err)" "1 thread has no switch in the recording"
