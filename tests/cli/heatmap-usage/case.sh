# Wrong usage: status 2 and advice. Nothing to read is wrong usage, too, unless there is a perf.data.
try() { "$@" < /dev/null; echo "status $?"; }
try pt-heatmap
try pt-heatmap --colour blue x
try pt-heatmap --theme grey x
try pt-heatmap --rows 0 x
try pt-heatmap --units days x
try pt-heatmap --log --logs x
try pt-heatmap --ansi maybe x
try pt-heatmap nowhere.txt
try pt-heatmap a b
echo '1 2' > one.txt
echo '3600000000 2' >> one.txt
try pt-heatmap --step 1us one.txt
try pt-heatmap --min 2ms --max 1ms one.txt
try pt-heatmap --comm x one.txt
try pt-heatmap --from a:b --to c:d one.txt
try pt-heatmap -o /dev/full one.txt
# Help and version on a full disk.
pt-heatmap --help > /dev/full; echo "status $?"
pt-heatmap --version > /dev/full; echo "status $?"
# A recording whose first bytes are damaged holds no latencies.
{ printf 'PERFILX2'; tail -c +9 "$PT_DATA/sched.data"; } > damaged
try pt-heatmap --sched damaged
try pt-heatmap damaged
pt-heatmap < damaged; echo "status $?"
