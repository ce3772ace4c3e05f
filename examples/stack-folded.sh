#!/bin/bash
# Where does the machine spend its time? Ten seconds of stacks of all CPUs, the heaviest last functions and the heaviest stacks.
#     stack-folded.sh [SECONDS]
set -eu
folded=$(mktemp)
trap 'rm -f "$folded"' EXIT
pt-stack --plain -F 99 -a --for "${1:-10}" > "$folded"
echo "functions, by samples in them:"
sed -E 's/^.*;([^;]*) ([0-9]+)$/\2 \1/' "$folded" | awk '{ n = $1; sub(/^[0-9]+ /, ""); c[$0] += n } END { for (k in c) print c[k], k }' | sort -rn | head -10
echo "stacks, outermost first:"
awk '{ print $NF, $0 }' "$folded" | sort -rn | sed -E 's/^[0-9]+ //' | head -3
