# Wrong usage: status 2 and advice. Nothing to convert: status 1.
try() { "$@" < /dev/null; echo "status $?"; }
try pt-convert
try pt-convert "$PT_DATA/fp.data"
try pt-convert -o out.bin "$PT_DATA/fp.data"
try pt-convert --to svg "$PT_DATA/fp.data"
try pt-convert --to speedscope
try pt-convert -o x.speedscope.json nowhere.data
try pt-convert --to firefox sh
try pt-convert -o /dev/full --to speedscope "$PT_DATA/sched.data" 2> err; grep -h full err
try pt-convert --to speedscope --comm nobody "$PT_DATA/sched.data"
try pt-convert --to speedscope --only cycles "$PT_DATA/sched.data"
try pt-convert --to firefox - < /dev/null
ls
