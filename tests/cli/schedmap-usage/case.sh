# Wrong usage, and recordings without what it needs.
# variants: plain san
pt-schedmap --fold row; echo $?
pt-schedmap --compact --changes; echo $?
pt-schedmap --cpus x; echo $?
pt-schedmap --ansi blue; echo $?
pt-schedmap -e cpu-clock --bogus; echo $?
pt-schedmap --fold node "$PT_DATA/sched-8cpus.data"; echo $?
pt-schedmap "$PT_DATA/fp.data"; echo $?
pt-schedmap "$PT_DATA/perf-sched.data"; echo $?
cp "$PT_DATA/perf-sched.data" p.data; pt-schedmap -p 1 p.data; echo $?
