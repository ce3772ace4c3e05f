# Folded stacks and recordings in each form, decoded by the published schemas; hostile names.
# variants: plain san
. "$PT_TOP/tests/lib/convert.sh"
need_protoc
cat > prog.folded <<'F'
# samples 20, lost 0, truncated 1 (5.0 %), unresolved 2 of 60 frames (3.3 %)
prog;main;work;leaf 9
prog;main;work;leaf;mix_[i] 5
prog;main;do_syscall_64_[k];vfs_read_[k] 2
tool;main 1
tool;main;work 2 4
F
for form in pprof speedscope firefox; do
	echo "-- $form of folded stacks"
	pt-convert --to $form prog.folded > out.$form
	case $form in pprof) pprof_text < out.$form | by_line | sed 's/pt-convert [0-9.]*:/pt-convert VERSION:/' ;; *) sed -E 's/pt-convert [0-9.]+/pt-convert VERSION/; s/("(shared|profiles|threads|samples|weights|libs|stackTable|frameTable|funcTable|stringArray)":)/\n\1/g' out.$form ;; esac
done
echo "-- microseconds"
printf '# samples 2, lost 0, truncated 0 (0.0 %%), unresolved 0 of 2 frames (0.0 %%), counts in microseconds 0\nprog;main;wait 1500\n' > waits.folded
pt-convert --to speedscope waits.folded 2> /dev/null | grep -o '"unit":.*'
pt-convert --to firefox waits.folded 2> /dev/null | grep -o '"weight":.*"weightType":"[^"]*"'
pt-convert --to pprof waits.folded 2> /dev/null | pprof_text | grep -E '"(wait|microseconds)"'

echo "-- hostile names: a script, control characters, bytes that are no UTF-8, 3,000 characters"
long=$(printf 'x%.0s' {1..3000})
printf '<script>;"\\\x01\x7f\xff\xc3\x28 \xe2\x80\xae;%s 7\n' "$long" > hostile.folded
for form in pprof speedscope firefox; do
	pt-convert --to $form hostile.folded > out.$form
	case $form in
	pprof) pprof_text < out.$form | grep string_table ;;
	*) python3 -c 'import json, sys; json.loads(sys.stdin.buffer.read().decode("utf-8"))' < out.$form && grep -oE '"(name|stringArray)":("[^:]*"[,}]|\[.*\])' out.$form ;;
	esac | sed "s/x\{3000\}/x*3000/; s/pt-convert [0-9.]*:/pt-convert VERSION:/"
done
printf '0 0 comm 5 5 \033[31m<a>\xff\n10 0 switch 0 R 5\n20 0 switch 5 S 0\n30 0 waking 5 0\n40 0 switch 0 R 5\n' | timeline > names.data
pt-convert --to perfetto names.data | perfetto_text | by_line

echo "-- Perfetto: a timeline, requests of a disk, counters, system calls as instants"
timeline < "$PT_DATA/sched-server.txt" > server.data
pt-convert -o server.pftrace server.data && perfetto_text < server.pftrace | by_line > server && wc -l < server && head -4 server
grep -c . <(grep -o 'sched_switch {' server); pt-script server.data | grep -c sched_switch
pt-convert --to perfetto --time 0.002,0.007 server.data | perfetto_text | grep -c 'sched_switch {'
pt-convert --to perfetto --cpu 1 server.data | perfetto_text | grep -E '^ +cpu:'
pt-convert --to perfetto "$PT_DATA/lat-block.data" | perfetto_text | by_line | grep -E 'SLICE|disk' | head -6
pt-convert --to perfetto "$PT_DATA/group.data" 2> /dev/null | perfetto_text | by_line | grep -E 'counter' | head -6
pt-convert --to perfetto "$PT_DATA/lat-calls.data" | perfetto_text | by_line | grep -m 2 INSTANT
pt-convert --to perfetto --comm dd --only raw_syscalls:sys_exit "$PT_DATA/lat-calls.data" | perfetto_text | grep -c INSTANT

echo "-- a recording with inlined functions and lines"
cp -r "$PT_DATA/stacks/arm64" "$PT_DATA/stacks/arm64.data" .
pt-convert --symfs arm64 --to speedscope arm64.data 2> /dev/null | grep -oE '"frames":.*'
pt-convert --symfs arm64 -o arm64.pb.gz arm64.data 2> /dev/null; pprof_text < arm64.pb.gz | by_line | grep -E '^(mapping|sample_type|period|time|duration|default)'
pt-convert --symfs arm64 --to perfetto arm64.data 2> /dev/null | perfetto_text | by_line > arm64.txt
grep -c perf_sample arm64.txt; grep -m 1 -B 1 perf_sample arm64.txt
echo "-- nothing that the schemas do not have"
for f in arm64.pb.gz; do pprof_text < $f; done | grep -E '^ *[0-9]+' ; perfetto_text < server.pftrace | grep -E '^ *[0-9]+'

echo "-- a cut recording"
head -c 13000 "$PT_DATA/perf-syscalls.stream" > cut.data
pt-convert -o cut.pftrace cut.data; echo "status $?"; perfetto_text < cut.pftrace | grep -c INSTANT
head -c 700 arm64.data > short.data; pt-convert -o short.pb.gz short.data; echo "status $?"
