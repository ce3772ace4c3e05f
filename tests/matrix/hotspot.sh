# hotspot's perfparser reads pt-record's files to their end, finds all samples, and says nothing that it does not also say of perf's.
. "$PT_TOP/tests/lib.sh"
. "$PT_TOP/tests/lib/record.sh"
need_root; need_perf; need_events sched:sched_switch sched:sched_wakeup
parser=$(find /usr/lib /usr/libexec -name hotspot-perfparser -type f 2> /dev/null | head -1)
[ -n "$parser" ] || skip "hotspot is not installed"
load=(perf bench -f simple sched messaging -g 1 -l 200)
# parse FILE: figures to `figures`, to `said` what it says of kinds of records and sections. A table at the front keeps pt-record's files readable
# while they are written: it is a record of perf's that says nothing (HEADER_EVENT_TYPE).
parse() {
	"$parser" --input "$1" --output figures --print-stats 2> parser.err || fail "perfparser $1: $(head -5 parser.err)"
	sed -E '/PERF_RECORD_HEADER_EVENT_TYPE$|^FINISHED_ROUND detected/d; s/[0-9]+/N/g' parser.err | sort -u > said
}
perf record -q -N -B -s --no-bpf-event --namespaces -k CLOCK_MONOTONIC -e cpu-clock -e sched:sched_switch -g -o perf.data -- "${load[@]}" > out 2>&1 || fail "perf record"
parse perf.data
mv said known
for how in "-g" "--call-graph dwarf" "-e sched:sched_switch,sched:sched_wakeup"; do
	# shellcheck disable=SC2086
	pt-record $how -o own.data -- "${load[@]}" > out 2> err || fail "pt-record $how: $(cat err)"
	parse own.data
	comm -23 said known > news
	empty "what perfparser says of pt-record $how alone" news
	equal "samples ($how)" "$(sed -n 's/^samples: //p' figures)" "$(samples err)"
	equal "samples in disorder ($how)" "$(sed -n 's/^samples time violations: //p' figures)" 0
done
