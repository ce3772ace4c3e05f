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
