#!/bin/bash
# variants: plain san
# Time charts of real switches: live with a command and its status, with other events beside, ended by Ctrl-C; from a recording, whole and a part of it.
. "$PT_TOP/tests/lib.sh"
need_root
need_events sched:sched_switch sched:sched_wakeup syscalls:sys_enter_write
spin

valid() { ! command -v xmllint > /dev/null || xmllint --noout "$1" || fail "$1: no valid XML"; }
rows() { sed 's/&quot;/"/g; s/{"kind"/\n&/g' "$1" | sed -nE 's/.*"kind":"([a-z]*)","name":"([^"]*)","about":"([^"]*)".*/\1 \2: \3/p'; }
line() { grep -q -- "$2" "$1" || fail "no line '$2': $(head -c 2000 "$1")"; }
# A name that no other process here has.
cp "$(command -v dd)" ./ptdd$$ || skip "no dd"
busy="./ptdd$$ if=/dev/zero of=/dev/null bs=64k count=5000 status=none"

runs 3 pt-timechart --comm ptdd$$ -e syscalls:sys_enter_write --filter 'count == 65536' -- sh -c "$busy; exit 3" > live.svg 2> live.err
valid live.svg
rows live.svg > live.rows
line live.rows '^cpu CPU 0: '
line live.rows "^task ptdd$$ [0-9]*: ran [1-9]"
line live.rows '^event syscalls:sys_enter_write: [1-9][0-9,]* in all'
! grep '^task sh' live.rows || fail "a task that was not chosen has a row"

# Ctrl-C draws what was gathered. When it comes before there was any event, there is nothing to draw: then again.
for ((i = 0; i < 50; i++)); do
	pt-timechart -a -o stopped.svg 2> stopped.err &
	pid=$!
	until_true 60 grep -q perf_event "/proc/$pid/maps" || fail "no rings: $(cat stopped.err)"
	sleep 0.1
	kill -INT $pid
	wait $pid
	[ $? -ne 0 ] || break
	has "message" "$(cat stopped.err)" "nothing to draw"
done
valid stopped.svg

runs 0 pt-record --sched -o sched.data -- sh -c "$busy" 2> record.err
runs 0 pt-timechart --comm ptdd$$ sched.data > file.svg 2> file.err
rows file.svg > file.rows
line file.rows "^task ptdd$$ [0-9]*: ran [1-9]"
runs 0 pt-timechart --time 40%,60% -T sched.data > part.svg 2> part.err
valid part.svg
rows part.svg > part.rows
! grep '^cpu' part.rows || fail "rows of CPUs where none were wanted"
runs 0 pt-record --sched -o - -- sh -c "$busy" 2> record.err > sched.stream
runs 0 pt-timechart sched.stream > a.svg 2> a.err
cat sched.stream | pt-timechart - 2> b.err | sed 's/ data-command.*>$/>/' > b.svg
sed 's/ data-command.*>$/>/' a.svg > a2.svg
same_file "picture of a stream" a2.svg b.svg
