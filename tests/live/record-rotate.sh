# variants: plain san
# A recording in many files: nothing is lost or written twice at the seams, each file is a recording by itself, for perf too, and memory does not grow.
. "$PT_TOP/tests/lib.sh"
. "$PT_TOP/tests/lib/record.sh"
need_root; need_events syscalls:sys_enter_write sched:sched_process_exit
need perf python3

# As many events as the kernel counts, over the files and read as one.
cat > load.sh <<'END'
end=$((SECONDS + 4)); n=0
while [ $SECONDS -lt $end ]; do dd if=/dev/zero of=/dev/null bs=512 count=2000 status=none; n=$((n + 2000)); sleep 0.02; done
echo $n > n
END
mkdir r
pt-stat -x, -o count -e syscalls:sys_enter_write --filter 'count == 512' -- \
	pt-record --rotate 1s -e syscalls:sys_enter_write --filter 'count == 512' -o r/w -- bash load.sh 2> err || fail "pt-record: $(cat err)"
n=$(cat n)
equal "pt-stat's count" "$(sed -n "s/,.*sys_enter_write.*//p" count)" "$n"
equal "samples of the recorder" "$(samples err)" "$n"
equal "lines of all" "$(pt-script r 2> err | wc -l)" "$n"
empty "what a reader of all says" err
at_least files "$(ls r | wc -l)" 3
has "the summary" "$(ls r | head -1)" "w.20"
sum=0
for f in r/*; do
	pt-script "$f" > text 2> err; empty "what is said of $f" err
	equal "lines of perf script" "$(perf script -i "$f" 2> err | wc -l)" "$(wc -l < text)"
	empty "what perf says of $f" err
	sum=$((sum + $(wc -l < text)))
done
equal "lines of each file" $sum "$n"
same_file "one after the other, and as one" <(for f in r/*; do pt-script "$f"; done) <(pt-script r)

# Names and mappings of short-lived tasks on both sides of each seam.
mkdir s
echo 'end=$((SECONDS + 3)); while [ $SECONDS -lt $end ]; do /bin/true; (exec /bin/echo) > /dev/null; done' > forks.sh
pt-record -q --rotate 200ms -a -e sched:sched_process_exit -e cpu-clock:u -o s/w -- bash forks.sh 2> err || fail "pt-record: $(cat err)"
at_least files "$(ls s | wc -l)" 3
pt-script -F comm,tid,event,sym s > all 2> err || fail "$(cat err)"
equal "tasks without a name" "$(grep -c '^ *:' all)" 0
same_file "by themselves, and as one" <(for f in s/*; do pt-script -F comm,tid,event,sym "$f"; done | sort) <(sort all)

# Only the last ones are kept, and what others wrote is left alone; at SIGUSR2 and by --control; memory is flat.
mkdir k; mkfifo ctl
echo mine > k/w.20200101T000000.000Z
pt-record -e cpu-clock --rotate 100ms --keep 3 --control fifo:ctl -o k/w -- bash -c 'while :; do /bin/true; done' 2> err & pid=$!
begun() { [ "$(ls k | wc -l)" -ge 2 ]; }
kept() { [ "$(ls k | wc -l)" = 5 ] && [ ! -e "$first" ]; }
until_true 30 begun || fail "no file"
first=k/$(ls k | sed -n 2p)
until_true 60 kept || fail "the first file stays: $(ls k)"
rss() { sed -n 's/VmRSS:[^0-9]*\([0-9]*\).*/\1/p' /proc/$pid/status; }
before=$(rss)
last=$(ls k | tail -1)
far() { [ "$(ls k | sed -n 2p)" \> "$last" ]; }
until_true 60 far || fail "no more files: $(ls k)"
at_most "memory after more files, in KB" "$(rss)" $((before + before / 4))
mine=k/$(ls k | tail -2 | head -1)	# somebody puts a file of their own in a complete one's place
rm "$mine"; echo mine > "$mine"
last=$(ls k | tail -1)
far() { [ "$(ls k | sed -n 3p)" \> "$last" ]; }
until_true 60 far || fail "no more files: $(ls k)"
echo stop > ctl; wait $pid
equal "files that are left" "$(ls k | wc -l)" 5
equal "the file of somebody else" "$(cat k/w.20200101T000000.000Z)" mine
equal "a file in the place of a complete one" "$(cat "$mine")" mine

mkdir u; rm -f ctl; mkfifo ctl
pt-record -e cs --rotate signal --control fifo:ctl -o u/w -- sleep 60 2> err & pid=$!
files() { [ "$(ls u | wc -l)" = "$1" ]; }
until_true 30 files 1 || fail "no file"
kill -USR2 $pid; until_true 30 files 2 || fail "SIGUSR2 begins no file"
echo rotate > ctl; until_true 30 files 3 || fail "'rotate' begins no file"
pt-script u > out 2> err || fail "while it records: $(cat err)"
echo stop > ctl; wait $pid
pt-script u > out 2> err || fail "$(cat err)"

# A damaged file among others: they come out, and what is readable of it.
set -- r/*
whole=$(pt-script "$2" | wc -l)
head -c $(($(stat -c %s "$2") / 2 | 1)) "$2" > cut	# odd: in the middle of a record
part=$(pt-script cut 2> /dev/null | wc -l)
cp cut "$2"
runs 1 pt-script r > out 2> err
has "what is said of it" "$(cat err)" "$2: record at "
equal "lines with a damaged file" "$(wc -l < out)" $((n - whole + part))
