#!/bin/sh
# Which functions are the hottest, by themselves and with what they call, and who calls them?
#     examples/report-hottest.sh [COMMAND [ARG...]]        without a command: the whole machine, for five seconds
set -e
if [ $# -eq 0 ]; then
	pt-report -a --for 5 | head -30
	exit
fi
dir=$(mktemp -d)
trap 'rm -r "$dir"' EXIT
pt-record -F 999 --call-graph dwarf -o "$dir/prog.data" -- "$@"
pt-report "$dir/prog.data" | head -20
pt-report --no-children -g --percent-limit 10 "$dir/prog.data"
