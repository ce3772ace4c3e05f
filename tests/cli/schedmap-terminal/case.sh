# On terminals: too narrow for eight columns, wide enough; colours, and none with NO_COLOR.
need script
d=$PT_DATA/sched-8cpus.data
on() { TERM=xterm script -qec "stty cols $1; pt-schedmap --task 'sleep' --time +0.2, $d" /dev/null < /dev/null | tr -d '\r' | cat -v; }
on 60
on 100
NO_COLOR=1 on 100
