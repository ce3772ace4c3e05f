#!/bin/bash
# Small files that ask for much memory or work: bounded, beside a genuine file of that size. hostile.py makes them.
# variants: plain
. "$PT_TOP/tests/lib.sh"
need python3

# cpu_ms and peak KB of the command
cost() { "$PT_TOOLS/measure" -n 1 "$1" | awk '{ print int($3) + 1, $4 }'; }

genuine=$PT_BIN/pt-stack		# a few megabytes with debug information
read -r ms kb <<< "$(cost "$PT_BIN/pt-probe -x $genuine -F")"
for case in units notes names packed; do
	how=-F
	case $case in units|packed) how="-L main" ;; esac
	python3 "$PT_TOP/tests/lib/hostile.py" $case "$TMPDIR/$case" || fail "cannot make $case"
	read -r its_ms its_kb <<< "$(cost "$PT_BIN/pt-probe -x $TMPDIR/$case $how")"
	at_most "CPU ms of $case" "$its_ms" $((20 * ms + 500))
	at_most "KB of $case" "$its_kb" $((20 * kb))
	at_most "KB of $case" "$its_kb" 1000000
done
