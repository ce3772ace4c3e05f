# pt-report of live sessions: a command, a process, the machine; Ctrl-C prints what was gathered; the command's status; another user.
# variants: plain san
. "$PT_TOP/tests/lib.sh"
need gcc
cat > prog.c <<'C'
#include <signal.h>
#include <stdlib.h>
volatile unsigned sink;
unsigned __attribute__((noinline)) hot(unsigned n) { for (unsigned i = 0; i < 100000; i++) n = n * 1664525 + sink; return n; }
unsigned __attribute__((noinline)) outer(unsigned n) { unsigned x = hot(n); __asm__ volatile("" : "+r"(x)); return x + 1; }
int main(int argc, char **argv) { for (unsigned i = 0, n = argc > 1 ? (unsigned)atoi(argv[1]) : ~0u; i < n; i++) sink += outer(i); return 7; }
C
gcc -O2 -g -o prog prog.c || fail "gcc"

# A command: its status is the tool's; the function, and its caller with it.
runs 7 pt-report --freq 999 -t '|' -- ./prog 4000 > out 2> err
at_least "share of hot" "$(sed -n 's/^[0-9.]*%|\([0-9]*\)\.[0-9]*%|prog|prog|\[\.\] hot$/\1/p' out)" 80
at_least "share of outer with hot" "$(sed -n 's/^\([0-9]*\)\.[0-9]*%|[0-9.]*%|prog|prog|\[\.\] outer$/\1/p' out)" 80
runs 7 pt-report --freq 999 --no-children -g -- ./prog 4000 > out 2> err
grep -A5 '\[\.\] hot$' out | grep -q -- '---hot' || fail "no tree of hot: $(cat out)"
grep -A9 '\[\.\] hot$' out | grep -q ' outer$' || fail "hot without its caller: $(cat out)"

# A running process, until Ctrl-C.
./prog & target=$!
pt-report -p $target > out 2> err & tool=$!
until_true 60 grep -qs . /proc/$tool/comm
sleep 1.5
kill -INT $tool
wait $tool; status=$?
kill $target
equal "status at Ctrl-C" $status 0
has "table at Ctrl-C" "$(cat out)" '[.] hot'

# The machine.
runs 0 pt-report -s comm,cpu -a --for 1 > out 2> err
grep -qE '^# Overhead +Command +CPU' out || fail "no table of the machine: $(cat out)"

# Wall time of an event whose period is 1, of tasks that run beside one another: shares of it are no whole periods.
if perf --version > /dev/null 2>&1; then
	perf record -q -N -a --switch-events -e page-faults -c 1 -o faults.data -- sh -c 'for i in 1 2 3; do (for k in $(seq 100); do /bin/true; done) & done; wait' > /dev/null 2>&1 || fail "perf record"
	runs 0 pt-report --latency --no-children -s comm -j --percent-limit 0 faults.data > out 2> err
	equal "sum of the shares of wall time" "$(jq -s '[.[].self[0]] | add | round' out)" 100
fi

# A recorder's stream, and stacks from a pipe.
pt-record -F 999 --call-graph dwarf -o - -- ./prog 2000 2> /dev/null | pt-report - > out 2> err
has "a stream" "$(cat out)" '[.] hot'
pt-record -F 999 --call-graph dwarf -o prog.data -- ./prog 2000 > /dev/null 2>&1
pt-stack prog.data 2> /dev/null | pt-report > piped 2> err
runs 0 pt-report prog.data > out 2> err
equal "share by way of folded lines" "$(sed -n 's/^ *\([0-9.]*%\) .* hot$/\1/p' piped)" "$(sed -n 's/^ *\([0-9.]*%\) .* hot$/\1/p' out)"
pt-report prog.data 2> /dev/null | head -1 > /dev/null
