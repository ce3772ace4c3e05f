# record.sh - for tests of pt-record (sourced after lib.sh).

# samples FILE: what pt-record's summary in FILE (its standard error) says
samples() { sed -nE 's/^\[ pt-record: ([0-9,]+) samples?, .*/\1/p' "$1" | tr -d ,; }
# never_came FILE [EVENT]: how many its warnings say were counted and not delivered
never_came() { sed -nE "s/^pt-record: the kernel counted [0-9,]+ ${2:-[^ ]+} and delivered [0-9,]+: ([0-9,]+) never came.*/\1/p" "$1" | tr -d , | awk '{ n += $1 } END { print n + 0 }'; }
# perf_reads FILE COUNT: perf script shows so many samples, perf report, evlist and buildid-list read it, none says a word on standard error
perf_reads() {
	local file=$1 want=$2
	equal "lines of perf script ($file)" "$(perf script -G -i "$file" 2> perf.err | grep -c .)" "$want"
	empty "what perf script says" perf.err
	perf report --stdio -i "$file" > perf.out 2> perf.err || fail "perf report: $(cat perf.err)"
	empty "what perf report says" perf.err
	# sched_stat_runtime counts nanoseconds: what perf script shows of it stands for its samples.
	want=$((want - $(perf script -G -i "$file" -F event 2> /dev/null | grep -c sched_stat_runtime)))
	equal "events of perf report" "$(awk '/^# Samples:/ { time = /sched_stat_runtime/ } /^# Event count \(approx\.\):/ && !time { n += $5 } END { print n + 0 }' perf.out)" "$want"
	perf evlist -v -i "$file" > perf.out 2> perf.err || fail "perf evlist: $(cat perf.err)"
	empty "what perf evlist says" perf.err
	perf buildid-list -i "$file" > perf.out 2> perf.err || fail "perf buildid-list: $(cat perf.err)"
	empty "what perf buildid-list says" perf.err
	has "build-ids" "$(cat perf.out)" '[kernel.kallsyms]'
}
# as_recorded RECORDER_ERR READER_ERR: the reader says what the recorder said of events that never came, and nothing else
as_recorded() { same_file "what the reader says of the recording, and what the recorder said" <(sed 's/^[^:]*: //' "$2") <(sed -n '/never came/s/^[^:]*: //p' "$1"); }
