# What is no picture: no input, no stacks (nothing on standard output, status 1), wrong options (2), lines that are none.
t() { echo "\$ $*"; "$@" < in > out; echo "status $?, $(wc -c < out) bytes"; }
: > in; t pt-flame
printf 'no count here\nnor;here x\n' > in; t pt-flame
printf '# only a note\n\n' > in; t pt-flame
printf 'a;b 0\n' > in; t pt-flame
t pt-flame missing.folded
t pt-flame --colors pink
t pt-flame --minwidth 0
t pt-flame --minwidth -1
t pt-flame --fontsize nan
t pt-flame --bgcolors 'x"'
t pt-flame --wdith 3
printf 'bad\na;b 5\n1\n' > in; pt-flame < in | grep -c '<path'
awk 'BEGIN { printf "a"; for (i = 0; i < 5000; i++) printf ";f%d", i; print " 1" }' > in; pt-flame < in | grep -o 'frames deep' | head -1
# Stacks of waits count microseconds, and say so.
printf '# samples 3, lost 0, truncated 0 (0.0 %%), unresolved 0 of 9 frames (0.0 %%), counts in microseconds\na;b 5\n' | pt-flame | grep -o 'data-unit="[a-z]*"'
# Nor do differences of waits count samples.
note='# samples 3, lost 0, truncated 0 (0.0 %), unresolved 0 of 9 frames (0.0 %)'
printf '%s, counts in microseconds\na;b 5\n' "$note" > before; sed 's/5$/7/' before > after
pt-diff before after 2> /dev/null | pt-flame | grep -o 'data-unit="[a-z]*"'
printf '%s\na;b 5\n' "$note" > samples
pt-diff before samples 2>&1 > mixed | grep -c 'the difference may be meaningless'
pt-flame < mixed | grep -o 'data-unit="[a-z]*"'
