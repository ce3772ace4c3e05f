# Live: a profile of a command in each form, a timeline of the machine with a probe's events, and a command's status.
# variants: plain san
. "$PT_TOP/tests/lib.sh"
. "$PT_TOP/tests/lib/convert.sh"
need_root
need python3
need_protoc
need_events sched:sched_switch syscalls:sys_enter_getppid
busy='i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); done; exit 3'
runs 3 pt-convert -F 499 -o live.pb.gz -- sh -c "$busy" 2> err
pprof_text < live.pb.gz > live.txt || fail "the pprof file cannot be decoded"
at_least "samples of sh" "$(awk '/^sample \{/ { v = 0 } /^  value:/ && !v++ { n += $2 } END { print n + 0 }' live.txt)" 5
has "its strings" "$(grep string_table live.txt)" '"sh"'
for form in speedscope firefox; do
	runs 3 pt-convert -F 499 -o live.$form.json -- sh -c "$busy" 2> err
	python3 -c 'import json, sys; f = json.load(open(sys.argv[1])); sys.exit(0 if f.get("profiles") or f["threads"] else 1)' live.$form.json || fail "$form: $(head -c 300 live.$form.json)"
done

# Calls that are counted exactly, on the thread's row, beside the scheduler's events.
cat > calls.c <<'C'
#include <stdio.h>
#include <unistd.h>
#include <sys/syscall.h>
int main(void) { for (int i = 0; i < 777; i++) syscall(SYS_getppid); printf("%d\n", getpid()); return 0; }
C
gcc -o calls calls.c 2> gcc.err || skip "no C compiler"
runs 0 pt-convert -e syscalls:sys_enter_getppid --comm calls -o live.pftrace -- ./calls > pid 2>&1
perfetto_text < live.pftrace | by_line > packets || fail "the Perfetto file cannot be decoded"
pid=$(grep -x '[0-9]*' pid)
track=$(sed -nE "s/.*track_descriptor \{ uuid: ([0-9]+) thread \{ pid: $pid tid: $pid \}.*/\1/p" packets)
[ -n "$track" ] || fail "no row of the thread $pid: $(grep -c track_descriptor packets) rows"
equal "calls on its row" "$(grep -c "TYPE_INSTANT track_uuid: $track .*name: \"sys_enter_getppid\"" packets)" 777
at_least "switches" "$(grep -o 'sched_switch {' packets | wc -l)" 2
has "the thread's name" "$(grep "tid: $pid name" packets)" '"calls"'
