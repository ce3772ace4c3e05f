#!/bin/sh
# How long does a disk take for each kind of request, and which requests took longest, while a command runs (or for five seconds)?
#     examples/lat-disk.sh [COMMAND [ARG...]]
set -e
data=$(mktemp)
trap 'rm -f "$data"' EXIT
if [ $# -gt 0 ]; then
	pt-record -q --block -o "$data" -- "$@" || echo "(the command ended with status $?)" >&2
else
	pt-record -q --block -o "$data" -a --for 5
fi
echo "By kind of request"
pt-lat --summary --by op "$data"
echo "The ten that took longest: end and latency in microseconds, device, kind, sector+sectors, thread"
pt-lat --worst 10 "$data"
