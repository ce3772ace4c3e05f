#!/bin/sh
# Which files does a command look for in vain?
#     examples/trace-missing-files.sh COMMAND [ARG...]
set -e
pt-trace -qq -e signal=none -e 'open*,*stat*,access,readlink*' --errno ENOENT -- "$@"
