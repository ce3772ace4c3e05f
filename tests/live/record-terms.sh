# Terms of an event's name do what they say, for events of any kind.
. "$PT_TOP/tests/lib.sh"
need_root; need_perf; need_events sched:sched_switch
burn=(sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done')

# attr DATA EVENT: its attribute, as perf sees it
attr() { perf evlist -v -i "$1" 2> /dev/null | grep -F -- "$2:"; }
lacks() { case $2 in *"$3"*) fail "$1 is '$2', with '$3'" ;; esac; }
# deepest: of call chains, the most frames
deepest() { awk '/^[^ \t]/ || !NF { n = 0 } /^[ \t]+[0-9a-f]+/ { if (++n > most) most = n } END { print most + 0 }' RS='\n' "$1"; }

pt-record -q -e cpu-clock/call-graph=dwarf,name=unwound/ -o t.data -- "${burn[@]}" || fail "call-graph=dwarf"
has "the side-band event" "$(attr t.data dummy:u)" "mmap_data: 1"
perf script -i t.data -F ip > perf.ip 2> /dev/null
at_least "perf's deepest stack" "$(deepest perf.ip)" 3
pt-script -F ip,sym t.data > pt.sym 2> /dev/null
pt-script -F ip t.data > pt.ip 2> /dev/null
same_file "addresses without names" <(awk '/^[ \t]+[0-9a-f]+/ { print $1 }' pt.sym) <(awk '/^[ \t]+[0-9a-f]+/ { print $1 }' pt.ip)

pt-record -q -e cpu-clock/max-stack=3,name=ev/ -o t.data -- "${burn[@]}" || fail "max-stack=3"
has "max-stack=3" "$(attr t.data ev)" "CALLCHAIN"
has "max-stack=3" "$(attr t.data ev)" "sample_max_stack: 3"
pt-script -F ip t.data > pt.ip 2> /dev/null
at_least "deepest stack" "$(deepest pt.ip)" 2
at_most "deepest stack" "$(deepest pt.ip)" 3

pt-record -q -e cpu-clock/stack-size=4096,name=ev/ -o t.data -- "${burn[@]}" || fail "stack-size=4096"
has "stack-size=4096" "$(attr t.data ev)" "sample_stack_user: 4096"

pt-record -q -e sched:sched_switch/max-stack=3/ -o t.data -- "${burn[@]}" || fail "terms of a tracepoint"
equal "name of a tracepoint with terms" "$(perf evlist -i t.data 2> /dev/null | head -1)" sched:sched_switch
has "max-stack=3 of a tracepoint" "$(attr t.data sched:sched_switch)" "sample_max_stack: 3"

for inherit in inherit=0 no-inherit no-inherit=1; do
	pt-record -q -e "cpu-clock/$inherit,name=ev/,task-clock" -o t.data -- true || fail "$inherit"
	lacks "$inherit" "$(attr t.data ev)" "inherit: 1"
	has "without $inherit" "$(attr t.data task-clock)" "inherit: 1"
done
for inherit in inherit=1 inherit no-inherit=0; do
	pt-record -q -i -e "cpu-clock/$inherit,name=ev/,task-clock" -o t.data -- true || fail "-i with $inherit"
	has "-i with $inherit" "$(attr t.data ev)" "inherit: 1"
	lacks "-i" "$(attr t.data task-clock)" "inherit: 1"
done
pt-stat -e cpu-clock/inherit=0,name=alone/,cpu-clock/name=all/ -x, -o stat.csv -- sh -c "$(printf '%q ' "${burn[@]}"); true" || fail "pt-stat inherit=0"
awk -F, '{ v[$3] = $1 } END { exit !(v["alone"] * 2 < v["all"]) }' stat.csv || fail "the command's child was counted with inherit=0: $(cat stat.csv)"

pt-record -q -e '{cpu-clock/period=2000000,name=lead/,task-clock/period=3000000,name=member/}:S' -o t.data -- "${burn[@]}" || fail "two periods with :S"
has "period of the leader" "$(attr t.data lead)" "{ sample_period, sample_freq }: 2000000"
has "period of the member" "$(attr t.data member)" "{ sample_period, sample_freq }: 3000000"
perf script -i t.data > perf.txt 2> perf.err || fail "perf script: $(cat perf.err)"
