# Two foldeds: lines as difffolded.pl has them, sorted; the table; JSON; into a picture.
printf 'a;b 10\na;c 5\na;0x12f;c 3\nbad\n' > 1; printf 'a;b 20\na;d 5\na;0x13;c 3\na;b;a 2.5\n' > 2
for o in '' -n -s '-n -s' --table '--table -n --limit 3' -j; do echo "== $o"; pt-diff $o 1 2; done
pt-diff 1 - < 2 > after
pt-diff - 2 < 1 > before
cmp before after
pt-diff 1 2 | pt-flame --vanished | grep '^<metadata class="frames"'
