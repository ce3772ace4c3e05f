# The block preset around reads of a real disk: every read is there, issue and completion; what the kernel never delivered is said.
. "$PT_TOP/tests/lib.sh"
. "$PT_TOP/tests/lib/record.sh"
need_root; need_events block:block_rq_issue block:block_rq_complete; need fio
dir=$(disk_dir) || skip "no real disk"
dd if=/dev/urandom of="$dir/data" bs=1M count=16 status=none; sync
pt-record --block -o fio.data -- fio --name=r --filename="$dir/data" --size=16m --direct=1 --ioengine=psync --rw=randread --bs=4k --number_ios=2000 --output=fio.txt > out 2> err ||
	fail "pt-record: $(cat err)"
n=$(samples err)
equal "lines" "$(pt-script fio.data 2> pt.err | wc -l)" "$n"
issued=$(pt-script fio.data 2> /dev/null | grep -c 'fio .*block:block_rq_issue: .* R.* 4096 ')
[ "$issued" -gt 0 ] || skip "direct reads of this disk make no requests of their own"
at_least "reads issued by fio, and those that never came" $((issued + $(never_came err block:block_rq_issue))) 2000
done=$(pt-script fio.data 2> /dev/null | grep -c 'block:block_rq_complete: ')
at_least "completions, and those that never came" $((done + $(never_came err block:block_rq_complete))) 2000
