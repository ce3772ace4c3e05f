# Wrong usage: what is wrong, what was meant, exit 2.
cp "$PT_DATA/perf-sched.data" sched; cp "$PT_DATA/perf-faults.data" faults
try() { echo "== $*"; "$@" < /dev/null; echo "status $?"; }
try pt-script -F tme sched 2>&1
try pt-script -F hw:comm sched 2>&1
try pt-script -F trace:addr sched 2>&1
try pt-script -F comm,+tid sched 2>&1
try pt-script --filds comm 2>&1
try pt-script 2>&1
try pt-script ls 2>&1
try pt-script -i a b 2>&1
try pt-script -a -e cycels 2>&1
try pt-script -a -e cs,nosuch:thing,faults 2>&1
for range in 3,x 0%-10%,30%-40% 10%/1,10%/2 10%/11 1,2,3; do try pt-script --time $range sched 2>&1; done
try pt-script record true 2>&1
printf '#define' > text; try pt-script text 2>&1
# perf's options: -C, -p and -t choose of a recording; what pt does in another way is told.
try pt-script -C 0 -a sched 2>&1
for option in '-C 5,7' '--cpu 5,7' '-C 7'; do pt-script $option -F cpu "$PT_DATA/sched-8cpus.data" | sort | uniq -c; done
for option in --reltime --deltatime; do pt-script $option -F time sched | sed -n '1p;3p'; done
try pt-script -c dd sched 2>&1
try pt-script -s stackcollapse.py -i sched 2>&1
try pt-script --gen-script python sched 2>&1
try pt-script --stitch-lbr --header-only --no-header-only --force -F cpu --cpu 7 sched 2>&1
