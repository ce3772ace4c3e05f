#!/bin/sh
# What was busy in each of the last seconds? A line a second: how many samples, and the hottest function.
#     examples/top-text.sh [SECONDS]
set -e
pt-top --text -z -d 1 -E 1 -s comm,sym -a --for "${1:-5}" | awk '/^# .* samples/ { n = $2 } /^ / { print n " samples, most in" $0 }'
