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

# What was there before: names and mappings without FORK records, as perf record -p writes them (readers look for the parents in vain),
# and of the process that a thread belongs to.
cat > threads.py <<'T'
import threading, time
lock = threading.Lock()
lock.acquire()
for i in range(2):
    threading.Thread(target=lock.acquire, daemon=True).start()
open("ready", "w").close()
time.sleep(600)
T
if command -v python3 > /dev/null && command -v perf > /dev/null; then
	background python3 threads.py
	target=$!
	until_true 60 test -e ready || fail "the threads do not come"
	tid=$(ls /proc/$target/task | tail -1)
	[ "$tid" != $target ] || fail "no thread but the leader"
	before() { perf script -i $1 --show-task-events --show-mmap-events 2> /dev/null | grep -v ksymbol; }
	pt-record -q -e cpu-clock -p $target -o p.data --for 0.1 || fail "-p of threads"
	pt-record -q -e cpu-clock -t $tid -o t.data --for 0.1 || fail "-t of a thread"
	pt-script --show-task-events -e cpu-clock -t $tid --for 0.1 > live.txt 2> err || fail "pt-script -t: $(cat err)"
	perf record -q -e cpu-clock -p $target -o perf.data -- sleep 0.1 > /dev/null 2>&1
	for what in 'RECORD_FORK(' "RECORD_COMM: .*:$target/"; do
		equal "$what of pt-record -p" "$(before p.data | grep -c "$what")" "$(before perf.data | grep -c "$what")"
	done
	for data in p.data t.data; do
		equal "pids of $data" "$(before $data | sed -n "s/.*RECORD_COMM: [^:]*:\([0-9]*\)\/.*/\1/p" | sort -u)" $target
	done
	equal "pids of pt-script -t" "$(sed -n "s/.*RECORD_COMM: [^:]*:\([0-9]*\)\/.*/\1/p" live.txt | sort -u)" $target
fi
