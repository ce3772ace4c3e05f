#!/bin/sh
# How do I count an event of the CPU's own numbering? rNNN as the vendor's manual has it, beside cycles, in user code only (0xc0, unless given: on Intel and AMD
# x86 the instructions retired).
#     examples/stat-raw-event.sh [NNN] COMMAND [ARG...]
set -e
case ${1:-} in
''|*[!0-9a-fA-F]*) raw=c0 ;;
*) raw=$1; shift ;;
esac
[ $# -gt 0 ] || set -- sleep 1
exec pt-stat -e "{r$raw:u,cycles:u}" -- "$@"
