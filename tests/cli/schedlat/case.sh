# Figures of timelines that are known to the microsecond (tests/data/sched-*.txt), then of a recording of perf's.
# variants: plain san
timeline < "$PT_DATA/sched-server.txt" > server.data
timeline < "$PT_DATA/sched-holes.txt" > holes.data
pt-schedlat --worst 3 server.data
for by in tid pid cpu; do
	echo "-- by $by"
	pt-schedlat --by $by -s pid server.data
done
echo "-- woken"
pt-schedlat --woken server.data
echo "-- chosen"
pt-schedlat --pid 200 -s name server.data
pt-schedlat --comm batch,worker -s runtime,max server.data
pt-schedlat -t 201 - < server.data
pt-schedlat -C 1 server.data
echo "-- from 2 to 7 ms"
pt-schedlat --time 0.002,0.007 server.data
echo "-- as JSON"
pt-schedlat -j --worst 2 --pids server.data
echo "-- holes"
pt-schedlat --worst 9 --by tid holes.data
echo "-- run times of the kernel"
sed 's/^2500 0 switch.*/2499 0 runtime 200 1234567\n&/' "$PT_DATA/sched-server.txt" | timeline > stat.data; pt-schedlat stat.data
echo "-- control groups"
{ printf '0 0 cgroup 7 /web\n0 0 in 100 7\n0 0 in 102 7\n0 0 in 200 8\n'; cat "$PT_DATA/sched-server.txt"; } | timeline -G > groups.data
pt-schedlat --per-cgroup groups.data
echo "-- names"
printf '0 0 comm 5 5 \033[31m<a>\n10 0 switch 0 R 5\n20 0 switch 5 S 0\n30 0 waking 5 0\n40 0 switch 0 R 5\n' | timeline > names.data
pt-schedlat --worst 1 names.data
pt-schedlat -j names.data
echo "-- perf"
pt-schedlat "$PT_DATA/perf-sched.data"
head -c 9000 "$PT_DATA/perf-sched.data" > cut.data
pt-schedlat cut.data > /dev/null 2>&1; echo "status $?"
pt-schedlat "$PT_DATA/fp.data"; echo "status $?"
pt-schedlat --time 1,2 "$PT_DATA/perf-sched.data" > none 2> none; echo "of a time without switches: $?"
pt-schedlat -o table server.data && head -2 table
