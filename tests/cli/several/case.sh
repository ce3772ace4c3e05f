# Several recordings, or their folder, are one stream by time, in every tool; one that is damaged does not hide the others; clocks that cannot be compared are refused.
try() { echo "\$ $*"; "$@" 2>&1; echo "status $?"; }
cp -r "$PT_DATA/rotated" all; cp "$PT_DATA/sched.data" .
set -- all/*
pt-script -F comm,tid,time,event all > text
wc -l < text; sed -n '1p;50p;$p' text
pt-script -F comm,tid,time,event "$3" "$1" "$2" | cmp - text && echo "the same in any order"
pt-script -F comm,tid,time,event -i all | cmp - text && echo "the same by -i"
for f; do pt-script -F comm,tid,time,event "$f"; done | cmp - text && echo "the same one by one"
pt-script -F time --time 50%,100% all | wc -l
pt-script --dump-raw-trace "$@" | sed -n 's/^0x[0-9a-f]*@\(.*\) \[0x.*/\1/p' | sort | uniq -c
pt-report -s comm all 2> /dev/null
pt-report -s comm "$@" 2> /dev/null | cmp - <(pt-report -s comm all 2> /dev/null) && echo "the same table"
pt-stack --no-inline "$@" 2> /dev/null | awk '{ n += $NF } END { print n }'
pt-report --base "$1" all -s comm 2> /dev/null | grep -v '^#' | head -3
echo 'a note' > all/README; mkdir all/empty
pt-script -F comm,tid,time,event all | cmp - text && echo "other files are left out"
head -c 7000 "$2" > cut; cp cut "$2"
pt-script -F comm,tid,time,event all > out 2> err; echo "status $?"
diff text out | grep -c '<'; cat err
try pt-script "$1" sched.data
try pt-script "$1" "$1"
try pt-script "$1" none "$3"
try pt-script all/empty
try pt-script "$1" -
try pt-schedlat -i "$1" "$2"
try pt-stack "$1" sh
