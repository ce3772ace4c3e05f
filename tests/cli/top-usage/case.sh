# variants: plain san
try() { echo "-- $*"; "$@" 2>&1 | head -1; }
cp "$PT_DATA/fp.data" .
try pt-top -d 0 fp.data
try pt-top --window x fp.data
try pt-top -s time fp.data
try pt-top -s none fp.data
try pt-top nothing.data
try pt-top -i nothing.data
try pt-top -e no:such
try pt-top -E 0 fp.data
: > empty.data
pt-top empty.data; echo "status $?"
head -c 300 fp.data > cut.data
pt-top cut.data > /dev/null 2> err; echo "status $?"
pt-top -E 3 -n -s comm fp.data
pt-top --folded fp.data | awk '/^#/; { n += $NF } END { print n + 0 }'
pt-top --idle -U -s pid,dso fp.data
# Several events have a table each.
for o in '-n -s comm -E 1' '--folded -s comm'; do pt-top $o "$PT_DATA/group.data"; done
pt-top fp.data > /dev/full 2> err; echo "status $?"; cat err
pt-top --for 1 -- sh -c 'exit 3' > /dev/null 2>&1; echo "status $?"
