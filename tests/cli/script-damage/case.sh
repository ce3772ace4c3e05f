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
# Cut between two records; its recorder killed, before it knew the size.
"$PT_TOOLS/dump" "$d" | sed -n 's/^0x\([0-9a-f]*\) .*/\1/p' | sed -n 20p > at
head -c $((0x$(cat at))) "$d" > between
pt-script between | wc -l; echo "status ${PIPESTATUS[0]}"
{ head -c 48 "$d"; head -c 8 /dev/zero; tail -c +57 between; } > killed
pt-script killed | wc -l; echo "status ${PIPESTATUS[0]}"
for tool in schedlat schedmap timehist timechart stack; do pt-$tool killed 2>&1 > out | grep -c 'ends early'; echo "pt-$tool ${PIPESTATUS[0]}"; done
