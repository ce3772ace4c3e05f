# A recording as a picture: all of it but style and script; valid XML; the same from a file and a stream; parts of it; hostile names; what is missing is said; damage.
# variants: plain san
valid() { if command -v xmllint > /dev/null; then xmllint --noout "$@"; fi; }
rows() { sed 's/&quot;/"/g; s/{"kind"/\n&/g' "$1" | sed -nE 's/.*"kind":"([a-z]*)","name":"([^"]*)","about":"([^"]*)".*/\1\t\2\t\3/p'; }
cp "$PT_DATA/sched.data" "it's.data"
pt-timechart --theme light -w 480 -n 6 --title 'sh <x> & "y"' "it's.data" > a.svg 2> note
valid a.svg
sed '/^<style>/,/^<\/style>/d; /^<script>/,/^<\/svg>/d; /class="warn"/d' a.svg
grep -q 'switches are missing' note && grep -q 'class="warn".*switches are missing' a.svg && echo "gaps are said"
pt-timechart "$PT_DATA/stream.data" 2> /dev/null | sed 's/ data-command.*>$/>/' > c.svg
cat "$PT_DATA/stream.data" | pt-timechart - 2> /dev/null | cmp c.svg - && echo "the same from a stream, but for the command"

echo "-- a part, of one command, without CPUs"
pt-timechart -T --comm sh --time +0.1,+0.16 "it's.data" 2> /dev/null > b.svg
valid b.svg
rows b.svg | sort
grep -o 'data-command=.*>' b.svg

echo "-- chosen by -p, -t and -C as by --pid, --tid and --cpu"
for how in '-p 5657 --pid 5657' '-t 5656 --tid 5656' '-p 5656,5657 --pid 5657,5656' '-C 1 --cpu 1' '-p 1 --pid 1'; do
	set -- $how
	pt-timechart $1 $2 "it's.data" > short.svg 2> /dev/null || fail "$1"
	pt-timechart -i "it's.data" $3 $4 > long.svg 2> /dev/null || fail "$3"
	cmp short.svg long.svg && rows short.svg | grep ^task | cut -f 1,2
	grep -o 'data-command=[^>]*' short.svg
done

echo "-- hostile names, switches and records that are missing"
cpus -c 4 -t 20 -n 6000 -g -l -x -p > bad.data
pt-timechart -o bad.svg bad.data 2> note
grep -o '99 of .* were lost' note
valid bad.svg
grep -c 'class="gap"' bad.svg
rows bad.svg | grep -e '^lost' -e '^event'

echo "-- 130 CPUs: rows of two"
cpus -c 130 -t 300 -n 6000 > wide.data
pt-timechart -n 3 wide.data > wide.svg
valid wide.svg
rows wide.svg | grep '^cpu' | sed -n '1p;$p' | cut -f 1,2
[ "$(wc -c < wide.svg)" -lt 1000000 ] || echo "too large: $(wc -c < wide.svg)"

echo "-- cut"
head -c 9000 "$PT_DATA/sched.data" > cut.data
pt-timechart cut.data > cut.svg
echo "status $?"
valid cut.svg
grep -c 'class="warn".*damaged' cut.svg

many=30
[ "$PT_VARIANT" = plain ] || many=6
for seed in $(seq $many); do
	wreck $seed "$PT_DATA/perf-sched.data" > w
	timeout 20 pt-timechart w > w.svg 2> err
	status=$?
	[ $status -le 1 ] || { head -c 2000 err; fail "seed $seed: status $status"; }
	[ $status -eq 0 ] || [ -s err ] || fail "seed $seed: failed without a message"
	[ ! -s w.svg ] || valid w.svg
done

echo "-- times are those of pt-schedlat, but for what still runs or waits at the end"
cpus -c 4 -t 20 -n 3000 -g > gaps.data
pt-timechart -n 20 gaps.data 2> /dev/null > gaps.svg
pt-schedlat --by tid -j gaps.data 2> /dev/null | sed -nE 's/.*"tid":([0-9]+).*"runtime_ms":([0-9.]+),"wait_ms":([0-9.]+).*/\1 \2 \3/p' > lat.txt
rows gaps.svg | sed -nE 's/^task\t.* ([0-9]+)\tran ([0-9.]+) (ms|s) .*, waited ([0-9.]+) (ms|s) in .*/\1 \2 \3 \4 \5/p' > chart.txt
awk 'function ms(v, unit) { return unit == "s" ? v * 1000 : v }
	function same(a, b) { return a >= b * .994 && a <= b * 1.006 }
	NR == FNR { ran[$1] = $2; waited[$1] = $3; next }
	{ n++; run += same(ms($2, $3), ran[$1]); wait += same(ms($4, $5), waited[$1]) }
	END { print n, (run >= 16 ? "ran the same" : "ran not the same: " run), (wait >= 16 ? "waited the same" : "waited not the same: " wait) }' lat.txt chart.txt
