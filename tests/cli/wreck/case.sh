# Thousands of seeded damages: no crash, no hang, no runaway memory. What is readable is printed; exit status 0 or 1, with 1 a message.
[ "$PT_VARIANT" = plain ] && ulimit -v 2000000
ulimit -t 20	# seconds of CPU of each process: none hangs
many=500 some=40
[ "$PT_VARIANT" = plain ] || many=150 some=10
fuzz=$PT_TOOLS/../fuzz/fuzz-perfdata
for f in sched stream zstd dwarf regs side group stat; do
	wreck 1 "$PT_DATA/$f.data" $many w || fail "no damage was done"
	"$fuzz" w.* > out 2>&1 || { tail -30 out; fail "damaged $f: status $?"; }
	rm -f w.*
done
messages=0 n=0
for f in sched stream zstd dwarf group; do
	wreck 1000 "$PT_DATA/$f.data" $((999 + some)) w
	for seed in $(seq 1000 $((999 + some))); do
		pt-script w.$seed > out 2> err
		status=$?
		[ $status -le 1 ] || { head -c 2000 err; fail "pt-script of $f, seed $seed: status $status"; }
		[ $status -eq 0 ] || [ -s err ] || fail "pt-script of $f, seed $seed: failed without a message"
		n=$((n + 1)); [ $status -eq 0 ] || messages=$((messages + 1))
	done
done
at_least "damages that were noticed" $messages $((some * 5 / 4))
equal runs $n $((some * 5))
echo "done by pt-script"

for f in sched lat-block group; do
	wreck 3000 "$PT_DATA/$f.data" $((2999 + some / 5)) w
	for seed in $(seq 3000 $((2999 + some / 5))); do
		for form in perfetto pprof firefox; do
			pt-convert --to $form w.$seed > out 2> err
			status=$?
			[ $status -le 1 ] || { head -c 2000 err; fail "pt-convert --to $form of $f, seed $seed: status $status"; }
			[ $status -eq 0 ] || [ -s err ] || fail "pt-convert --to $form of $f, seed $seed: failed without a message"
		done
	done
done
echo "done by pt-convert"
