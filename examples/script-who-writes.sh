#!/bin/bash
# Who writes how much? The write calls of a command and its children, as text, and summed by the name of the task from JSON.
#     examples/script-who-writes.sh [COMMAND [ARG...]]
set -eu
[ $# -gt 0 ] || set -- sh -c 'ls -l / | sort | wc -l > /dev/null'
out=$(mktemp)
trap 'rm -f "$out"' EXIT
pt-record -q -e syscalls:sys_enter_write -o "$out" -- "$@"
echo "== the first of them"
pt-script "$out" | sed -n 1,5p
echo "== bytes asked for, by task"
pt-script -j "$out" | jq -rs 'group_by(.comm)[] | "\(.[0].comm) \(map(.fields.count) | add)"'
