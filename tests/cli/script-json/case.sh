# JSON lines: what jq reads is what the text says.
d=$PT_DATA/perf-sched.data
need jq
pt-script -j "$d" | sed -n 1,2p
pt-script -j "$d" | jq -r '"\(.comm) \(.tid) \(.event) \(.fields | keys_unsorted | join(","))"' | sort | uniq -c
equal "lines of JSON" "$(pt-script -j "$d" | jq -c . | wc -l)" "$(pt-script "$d" | wc -l)"
pt-script -j "$PT_DATA/perf-faults.data" | jq -rs '.[0] | "\(.event) \(.callchain | length)"'
equal "all addresses" "$(pt-script -j "$PT_DATA/perf-faults.data" | jq -r '.callchain[]' | sed s/^0x// | sort)" \
	"$(pt-script -F ip "$PT_DATA/perf-faults.data" | awk 'NF { print $1 }' | sort)"
