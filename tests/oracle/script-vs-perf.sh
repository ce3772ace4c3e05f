#!/bin/bash
# pt-script and perf script print the same bytes for recordings of all kinds, made by perf here and now.
#
# What is left out of the comparison, and why:
# - symbols (-F -sym,-symoff,-dso): tests/oracle/stack-script.sh compares those.
# - user addresses of call chains: perf prints them as offsets in their file, pt-script as captured. Chains here are the kernel's, but in
#   the one test that looks for the user's addresses in perf's raw dump.
# - LOST_SAMPLES records: --show-lost-events of perf 6.1 leaves them out.
# - flags of timer:timer_start: libtraceevent reads `flags & (A | B | C | D)` as `flags & A | B | C | D`, so perf prints D|P|I that are not set.
# - lines that perf marks [FAILED TO PARSE]: its text of the format's fields is no text of the event. Their part up to the event's name is compared.
. "$PT_TOP/tests/lib.sh"
need_root
need_perf
need_events sched:sched_switch block:block_rq_issue raw_syscalls:sys_enter
spin

compared=0 again=0
NOSYM=-sym,-symoff,-dso

# record FILE ARGUMENT...
record() {
	local file=$1; shift
	printf '%s\0' "$file" "$@" > "$file.args"
	perf record -q -N -B --no-bpf-event -m 2M -o "$file" "$@" > record.out 2> record.err || fail "perf record $*: $(cat record.err)"
}

# without FILE: lines that perf cannot parse are cut behind the event's name in both
cut_unparsed() {
	awk -v GOT="$1" -v WANT="$2" 'BEGIN {
		while ((getline w < WANT) > 0) {
			if ((getline g < GOT) <= 0) { print w > (WANT ".cut"); continue }
			at = index(w, "[FAILED TO PARSE]")
			if (at && substr(w, 1, at - 1) == substr(g, 1, at - 1)) { bad++; w = g = substr(w, 1, at - 1) }
			print w > (WANT ".cut"); print g > (GOT ".cut")
		}
		while ((getline g < GOT) > 0) print g > (GOT ".cut")
		print bad + 0
	}'
}

# same NAME FILE OPTION...
same() {
	local name=$1 file=$2 bad lines
	shift 2
	until { perf script --no-inline -i "$file" "$@" > want 2> want.err < /dev/null; } 2> aborted; do
		# Whoever asks for build-ids in mappings gets them into everybody's recordings, and perf 6.1 aborts over those.
		grep -qs Abort aborted && [ -e "$file.args" ] && [ $((again += 1)) -le 20 ] || fail "$name: perf script $*: $(cat want.err aborted)"
		sleep 1
		mapfile -d '' -t args < "$file.args"
		record "${args[@]}"
	done
	pt-script "$@" "$file" > all 2> got.err < /dev/null || fail "$name: pt-script $*: $(cat got.err)"
	grep -v "PERF_RECORD_LOST_SAMPLES lost" all > got
	sed -i -E 's/(timer:timer_start: .*) flags=.*/\1/' got want
	rm -f want.cut got.cut
	bad=$(cut_unparsed got want)
	lines=$(wc -l < want)
	at_least "$name: lines" "$lines" 1
	at_most "$name: lines that perf could not parse" "$bad" $((lines / 2))
	same_file "$name: pt-script $* against perf" got.cut want.cut
	compared=$((compared + lines))
}

work() { sh -c 'i=0; while [ $i -lt 20 ]; do /bin/true; i=$((i + 1)); done; ls -l / > /dev/null'; }
export -f work
disk=$(disk_dir) || skip "no real disk"
dd if=/dev/zero of="$disk/f" bs=64k count=16 conv=fsync 2> /dev/null || fail "no file on the disk"

record sched -e 'sched:*' -a -- bash -c work
same "scheduler" sched
same "nanoseconds" sched --ns
same "times since the first line" sched --reltime --ns
same "times since the line before" sched --deltatime --show-task-events
same "side-band" sched --show-task-events --show-mmap-events --show-lost-events --show-switch-events
same "added fields" sched -F +pid,+period,+misc,+flags,-cpu
same "fields of a type" sched -F trace:time,event,trace
same "few fields" sched -F comm,pid,trace
same "only names" sched -F event
same "address" sched -F +ip,$NOSYM

