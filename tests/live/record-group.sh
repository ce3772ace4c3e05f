# variants: plain san
# {a,b}:S - each sample of the first brings the counts of all: exact between samples, the same from a recording, live and in perf.
. "$PT_TOP/tests/lib.sh"
. "$PT_TOP/tests/lib/record.sh"
need_root; need_events syscalls:sys_enter_kill syscalls:sys_enter_umask

# Between calls of kill(2), 1, 2, 3 ... 20 times umask(2) (each is as many calls as this shell makes of it).
cat > work <<'T'
n=0
kill -0 $$
while [ $n -lt 20 ]; do
	n=$((n + 1)) i=0
	while [ $i -lt $n ]; do umask 022; i=$((i + 1)); done
	kill -0 $$
done
T
group='{syscalls:sys_enter_kill,syscalls:sys_enter_umask,dummy}:S'
each=$(pt-stat -x, -o - -e syscalls:sys_enter_umask -- sh -c 'umask 022' | cut -d, -f1)
at_least "calls that umask makes" "$each" 1
# The lines as they must be: a call of kill, then those of umask since the one before.
awk -v each=$each 'BEGIN { print "kill 1"; for (i = 1; i <= 20; i++) { print "kill 1"; print "umask " i * each } }' > want
counts() { sed -nE 's/^ *([0-9]+) +syscalls:sys_enter_(kill|umask): *$/\2 \1/p' "$1"; }

pt-record -o g.data -e "$group" -- sh work 2> err || fail "pt-record: $(cat err)"
has "what is said of children" "$(cat err)" "sys_enter_kill:S: only the command is watched, not its children"
equal samples "$(samples err)" 21
[ "$(grep -c . err)" = 2 ] || fail "more is said: $(cat err)"
pt-script -F period,event g.data > lines || fail pt-script
same_file "counts of a recording" <(counts lines) want
pt-record -q -z -o - -e "$group" -- sh work 2> err | pt-script -F period,event - > lines
status="${PIPESTATUS[*]}"
equal "status of pt-record and pt-script ($(cat err))" "$status" "0 0"
same_file "counts of a stream" <(counts lines) want
pt-script -F period,event -e "$group" -- sh work > lines 2> err || fail "live: $(cat err)"
same_file "counts, live" <(counts lines) want
# What is left out still counts: the first line shown has no counts of before.
pt-script -F comm,time,period,event --ns g.data > all
from=$(sed -nE 's/.* ([0-9]+\.[0-9]+): +[0-9]+ +syscalls:sys_enter_umask.*/\1/p' all | sed -n 11p)
pt-script -F comm,time,period,event --ns --time "$from," g.data > late || fail "--time"
same_file "counts from a time on" late <(awk -v from="$from:" '$2 >= from' all)

# One event alone, whose own count it is; all CPUs; children with -a, where nothing need be said.
pt-record -o one.data -e syscalls:sys_enter_kill:S -c 3 -- sh work 2> err || fail "one event"
pt-script -F period,event one.data > lines
equal "every third call" "$(counts lines | sort | uniq -c | tr -s ' ')" " 7 kill 3"
pt-record -a -o a.data -e "$group" -- sh -c 'sh work; true' 2> err || fail "-a: $(cat err)"
grep -q children err && fail "children: $(cat err)"
pt-script --comm sh -F period,event a.data > lines
at_least "calls of umask on a CPU" "$(counts lines | awk '$1 == "umask" { n += $2 } END { print n + 0 }')" 1

# perf sees the same, field by field, and so do we what perf records.
[ "$PT_VARIANT" = plain ] && command -v perf > /dev/null || exit 0
for f in g a; do
	perf script -F comm,tid,cpu,time,period,event -i $f.data > perf.out 2> perf.err || fail "perf script: $(cat perf.err)"
	empty "what perf script says" perf.err
	pt-script -F comm,tid,cpu,time,period,event $f.data > pt.out
	same_file "perf and pt, $f.data" pt.out perf.out
done
pt-record -q -o c.data -F 1999 -g -e '{cpu-clock,cs,faults}:S' -- dd if=/dev/zero of=/dev/null bs=64 count=100000 2> err || fail "pt-record: $(cat err)"
perf script --hide-call-graph -F comm,tid,time,period,event -i c.data > perf.out 2> perf.err || fail "perf script: $(cat perf.err)"
empty "what perf script says" perf.err
pt-script --hide-call-graph -F comm,tid,time,period,event c.data > pt.out
same_file "perf and pt, c.data" pt.out perf.out
at_least "faults" "$(grep -c faults: pt.out)" 1
