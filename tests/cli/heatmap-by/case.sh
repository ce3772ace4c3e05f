# A map for each key, of one scale: text, JSON, SVG; keys that are not drawn are counted; keys that are not known.
pt-heatmap --by op -j $PT_DATA/lat-block.data | sed 's/"cells.*//; s/"edges_ns":\[[^]]*\]//'
pt-heatmap --by cpu --sched --text --ascii --ansi never --rows 6 $PT_DATA/sched-8cpus.data 2> /dev/null | sed -n '1,9p;$p'
pt-heatmap --by op $PT_DATA/lat-block.data > a.svg
if command -v xmllint > /dev/null; then xmllint --noout a.svg; fi
grep -o 'class="strong"[^>]*>[^:]*' a.svg | sed 's/.*>//'
grep -o '<svg [^>]*height="[0-9.]*"' a.svg | grep -o 'height.*'
# More than 16 keys.
cpus -c 40 -t 90 -n 9000 > many.data
pt-heatmap --sched --by cpu many.data 2>&1 > many.svg | grep drawn
grep -c 'class="plot"' many.svg
pt-heatmap --by dev --sched $PT_DATA/sched.data 2>&1 > none.svg | grep by; echo "${PIPESTATUS[0]}"
printf '1 2\n' | pt-heatmap --by comm
