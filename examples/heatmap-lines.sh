#!/bin/bash
# Does it take equally long each time? A heat map of any text that has a time and a latency a line; here: a command, over and over.
#     examples/heatmap-lines.sh 200 true > true.svg
set -eu
[ $# -gt 1 ] || { echo "usage: ${0##*/} TIMES COMMAND [ARG...]" >&2; exit 2; }
times=$1; shift

for ((i = 0; i < times; i++)); do
	begin=${EPOCHREALTIME/[.,]/}
	"$@" > /dev/null
	end=${EPOCHREALTIME/[.,]/}
	echo "$end $((end - begin)) run $i"
done | pt-heatmap --title "Run time of $*"
