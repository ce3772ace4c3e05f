# pt-stack --off-cpu: a program that sleeps, waits on a pipe and on a lock; by clocks of its own it knows how long, by stack it must be found again.
. "$PT_TOP/tests/lib.sh"
need gcc
need_root
need_events sched:sched_switch
cat > waits.c <<'C'
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int to[2];
static volatile unsigned held;
static uint64_t us(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000; }
static long preempted(void) { struct rusage r; getrusage(RUSAGE_THREAD, &r); return r.ru_nivcsw; }
static void nap(long ms) { struct timespec t = { ms / 1000, ms % 1000 * 1000000 }; while (nanosleep(&t, &t) < 0 && errno == EINTR) ; }
static void __attribute__((noinline)) sleep_here(void) { nap(150); __asm__ volatile(""); }
static void __attribute__((noinline)) pipe_here(void) { char c; if (read(to[0], &c, 1) != 1) abort(); __asm__ volatile(""); }
static void __attribute__((noinline)) lock_here(void) { pthread_mutex_lock(&lock); __asm__ volatile(""); pthread_mutex_unlock(&lock); }
static void *helper(void *arg)
{
	for (int i = 0; i < 4; i++) {
		pthread_mutex_lock(&lock);
		held = 1;
		nap(120);
		pthread_mutex_unlock(&lock);
		while (held) nap(1);
		nap(90);
		if (write(to[1], "x", 1) != 1) abort();
	}
	return arg;
}
int main(void)
{
	pthread_t t;
	uint64_t s = 0, p = 0, l = 0, from;
	long n = 0;
	if (pipe(to) < 0) return 1;
	pthread_create(&t, NULL, helper, NULL);
	for (int i = 0; i < 4; i++) {
		while (!held) __asm__ volatile("pause");
		n -= preempted();
		from = us(), lock_here(), l += us() - from;
		held = 0;
		from = us(), pipe_here(), p += us() - from;
		from = us(), sleep_here(), s += us() - from;
		n += preempted();
	}
	pthread_join(t, NULL);
	fprintf(stderr, "sleep %lu pipe %lu lock %lu preempted %ld\n", s, p, l, n);
	return 0;
}
C
gcc -O2 -g -pthread -fno-optimize-sibling-calls -o waits waits.c || fail "gcc"
spin
known() { grep -oE "$2 [0-9]+" "$1" | cut -d' ' -f2; }
found() { awk -v f=";$2;" '$1 ~ /^waits;/ && index($0, f) { n += $NF } END { print n + 0 }' "$1"; }
# within 5 percent: the program's own figure has the calls around the wait in it
close_to() {
	[ $((${2} * 100)) -ge $((${3} * 95)) ] && [ $((${2} * 100)) -le $((${3} * 105)) ] || why="$1: $2 us, the program says $3; $(cat "$4"); $(cat "$5")"
}
# agrees WHAT FOLDED MESSAGES: the program's figures are in the messages
agrees() {
	why=
	close_to "$1, sleep" "$(found "$2" sleep_here)" "$(known "$3" sleep)" "$3" "$2"
	close_to "$1, pipe" "$(found "$2" pipe_here)" "$(known "$3" pipe)" "$3" "$2"
	close_to "$1, lock" "$(found "$2" lock_here)" "$(known "$3" lock)" "$3" "$2"
	[ -z "$why" ]
}
# What differs has a reason where the kernel lost a switch (the tool says so, and leaves that wait out), or where the program did not get from its clock to its wait at once:
# then it is its own figure that has more in it. Once more then.
excused() { grep -qE 'lost switches|(^|[^0-9.])[1-9][0-9]* lost|lost [1-9]|preempted [1-9]' "$@"; }
until_agreed() {	# until_agreed WHAT FOLDED MESSAGES NOTES COMMAND...
	local what=$1 folded=$2 messages=$3 notes=$4 try; shift 4
	for try in $(seq 20); do
		"$@"
		agrees "$what" "$folded" "$messages" && return
		excused "$messages" "$notes" || break
	done
	fail "$why"
}
of_command() { runs 0 pt-stack --off-cpu -- ./waits > one 2> one.err; }
of_machine() { runs 0 pt-stack --off-cpu -a -- ./waits > all 2> all.err; }
# a recording with stacks on the switches, by frame pointers of the kernel and stack copies of the user's part
of_recording() {
	runs 0 pt-record -q -a -e sched:sched_switch --call-graph dwarf -o rec.data -- ./waits > rec.out 2> rec.err
	runs 0 pt-stack --off-cpu rec.data > rec 2> rec.notes
}
until_agreed "command" one one.err one.err of_command
until_agreed "whole machine" all all.err all.err of_machine
until_agreed "recording" rec rec.err rec.notes of_recording
runs 2 pt-stack --off-cpu -e faults -- true 2> usage
