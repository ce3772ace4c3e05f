# The picture in a terminal: block characters, ASCII, colours.
awk 'BEGIN { for (i = 0; i < 3000; i++) printf "%d %.3f\n", i * 1000, i < 1500 ? 100 + i * 7919 % 50 : 800 + i * 104729 % 700; print "2000000 9000.5" }' > lat.txt
COLUMNS=72 pt-heatmap --text lat.txt
COLUMNS=60 pt-heatmap --text --ascii --max 1ms lat.txt
LC_ALL=C COLUMNS=60 pt-heatmap --text --linear --min 200us --title 'T' lat.txt
COLUMNS=40 pt-heatmap --text --ansi always --rows 4 lat.txt | cat -v
COLUMNS=40 COLORTERM=truecolor pt-heatmap --text --ansi always --ascii --rows 4 --theme light lat.txt | cat -v
# Times since 1970 are told as such.
awk '{ printf "%.3f %s\n", 1763769600000000 + NR * 1000, $2 }' lat.txt | COLUMNS=40 pt-heatmap --text --ascii --rows 3
