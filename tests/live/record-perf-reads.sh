# perf reads pt-record's files and streams: no warning, the same number of events.
. "$PT_TOP/tests/lib.sh"
. "$PT_TOP/tests/lib/record.sh"
need_root; need_perf; need_events sched:sched_switch syscalls:sys_enter_write
spin
load=(perf bench -f simple sched messaging -g 2 -l 100)

for how in "" -z -z9; do
	pt-record $how --sched -o sched.data -- "${load[@]}" > out 2> err || fail "pt-record: $(cat err)"
	n=$(samples err)
	at_least samples "$n" 1000
	perf_reads sched.data "$n"
	perf sched map -i sched.data > map.out 2> perf.err || fail "perf sched map: $(cat perf.err)"
	empty "what perf sched map says" perf.err
	at_least "lines of perf sched map" "$(wc -l < map.out)" 100
	perf sched latency -i sched.data > lat.out 2> perf.err || fail "perf sched latency: $(cat perf.err)"
	empty "what perf sched latency says" perf.err
	grep sched-messaging lat.out | grep -qv '| *0\.000 ms |' || fail "perf sched latency has no run times: $(grep sched-messaging lat.out | head -2)"
	equal "lines of pt-script" "$(pt-script sched.data 2> pt.err | wc -l)" "$n"
	as_recorded err pt.err
	same_file "pt-script and perf script" <(pt-script sched.data) <(perf script -i sched.data)
	perf script -I --header-only -i sched.data > header.out 2> perf.err
	for what in hostname 'os release' arch 'nrcpus online' cmdline 'sibling threads' 'time of first sample' clockid; do has "the header" "$(cat header.out)" "# $what"; done
	[ -z "$how" ] || perf report --header-only --stdio -i sched.data 2>&1 | grep -q 'compressed : Zstd' || fail "not marked as compressed"
done

for how in "" -z; do
	pt-record $how -e sched:sched_switch,syscalls:sys_enter_write -a -o - -- "${load[@]}" > stream 2> err || fail "pt-record: $(cat err)"
	n=$(samples err)
	at_least samples "$n" 500
	equal "lines of perf script" "$(perf script -i - < stream 2> perf.err | wc -l)" "$n"
	empty "what perf script says" perf.err
	perf report --stdio -i - < stream > perf.out 2> perf.err || fail "perf report: $(cat perf.err)"
	empty "what perf report says" perf.err
	equal "lines of pt-script" "$(pt-script - < stream | wc -l)" "$n"
done

# The rest of perf that takes recordings: what it makes of them has all samples, and it says nothing but that.
pt-record -q -e cpu-clock -c 1000000 -g -o stacks.data -- "${load[@]}" > out || fail "pt-record"
n=$(pt-script -F time stacks.data | grep -c :)
at_least samples "$n" 20
for how in "" -b; do
	perf inject $how -i stacks.data -o injected.data 2> perf.err || fail "perf inject $how: $(cat perf.err)"
	empty "what perf inject $how says" perf.err
	same_file "perf script behind perf inject $how" <(perf script -i injected.data) <(perf script -i stacks.data)
	same_file "pt-script behind perf inject $how" <(pt-script injected.data) <(pt-script stacks.data)
done
perf data convert --to-json stacks.json -i stacks.data > out 2> perf.err || fail "perf data convert --to-json: $(cat perf.err)"
equal "samples of the JSON" "$(jq '.samples | length' stacks.json)" "$n"
perf data convert --to-ctf stacks.ctf -i stacks.data > out 2> perf.err || fail "perf data convert --to-ctf: $(cat perf.err)"
cat out perf.err > said
has "the samples of CTF" "$(cat said)" "($n samples)"
equal "other words of perf data convert" "$(grep -vc '^\[ perf data convert: Converted' said)" 0
