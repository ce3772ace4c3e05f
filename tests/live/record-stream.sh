# Streams: the reader goes away (quietly), or stalls (drained all the same, what had no room is counted and said).
. "$PT_TOP/tests/lib.sh"
. "$PT_TOP/tests/lib/record.sh"
need_root; need_events syscalls:sys_enter_write

# The command's standard output is not the stream's.
pt-record -e syscalls:sys_enter_write -o - -- echo hello > stream 2> err || fail "pt-record: $(cat err)"
has "standard error" "$(cat err)" hello
equal "samples" "$(pt-script - < stream | wc -l)" 1
has "the sample" "$(pt-script stream)" 'sys_enter_write: fd: 0x00000001'

# Gone at once, and in the midst: no message, the command is ended, SIGPIPE's status.
{ pt-record -q -e syscalls:sys_enter_write -o - -- dd if=/dev/zero of=/dev/null bs=512 status=none 2> err; echo $? > status; } | head -c 100 > /dev/null
equal "the status" "$(cat status)" 141
empty "what it says" err
{ pt-record -q -e syscalls:sys_enter_write -o - -- dd if=/dev/zero of=/dev/null bs=512 status=none 2> err; echo $? > status; } | head -c 3000000 > /dev/null
equal "the status" "$(cat status)" 141
empty "what it says" err

# Nobody reads until the command has ended: it ends nevertheless.
mkfifo pipe
pt-record -e syscalls:sys_enter_write -o - -- sh -c 'dd if=/dev/zero of=/dev/null bs=512 count=1600k status=none; echo done > ended' > pipe 2> err & pid=$!
pt_pids="$pt_pids $pid"
exec 3< pipe
until_true 300 test -e ended || fail "a reader that stalls has stopped the command"
cat <&3 > late
wait $pid || fail "pt-record: $(cat err)"
n=$(samples err)
dropped=$(sed -nE 's/^pt-record: ([0-9,]+) of [0-9,]+ syscalls:sys_enter_write were dropped.*/\1/p' err | tr -d ,)
lost=$(sed -nE 's/^pt-record: ([0-9,]+) of [0-9,]+ syscalls:sys_enter_write w[a-z]* lost.*/\1/p' err | tr -d ,)
at_least "dropped" "${dropped:-0}" 1
equal "recorded, dropped and lost" $((n + ${dropped:-0} + ${lost:-0})) $((1600 * 1024 + 1))
pt-script - < late > late.txt 2> pt.err
equal "lines" "$(wc -l < late.txt)" "$n"
grep -q 'lost' pt.err || fail "pt-script does not tell of the loss: $(cat pt.err)"

# A reader that never comes: the second Ctrl-C ends it.
pt-record -q -e syscalls:sys_enter_write -a -o - > pipe 2> err & pid=$!
pt_pids="$pt_pids $pid"
exec 3< pipe
dd if=/dev/zero of=/dev/null bs=512 count=50k status=none		# more than the pipe holds
kill -INT $pid
ends() { kill -INT $pid 2> /dev/null; ! kill -0 $pid 2> /dev/null; }
until_true 120 ends || fail "it cannot be interrupted"
exec 3<&-
