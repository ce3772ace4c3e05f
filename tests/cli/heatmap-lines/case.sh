# Lines that are none are counted, and the first is shown; without a good one there is no picture.
printf '# TIME LATENCY\n\n1 2\r\n  3 4 words\0more\nTIME \033[31mLAT\n5\n6 inf\n7 8' > lat.txt
pt-heatmap -j lat.txt; echo "status $?"
printf 'x\n' > bad.txt
pt-heatmap -o none.svg bad.txt; echo "status $?"
ls none.svg 2>&1
: > empty.txt
pt-heatmap < empty.txt; echo "status $?"
printf '# nothing\n' | pt-heatmap; echo "status $?"
