# Lines of timelines that are known to the microsecond (tests/data/sched-*.txt), then of a recording of perf's.
# variants: plain san
timeline < "$PT_DATA/sched-server.txt" > server.data
timeline -g < "$PT_DATA/sched-server.txt" > chains.data
timeline < "$PT_DATA/sched-holes.txt" > holes.data
printf '%s\n' 'c0001000 T __schedule' 'c0002000 T schedule' 'c0003000 t wait_for_it' 'c0004000 T do_wait' 'c0005000 T wait_one' 'c0006000 T wait_two' 'c0007000 T wait_three' \
	'c0008000 T wait_four' 'c0009000 T idle_away' 'c000a000 T _etext' > kallsyms
pt-timehist server.data
echo "-- all that there is"
pt-timehist -MVwn --state server.data
echo "-- wake-ups"
pt-timehist -w server.data | sed -n '4,6p' | sed 's/$/|/'
echo "-- preempted"
pt-timehist --preempted --tid 200 server.data
echo "-- chosen"
pt-timehist -w -p 100 server.data
pt-timehist --comm worker -n server.data
pt-timehist -C 1 -wM server.data
echo "-- from 2 to 7 ms"
pt-timehist -wM --time 0.002,0.007 server.data
echo "-- summaries"
pt-timehist -s server.data
pt-timehist -s --state server.data
pt-timehist -s -C 0 - < server.data
echo "-- idle"
pt-timehist -I -S --kallsyms kallsyms chains.data
echo "-- chains"
pt-timehist --kallsyms kallsyms chains.data
pt-timehist --kallsyms kallsyms --max-stack 2 --tid 201 chains.data
pt-timehist --hide-call-graph chains.data | cmp - <(pt-timehist server.data) && echo "without chains as if there were none"
echo "-- holes"
pt-timehist -S --state -n holes.data
echo "-- names"
printf '0 0 comm 1234567 1234566 \033[31m<abcdefghij\n10 0 switch 0 R 1234567\n20 0 switch 1234567 S 0\n30 0 switch 0 R 1\n' | timeline > names.data; pt-timehist -n names.data
echo "-- perf"
pt-timehist -wn "$PT_DATA/perf-sched.data"
head -c 9000 "$PT_DATA/perf-sched.data" > cut.data
pt-timehist cut.data > /dev/null 2>&1; echo "status $?"
pt-timehist "$PT_DATA/fp.data"; echo "status $?"
pt-timehist --time 1,2 "$PT_DATA/perf-sched.data" > none 2> none; echo "of a time without switches: $?"
pt-timehist -o lines server.data && wc -l < lines
echo "-- damage"
[ "$PT_VARIANT" = plain ] && seeds=20 || seeds=5
for seed in $(seq 30 $((29 + seeds))); do
	wreck "$seed" "$PT_DATA/perf-sched.data" > w.data
	for tool in "pt-timehist -MVwnS --state" "pt-schedlat --worst 5 --by tid"; do
		timeout 20 $tool w.data > out 2> err
		status=$?
		[ $status = 0 ] || { [ $status = 1 ] && [ -s err ]; } || echo "$tool, seed $seed: status $status"
	done
done
echo "-- shares of a part that lies within runs, and of one with switches"
for part in +0.1,+0.102 +0.03,+0.035; do pt-timehist -s --time $part "$PT_DATA/sched-8cpus.data" | grep -E 'idle for|Total sched'; done
