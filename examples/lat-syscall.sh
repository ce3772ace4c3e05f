#!/bin/sh
# Where does a command spend its time in system calls? A table; then its reads that took over 100 microseconds.
#     examples/lat-syscall.sh COMMAND [ARG...]
set -e
[ $# -gt 0 ] || { echo "usage: $0 COMMAND [ARG...]" >&2; exit 2; }
data=$(mktemp)
trap 'rm -f "$data"' EXIT
pt-record -q -e raw_syscalls:sys_enter,raw_syscalls:sys_exit -o "$data" -- "$@" > /dev/null
pt-lat --summary --by syscall "$data"
pt-lat --syscall=read --min 100us "$data" | head
