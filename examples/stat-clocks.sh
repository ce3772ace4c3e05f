#!/bin/sh
# How busy does a command keep a CPU? task-clock runs while the task does, duration_time always.
#     examples/stat-clocks.sh [COMMAND [ARG...]]
set -e
[ $# -gt 0 ] || set -- sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done; sleep 0.2'
counts=$(mktemp)
trap 'rm -f "$counts"' EXIT
pt-stat -x, -o "$counts" -e task-clock,duration_time -- "$@" || echo "(the command ended with status $?)" >&2
awk -F, '$3 == "task-clock" { ms = $1 } $3 == "duration_time" { printf "%.1f ms on CPUs in %.1f ms: %.0f %% of one CPU\n", ms, $1 / 1e6, ms / $1 * 1e8 }' "$counts"
