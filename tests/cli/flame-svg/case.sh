# The whole picture of a few stacks, byte for byte; valid XML; the same from files, a pipe, a slow pipe; notes, decimals, narrow frames.
printf '%s\n' '# subtitle: 4 of <5> & more' 'app;main;read_[k] 10' 'app;main 5' '' 'app;std::vector<int>::at 20.5' 'app;a&b"c 7' 'app;tiny 0.001' 'app;tiny2 0.001' > a.folded
pt-flame --title 'Time of <app> & "b"' --theme light a.folded > a.svg
if command -v xmllint > /dev/null; then xmllint --noout a.svg; fi
pt-flame --title 'Time of <app> & "b"' --theme light < a.folded | cmp - a.svg
while read -r line; do printf '%s' "${line:0:3}"; printf '%s\n' "${line:3}"; done < a.folded | pt-flame --title 'Time of <app> & "b"' --theme light - | cmp - a.svg
head -3 a.folded > b.folded; printf '%s' "$(tail -n +4 a.folded)" > c.folded
pt-flame --title 'Time of <app> & "b"' --theme light -o d.svg c.folded b.folded && cmp a.svg d.svg
sed '/^<style>/,/^<\/style>/d; /^<script>/,/^<\/svg>/d; s/data-palette="[^"]*"//' a.svg
for how in --inverted --reverse --flamechart '--colors module' '--colors java' '--bgcolors #fff' '--fontsize 16 --height 24' '--minwidth 1%' '--total 100'; do
	pt-flame $how a.folded > x.svg && { ! command -v xmllint > /dev/null || xmllint --noout x.svg; } && ! cmp -s x.svg a.svg || echo "$how"
done
printf 'a;b 1 5\na;c 3 0\n' | pt-flame --vanished | grep '^<metadata class="frames"'
# Names that would break XML, of any bytes; NUL, too.
printf 'a;\1\2\377;]]></metadata><script>;x\0y;x\0z;\357\277\276 3\n' | pt-flame --colors kind > y.svg
if command -v xmllint > /dev/null; then xmllint --noout y.svg; fi
# A frame too narrow for the picture, but there when zoomed in, has its row.
printf 'a;b 10000\na;b;c 0.05\n' > n.folded; pt-flame --minwidth 2 n.folded | grep -o ' [0-9]* frames deep' | head -1
