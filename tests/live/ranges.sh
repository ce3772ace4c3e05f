# variants: plain san
# -D FROM-TO,FROM-TO: events are seen within these times only, and the control may say otherwise.
. "$PT_TOP/tests/lib.sh"
need_root; need_events syscalls:sys_enter_kill

# A command that computes for 1.6 s. Ranges may begin and end late on a busy machine, so what is between them is long.
pt-record -q -D 100-300,900-1100 -e cpu-clock -c 1000000 -o r.data -- timeout 1.6 sh -c 'while :; do :; done' 2> err
equal "status of timeout" $? 124
pt-script --show-task-events -F comm,time,event r.data > lines 2> err || fail "pt-script: $(cat err)"
awk '
	{ time = 0; for (i = 1; i <= NF; i++) if ($i ~ /^[0-9]+\.[0-9]+:$/) time = $i * 1000 }
	/PERF_RECORD_COMM/ && !start { start = time }
	/PERF_RECORD_EXIT/ { end = time }
	/cpu-clock/ {
		n++
		if (!first) first = time
		if (last && time - last > gap) { gap = time - last; before = n - 1 }
		last = time
	}
	END { printf "%d %d %d %d %d\n", n, before, first - start, gap, end - last }' lines > found
read -r samples before until_first gap behind_last < found
at_least "samples of the first range" "$before" 1
at_least "samples of the second range" $((samples - before)) 1
at_least "ms until the first" "$until_first" 50
at_least "ms between the ranges" "$gap" 300
at_least "ms behind the last" "$behind_last" 200

# Counts are exact where the command itself says when.
mkfifo ctl ack
cat > work <<'E2'
for word; do
	case $word in
	[0-9]*) n=$word; while [ $n -gt 0 ]; do kill -0 $$; n=$((n - 1)); done ;;
	*) echo "$word" > ctl; read -r answer < ack ;;
	esac
done
E2
counted() { sed -n 's/,.*syscalls:.*//p' counts; }
# The time elapsed is that of the ranges.
runs 0 pt-stat -D 50-150,300-400 -e cs -o ranges -- sleep 0.6
equal "time elapsed" "$(awk '/seconds time elapsed/ { print $1 }' ranges)" 0.200000000
runs 0 pt-stat -D 0-100 -e cs -o ranges -- sleep 0.3
equal "time elapsed of the first range" "$(awk '/seconds time elapsed/ { print $1 }' ranges)" 0.100000000
pt-stat -D 0-900000 -x, -o counts -e syscalls:sys_enter_kill -- sh work 12 || fail "pt-stat -D 0-900000"
equal "calls from the start on" "$(counted)" 12
pt-stat -D 900000-900001 -x, -o counts -e syscalls:sys_enter_kill -- sh work 12 || fail "pt-stat -D 900000-900001"
equal "calls before the range" "$(counted)" "<not counted>"
pt-stat -D 900000-900001,900002-900003 --control fifo:ctl,ack -x, -o counts -e syscalls:sys_enter_kill -- sh work 50 enable 7 disable 50 ||
	fail "pt-stat -D and --control"
equal "calls while the control says enabled" "$(counted)" 7
