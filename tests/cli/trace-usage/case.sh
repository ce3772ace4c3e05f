try() { echo "-- $*"; "$@" 2>&1 | head -1; }
try pt-trace -e inject=openat:error=ENOENT -- true
try pt-trace -e signal=none -- true
try pt-trace --errno ENOSUCH -- true
try pt-trace -Z -z -- true
try pt-trace ls
