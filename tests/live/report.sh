# pt-report of live sessions: a command, a process, the machine; Ctrl-C prints what was gathered; the command's status; another user.
# variants: plain san
. "$PT_TOP/tests/lib.sh"
need gcc jq
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
runs 7 pt-report --freq 999 -t '|' -- ./prog 8000 > out 2> err
at_least "share of hot" "$(sed -n 's/^[0-9.]*%|\([0-9]*\)\.[0-9]*%|prog|prog|\[\.\] hot$/\1/p' out)" 80
at_least "share of outer with hot" "$(sed -n 's/^\([0-9]*\)\.[0-9]*%|[0-9.]*%|prog|prog|\[\.\] outer$/\1/p' out)" 80
runs 7 pt-report --freq 999 --no-children -g -- ./prog 8000 > out 2> err
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

# Command lines as tutorials of perf have them.
for stacks in "-g" "-g --call-graph=dwarf" "-a -g"; do
	pt-record -F 999 $stacks -o any.data -- ./prog 1500 > /dev/null 2>&1
	runs 0 pt-report any.data > out 2> err
	has "report after $stacks" "$(cat out)" '[.] hot'
done
samples=$(pt-report -F sample -t '|' --percent-limit 0 --no-children prog.data 2> err | awk '/^[^#]/ { n += $1 } END { print n }')
runs 0 pt-report -n --stdio prog.data > out 2> err
grep -qE '^# Children +Self +Samples +Command +Shared Object +Symbol$' out || fail "no column of samples: $(cat out)"
runs 0 pt-report -n --stdio -g callee prog.data > out 2> err
[ "$(sed -n '/\[\.\] hot$/,/^$/p' out | grep -oE 'hot|outer|main' | head -4 | tr '\n' ' ')" = "hot hot outer main " ] || fail "callers of hot: $(cat out)"
runs 0 pt-report --stdio --header prog.data > out 2> err
has "header" "$(cat out)" "# hostname : $(hostname)"
# Folded stacks, made of the report by awk, are those of pt-stack.
runs 0 pt-report --stdio --no-children -n -g folded,0,caller,count -s comm prog.data > out 2> err
awk '/^ / { comm = $3 } /^[0-9]/ { print comm ";" $2, $1 }' out | LC_ALL=C sort > folded
same_file "folded stacks of a report" <(pt-stack prog.data 2> err | sed '/^#/d; s/_\[[ki]\]//g' | LC_ALL=C sort) folded
equal "samples of them" "$(awk '{ n += $NF } END { print n }' folded)" "$samples"
# Events that print something: what they print.
if [ "$(id -u)" = 0 ] && event=$(pt-probe -x ./prog report_outer_$$=outer n:u32 2> err); then
	pt-record -e "$event" -o probe.data -- ./prog 5 > /dev/null 2>&1
	pt-probe -d "$event"
	runs 0 pt-report -n probe.data > out 2> err
	equal "rows of a probe's recording" "$(grep -cE '^ +20\.00% +1 +\([0-9a-f]+\) n=[0-4]$' out)" 5
fi
if perf --version > /dev/null 2>&1 && perf trace record -o calls.data -- ls / > /dev/null 2>&1; then
	runs 0 pt-report calls.data > out 2> err
	has "what perf trace records" "$(cat out)" 'Trace output'
	grep -qE '%  NR [0-9]+ \(' out || fail "no system call: $(cat out)"
fi

# Control groups that were there before a live session, which records them for -s cgroup.
if pt-record -a --all-cgroups -o groups.data --for 0.2 > /dev/null 2>&1; then
	for tool in pt-report 'pt-top --text'; do
		runs 0 $tool -s cgroup -a --for 1 > out 2> err
		has "$tool -s cgroup" "$(cat out)" '%  /'
		! grep -q N/A out || fail "$tool -s cgroup: $(cat out)"
	done
fi

# Two builds of one program: what changed is in the first line. Two runs of one build: nothing but noise.
cat > builds.c <<'C'
volatile unsigned sink;
unsigned __attribute__((noinline)) parse(unsigned n) { for (unsigned i = 0; i < 20000; i++) sink += n ^ i; return n; }
unsigned __attribute__((noinline)) hash(unsigned n) { for (unsigned i = 0; i < HASH; i++) sink += n * i; return n; }
unsigned __attribute__((noinline)) store(unsigned n) { for (unsigned i = 0; i < 20000; i++) sink -= i; return n; }
int main(void) { for (unsigned i = 0; i < 8000; i++) { parse(i); hash(i); store(i); } return 0; }
C
mkdir old new
gcc -O1 -g -DHASH=20000 -o old/builds builds.c && gcc -O1 -g -DHASH=100000 -o new/builds builds.c || fail "gcc"
pt-record -F 999 -g -o old.data -- old/builds > /dev/null 2>&1
pt-record -F 999 -g -o again.data -- old/builds > /dev/null 2>&1
pt-record -F 999 -g -o new.data -- new/builds > /dev/null 2>&1
runs 0 pt-report --base old.data new.data > out 2> err
[[ $(grep -v '^#' out | head -1) =~ ^\ +[0-9.]+%\ +\+[0-9.]+%.*\ hash$ ]] || fail "what changed: $(cat out)"
runs 0 pt-report --base old.data -j --percent-limit 0 again.data > out 2> err
equal "functions of the same build that differ" "$(jq -r 'select(.noise | not) | .sym' out)" ""
at_least "functions" "$(jq -r .sym out | grep -cE '^(parse|hash|store)$')" 3
