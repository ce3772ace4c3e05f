#!/bin/bash
# What do the CPUs and the tasks do while a command runs? A picture, and a closer look at where a task waited longest for a CPU.
#     examples/timechart.sh make -j4        # leaves chart.svg, closer.svg and sched.data in this directory
# Needs root, or what pt-doctor names.
set -eu
[ $# -gt 0 ] || { echo "usage: ${0##*/} COMMAND [ARG...]" >&2; exit 2; }

pt-record --sched -o sched.data -- "$@"
pt-timechart --title "$*" -o chart.svg sched.data

# The longest wait: 20 ms around its end.
at=$(pt-lat --sched sched.data | sort -k2,2nr | awk 'NR == 1 { printf "%.6f,%.6f", $1 / 1e6 - 0.015, $1 / 1e6 + 0.005 }')
pt-timechart --title "$*: the longest wait" --time "$at" -o closer.svg sched.data
echo "chart.svg and closer.svg are for a browser: point at rows, drag to choose a stretch of time."
