# The whole picture of a few latencies, byte for byte; valid XML; the same from a file, a pipe and a slow pipe.
printf '%s\n' '1000.000 10.000 a' '1500.000 20.000' '2500.250 35.500 <&">' '9000.000 12.000' > lat.txt
pt-heatmap --title 'Disk <sda> & "sdb"' --theme light lat.txt > a.svg
if command -v xmllint > /dev/null; then xmllint --noout a.svg; fi
pt-heatmap --title 'Disk <sda> & "sdb"' --theme light < lat.txt | cmp - a.svg
cat lat.txt | pt-heatmap --title 'Disk <sda> & "sdb"' --theme light - | cmp - a.svg
while read -r line; do printf '%s' "${line:0:3}"; printf '%s\n' "${line:3}"; done < lat.txt | pt-heatmap --title 'Disk <sda> & "sdb"' --theme light | cmp - a.svg
pt-heatmap --title 'Disk <sda> & "sdb"' --theme light -o b.svg lat.txt && cmp a.svg b.svg
pt-heatmap --title 'Disk <sda> & "sdb"' --theme light <(cat lat.txt) | cmp - a.svg
sed '/^<style>/,/^<\/style>/d; /^<script>/,/^<\/svg>/d' a.svg
