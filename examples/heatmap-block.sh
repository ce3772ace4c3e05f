#!/bin/bash
# How long do requests of the disks take while a command runs? As a picture and in the terminal.
#     examples/heatmap-block.sh fio job.fio        # leaves lat.svg and block.data in this directory
# Needs root, or what pt-doctor names.
set -eu
[ $# -gt 0 ] || { echo "usage: ${0##*/} COMMAND [ARG...]" >&2; exit 2; }

pt-record --block -o block.data -- "$@"
pt-heatmap --title "Block I/O latency: $1" -o lat.svg block.data
pt-heatmap --text block.data
pt-lat --summary block.data
echo "lat.svg is for a browser: point at cells, click on columns."
