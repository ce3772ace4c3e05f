# What is readable is printed, then what is wrong; exit 1. Nothing is believed.
d=$PT_DATA/perf-sched.data
size=$(stat -c %s "$d")
head -c $((size / 2)) "$d" > half
pt-script half | wc -l; echo "status ${PIPESTATUS[0]}"
head -c 50 "$d" > little
pt-script little; echo "status $?"
: > nothing
pt-script nothing; echo "status $?"
head -c 700 /dev/zero > zeros
pt-script zeros; echo "status $?"
pt-script none; echo "status $?"
head -c 3000 "$PT_DATA/perf-syscalls.stream" | pt-script | wc -l
pt-script "$d" > /dev/full; echo "status $?"
