try() { echo "-- $*"; "$@" 2>&1 | head -1; }
try pt-trace -e inject=openat:error=ENOENT -- true
try pt-trace -e signal=SIGNONE -- true
try pt-trace -e verbose=open -- true
try pt-trace -e nosuchcall -- true
try pt-trace -e %nosuch -- true
try pt-trace -e '/(/' -- true
try pt-trace -e '?/(/' -- true
try pt-trace --errno ENOSUCH -- true
try pt-trace -Z -z -- true
try pt-trace ls
try pt-trace -c ls
try pt-trace -o out ls
try pt-trace -k -- true
try pt-trace -C -- true
try pt-trace -t -- true
try pt-trace -a 60 true
try pt-trace -S calls true
try pt-trace -I 1 -- true
try pt-trace -ff -- true
try pt-trace -E A=B -- true
try pt-trace -v -- true
try pt-trace -u root -- true
try pt-trace -u nosuchuser
