# variants: plain san
# --control: what is counted and recorded is exactly what lies between enable and disable, whoever says it and however; what is no command is said.
. "$PT_TOP/tests/lib.sh"
need_root; need_events syscalls:sys_enter_kill syscalls:sys_exit_kill
event=syscalls:sys_enter_kill
exit_event=syscalls:sys_exit_kill
mkfifo ctl ack

# N calls of kill(2), and what is to be said between: `work 5 enable 7 disable 9`. What begins with no- has no answer.
cat > work <<'T'
for word; do
	case $word in
	[0-9]*) n=$word; while [ $n -gt 0 ]; do kill -0 $$; n=$((n - 1)); done ;;
	no-*) echo "$word" > ctl ;;
	*) echo "$word" > ctl; read -r answer < ack; [ "$answer" = ack ] || { echo "the answer is '$answer'" >&2; exit 9; } ;;
	esac
done
T
work="sh work"
counted() { sed -n 's/,.*syscalls:.*//p' counts; }

pt-stat -D -1 --control fifo:ctl,ack -x, -o counts -e $event -- $work 50 enable 7 disable 50 enable ping 5 disable 50 || fail "pt-stat --control"
equal "calls while it was enabled" "$(counted)" 12
# Enabled from the start; one event of two, also one of a group; each run anew.
pt-stat --control fifo:ctl,ack -x, -o counts -e $event -- $work 7 disable 50 "enable $event" 5 || fail "pt-stat --control, enabled"
equal "calls but those in the pause" "$(counted)" 12
pt-stat -r 2 -D -1 --control fifo:ctl,ack -x, -o counts -e $event,$exit_event -- $work 5 "enable $exit_event" 30 || fail "enable EVENT"
equal "one of two events" "$(counted | tr '\n' ' ')" "<not counted> 30 "
pt-stat -D -1 --control fifo:ctl,ack -x, -o counts -e "{$event,$exit_event}" -- $work 5 enable 4 "disable $exit_event" 30 disable 5 enable 6 || fail "a group"
equal "a group, one of which pauses" "$(counted | tr '\n' ' ')" "40 4 "
# What it does not know is said, and not answered.
pt-stat --control fifo:ctl,ack -x, -o counts -e $event -- $work no-such no-more disable 9 enable 3 2> err || fail "unknown commands"
equal "unknown commands" "$(grep -c "^pt-stat: --control: 'no-[a-z]*': no such command" err)" 2
equal "calls" "$(counted)" 3
pt-stat --control fifo:ctl,ack -q -e $event -- sh -c 'echo "enable nothing:such" > ctl; echo ping > ctl; read x < ack' 2> err || fail "unknown event"
has "unknown event" "$(cat err)" "'enable nothing:such': no event of that name"

# Intervals, also such in which nothing is counted; all of them together are what was.
pt-stat -D -1 -I 10 --summary --control fifo:ctl,ack -x, -o counts -e $event -- $work 50 enable 7 ping disable 50 enable 5 || fail "intervals"
equal "sum of the intervals" "$(awk -F, '/summary/ { s = $2; next } { n += $2 } END { print n, s }' counts)" "12 12"

# Descriptors, as in perf's manual; a process that runs already, and the whole machine, commanded by somebody else.
exec 7<> ctl 8<> ack
say() { echo "$1" >&7 && read -r -t 100 -u 8 answer && equal answer "$answer" ack; }
mkfifo go; exec 5<> go
cat > target <<'T'
while read -r n; do
	while [ $n -gt 0 ]; do kill -0 $$; n=$((n - 1)); done
	echo done
done
T
told=0
calls() { echo "$1" >&5; told=$((told + 1)); until_true 100 have_been; }
have_been() { [ "$(wc -l < done)" -ge $told ]; }
sh target < go > done 5>&- 7>&- 8>&- & target=$!
pt_pids="$pt_pids $target"
for who in "-p $target" -a; do
	calls 1
	pt-stat $who -D -1 --control fd:7,8 -x, -o counts -e $event --filter "common_pid == $target" 5>&- & pid=$!
	pt_pids="$pt_pids $pid"
	say ping
	calls 50; say enable; calls 11; say disable; calls 50; say enable; calls 6; say disable; calls 50
	say stop
	wait $pid || fail "pt-stat $who after stop: $?"
	equal "calls, $who" "$(counted)" 17
done
kill $target
exec 5>&- 7>&- 8>&-

# Stop ends a command, and that is success. The other end of a pipe may go for good.
pt-stat --control fifo:ctl -q -e page-faults -- sh -c 'echo stop > ctl; exec sleep 1000' || fail "stop: $?"
echo "disable" | pt-stat -q --control fd:0 -e page-faults -- sleep 0.2 || fail "a pipe that ends: $?"

# Recordings and live lines hold just that, and know their tasks.
pt-record -D -1 --control fifo:ctl,ack -o r.data -e $event -- $work 50 enable 7 disable 50 enable 5 disable 50 2> err || fail "pt-record --control: $(cat err)"
equal "samples" "$(pt-script -F comm,event r.data | grep -c "^ *sh .*$event")" 12
has "summary" "$(cat err)" "12 samples"
pt-script -D -1 --control fifo:ctl,ack -e $event -- $work 50 enable 7 disable 50 > lines || fail "pt-script --control"
equal "lines" "$(grep -c "sh.*$event" lines)" 7
pt-stack -D -1 --control fifo:ctl,ack -e $event -- $work 50 enable 7 disable 50 > folded || fail "pt-stack --control"
equal "stacks" "$(awk '/^sh;/ { n += $NF } END { print n }' folded)" 7

"$PT_TOP/examples/control.sh" 3000 2> shown || fail "examples/control.sh: $(cat shown)"
has "example" "$(cat shown)" task-clock
