#!/bin/bash
# What makes one command slower than another? Both are profiled; a table of functions goes to standard error, the differential flame graph to
# standard output: red grew, blue shrank.
#     examples/diff-builds.sh './prog-old input' './prog-new input' > diff.svg
set -eu
[ $# = 2 ] || { echo "usage: ${0##*/} COMMAND-BEFORE COMMAND-AFTER" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

pt-stack -F 499 -- sh -c "$1" > "$work/before"
pt-stack -F 499 -- sh -c "$2" > "$work/after"
pt-diff --table --limit 15 "$work/before" "$work/after" >&2
pt-diff "$work/before" "$work/after" | pt-flame --vanished --title "$1, then $2"
