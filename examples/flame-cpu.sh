#!/bin/bash
# What are all CPUs busy with? A flame graph of the whole machine, unwound while it records; nothing is written to disk but the picture.
#     examples/flame-cpu.sh 10 > cpu.svg
set -eu
pt-stack -F 99 -a --annotate --for "${1:-10}" | pt-flame --title "CPU time of $(uname -n)"
