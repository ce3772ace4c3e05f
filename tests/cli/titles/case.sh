# Titles of pictures: command, host and date, as the recording has them; --title goes first; nothing is made up; FlameGraph's scripts see no stack in it.
# variants: plain san
title() { grep -o '<title>[^<]*' | head -1; }
pt-stack $PT_DATA/fp.data 2> /dev/null > fp.folded
sed -n '/^# rec/p' fp.folded
pt-flame fp.folded 2> /dev/null | title
pt-flame --title mine fp.folded 2> /dev/null | title
pt-stack --plain $PT_DATA/fp.data 2> /dev/null | pt-flame | title
{ cat fp.folded; printf '# recorded: another 0\nx;y 1\n'; } | pt-flame 2> /dev/null | title
pt-fold fp.folded 2> /dev/null | pt-flame 2> /dev/null | title
printf '# counts in bytes 0\na;b 3\n' > bytes; pt-fold fp.folded bytes 2> /dev/null | grep -E '^# (recorded|counts)'
pt-diff fp.folded fp.folded 2> /dev/null | pt-flame 2> /dev/null | title
printf '# recorded: another 0\nx;y 1\n' > another; pt-diff fp.folded another 2> /dev/null | grep '^# recorded'
pt-fold another bytes fp.folded 2> /dev/null | grep '^# recorded'
printf '# recorded: <b> & "c" ;x 0\n# counts in bytes_<alloc> 0\na;b 3\n' | pt-flame > x.svg
title < x.svg; grep -o 'data-unit="[^"]*"' x.svg
if command -v xmllint > /dev/null; then xmllint --noout x.svg; fi
grep '^#' fp.folded | grep -vc ' 0$'
pt-heatmap $PT_DATA/lat-block.data | title
pt-heatmap --title mine $PT_DATA/lat-block.data | title
printf '1 2\n' | pt-heatmap | title
pt-timechart $PT_DATA/sched.data 2> /dev/null | title
cpus -c 2 -n 60 > none.data
pt-timechart none.data | title
# A title that would run into the legend is cut.
printf '1 2\n' | pt-heatmap --title "$(printf 'long %.0s' {1..40})" | grep -o 'class="title"[^>]*>[^<]*' | sed 's/.*>//'
