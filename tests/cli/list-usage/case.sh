# What pt-list says when there is nothing to list, or nothing that it understands.
try() { echo "\$ $*"; "$@" 2>&1; echo "status $?"; }
try pt-list --no-such-option
try pt-list ''
try pt-list nosuchevent sw
try pt-list -x ./not-there
echo text > text
try pt-list -x text
try pt-list 'nosuch:*' tracepoint sw
try pt-list cpu-clock
try pt-list -j 'page-faul*'
try pt-list faults sw
try pt-list --all LLC-load cache
try pt-list duration_time
pt-list page-falts 2>&1 | grep -o 'did you mean page-faults'
# A library by its name alone; whether it has markers is the distribution's matter.
pt-list -x libc.so.6 > /dev/null 2> err; grep -c 'No such file' err
