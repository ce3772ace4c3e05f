#!/bin/bash
# With which arguments is a function of a library called, how often, and how long does it take? The function becomes an event. Needs root.
set -eu
library=libc.so.6
# Each call with its argument, of one command; nothing is left behind.
pt-probe -x $library malloc 'size=$arg1:u64' -- ls / 2> /dev/null | head -3
# As an event of its own, for any tool: here two of them, the entry and the return.
ev=$(pt-probe -x $library -a malloc -a malloc%return)
trap 'pt-probe -d "$ev"' EXIT
pt-probe -l "${ev%%$'\n'*}"
pt-stat -e "${ev%%$'\n'*}" -- ls / > /dev/null
pt-lat --probe "$ev" --hist -- ls / 2> /dev/null
