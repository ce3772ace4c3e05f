#!/bin/sh
# Is the benchmark bound to one CPU? Runs it under the scheduler's eyes, once as it is and once bound to CPU 0: where it ran, how often, how often it moved.
#     examples/sched.sh [COMMAND [ARG...]]        (as root; default: an awk that counts)
set -e
[ $# -gt 0 ] || set -- awk 'BEGIN { for (i = 0; i < 5000000; i++) n += i }'
name=$(basename "$1")
echo "as it is:"
pt-schedmap --affinity --task "$name" -- "$@"
echo "bound to CPU 0:"
pt-schedmap --affinity --task "$name" -- taskset -c 0 "$@"
