# pt-script on a live session: lines as from a recording, the command's streams and status, a reader that stands still, Ctrl-C.
# variants: plain san
. "$PT_TOP/tests/lib.sh"
need_root
need_events sched:sched_switch syscalls:sys_enter_write raw_syscalls:sys_enter
need jq

# A line a call, in order; the command writes to its stderr, since stdout is ours.
runs 0 pt-script -e syscalls:sys_enter_write -- dd if=/dev/zero of=/dev/null bs=512 count=1000 > out 2> err
equal "writes of dd" "$(grep -c ' syscalls:sys_enter_write: fd: 0x00000001, buf: 0x[0-9a-f]*, count: 0x00000200$' out)" 1000
equal "names of lines" "$(awk '$5 == "0x00000001," && $9 == "0x00000200" { print $1 }' out | sort -u)" ""
equal "all are dd's" "$(awk '/count: 0x00000200$/ { print $1 }' out | sort -u)" dd
awk '{ print $4 }' out | sort -c -n || fail "times fall"
has "what dd says" "$(cat err)" "1000+0 records out"
pt-script -e syscalls:sys_enter_write -- sh -c 'echo hello' > out 2> err
has "the command's output" "$(cat err)" hello
grep -q ^hello out && fail "the command's output among the lines"

# The command's status is ours.
runs 3 pt-script -e raw_syscalls:sys_enter -- sh -c 'exit 3' > out 2> err
runs 143 pt-script -e raw_syscalls:sys_enter -- sh -c 'kill -TERM $$' > out 2> err
runs 127 pt-script -e raw_syscalls:sys_enter -- ./no-such-program > out 2> err

# JSON holds the same.
runs 0 pt-script -j -e syscalls:sys_enter_write -- dd if=/dev/zero of=/dev/null bs=512 count=100 > out 2> err
equal "bytes written" "$(jq -s 'map(select(.comm == "dd" and .fields.fd == 1).fields.count) | add' out)" 51200

# Call chains, fields, side-band records.
runs 0 pt-script -g -F comm,ip -e syscalls:sys_enter_write -- dd if=/dev/zero of=/dev/null bs=512 count=10 > out 2> err
at_least "addresses" "$(grep -c "^	 *[0-9a-f]*$" out)" 10
runs 0 pt-script --show-task-events -e dummy -- sh -c '/bin/true; exit 0' > out 2> err
has "an exec" "$(cat out)" "PERF_RECORD_COMM exec: true:"
has "an exit" "$(cat out)" "PERF_RECORD_EXIT("
runs 0 pt-script --show-switch-events -F -cpu -e dummy -- sh -c '/bin/true; exit 0' > out 2> err
has "a switch" "$(cat out)" "PERF_RECORD_SWITCH"

# Names of code; a line that is alone does not wait for others.
: > names
pt-script -g -F comm,ip,sym,dso -e syscalls:sys_enter_kill -- sh -c 'kill -0 $$; n=0; until grep -q libc names; do n=$((n + 1)); [ $n -lt 600 ] || exit 9; sleep 0.05; done' > names 2> err ||
	fail "no line while the command runs: $(cat err)"
equal "samples" "$(grep -c '^ *sh' names)" 1
has "names" "$(cat names)" "kill ("
pt-script -F comm,sym -e cpu-clock -c 1000000 -a -- sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done' > out 2> err || fail "cpu-clock -a: $(cat err)"
at_least "samples of the machine" "$(grep -c '^ *sh ' out)" 1

# What is watched decides whether code is named, not the text of -e: here a clock and a tracepoint in one list.
runs 0 pt-script -e cpu-clock/freq=4000/,sched:sched_switch -- sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done' > out 2> err
at_least "samples of sh's own code" "$(grep ' cpu-clock' out | grep -c '/dash)\|/sh)\|/bash)\|libc')" 1
equal "user addresses in no file" "$(grep ' cpu-clock' out | grep -c '\[unknown\] (\[unknown\])')" 0

# A clock, whose count is no number of samples.
runs 0 pt-script -e cpu-clock -c 1000000 -F comm,event -- sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done' > out 2> err
at_least "samples of a clock" "$(grep -c '^ *sh cpu-clock: $' out)" 1
runs 0 pt-script -e task-clock:u -c 1 --for 30 -- true > out 2> err
grep -q "never came" err && fail "a clock's count was taken for samples: $(cat err)"

# A reader that stands still does not stop the session: the command ends all the same, and its writes are all counted (told as lines or as dropped).
mkfifo fifo
background sh -c 'exec 3< fifo; until [ -e go ]; do sleep 0.05; done; cat <&3 > late'
reader=$!
background sh -c 'pt-script -e raw_syscalls:sys_enter -- sh -c "dd if=/dev/zero of=/dev/null bs=1 count=50000 2> /dev/null; : > ended" > fifo 2> err; echo $? > status'
tool=$!
until_true 120 test -e ended || fail "the command stands still since its watcher's reader does"
equal "lines so far" "$(ls late 2> /dev/null)" ""
: > go
wait $tool
wait $reader
equal "status" "$(cat status)" 0
at_least "lines of the late reader" "$(wc -l < late)" 100000
grep -c dropped err | grep -qx 0 || fail "dropped with room for them: $(cat err)"

# The tool has lines of its own neither from the thread that watches nor from the one that writes.
mkfifo own
cat own > out & reader=$!
pt-script -F comm,pid,tid,event -e syscalls:sys_enter_write -a -- sh -c 'i=0; while [ $i -lt 100 ]; do echo x >&2; i=$((i + 1)); done; exec sleep 0.3' > own 2> err & tool=$!
wait $tool || fail "pt-script -a: $(cat err)"
wait $reader
at_least "lines of the machine" "$(grep -c ' syscalls:sys_enter_write:' out)" 100
equal "lines of the tool" "$(grep -c "^ *pt-script *$tool/" out)" 0

# A reader that goes away ends it, and the command; quietly.
pt-script -e raw_syscalls:sys_enter -- sh -c 'while :; do /bin/true; done' 2> err | head -1 > out
equal "status for a reader that went" "${PIPESTATUS[0]}" 141
at_least "lines" "$(wc -l < out)" 1
empty "messages" err

# Ctrl-C ends it and what came is printed.
background pt-script -e raw_syscalls:sys_enter -a > out 2> err
tool=$!
until_true 120 test -s out || fail "no line came"
kill -INT $tool
wait $tool
equal "status after Ctrl-C" $? 0
tail -c 1 out | od -An -c | grep -q '\\n' || fail "the last line is cut"