# Choosing, by the same options.
from=$(pt-script -F time sched | sed -n 200p | tr -d ' :') to=$(pt-script -F time sched | sed -n 600p | tr -d ' :')
same "a range of time" sched --time "$from,$to"
same "from a time" sched --time "$from,"
same "until a time" sched --time ",$to"
same "a CPU" sched --cpu 0
same "a name" sched --comm true
pid=$(pt-script -F pid --comm true sched | sed -n 1p | tr -d ' ')
same "a process" sched --pid "$pid"
same "a thread" sched --tid "$pid"

record block -e 'block:*' -a -- dd if="$disk/f" of=/dev/null bs=4k iflag=direct
same "block" block
record timers -e timer:hrtimer_start,timer:hrtimer_expire_entry,timer:timer_expire_entry,workqueue:workqueue_execute_start -a -- bash -c work
same "names of kernel functions" timers
record raw -e 'raw_syscalls:*' -- ls -l /
same "raw system calls" raw
record calls -e 'syscalls:sys_enter_read,syscalls:sys_exit_read,syscalls:sys_enter_openat,syscalls:sys_exit_openat,syscalls:sys_enter_mmap' \
	-e 'syscalls:sys_enter_write,syscalls:sys_enter_execve,syscalls:sys_enter_newfstat,syscalls:sys_enter_close,syscalls:sys_exit_close' -a -- bash -c work
same "system calls" calls
record kernel -e 'irq:*' -e 'timer:*' -e 'workqueue:*' -e 'task:*' -e 'signal:*' -e 'kmem:kmalloc' -e 'kmem:kfree' -e 'kmem:mm_page_alloc' -e 'rcu:*' \
	-e 'exceptions:*' -e 'filemap:*' -e 'ext4:ext4_da_write_begin' -a -- dd if=/dev/zero of="$disk/g" bs=4k count=8 conv=fsync
same "interrupts, timers, work queues, memory" kernel

# Streams and compression.
perf record -q -N -B --no-bpf-event -o - -e sched:sched_switch,sched:sched_wakeup -a -- bash -c work > pipe 2> /dev/null || fail "perf record -o -"
same "stream on disk" pipe
perf script -i - < pipe > want 2> /dev/null
cat pipe | pt-script > got || fail "a pipe"
same_file "pipe" got want
perf record -q -N -B --no-bpf-event -o - -e cpu-clock -F 999 -a -- bash -c work > pipe2 2> /dev/null || fail "perf record -o -"
same "stream of samples" pipe2 -F $NOSYM
record packed -z -e 'sched:*' -a -- bash -c work
same "compressed" packed

# Samples, groups, several events whose samples differ.
record clock -e cpu-clock -F 1999 -a -- bash -c work
same "clock" clock -F $NOSYM
same "clock, fields of types" clock -F sw:comm,tid,pid,time,event,ip
record graph -g --kernel-callchains -e cpu-clock -F 1999 -e sched:sched_switch -a -- bash -c work
same "kernel call chains" graph -F $NOSYM,+ip
same "kernel call chains with files, empty ones too" graph -F comm,tid,time,event,ip,dso
same "side-band beside call chains" graph -F $NOSYM,+ip --show-task-events --show-mmap-events
same "no call chains" graph -F $NOSYM,+ip --hide-call-graph
record tgraph -g --kernel-callchains -e sched:sched_switch,sched:sched_wakeup -- bash -c work
same "chains of tracepoints" tgraph -F comm,tid,time,event,ip,trace
record mixed -e sched:sched_switch/call-graph=fp/ -e faults/call-graph=no/ -c 1 -- bash -c work
same "some with chains" mixed -F comm,tid,time,event
record addr -d -e faults -c 1 -- bash -c work
same "addresses of data" addr -F $NOSYM,+addr
record group -e '{sched:sched_switch,sched:sched_wakeup,cs}' -a -- bash -c work
same "group" group -F $NOSYM
record gread -e '{cpu-clock,cs,faults}:S' -F 1999 -- bash -c work
same "group that is read" gread -F $NOSYM
record count -e faults -c 7 -e minor-faults -c 3 -- bash -c work
same "periods" count -F $NOSYM,+period
record switches --switch-events --namespaces -e cpu-clock -F 999 -a -- bash -c work
same "switches and namespaces" switches -F $NOSYM --show-switch-events --show-namespace-events --show-task-events
record regs -I -e cpu-clock:u -c 300000 -- bash -c work
same "registers" regs -F $NOSYM,+iregs
record weights -W -d --phys-data --data-page-size --code-page-size -e cpu-clock -c 500000 -- bash -c work
same "weights and pages" weights -F comm,time,event,ip,addr,weight,phys_addr,data_page_size,code_page_size,data_src

