# Random reads by fio: each completion pairs with its issue, and the requests took no longer than fio waited for them.
# variants: plain san
. "$PT_TOP/tests/lib.sh"
need_root
need fio jq
need_events block:block_rq_issue block:block_rq_complete
dir=$(disk_dir) || skip "no directory on a disk"
file=$dir/lat-fio.file
cp "$(command -v fio)" ./latfio			# a name of its own: others may run fio, too
./latfio --name=lay --filename="$file" --size=32m --rw=write --bs=1m --direct=1 > lay 2>&1 || skip "fio cannot write with direct I/O here: $(tail -1 lay)"

run() { "$@" ./latfio --name=read --filename="$file" --size=32m --rw=randread --bs=4k --direct=1 --ioengine=psync --number_ios=4000 --output-format=json --output=fio.json; }
# told ERRORS: how many issues and completions the tool says it has no counterpart of
told() {
	sed -nE 's/^pt-lat: ([0-9]+) (issues?|inserts?|completions?) (without|whose|left|of a request) .*/\1/p; s/.* block:block_rq_(issue|complete) and delivered .*: ([0-9,]+) never came.*/\2/p
		s/.*: ([0-9,]+) of [0-9,]+ block:block_rq_.* w[a-z]* lost.*/\1/p' "$1" | tr -d , | awk '{ n += $1 } END { print n + 0 }'
}

# check NAME LINES ERRORS
check() {
	local ios clat pairs
	ios=$(jq '.jobs[0].read.total_ios' fio.json)
	clat=$(jq '.jobs[0].read.clat_ns.mean' fio.json)
	# Of fio's kind, whoever issued them: a request that had to wait is issued by a kernel thread. Others' reads may be among them.
	pairs=$(awk '$4 ~ /^R/ && $5 ~ /\+8$/' "$2" | wc -l)
	# Completions that come while certain tasks run are never delivered by some kernels, nor counted: what misses them is told.
	[ "$pairs" -gt $((ios * 3 / 4)) ] || skip "this kernel delivered the completions of $pairs of $ios requests"
	at_least "$1: pairs, and what is told to have none" $((pairs + $(told "$3"))) "$ios"
	awk '$4 ~ /^R/ && $7 == "latfio" { n++; sum += $2 } END { printf "%d", sum / n * 1000 }' "$2" > mean
	at_most "$1: mean, against fio's own" "$(cat mean)" "${clat%.*}"
	awk -v name="$1" '$1 < last { print name ": " $0 " comes after " last; exit 1 } { last = $1 }' "$2" || fail "times do not ascend"
}

run pt-lat --block -o live.lines -- 2> live.errors || fail "pt-lat ended with $?: $(cat live.errors)"
check live live.lines live.errors

run pt-record -q --block -o fio.data -- 2> record.errors || fail "pt-record ended with $?: $(cat record.errors)"
runs 0 pt-lat fio.data > file.lines 2> file.errors
cat record.errors >> file.errors
check file file.lines file.errors

# Each issue of the recording is a pair, or is told to be none; each completion, too.
issues=$(pt-script -F event fio.data 2> /dev/null | grep -c block_rq_issue) || true
at_least "issues" "$issues" "$(jq '.jobs[0].read.total_ios' fio.json)"
at_least "issues, paired or told" $(($(wc -l < file.lines) + $(told file.errors))) "$issues"
at_most "pairs" "$(wc -l < file.lines)" "$issues"
at_most "pairs" "$(wc -l < file.lines)" "$(pt-script -F event fio.data 2> /dev/null | grep -c block_rq_complete)"

runs 0 pt-lat --queued fio.data > queued.lines 2> queued.errors
# From insert it takes no less, and the same completions end it; a request that was requeued may have been issued by a kernel thread.
awk 'NR == FNR { issue[$1, $3, $5] = $2; next } ($1, $3, $5) in issue && $2 < issue[$1, $3, $5] { print; exit 1 }' file.lines queued.lines ||
	fail "a request took less from its insert than from its issue"
comm -3 <(awk '{ print $1, $5 }' queued.lines) <(awk '{ print $1, $5 }' file.lines) > differ
at_most "completions that are not the same ($(head -2 differ | tr '\n' ';'))" "$(wc -l < differ)" $((2 * ($(told file.errors) + $(told queued.errors))))
equal "rows of the table" "$(pt-lat -S fio.data 2> /dev/null | awk 'NR == 2 { print $1 }')" "$(wc -l < file.lines)"

# Devices of this machine have their names.
for device in $(awk '{ print $3 }' live.lines file.lines | sort -u); do
	[ -e "/sys/class/block/$device" ] || fail "'$device' is no device of this machine"
done
