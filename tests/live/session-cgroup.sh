# A cgroup: what its tasks do and nothing else.
. "$PT_TOP/tests/lib.sh"
need_root
need_events syscalls:sys_enter_getppid
ev=syscalls:sys_enter_getppid
root=$(awk '$3 == "cgroup" && $4 ~ /perf_event/ { print $2; exit }' /proc/self/mounts)
[ -n "$root" ] || root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
[ -n "$root" ] && mkdir "$root/pt-test.$$" 2> /dev/null || skip "no cgroup can be made"
at_exit gone
gone() { until_true 20 rmdir "$root/pt-test.$$"; }

runs 0 watch -G pt-test.$$ -e $ev -- sh -c "threads 3 100 < /dev/null; echo \$\$ > $root/pt-test.$$/cgroup.procs; exec threads 10 100 < /dev/null" > out 2> err
equal "calls within the group" "$(awk -v ev=$ev '$2 == ev { print $4 }' out)" 1000
runs 1 watch -G pt-test.none -e $ev -- true > out 2> err
has "message" "$(cat err)" "control group pt-test.none: $root/pt-test.none: No such file or directory"
