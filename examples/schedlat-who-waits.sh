#!/bin/sh
# Which tasks waited longest for a CPU while a command ran (or for five seconds), and who had it meanwhile?
#     examples/schedlat-who-waits.sh [COMMAND [ARG...]]
set -e
if [ $# -gt 0 ]; then
	pt-schedlat --worst 5 -s max -- "$@"
else
	pt-schedlat --worst 5 -s max -a --for 5
fi
