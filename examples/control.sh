#!/bin/bash
# How do I count only a part of a program or script? Making the input is left out, sorting it is counted.
#     examples/control.sh [LINES]
# The workload opens and closes the count itself, over a pair of FIFOs, and waits for the answers.
set -eu
lines=${1:-200000}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkfifo "$dir/ctl" "$dir/ack"

cat > "$dir/work" <<'END'
tell() { echo "$1" > "$dir/ctl"; read -r answer < "$dir/ack"; }
seq "$lines" | sort -R --random-source=/dev/zero > "$dir/input"	# not counted
tell enable
sort -n "$dir/input" > "$dir/sorted"				# counted
tell disable
sort -n "$dir/input" > "$dir/sorted"				# not counted
END
export dir lines
pt-stat -D -1 --control "fifo:$dir/ctl,$dir/ack" -e task-clock,page-faults,context-switches sh "$dir/work"
