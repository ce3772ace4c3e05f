# What a tool shares with its neighbours: the memory that a user may lock, and cgroups.
. "$PT_TOP/tests/lib.sh"
need_root; need_perf; need setpriv
[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ] || skip "kernel.perf_event_paranoid keeps users out"

# Rings are locked memory of the user. The second recorder has rings, too, whichever of them is first.
[ "$(ulimit -l)" = unlimited ] || [ "$(ulimit -l)" -ge 8192 ] || skip "the limit of locked memory leaves no room for two recorders (ulimit -l: $(ulimit -l))"
mkdir locked && chmod 777 locked && cd locked
ours() { as_nobody prlimit --memlock=8388608 "$PT_BIN/pt-record" -o pt.data -e cpu-clock:u "$@"; }
theirs() { as_nobody prlimit --memlock=8388608 perf record -q -o perf.data -e cpu-clock:u "$@"; }
started() { until_true 60 pgrep -u $nobody -x sleep; }
ended() { kill $(pgrep -u $nobody -x sleep); wait $1; }

theirs -- sh -c 'sleep 100' 2> perf.err & p=$!; pt_pids="$pt_pids $p"
started || fail "perf record did not start: $(cat perf.err)"
runs 0 ours -- true > pt.out 2> pt.err
ended $p
ours -- sh -c 'sleep 100' 2> pt.err & p=$!; pt_pids="$pt_pids $p"
started || fail "pt-record did not start: $(cat pt.err)"
runs 0 theirs -- true > perf.out 2> perf.err
ended $p
as_nobody perf script -i perf.data > /dev/null 2> perf.err || fail "perf's recording: $(cat perf.err)"

# Without any more than the kernel gives to all (a ring's size for each CPU), which perf takes whole, there are smaller rings.
theirs() { as_nobody prlimit --memlock=$((32768 * $(nproc))) perf record -q -o perf.data -e cpu-clock:u "$@"; }
ours() { as_nobody prlimit --memlock=$((32768 * $(nproc))) "$PT_BIN/pt-record" -o pt.data -e cpu-clock:u "$@"; }
theirs -- sh -c 'sleep 100' 2> perf.err & p=$!; pt_pids="$pt_pids $p"
started || fail "perf record did not start: $(cat perf.err)"
runs 0 ours -- true > pt.out 2> pt.err
ended $p
cd ..

# A cgroup that is watched can be removed; the tool ends as it would have.
root=$(awk '$3 == "cgroup" && $4 ~ /perf_event/ { print $2; exit }' /proc/self/mounts)
[ -n "$root" ] || root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
[ -n "$root" ] && mkdir "$root/pt-limits.$$" 2> /dev/null || skip "no cgroup can be made"
at_exit gone
gone() { [ ! -d "$root/pt-limits.$$" ] || rmdir "$root/pt-limits.$$"; }
"$PT_BIN/pt-stat" -a -x, -e cpu-clock -G pt-limits.$$ > stat.out 2> stat.err & p=$!; pt_pids="$pt_pids $p"
opened() { ls -l /proc/$p/fd 2> /dev/null | grep -q perf_event; }
until_true 60 opened || fail "pt-stat opened nothing: $(cat stat.err)"
runs 0 rmdir "$root/pt-limits.$$"
kill -INT $p
wait $p || fail "pt-stat after its cgroup was removed: status $?, $(cat stat.err)"
has "its count" "$(cat stat.out stat.err)" ",cpu-clock,"
