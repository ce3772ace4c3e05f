#!/bin/sh
# Is the work spread over the cores? CPU time, switches and migrations, added up by core, while a command runs (or for two seconds).
#     examples/stat-per-core.sh [COMMAND [ARG...]]
[ $# -gt 0 ] || set -- sleep 2
exec pt-stat -a --per-core -e cpu-clock,context-switches,cpu-migrations -- "$@"
