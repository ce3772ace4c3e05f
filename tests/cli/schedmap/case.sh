# A recording of perf's on eight CPUs (two sockets of two cores of two threads), in every form.
# variants: plain san
d=$PT_DATA/sched-8cpus.data
pt-schedmap $d
echo "-- compact"
pt-schedmap --compact --time +0.02,+0.15 $d
echo "-- two columns, without the last field"
pt-schedmap --cpus 0,4 --no-latency -i $d
echo "-- folded"
pt-schedmap --fold socket --time ,+0.15 $d
pt-schedmap --fold core --time ,+0.15 $d
echo "-- changes of two tasks"
pt-schedmap --changes --comm sleep,dd < $d
echo "-- coloured"
pt-schedmap --task 'sl*,I0,dd' --color-cpus 4,7 --ansi always --time +0.15,+0.25 $d | cat -v
echo "-- JSON"
pt-schedmap -j --comm sleep --cpu 0-3 -o lines $d; cat lines
echo "-- where they ran"
pt-schedmap --affinity $d
pt-schedmap --affinity --task 'd*' $d
pt-schedmap --affinity -j --comm sleep $d