# Ways to record.
record cpu0 -C 0 -e sched:sched_switch -- bash -c work
same "one CPU" cpu0
record single --no-inherit -e raw_syscalls:sys_enter -- ls /
same "one thread" single
record own -e sched:sched_switch --per-thread -- bash -c work
same "per thread, no CPU" own
record mono -k CLOCK_MONOTONIC --timestamp-boundary -e sched:sched_switch -a -- bash -c work
same "another clock" mono
record notime -e faults -c 1 --no-timestamp -T -- bash -c work 2> /dev/null && same "times" notime -F $NOSYM
record dummy -e dummy -e sched:sched_process_exec -a -- bash -c work
same "a dummy" dummy
record smallid -e sched:sched_switch --no-samples -a -- true 2> /dev/null
cp sched late
same "names of tasks that are born and end" late -F comm,tid,pid,time --show-task-events

# User call chains: the captured addresses, in order, are those of perf's raw dump.
record user -g -e cpu-clock -F 1999 -- dd if=/dev/zero of=/dev/null bs=1 count=200000
perf script -D -i user 2> /dev/null | awk '/^\.\.\.\.\. *[0-9]+: [0-9a-f]+$/ && $NF !~ /^ffffffffffff[ef]/ { sub(/^0+/, "", $NF); print $NF == "" ? 0 : $NF }' > want
pt-script -F ip user | awk 'NF { print $1 }' > got || fail "user chains"
at_least "user addresses" "$(grep -cv ^ffffffff want)" 100
same_file "user call chains" got want
compared=$((compared + $(wc -l < want)))

# Probes in programs.
if [ -w "$(tracefs)/uprobe_events" ] && perf probe -q -x "$PT_TOOLS/measure" pt_oracle=main > probe.out 2>&1; then
	remove_probe() { perf probe -q -d 'probe_measure:pt_oracle*' > /dev/null 2>&1; }
	at_exit remove_probe
	record probe -e 'probe_measure:pt_oracle' -a -- sh -c "$PT_TOOLS/measure > /dev/null 2>&1; $PT_TOOLS/measure > /dev/null 2>&1; true"
	same "uprobe" probe
	remove_probe
else
	echo "SKIP: probes: $(head -c 200 probe.out 2> /dev/null)"
fi

# Recordings by pt-record.
pt-record -q -e 'sched:*' -a -o mine -- bash -c work > record.out 2>&1 || fail "pt-record: $(cat record.out)"
same "pt-record" mine --show-task-events
pt-record -q -z -e sched:sched_switch,raw_syscalls:sys_enter -a -o mine.z -- bash -c work > record.out 2>&1 || fail "pt-record -z: $(cat record.out)"
same "pt-record -z" mine.z
pt-record -q -g -e cpu-clock:k -F 1999 -a -o mine.g -- bash -c work > record.out 2>&1 || fail "pt-record -g: $(cat record.out)"
same "pt-record -g" mine.g -F $NOSYM --show-mmap-events --hide-call-graph
pt-record -q -e sched:sched_switch -a -o - -- bash -c work > mine.p 2> record.out || fail "pt-record -o -: $(cat record.out)"
same "pt-record -o -" mine.p

# The header, line for line.
perf script --header-only -i sched > want 2> /dev/null
pt-script --header-only sched > got || fail "--header-only"
same_file "header" got want
perf script --header -i cpu0 > want 2> /dev/null
pt-script --header cpu0 > got || fail "--header"
same_file "header and records" got want

at_least "lines compared" $compared 3000
echo "compared $compared lines"
