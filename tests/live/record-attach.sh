# A process that runs already: every event from the moment on that the recording shows it.
. "$PT_TOP/tests/lib.sh"
. "$PT_TOP/tests/lib/record.sh"
need_root; need_events syscalls:sys_enter_write
# Writes 98 bytes now and then until it is told, then 99 bytes 5,000 times; all by itself, without children.
cat > target.sh <<'T'
exec 3<> word
until read -r -t 0.05 -u 3 word; do printf '%098d' 0 > /dev/null; done
for ((i = 0; i < 5000; i++)); do printf '%099d' 0 > /dev/null; done
T
mkfifo word
background bash target.sh
target=$!
for how in -p -t; do
	pt-record -e syscalls:sys_enter_write --filter 'count == 99 || count == 98' $how $target -o $target.data 2> err & pid=$!
	pt_pids="$pt_pids $pid"
	seen() { [ "$(pt-script $target.data 2> /dev/null | grep -c 'count: 0x00000062')" -gt 0 ]; }
	until_true 120 seen || fail "nothing of the target comes: $(cat err)"
	echo now > word
	wait $pid || fail "pt-record: $(cat err)"		# it ends with its target
	equal lines "$(pt-script $target.data | grep -c 'count: 0x00000063')" 5000
	equal "all lines" "$(pt-script $target.data | wc -l)" "$(samples err)"
	background bash target.sh
	target=$!
done
