# pt-stack live: a program whose stack is known, through shells, by pid, with a signal handler, on the whole machine; nothing is written.
. "$PT_TOP/tests/lib.sh"
need gcc
need_root
cat > prog.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
volatile unsigned sink;
static void __attribute__((noinline)) spin_here(double seconds)
{
	struct timespec t;
	do {
		for (unsigned i = 0; i < 20000; i++) sink += i;
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	} while ((double)t.tv_sec + (double)t.tv_nsec / 1e9 < seconds);
}
static void __attribute__((noinline)) middle(double s) { spin_here(s); sink++; }
static void __attribute__((noinline)) outer(double s) { middle(s); sink++; }
int main(int argc, char **argv) { outer(argc > 1 ? atof(argv[1]) : 1); return 0; }
C
prog=prog$$			# nobody else on the machine has this name
gcc -O2 -g -o $prog prog.c || fail "gcc"
share() {	# of the program's samples, those with the known stack, in percent
	awk -v prog=$prog 'index($0, prog ";") == 1 { n += $NF; if ($0 ~ /;main;outer;middle;spin_here/) g += $NF } END { printf "%d\n", n ? g * 100 / n : 0 }' "$1"
}
count() { awk -v prog=$prog 'index($0, prog ";") == 1 { n += $NF } END { print n + 0 }' "$1"; }
before=$(ls -A | wc -l)
runs 0 pt-stack -F 499 -- ./$prog 1 > one 2> one.err
at_least "samples of a second of CPU at 499 Hz: $(cat one.err)" "$(count one)" 150
at_least "share of the known stack" "$(share one)" 95
# the shells between have other maps, which an exec must take away
runs 0 pt-stack -F 499 -- sh -c "sh -c './$prog 1; true'; true" > chain 2> chain.err
at_least "samples through a chain of shells: $(cat chain.err)" "$(count chain)" 150
at_least "share of the known stack through a chain of shells" "$(share chain)" 95
background ./$prog 1000
pid=$!
runs 0 pt-stack -F 499 -p "$pid" --for 1 > pid 2> pid.err
at_least "samples by pid: $(cat pid.err)" "$(count pid)" 20
at_least "share of the known stack by pid" "$(share pid)" 95
runs 0 pt-stack -F 199 -a --for 1 > all 2> all.err
at_least "samples on the whole machine: $(cat all.err)" "$(count all)" 5
at_least "share of the known stack on the whole machine" "$(share all)" 90
kill "$pid"
equal "files left" "$(ls -A | grep -cvE '^(.cache|one|chain|pid|all|prog)')" 0
# the command's status, and one that is not there
runs 3 pt-stack -- sh -c 'exit 3' > /dev/null 2> status.err
runs 127 pt-stack -- ./no-such-program > /dev/null 2> status.err
