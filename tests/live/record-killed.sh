# A recorder killed by SIGKILL leaves a file that is read without a word, fields included; killed at any moment, no file or one that is readable.
. "$PT_TOP/tests/lib.sh"
. "$PT_TOP/tests/lib/record.sh"
need_root; need_events sched:sched_switch
background sh -c 'while :; do sleep 0.002; done'

fields() { [ "$(pt-script k.data 2> /dev/null | grep -c 'sched:sched_switch: prev_comm=.* next_prio=')" -ge 50 ]; }
# Reads it to the end without a message; prints how many samples.
reads() {
	pt-script k.data > k.txt 2> k.err || fail "pt-script: status $?: $(cat k.err)"
	empty "what pt-script says" k.err
	! grep -qv 'sched:sched_switch: prev_comm=.* next_prio=' k.txt || fail "odd line: $(grep -v 'sched:sched_switch: prev_comm=' k.txt | head -1)"
	command -v perf > /dev/null || return 0
	equal "lines of perf script" "$(perf script -i k.data 2> k.err | wc -l)" "$(wc -l < k.txt)"
	empty "what perf script says" k.err
}

for how in "" -z "" -z ""; do
	rm -f k.data
	pt-record $how -e sched:sched_switch -a -o k.data 2> /dev/null & pid=$!
	pt_pids="$pt_pids $pid"
	until_true 120 fields || fail "no samples in the file after two minutes"
	before=$(pt-script k.data | wc -l)
	sleep 0.0$((RANDOM % 10))
	kill -KILL $pid
	wait $pid 2> /dev/null
	reads
	at_least "samples after the kill" "$(wc -l < k.txt)" "$before"
done

# From the first moment on.
for ((i = 0; i < 30; i++)); do
	rm -f k.data
	pt-record -e sched:sched_switch -a -o k.data 2> /dev/null & pid=$!
	sleep 0.$(printf %03d $((i * 5)))
	kill -KILL $pid
	wait $pid 2> /dev/null
	[ ! -e k.data ] || reads
done
# The one before is kept until there is a new one.
echo old > k.data
pt-record -q -e sched:sched_switch -a -o k.data -- true || fail "pt-record"
equal "the old one" "$(cat k.data.old)" old
