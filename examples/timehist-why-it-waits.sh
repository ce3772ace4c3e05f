#!/bin/sh
# Why were the tasks of a command (or of the machine, for five seconds) off the CPU: asleep, waiting for a disk, preempted? And the ten that ran most.
#     examples/timehist-why-it-waits.sh [COMMAND [ARG...]]
set -e
if [ $# -gt 0 ]; then
	pt-timehist -s --state -- "$@"
else
	pt-timehist -s --state -a --for 5
fi | head -15
