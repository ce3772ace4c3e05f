# variants: plain san
try() { echo "-- $*"; "$@" 2>&1 | head -1; }
cp "$PT_DATA/fp.data" .
echo 'a;b 1' > lines
try pt-report -stdio fp.data
try pt-report -s shoe fp.data
try pt-report -F overhead,shoe fp.data
try pt-report -F delta fp.data
try pt-report -g tree fp.data
try pt-report -gtree fp.data
try pt-report -g caller lines
touch calee; try pt-report -g calee; rm calee
try pt-report --percent-limit 101 fp.data
try pt-report --percent-limit x fp.data
try pt-report --children --no-children fp.data
try pt-report -s dso -S main fp.data
try pt-report -t '' lines
try pt-report --parent '(' -s parent lines
try pt-report -w 5,x lines
try pt-report -w 1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9,1 lines
try pt-report --hierarchy -t, lines
try pt-report --hierarchy --group lines
try pt-report --stats lines
pt-report --latency fp.data 2>&1 | tail -1
try pt-report nothing.data
try pt-report make
try pt-report -i fp.data -- true
try pt-report --base nothing.data lines
: > empty.data
pt-report empty.data; echo "status $?"
echo junk > junk.txt
pt-report junk.txt; echo "status $?"
head -c 1500 fp.data > cut.data
pt-report -s comm cut.data > /dev/null 2> err; echo "status $?"; tail -1 err
pt-report lines > /dev/full; echo "status $?"
pt-report -o /no/such/dir/x lines; echo "status $?"
pt-report --base fp.data lines > /dev/null; echo "status $?"
