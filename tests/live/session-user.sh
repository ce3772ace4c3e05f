# An ordinary user: rings within the limit of locked memory, the user's own code only, and messages that say what is missing and what lifts it.
. "$PT_TOP/tests/lib.sh"
need_root
paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
[ "$paranoid" = 2 ] || skip "perf_event_paranoid is $paranoid"
cp "$PT_TOOLS/watch" . && chmod 755 watch

as_nobody ./watch -e cpu-clock -F 2000 -- dd if=/dev/zero of=/dev/null bs=1 count=300k status=none > out 2> err || fail "$(cat err)"
has "the event watches user code" "$(cat out)" "event cpu-clock:u samples"
at_least "samples" "$(awk '/cpu-clock:u/ { print $4 }' out)" 1
(ulimit -l 64 && as_nobody ./watch -e cpu-clock -- true > out 2> err) || fail "with 64 KB of locked memory: $(cat err)"

runs 1 as_nobody ./watch -a -e cpu-clock -- true > out 2> err
has "message" "$(cat err)" 'this user may not watch events of whole CPUs (-a, -C, -G) (kernel.perf_event_paranoid is 2); as root: `sysctl kernel.perf_event_paranoid=0`'
(ulimit -l 64; as_nobody ./watch -m 4096 -e cpu-clock -- true > out 2> err) && fail "a ring of 16 MB"
has "message" "$(cat err)" "kernel.perf_event_mlock_kb is"
has "message" "$(cat err)" '`sysctl kernel.perf_event_mlock_kb='
as_nobody ./watch -p 1 -e cpu-clock -d 100 > out 2> err && fail "another user's process"
has "message" "$(cat err)" "cpu-clock: the kernel refuses it (Permission denied): the task may be another user's"
empty "stdout" out

# More files than may be open.
events=cpu-clock,page-faults,alignment-faults,emulation-faults,minor-faults,major-faults
(ulimit -n 16; runs 1 as_nobody ./watch -e $events,$events -- true > out 2> err) || exit 1
has "message" "$(cat err)" "16 may be open: Too many open files; raise the limit"
