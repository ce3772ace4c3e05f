#!/bin/bash
# Small files that ask for much memory or work: bounded, beside a genuine file of that size. hostile.py makes them.
# variants: plain
. "$PT_TOP/tests/lib.sh"
need python3

genuine=$PT_BIN/pt-stack		# a few megabytes with debug information
# The least CPU ms and the peak KB of the genuine file and of the command, in turns: beside other load both cost more.
cost() { read -r ms kb its_ms its_kb <<< "$("$PT_TOOLS/measure" -n 3 "$PT_BIN/pt-probe -x $genuine -F" "$1" | awk '{ print int($3) + 1, $4 }' | xargs)"; }

for case in units notes names packed constants; do
	how=-F
	case $case in units|packed|constants) how="-L main" ;; esac
	python3 "$PT_TOP/tests/lib/hostile.py" $case "$TMPDIR/$case" || fail "cannot make $case"
	cost "$PT_BIN/pt-probe -x $TMPDIR/$case $how"
	at_most "CPU ms of $case" "$its_ms" $((20 * ms + 500))
	at_most "KB of $case" "$its_kb" $((20 * kb))
	at_most "KB of $case" "$its_kb" 1000000
	"$PT_BIN/pt-probe" -x "$TMPDIR/$case" $how > "$TMPDIR/out" 2> "$TMPDIR/err"
	case $case in names) has "what is said of $case" "$(cat "$TMPDIR/err")" "$case: not all of its names and inlined functions are known: it met " ;; esac
done

# Apparent size is no size: a section in a hole, a program with a hole behind it, a debug file that is all hole.
hostile() { python3 "$PT_TOP/tests/lib/hostile.py" "$@" || fail "cannot make $1"; }
bounded() {
	cost "$2"
	at_most "CPU ms of $1" "$its_ms" $((20 * ms + 500))
	at_most "KB of $1" "$its_kb" 1000000
}
hostile holes "$TMPDIR/holes"
bounded "a section in a hole" "$PT_BIN/pt-probe -x $TMPDIR/holes -L main"
cp "$genuine" "$TMPDIR/longer"
truncate -s 1G "$TMPDIR/longer"
bounded "a program with a hole behind it" "$PT_BIN/pt-probe -x $TMPDIR/longer -F > $TMPDIR/longer.out"
equal "functions of a program with a hole behind it" "$(wc -l < "$TMPDIR/longer.out")" "$("$PT_BIN/pt-probe" -x "$genuine" -F | wc -l)"
if command -v objcopy > /dev/null; then
	mkdir -p "$TMPDIR/link"
	cp "$genuine" "$TMPDIR/link/program"
	echo > "$TMPDIR/link/program.debug"
	(cd "$TMPDIR/link" && objcopy --strip-all --remove-section=.note.gnu.build-id --add-gnu-debuglink=program.debug program) || fail objcopy
	truncate -s 64G "$TMPDIR/link/program.debug"
	bounded "a debug file that is all hole" "$PT_BIN/pt-probe -x $TMPDIR/link/program -F"
fi

# Recordings: processes of which nothing but a mapping is known (24 MB of them), and packed zeros (2 GB in 330 KB).
hostile pids "$TMPDIR/pids" 500000
cost "$PT_BIN/pt-stack $TMPDIR/pids"
at_most "KB of half a million processes" "$its_kb" 1000000
hostile zeros "$TMPDIR/zeros" 32000
bounded "packed zeros" "$PT_BIN/pt-script $TMPDIR/zeros"
"$PT_BIN/pt-script" "$TMPDIR/zeros" > "$TMPDIR/zeros.out" 2> "$TMPDIR/zeros.err"
equal "status of packed zeros" $? 1
has "what is said of packed zeros" "$(cat "$TMPDIR/zeros.err")" "(COMPRESSED): its compressed data expands to more than"
at_least "samples in front of the limit" "$(wc -l < "$TMPDIR/zeros.out")" 100
