#!/bin/sh
# What does a running process ask of the kernel? Its system calls by time for some seconds, the files that it looked for in vain, and where its slowest calls
# come from.
#     examples/trace.sh PID [SECONDS]
set -e
pid=$1 seconds=${2:-5}
pt-trace -c -I 1s --for "$seconds" -p "$pid"
echo "== looked for in vain"
pt-trace -qq -y -e %file -e signal=none --errno ENOENT --for "$seconds" -p "$pid"
echo "== slower than a millisecond"
pt-trace -qq -T -g -e signal=none --duration 1ms --for "$seconds" -p "$pid"
