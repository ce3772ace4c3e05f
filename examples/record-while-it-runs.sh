#!/bin/bash
# Which system calls does a command make most? They go to a compressed recording; then what the recording knows of itself.
#     examples/record-while-it-runs.sh [COMMAND [ARG...]]        # leaves calls.data in this directory
# Needs root, or what pt-doctor names.
set -eu
[ $# -gt 0 ] || set -- ls -lR /etc

pt-record -z -e raw_syscalls:sys_enter -o calls.data -- "$@" > /dev/null || echo "(the command ended with status $?)" >&2
echo "Calls by number, most frequent first:"
pt-script -F trace calls.data | sed -nE 's/.*NR (-?[0-9]+) .*/\1/p' | sort | uniq -c | sort -rn | head
pt-script --header-only calls.data | grep -E 'hostname|os release|cmdline|time of (first|last)'
