# Recordings of a big-endian machine, made there by its own perf: read here, in every form, as perf over there read them.
. "$PT_TOP/tests/lib.sh"
need qemu-system-s390x cpio readelf python3
machine=$PT_TOP/tests/vm/machine
"$machine/mk" s390x "$B/vm" > mk.log 2>&1 || { tail -5 mk.log; fail "cannot make the machine"; }
mkdir t
cat > t/test.sh <<'T'
cd /tmp/out
e=sched:sched_switch,sched:sched_wakeup,syscalls:sys_enter_write,syscalls:sys_exit_write,irq:softirq_entry,timer:hrtimer_start
load='dd if=/dev/zero of=/dev/null bs=64k count=300'
perf record -q -a -e $e -o file.data -- $load 2> /dev/null || exit 2
perf record -q -a -e $e -o - -- $load > pipe.data 2> /dev/null || exit 3
perf record -q -a -e $e -z -o z.data -- $load 2> /dev/null
perf record -q -e cpu-clock -g -o clock.data -- $load 2> /dev/null || exit 5
for f in file pipe z; do [ -s $f.data ] && perf script --ns -F comm,pid,tid,cpu,time,event,trace -i $f.data > $f.txt 2> $f.err; done
perf script --ns -F comm,pid,tid,time,event,ip -i clock.data > clock.txt 2> clock.err
perf report --no-inline --no-children -g none -F sample,dso,sym -t '|' -i clock.data > clock.rows 2>> clock.err
cat /proc/kallsyms > kallsyms
exit 0
T
"$machine/run" s390x "$B/vm" t out || { tail -20 out/console.log; fail "the machine ended with status $?"; }
for f in file pipe z; do
	[ -s out/$f.txt ] || { [ $f = z ] && continue; fail "perf over there wrote no $f.txt: $(cat out/$f.err)"; }
	runs 0 pt-script --ns -F comm,pid,tid,cpu,time,event,trace out/$f.data > $f.mine 2> $f.mine.err
	at_least "$f: lines" "$(wc -l < $f.mine)" 500
	# The names of functions are those of that machine's kernel, which perf had at hand there.
	sed -i -E 's/ function=[^ ]+/ function=.../' out/$f.txt $f.mine
	same_file "$f.data of an s390x machine as text" out/$f.txt $f.mine
done
at_least "cpu-clock samples over there" "$(grep -c cpu-clock out/clock.txt)" 5
equal "cpu-clock samples" "$(pt-script out/clock.data 2> /dev/null | grep -c cpu-clock)" "$(grep -c cpu-clock out/clock.txt)"
# Rows of a profile. Call chains over there have no user part: a sample in user mode is where its own address is. Of several names of one kernel
# address each chooses another, so names are replaced by the first one. Addresses without a name are compared by their place in the page: perf counts from the file's start.
rows() {
	sed -E '/^#/d; /^$/d; s/ *\| */|/g; s/^ +//; s/ +$//; s/0x[0-9a-f]+([0-9a-f]{3})$/0x...\1/' "$1" | awk '
		NR == FNR { if (!($1 in first)) first[$1] = $3; name[$3] = first[$1]; next }
		{ at = index($0, "[k] "); n = substr($0, at + 4); print at && n in name ? substr($0, 1, at + 3) name[n] : $0 }' out/kallsyms - | sort
}
runs 0 pt-report --kallsyms out/kallsyms --no-inline --no-children --no-gather --percent-limit 0 -F sample,dso,sym -t '|' out/clock.data > mine 2> mine.err
rows out/clock.rows > clock.theirs
rows mine > clock.mine
at_least "rows in user mode" "$(grep -c '\[\.\]' clock.theirs)" 5
at_least "rows in the kernel" "$(grep -c '\[k\]' clock.theirs)" 5
same_file "pt-report's rows" clock.theirs clock.mine
