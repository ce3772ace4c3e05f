#!/bin/sh
# Which source lines of a program take its time? Its hottest functions' lines with their share, then the instructions of the first one.
#     examples/annotate-lines.sh PROGRAM [ARG...]         built with -g
set -e
[ $# -gt 0 ] || { echo "usage: $0 PROGRAM [ARG...]" >&2; exit 2; }
dir=$(mktemp -d)
trap 'rm -r "$dir"' EXIT
pt-record -F 999 -o "$dir/prog.data" -- "$@"
pt-annotate --lines -i "$dir/prog.data"
pt-annotate -i "$dir/prog.data" "$(pt-report -F sym -t '|' "$dir/prog.data" 2> /dev/null | sed -n 's/^\[\.\] //p' | head -1)"
