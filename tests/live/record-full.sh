# A full disk: a message, status 1, and what is there can be read. A full device, too.
. "$PT_TOP/tests/lib.sh"
. "$PT_TOP/tests/lib/record.sh"
need_root; need_events syscalls:sys_enter_write
mkdir small
mount -t tmpfs -o size=4m none small 2> /dev/null || skip "tmpfs may not be mounted"
gone() { umount small; }
at_exit gone

for how in "" -z; do
	pt-record $how -e syscalls:sys_enter_write -o small/full.data -- dd if=/dev/zero of=/dev/null bs=512 status=none 2> err; equal "the status" $? 1
	equal "the message" "$(cat err)" "pt-record: small/full.data: No space left on device"
	pt-script small/full.data > out 2> err || fail "pt-script: $(cat err)"
	empty "what pt-script says" err
	at_least "readable samples" "$(wc -l < out)" 1000
	equal "other lines" "$(grep -cv ' dd .*syscalls:sys_enter_write: fd: 0x00000001' out)" 0
	rm small/full.data
done

# No room for the first byte: no file that could be taken for a recording, and the one before stays.
echo old > small/old.data
head -c 8m /dev/zero > small/fill 2> /dev/null
pt-record -e syscalls:sys_enter_write -o small/old.data -- true 2> err; equal "the status" $? 1
equal "the message" "$(cat err)" "pt-record: small/old.data: No space left on device"
equal "the one before" "$(cat small/old.data)" old

pt-record -e syscalls:sys_enter_write -o /dev/full -- true 2> err; equal "the status" $? 1
equal "the message" "$(cat err)" "pt-record: /dev/full: No space left on device"
[ -c /dev/full ] || fail "/dev/full is no device any more"

# A limit on the size of files.
(ulimit -f 1000; pt-record -e syscalls:sys_enter_write -o limit.data -- dd if=/dev/zero of=/dev/null bs=512 status=none 2> err); equal "the status" $? 1
equal "the message" "$(cat err)" "pt-record: limit.data: File too large"
pt-script limit.data > out || fail "pt-script"
