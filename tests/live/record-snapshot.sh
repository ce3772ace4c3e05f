# variants: plain san
# Snapshots of overwriting rings: at SIGUSR2, by --control, at a trigger and at the end. Each ends when it was asked for, begins where the ring does, is a recording by itself, and holds what no other one has.
. "$PT_TOP/tests/lib.sh"
. "$PT_TOP/tests/lib/record.sh"
need_root; need_events sched:sched_process_exec sched:sched_process_exit syscalls:sys_enter_write
need perf taskset

told() { grep -E ': [0-9]+\.[0-9]+ s( up to .*)? \]$' err; }	# a line a snapshot
files() { [ "$(told | wc -l)" -ge "$1" ]; }
file() { told | sed -nE "$1s/.* to ([^ ]*): .*/\1/p"; }
has_mark() { pt-script -F comm,event "$1" > text 2> said || fail "$1: $(cat said)"; grep -q "$2" text; }

# Four marks, and a snapshot behind each, while tasks come and go.
for i in 1 2 3 4; do cp "$(type -P true)" mark$i; done
mkdir r; mkfifo ctl
touch go
bash -c 'while [ -e go ]; do /bin/true; (exec /bin/echo) > /dev/null; done' & load=$!
pt-record --snapshot -m 512K -a -e sched:sched_process_exec -e sched:sched_process_fork -e cpu-clock:u --trigger sched:sched_process_exit --filter 'comm == "mark3"' \
	--control fifo:ctl -o r/s 2> err & pid=$!
started() { grep -q 'snapshot at SIGUSR2' err; }
until_true 60 started || fail "$(cat err)"
equal "files before a snapshot" "$(ls r | wc -l)" 0
./mark1; kill -USR2 $pid; until_true 60 files 1 || fail "SIGUSR2: $(cat err)"
./mark2; echo snapshot > ctl; until_true 60 files 2 || fail "by --control: $(cat err)"
./mark3; until_true 60 files 3 || fail "by a trigger: $(cat err)"
./mark4; kill -INT $pid; wait $pid || fail "status $?: $(cat err)"
rm go; wait $load
equal "snapshots" "$(ls r | wc -l)" 4
for i in 1 2 3 4; do
	for k in 1 2 3 4; do
		if [ $i = $k ]; then has_mark "$(file $i)" "mark$k .*exec" || fail "snapshot $i lacks mark $k"
		else ! has_mark "$(file $i)" "mark$k .*exec" || fail "snapshot $i has mark $k"; fi
	done
	equal "tasks without a name" "$(grep -c '^ *:' text)" 0
	equal "lines of perf script" "$(perf script -F comm,event -i "$(file $i)" 2> said | wc -l)" "$(wc -l < text)"
	empty "what perf says" said
	equal "samples, as it was told" "$(sed -nE "${i}s/.*record: ([0-9,]*) samples.*/\1/p" <(told) | tr -d ,)" "$(wc -l < text)"
done
has "the end of the snapshot of a trigger" "$(pt-script -F comm,event "$(file 3)" | tail -1)" "mark3 sched:sched_process_exit"
has "what is told of it" "$(told | sed -n 3p)" " up to sched:sched_process_exit"
same_file "one after the other, and as one" <(for f in r/*; do pt-script -F comm,tid,time,event "$f"; done) <(pt-script -F comm,tid,time,event r)
has "functions" "$(for f in r/*; do pt-script -F event,ip,sym,dso "$f"; done 2> /dev/null | grep cpu-clock)" "/bin/bash"

# A full ring: what it has room for, but for the 64 KB that the kernel may be writing to. 100,000 samples of 104 bytes, to one CPU's ring of 512 KB.
mkdir f
pt-record --snapshot -m 512K -e syscalls:sys_enter_write --filter 'count == 512' -o f/s -- taskset -c 0 dd if=/dev/zero of=/dev/null bs=512 count=100000 status=none 2> err || fail "$(cat err)"
n=$(pt-script f 2> said | wc -l)
empty "what is said of it" said
at_least "samples of a full ring" "$n" $((448 * 1024 / 112))
at_most "samples of a full ring" "$n" $((512 * 1024 / 96))
pt-script -F time f | sed 's/[ :]//g' > times
same_file "the order of its samples" times <(sort -n times)

# Only the last ones are kept. A probe as the trigger; perf's names of the options.
name=snap$$
cat > $name.c <<'END'
#include <unistd.h>
__attribute__((noinline)) int stall(int i) { return write(2, "", 0) + i; }
int main(void) { int v = 0; for (int i = 0; i < 5; i++) { usleep(200000); v += stall(i); } return v != 10; }
END
cc -g -O1 -o $name $name.c || fail "no program"
mkdir k
probe=$(pt-probe -x ./$name stall i) || fail "pt-probe"
gone() { pt-probe -q -d "$probe" > /dev/null 2>&1; }
at_exit gone
pt-record --overwrite --switch-output=signal --switch-max-files 2 -e syscalls:sys_enter_write -e page-faults --switch-output-event "$probe" -o k/s -- ./$name 2> err || fail "$(cat err)"
at_least "snapshots of a probe" "$(told | grep -c "up to $probe")" 1
equal "files that are kept" "$(ls k | wc -l)" 2
has "the last trigger" "$(pt-script "k/$(ls k | sed -n 1p)" 2> /dev/null | tail -1)" "$probe: "
has "its argument" "$(pt-script "k/$(ls k | sed -n 1p)" 2> /dev/null | tail -1)" "i=4"

# What cannot be.
runs 1 as_nobody pt-record --trigger sched:sched_process_exit -o /tmp/none -- true > out 2> err
has "without permission" "$(cat err)" "Permission denied"
runs 1 pt-record --snapshot -o no/folder -e cs -- touch started > out 2> err
has "without a folder" "$(cat err)" "no/: No such file or directory"
[ ! -e started ] || fail "that is said when the command runs"
runs 2 pt-record --trigger sched:no_such_event -- true > out 2> err
has "an unknown trigger" "$(cat err)" "no event sched:no_such_event"
mkfifo other
pt-record -q --snapshot --control fifo:other -o o -e cs -- sleep 60 2> err & pid=$!
echo rotate > other; refused() { grep -q "'rotate': this is for pt-record --rotate" err; }
until_true 30 refused || fail "rotate is taken: $(cat err)"
echo stop > other; wait $pid
