# SIGINT and SIGTERM while a recording is read: what came before is printed, a message and the status tell that
# it is not all. A stream through a FIFO whose writer stays open makes the reader wait.
. "$PT_TOP/tests/lib.sh"
need_root; need_events sched:sched_switch sched:sched_waking; need python3
pt-record -q --sched -o - -- sh -c 'for i in 1 2 3 4 5 6 7 8 9; do sleep 0.01; done' > whole 2> err || fail "pt-record: $(cat err)"
pt-script whole > all.lines 2> err || fail "pt-script: $(cat err)"
at_least "lines of the recording" "$(wc -l < all.lines)" 20
mkfifo fifo

# begin TOOL ARGS...: the tool has read all of the stream and waits for more
begin() {
	# A script's background has SIGINT ignored; a terminal's child has not.
	background python3 -c 'import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execvp(sys.argv[1], sys.argv[1:])' "$@" fifo > out 2> err < /dev/null
	tool=$!
	exec 9> fifo
	cat whole >&9
	until_true 60 waits || fail "$1 does not wait: $(cat err)"
}
# It waits in poll(2), and has taken all that the FIFO held.
waits() { grep -q '^SigBlk:.*[4-7c-f]..[2367abef]$' /proc/$tool/status && python3 -c 'import fcntl, sys, termios, array; f = open("fifo", "rb", opener=lambda p, fl: __import__("os").open(p, fl | 2048)); a = array.array("i", [0]); fcntl.ioctl(f, termios.FIONREAD, a); sys.exit(a[0] != 0)'; }

for sig in INT TERM; do
	for tool_args in pt-script pt-schedlat 'pt-timehist' 'pt-schedmap' 'pt-lat --sched' pt-timechart 'pt-stack'; do
		begin $tool_args
		name=${tool_args%% *}
		kill -$sig $tool
		wait $tool
		equal "status of $name after SIG$sig" $? 1
		exec 9>&-
		has "what $name says" "$(cat err)" "$name: fifo: interrupted: what follows was not read"
		[ -s out ] || fail "$name printed nothing"
		case $name in pt-script) equal "lines" "$(wc -l < out)" "$(wc -l < all.lines)" ;; esac
	done
done

# Three signals end it at once.
begin pt-script
kill -STOP $tool
kill -INT $tool; kill -TERM $tool
kill -CONT $tool
wait $tool
equal "status after two signals" $? 1
exec 9>&-

# A file is not read on, also where its records come in one piece.
pt-record -q -a --ring tracefs --format trace.dat -e sched:sched_switch,sched:sched_waking -o long.dat -- perf bench sched pipe -l 200000 > none 2> err || fail "pt-record: $(cat err)"
background python3 -c 'import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execvp(sys.argv[1], sys.argv[1:])' pt-script long.dat > out 2> err < /dev/null
tool=$!
until_true 20 test -s out || fail "no lines"
kill -INT $tool
wait $tool
equal "status of reading a file after SIGINT" $? 1
has "what is said" "$(cat err)" "interrupted: what follows was not read"
at_most "lines of a file that is not read on" "$(wc -l < out)" $(($(pt-script long.dat | wc -l) * 9 / 10))
