#!/bin/bash
# variants: plain san
# Heat maps of real events: from a recording in all ways the same; live with a command, its status; ended by Ctrl-C.
. "$PT_TOP/tests/lib.sh"
need_root
need_events syscalls:sys_enter_write syscalls:sys_exit_write
need jq

# A name that no other process here has.
cp "$(command -v dd)" ./ptdd$$ || skip "no dd"
copy() { ./ptdd$$ if=/dev/zero of=/dev/null bs=512 count=3000 status=none; }
latencies() { jq .latencies "$1"; }
# All writes but a few, unless the tool itself says that events were lost on a machine that is too busy.
enough() { if grep -q lost "$3"; then at_least "$1" "$2" 1; else at_least "$1" "$2" 2900; fi; }

runs 0 pt-record -e syscalls:sys_enter_write,syscalls:sys_exit_write -o w.data -- ./ptdd$$ if=/dev/zero of=/dev/null bs=512 count=3000 status=none 2> record.err
runs 0 pt-heatmap --title writes --syscall=write w.data > file.svg 2> file.err
runs 0 pt-lat --syscall=write w.data > lines.txt 2> lat.err
enough "lines of pt-lat" "$(wc -l < lines.txt)" record.err
pt-heatmap --title writes < lines.txt > lines.svg
same_file "picture of lines" file.svg lines.svg
pt-heatmap --title writes w.data > chosen.svg
same_file "picture of the pair that was chosen" file.svg chosen.svg
pt-heatmap --title writes < w.data > stdin.svg
same_file "picture of a recording on standard input" file.svg stdin.svg
pt-heatmap --title writes -i w.data --comm ptdd$$ > comm.svg
same_file "picture of the command's latencies" file.svg comm.svg
pt-heatmap -j w.data > file.json
equal "latencies in the picture" "$(latencies file.json)" "$(wc -l < lines.txt)"
equal "sum of the cells" "$(jq '[.cells[][2]] | add' file.json)" "$(wc -l < lines.txt)"
! command -v xmllint > /dev/null || xmllint --noout file.svg || fail "no valid XML"

# A stream, whole and slow.
runs 0 pt-record -e syscalls:sys_enter_write,syscalls:sys_exit_write -o - -- ./ptdd$$ if=/dev/zero of=/dev/null bs=512 count=3000 status=none > w.stream 2> stream.err
pt-heatmap w.stream > stream.svg
cat w.stream | pt-heatmap | cmp - stream.svg || fail "a piped stream gives another picture"
{ head -c 3 w.stream; sleep 0.1; tail -c +4 w.stream; } | pt-heatmap | cmp - stream.svg || fail "a slow stream gives another picture"
pt-heatmap <(cat w.stream) | cmp - stream.svg || fail "a stream by name gives another picture"

# Live: the picture alone on standard output, the command's status.
pt-heatmap --syscall=write --comm ptdd$$ -j -- sh -c "echo hello; ./ptdd$$ if=/dev/zero of=/dev/null bs=512 count=3000 status=none; exit 7" > live.json 2> live.err
equal "status of the command" $? 7
enough "live latencies" "$(latencies live.json)" live.err
has "standard error" "$(cat live.err)" hello

# Nothing happened: said, no picture.
runs 1 pt-heatmap --syscall=write --comm no-such-task -o none.svg -- true 2> none.err
has "message" "$(cat none.err)" "no latencies"
[ ! -e none.svg ] || fail "a picture of nothing"

# Ctrl-C draws what was gathered. When it comes before the events are there, there is nothing to draw: then again.
while :; do copy; done &
pt_pids="$pt_pids $!"
for ((i = 0; i < 50; i++)); do
	pt-heatmap --syscall=write -a -o int.svg 2> int.err &
	pid=$!
	until_true 60 grep -q perf_event "/proc/$pid/maps" || fail "no rings: $(cat int.err)"
	sleep 0.2
	kill -INT $pid
	wait $pid
	[ $? -ne 0 ] || break
	has "message" "$(cat int.err)" "no latencies"
done
[ -s int.svg ] || fail "no picture after Ctrl-C: $(cat int.err)"
! command -v xmllint > /dev/null || xmllint --noout int.svg || fail "no valid XML after Ctrl-C"
exit 0
