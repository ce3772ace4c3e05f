#!/bin/bash
# Which system calls does a command make most? They go to a compressed recording; then what the recording knows of itself.
#     examples/record-while-it-runs.sh [COMMAND [ARG...]]        # leaves calls.data in this directory
# Needs root, or what pt-doctor names.
set -eu
[ $# -gt 0 ] || set -- ls -lR /etc

pt-record -z --syscall -o calls.data -- "$@" > /dev/null || echo "(the command ended with status $?)" >&2
pt-trace -c --summary-sort-by calls calls.data | head -12
pt-script --header-only calls.data | grep -E 'hostname|os release|cmdline|time of (first|last)'
