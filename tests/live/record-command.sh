# The command: its status and its streams; Ctrl-C; --for; call graphs; the file's name.
# variants: plain san
. "$PT_TOP/tests/lib.sh"
. "$PT_TOP/tests/lib/record.sh"
need_root

echo in | pt-record -q -e cpu-clock -- sh -c 'cat; echo err >&2' > out 2> err || fail "status $?"
equal "standard output" "$(cat out)" in
equal "standard error" "$(cat err)" err
[ -s perf.data ] || fail "no perf.data"
pt-record -q -e cpu-clock -- true && [ -s perf.data.old ] || fail "the one before is not kept"

runs 3 pt-record -q -e cpu-clock -- sh -c 'exit 3'
runs 143 pt-record -q -e cpu-clock -- sh -c 'kill $$'
pt-record -q -e cpu-clock -- ./no-such-program 2> err; equal "the status" $? 127
runs 0 pt-record -q -e cpu-clock -a --for 0.1
runs 0 pt-record -q -e cpu-clock --for 0.1 -- sleep 1000
[ -s perf.data ] || fail "no perf.data"

# Ctrl-C: what was gathered is written.
rm -f perf.data
pt-record -e cpu-clock -a 2> err & pid=$!
pt_pids="$pt_pids $pid"
until_true 120 test -s perf.data || fail "it never starts"
kill -INT $pid
wait $pid || fail "status $?: $(cat err)"
[ -n "$(samples err)" ] || fail "no summary: $(cat err)"

# Call graphs: chains come, perf and pt agree on how many samples.
busy='i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done'
for how in -g "--call-graph fp" "--call-graph dwarf" "--call-graph dwarf,4096" "--call-graph dwarf,65528"; do
	pt-record $how -F 499 -e cpu-clock -o g.data -- sh -c "$busy" 2> err || fail "$how: $(cat err)"
	n=$(samples err)
	at_least "samples of $how" "$n" 1
	equal "samples of $how, as read" "$(pt-script -F event g.data 2> pt.err | grep -c cpu-clock)" "$n"
	empty "what pt-script says" pt.err
	! command -v perf > /dev/null || equal "samples of $how, as perf reads" "$(perf script -F event,ip,sym -i g.data 2> perf.err | grep -c cpu-clock)" "$n"
done
pt-record --call-graph dwarf,70000 -- true 2> err; equal "the status" $? 2
has "the message" "$(cat err)" 65528
pt-record --call-graph none -- true 2> err; equal "the status" $? 2
