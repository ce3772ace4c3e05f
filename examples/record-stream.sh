#!/bin/bash
# How do I watch a recording while it is made, here or on another machine, without a file?
#     examples/record-stream.sh make                             # its switches, as they happen
#     ssh root@host pt-record -q -a --sched -o - --for 5 | pt-script - | less
# Needs root, or what pt-doctor names.
set -eu
[ $# -gt 0 ] || set -- sleep 0.1

pt-record -q -e sched:sched_switch -a -o - -- "$@" | pt-script -F comm,tid,cpu,time,trace -
