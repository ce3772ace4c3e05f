# How a session ends: the command's status, Ctrl-C, SIGTERM, a duration, the watched task's end. Nothing that was recorded is lost, nothing is left behind.
. "$PT_TOP/tests/lib.sh"
clock=cpu-clock

runs 127 watch -e $clock -- pt-no-such-command > out 2> err
equal "message" "$(tail -1 err)" "watch: pt-no-such-command: command not found"
runs 126 watch -e $clock -- / > out 2> err
equal "message" "$(tail -1 err)" "watch: /: Permission denied"
runs 3 watch -e $clock -- sh -c 'exit 3' > out 2> err
runs 137 watch -e $clock -- sh -c 'kill -9 $$' > out 2> err

# A duration ends the command, and that is success.
runs 0 watch -d 200 -e $clock -- sh -c 'echo $$ > pid; exec sleep 1000' > out 2> err
kill -0 "$(cat pid)" 2> /dev/null && fail "the command still runs"
# One that will not end is given up, then killed.
runs 0 watch -d 200 -e $clock -- sh -c 'trap "" TERM; echo $$ > pid; while :; do sleep 0.1; done' > out 2> err
kill -0 "$(cat pid)" 2> /dev/null && fail "the command that ignores SIGTERM still runs"
# The command's end is the session's, whoever holds on.
runs 0 watch -e $clock -- sh -c 'sleep 1000 & echo $! > pid' > out 2> err
kill "$(cat pid)" || fail "the grandchild is gone"

# signal_command SIGNAL: sent to the watcher while its command sleeps
signal_command() {
	rm -f pid
	background watch -e $clock -- sh -c 'echo $$ > pid; exec sleep 1000' > out 2> err
	until_true 60 [ -s pid ] || fail "no command"
	kill -"$1" $!
	wait $!
	equal "status after SIG$1" $? 143
	kill -0 "$(cat pid)" 2> /dev/null && fail "the command outlives SIG$1"
}
signal_command INT
signal_command TERM
signal_command HUP

# A task that is watched ends: so does the session.
sleep 1000 & task=$!
background watch -p $task -e $clock > out 2> err
until_true 60 grep -q watching err || fail "not watching"
kill $task
wait $! && [ -s out ] || fail "no end with the watched task"
runs 1 watch -p $task -e $clock > out 2> err
equal "message" "$(cat err)" "watch: -p $task: no such process"

need_root
need_uprobes
cp "$PT_TOOLS/hits" hits && PATH=$PWD:$PATH		# a file of our own: nobody else hits it
ev=ptx$$:hit
echo "p:ptx$$/hit $(hits --where)" >> "$(tracefs)/uprobe_events"
gone() { until_true 20 sh -c "echo '-:ptx$$/hit' >> $(tracefs)/uprobe_events"; }
at_exit gone
for sig in INT TERM; do
	background watch -a -e $ev > out 2> err
	until_true 60 grep -q watching err || fail "not watching"
	hits 5000
	kill -$sig $!
	wait $! || fail "status after SIG$sig"
	equal "hits before SIG$sig" "$(awk -v ev=$ev '$2 == ev' out)" "event $ev samples 5000 lost 0 undelivered 0"
done

# A delay leaves out what comes before it; ticks come at their times.
runs 0 watch -e $ev -D 100000000 -- hits 1000 > out 2> err
equal "hits before the delay was over" "$(awk -v ev=$ev '$2 == ev { print $4 }' out)" 0
runs 0 watch -e $ev -I 20 -v -- sh -c 'sleep 1; hits 10' > out 2> err
at_least "ticks in more than a second" "$(grep -c ' tick ' out)" 30
equal "ticks are numbered" "$(grep -o 'tick [0-9]*$' out | awk '$2 != NR' | wc -l)" 0
equal "hits with ticks" "$(awk -v ev=$ev '$1 == "event" && $2 == ev { print $4 }' out)" 10
