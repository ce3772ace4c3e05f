# pt-stack at 999 Hz on all CPUs, all of them busy, beside perf record with the same copies of stacks: nothing lost, no file written, little memory, and the
# same shares of twenty functions.
. "$PT_TOP/tests/lib.sh"
need python3
need_root
need_perf
seconds=${PT_SECONDS:-5}
export PT_CACHE=off		# what it keeps of symbols from one run to the next would be a file
background "$PT_TOOLS/twenty" "$(getconf _NPROCESSORS_ONLN)"
until_true 60 sh -c "[ \$(pgrep -c -P $!) = $(getconf _NPROCESSORS_ONLN) ]" || fail "the load does not start"
record() { perf record -q -N -B --no-bpf-event -a -F 999 --call-graph=dwarf,16384 -o perf.data -- sleep "$seconds" > perf.out 2>&1; }
record & recorder=$!
mkfifo out err			# what it then writes to files is its own doing
cat < out > pt.folded & read_out=$!
cat < err > pt.err & read_err=$!
pt-stack -a -F 999 --for "$seconds" > out 2> err & pid=$!
anon=0 written=0
while kill -0 $pid 2> /dev/null; do
	a=$(awk '/^RssAnon/ { print $2 }' /proc/$pid/status 2> /dev/null)
	w=$(awk '/^write_bytes/ { print $2 }' /proc/$pid/io 2> /dev/null)
	[ "${a:-0}" -le $anon ] || anon=$a
	[ "${w:-0}" -le $written ] || written=$w
	sleep 0.05
done
wait $pid; status=$?
wait $read_out $read_err
[ $status = 0 ] || fail "pt-stack: $(cat pt.err)"
# Another session's build-ids make perf 6.1 abort (they are in its records, too): it may do so once more, without a counterpart. The load is the same.
wait $recorder || record || record || skip "perf record does not get through: $(tail -3 perf.out)"
has "pt-stack's notes" "$(cat pt.err)" " samples, 0 lost, "
at_most "bytes written to files (times of access of what it reads; a recording would be megabytes)" "$written" 65536
at_most "private memory, KB" "$anon" 65536
perf report -i perf.data -g none --no-children --comms twenty --sort sym -n --stdio > perf.txt 2> perf.err || fail "perf report: $(cat perf.err)"
# Two samplings of one truth: the difference of their shares of a function has the variance p (1 - p) (1/n + 1/m), at most, since calls are far shorter than the time
# between samples, and their lengths are drawn. 5.5 sigma on either side is 4e-8; twenty functions: less than one false alarm in a million runs.
python3 - <<'P' || fail "the shares differ: $(cat pt.err)"
import re, sys
pt, perf = {}, {}
for line in open("pt.folded"):
    stack, _, count = line.rpartition(" ")
    m = re.search(r"^twenty;.*;(leaf_\d+)$", stack)
    if m: pt[m[1]] = pt.get(m[1], 0) + int(count)
for line in open("perf.txt"):
    m = re.match(r"\s*[\d.]+%\s+(\d+)\s+\[\.\]\s+(leaf_\d+)\s*$", line)
    if m: perf[m[2]] = perf.get(m[2], 0) + int(m[1])
n, m = sum(pt.values()), sum(perf.values())
print(f"{n} and {m} samples in the functions")
if n < 150 or m < 150: sys.exit("too few samples")
worst, beyond, bad = 0, 0, len(pt) < 15 or len(perf) < 15		# the lightest one has a hundredth of the samples
for f in sorted(set(pt) | set(perf), key=lambda f: -perf.get(f, 0)):
    a, b = pt.get(f, 0) / n, perf.get(f, 0) / m
    p = (pt.get(f, 0) + perf.get(f, 0)) / (n + m)
    z = max(0, abs(a - b) - 0.5 * (1 / n + 1 / m)) / (p * (1 - p) * (1 / n + 1 / m)) ** 0.5	# counts are whole
    worst = max(worst, z); beyond += z > 3; bad |= z > 5.5
    print(f"{f:8} {100 * a:6.2f} % {100 * b:6.2f} %  {z:4.1f} sigma")
print(f"of 20 functions {beyond} differ by more than 3 sigma, the most by {worst:.1f}")
sys.exit(bad)
P
# and each of them under its callers, up to main
all=$(awk '/^twenty;.*;leaf_[0-9]+ / { n += $NF } END { print n + 0 }' pt.folded)
whole=$(awk '/;main;work;deeper(;deeper)*;leaf_[0-9]+ / { n += $NF } END { print n + 0 }' pt.folded)
[ $((whole * 1000)) -ge $((all * 995)) ] || fail "$whole of $all stacks are whole: $(cat pt.err)"
