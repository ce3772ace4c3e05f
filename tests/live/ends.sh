# How a tool that watches ends: the command's status, a reader that goes away, Ctrl-C in a pipe, a full disk.
# variants: plain san
. "$PT_TOP/tests/lib.sh"
need_root
need_events sched:sched_switch

ev='-e sched:sched_switch'
runs 0 pt-script $ev -- true > /dev/null
runs 3 pt-script $ev -- sh -c 'exit 3' > /dev/null
runs 143 pt-script $ev -- sh -c 'kill $$' > /dev/null
runs 127 pt-script $ev -- /no/such/program > /dev/null 2> err
has "no such program" "$(cat err)" "/no/such/program: No such file"
touch plain
runs 126 pt-script $ev -- ./plain > /dev/null 2> err
runs 2 pt-script $ev --no-such-option -- true > /dev/null 2> err

# The tool's own failure wins.
runs 1 pt-script $ev -a -- sh -c 'sleep 0.1; exit 3' > /dev/full 2> err
has "full disk" "$(cat err)" "pt-script: standard output: No space left on device"

# A command's standard output is not mixed into the data.
pt-script $ev -- echo hello > out 2> err || fail "echo: status $?"
grep -q hello err || fail "the command's output is not on stderr: $(cat err)"
! grep -qx hello out || fail "the command's output is among the data"

# The reader goes away: quietly, by SIGPIPE; a command that still runs ends with the tool.
pt-script --sched 2> err | head -1 > line
equal "status without a reader" "${PIPESTATUS[0]}" 141
[ -s line ] || fail "head got nothing"
empty "stderr without a reader" err
pt-script --sched -- sleep 98765.$$ 2> err | head -1 > line
equal "status without a reader, with a command" "${PIPESTATUS[0]}" 141
! pgrep -f "sleep 98765.$$" > /dev/null || fail "the command goes on"

# So it does where an option turns out to be wrong when it has begun; what can be seen before is said before, and nothing is started.
for tool in 'runs 1 pt-script -e sched:sched_switch -o no/such/place' 'runs 1 pt-schedlat -o no/such/place' 'runs 2 pt-lat --sched -S --by nosuch' 'runs 2 pt-heatmap --sched --by nosuch'; do
	$tool -- sleep 98766.$$ > out 2> err
	! pgrep -f "sleep 98766.$$" > /dev/null || fail "$tool: the command goes on"
done
for tool in 'runs 1 pt-heatmap --sched -o no/such/place' 'runs 1 pt-timechart -o no/such/place' 'runs 1 pt-convert --to pprof -o no/such/place' 'runs 2 pt-heatmap --sched --min 2ms --max 1ms'; do
	$tool -- touch started 2> err
	[ ! -e started ] || fail "$tool: the command was started"
done

# Ctrl-C to a whole pipe: the one that watches ends and its lines arrive, the reader draws them.
pt_fds() { local f; for f in /proc/"$1"/fd/*; do case $(readlink "$f") in *perf_event*) return 0 ;; esac; done; return 1; }
watching() { pid=$(pgrep -s "$1" -x pt-lat) && pt_fds "$pid"; }
reading() { pgrep -s "$1" -x pt-heatmap; }
held() { local m; m=$(awk '/^SigCgt/ { print $2 }' "/proc/$(pgrep -s "$1" -x pt-heatmap)/status") && [ $((0x$m >> 1 & 1)) -eq 1 ]; }
if [ -x "$PT_BIN/pt-lat" ] && [ -x "$PT_BIN/pt-heatmap" ]; then
	# An interactive shell's child has SIGINT at its default; one in the background of a script has it ignored.
	cat > pipe.py <<- 'END'
		import os, signal, sys
		os.setsid()
		signal.signal(signal.SIGINT, signal.SIG_DFL)
		os.execvp("bash", ["bash", "-c", "trap : INT; pt-lat --sched > >(tee lines | pt-heatmap --text > picture 2> drew; echo ${PIPESTATUS[1]} > drawn) 2> watched; wait; until [ -s drawn ]; do sleep 0.05; done"])
	END
	background /usr/bin/python3 pipe.py
	group=$!
	until_true 60 watching $group || fail "pt-lat does not watch: $(cat watched)"
	until_true 60 held $group || fail "pt-heatmap does not hold the interrupt"
	until_true 60 test -s lines || fail "no latency came"
	kill -INT "$(pgrep -s $group -x pt-lat)" "$(pgrep -s $group -x pt-heatmap)"
	until_true 60 test -s drawn || fail "the pipe does not end: $(cat watched drew)"
	equal "status of pt-heatmap" "$(cat drawn)" 0
	has "the picture" "$(head -1 picture)" "Latency: "
fi
