#!/bin/bash
# Where does a program hang or crawl? A debugger looks at all its threads, over and over; the looks become a flame graph.
#     examples/fold-debugger.sh PID [LOOKS] > stuck.svg
set -eu
[ $# -gt 0 ] || { echo "usage: ${0##*/} PID [LOOKS]" >&2; exit 2; }

for ((i = 0; i < ${2:-20}; i++)); do
	gdb -p "$1" -batch -ex 'thread apply all bt' 2> /dev/null
done | pt-fold --from gdb | pt-flame --title "Threads of $1" --countname looks
