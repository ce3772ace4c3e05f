# The line in front of folded stacks: added by pt-fold, shown by pt-flame, one of each side by pt-diff; on standard error of all.
printf '%s\n' '# samples 1000, lost 2, truncated 12 (1.2 %), unresolved 30 of 9000 frames (0.3 %)' 'app;main;f 900' 'app;main 100' > a.folded
printf '%s\n' '# samples 500, lost 0, truncated 0 (0.0 %), unresolved 1 of 1000 frames (0.1 %)' 'app;main;f 500' > b.folded
echo "== pt-fold"; pt-fold a.folded b.folded
echo "== filtered"; pt-fold --grep '^f$' a.folded
echo "== plain"; pt-fold --plain a.folded b.folded
echo "== a stream"; cat a.folded b.folded | pt-fold -
echo "== pt-diff"; pt-diff a.folded b.folded
echo "== a table"; pt-diff --table a.folded b.folded
echo "== pt-flame"; for file in a.folded 'a.folded b.folded' '--subtitle=mine a.folded'; do pt-flame $file | grep -o 'mid subtitle".*</' | sed 's/ font-.*" x=/ x=/'; done
pt-diff a.folded b.folded | pt-flame | grep -o 'mid subtitle".*</' | sed 's/ font-.*" x=/ x=/'
echo "== not quite such a line"; { echo '# samples 1000, lost 2'; echo 'app;main 1'; } | pt-fold -
