#!/bin/sh
# Which tasks wait longest for a CPU after they were woken, and how are those waits spread?
#     examples/lat-wakeup.sh [SECONDS]
set -e
pt-lat --sched --summary --hist --by comm -a --for "${1:-5}" | awk '/^comm = / && ++shown > 5 { exit } { print }'
