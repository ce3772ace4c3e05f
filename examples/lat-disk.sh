#!/bin/sh
# How long does a disk take for each kind of request, and which requests took longest, while a command runs (or for five seconds)?
#     examples/lat-disk.sh [COMMAND [ARG...]]
set -e
data=$(mktemp)
trap 'rm -f "$data"' EXIT
if [ $# -gt 0 ]; then
	pt-lat --block -o "$data" -- "$@" || echo "(the command ended with status $?)" >&2
else
	pt-lat --block -o "$data" -a --for 5
fi
echo "The ten slowest: end and latency in microseconds, device, kind, sector+sectors, thread"
sort -k2,2 -n -r "$data" | head
echo
echo "Count and mean by kind of request"
awk '{ n[$4]++; sum[$4] += $2 } END { for (k in n) printf "%8d %12.3f us  %s\n", n[k], sum[k] / n[k], k }' "$data" | sort -n -r
