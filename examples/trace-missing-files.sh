#!/bin/sh
# Which files a command looked for in vain.
#     examples/trace-missing-files.sh COMMAND [ARG...]
set -e
pt-trace -qq -e signal=none -e 'open*,*stat*,access,readlink*' --errno ENOENT -- "$@"
