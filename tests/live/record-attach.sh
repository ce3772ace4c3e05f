# A process that runs already, all its threads: every event from the start of recording to its end.
. "$PT_TOP/tests/lib.sh"
. "$PT_TOP/tests/lib/record.sh"
need_root; need_events syscalls:sys_enter_write
mkfifo go
# Waits for the word, then writes exactly as often as it says; its child is followed.
background sh -c 'read word < go; dd if=/dev/zero of=/dev/null bs=99 count=5000 status=none; dd if=/dev/zero of=/dev/null bs=99 count=7000 status=none; exit 0'
target=$!
pt-record -e syscalls:sys_enter_write --filter 'count == 99' -p $target -o p.data 2> err & pid=$!
pt_pids="$pt_pids $pid"
# The file has its name once all is open; the events are enabled right after, before the recorder waits: its first round mark tells.
until_true 120 test -s p.data || fail "it never starts: $(cat err)"
size=$(stat -c %s p.data)
grown() { [ "$(stat -c %s p.data)" -gt "$size" ]; }
until_true 120 grown || fail "it never walks its rings"
echo now > go
wait $pid || fail "pt-record: $(cat err)"		# it ends with its target
equal samples "$(samples err)" 12000
equal "lines" "$(pt-script p.data | wc -l)" 12000
