# The kernel states a size too large in records of BPF programs when several recorders get them: their times are right all the same.
. "$PT_TOP/tests/lib.sh"
need_root; need_events sched:sched_process_exec
bpf pt_spin 1 2> err; status=$?
[ $status -ne 77 ] || skip "no BPF programs here: $(cat err)"
equal "exit status of bpf" $status 0
background pt-record -q -a -e sched:sched_process_exec -o one.data 2> one.err
one=$!
until_true 30 test -s one.data || fail "the first recorder does not record: $(cat one.err)"
pt-record -q -a -e sched:sched_process_exec -o two.data -- sh -c 'for i in 1 2 3 4 5; do bpf pt_spin 1; done' 2> two.err || fail "pt-record: $(cat two.err)"
kill -INT $one; wait $one || fail "pt-record: $(cat one.err)"
for f in one two; do
	runs 0 pt-script $f.data > $f.out 2> $f.err
	case $(cat $f.err) in *"out of order"*) fail "$f: $(cat $f.err)" ;; esac
	runs 0 pt-script --dump-raw-trace $f.data > $f.raw 2> $f.err
	# lines begin with the CPU and the time in ns
	sed -n 's/^\([0-9]*\) \([0-9]*\) 0x[0-9a-f]* \[\(0x[0-9a-f]*\)\]: PERF_RECORD_KSYMBOL .*pt_spin$/\1 \2 \3/p' $f.raw > $f.bpf
	at_least "$f: records of the program" "$(wc -l < $f.bpf)" 10
	sed -n 's/^[0-9]* \([0-9]*\) 0x[0-9a-f]* .*PERF_RECORD_SAMPLE.*/\1/p' $f.raw | sort -n > $f.samples
	at_least "$f: samples" "$(wc -l < $f.samples)" 5
	# within a second of the samples, on a CPU that is there
	awk -v cpus="$(nproc)" -v first="$(head -1 $f.samples)" -v last="$(tail -1 $f.samples)" -v f=$f '
		$2 < first - 1e9 || $2 > last + 1e9 || $1 >= cpus { print f ": CPU " $1 ", time " $2 " of a record of size " $3; bad = 1 }
		END { exit bad }' $f.bpf > wrong || fail "$(head -3 wrong)"
done
