# What `go tool pprof` reads of pt-convert's files beside pt-report on the same recordings: samples and counts of each event, and of each function by itself and with
# what it calls. Then source lines.
. "$PT_TOP/tests/lib.sh"
. "$PT_TOP/tests/lib/convert.sh"
need_perf
need gcc go
need_protoc
export HOME="$PWD" PPROF_TMPDIR="$PWD" PPROF_BINARY_PATH="$PWD/none"
go tool pprof -h 2>&1 | grep -q raw || skip "go tool pprof does not run"
cat > prog.c <<'C'
volatile unsigned sink;
static inline unsigned __attribute__((always_inline)) mix(unsigned n) { return n * 1664525 + 1013904223 + sink; }
static unsigned __attribute__((noinline)) leaf(unsigned n) { for (unsigned i = 0; i < 3000; i++) n = mix(n); return n; }
static unsigned __attribute__((noinline)) recurse(unsigned n) { unsigned x = n ? recurse(n - 1) : leaf(n); __asm__ volatile("" : "+r"(x)); return x + 1; }
static void __attribute__((noinline)) touch(void) { char v[1 << 16]; for (unsigned i = 0; i < sizeof(v); i += 64) { v[i] = (char)sink; __asm__ volatile("" : : "m"(v[i])); } }
int main(void)
{
	for (unsigned r = 0; r < 50000; r++) { sink += recurse(r % 9); touch(); }
	return sink & 0;
}
C
gcc -O2 -g -fno-omit-frame-pointer -o prog prog.c || fail "gcc"
rec() { perf record -q -N -B --no-bpf-event -o "$@" > /dev/null 2>&1 || fail "perf record -o $*"; }
rec fp.data -F 1999 -g ./prog
rec period.data -e cpu-clock -c 700000 -g sh -c './prog & ./prog; wait'
rec two.data -e cpu-clock/period=1000000/ -e page-faults/period=1/ -g ./prog
rec dwarf.data -F 999 --call-graph dwarf,8192 ./prog
pt-record -q -F 1999 --call-graph fp -o own.data -- ./prog > /dev/null 2>&1 || fail "pt-record"

# Rows "NAME SELF TOTAL" of samples; --percent-limit 0 and -nodefraction=0 show all.
of_pprof() { go tool pprof -sample_index="$1" -top -unit=count -nodecount=1000000 -nodefraction=0 "$2" 2> pprof.err | sed '1,/^ *flat  *flat%/d' |
	awk '{ name = $6; for (i = 7; i <= NF; i++) name = name " " $i; sub(/ \(inline\)$/, "", name); sub(/ \(partial-inline\)$/, "", name); self[name] += $1; total[name] += $4 }
	     END { for (n in self) print n "|" self[n] "|" total[n] }' | LC_ALL=C sort; }
# The same by pt-report, whose inclusive figures are shares: from pt-stack's folded lines, a function once a stack.
of_report() { pt-report --no-children -s sym -F sample,sym -t '|' --percent-limit 0 "$@" 2> report.err | awk -F'|' '!/^#/ && NF { sub(/^ +/, "", $1); sub(/^ *\[.\] /, "", $2); sub(/ +$/, "", $2); n[$2] += $1 } END { for (i in n) print i "|" n[i] }' | LC_ALL=C sort; }
of_stack() { pt-stack --plain "$@" 2> stack.err | awk '{ n = $NF; sub(/ [0-9]+$/, ""); k = split($0, f, ";"); split("", seen); for (i = 2; i <= k; i++) if (!(f[i] in seen)) { seen[f[i]] = 1; total[f[i]] += n } }
	END { for (i in total) print i "|" total[i] }' | LC_ALL=C sort; }

for f in fp period dwarf own; do
	pt-convert -o $f.pb.gz $f.data 2> $f.err || fail "pt-convert $f.data: $(cat $f.err)"
	has "$f: the program" "$(go tool pprof -top $f.pb.gz 2> /dev/null)" "File: prog"
	go tool pprof -raw $f.pb.gz > $f.raw 2> pprof.err || fail "go tool pprof -raw $f.pb.gz: $(cat pprof.err)"
	has "$f: the build-id of the program" "$(grep '/prog ' $f.raw)" "$(readelf -n prog | sed -n 's/.*Build ID: //p')"
	read -r samples count < <(sed -nE '/^ *[0-9]+ +[0-9]+: [0-9 ]*$/ { s/:.*//; p; }' $f.raw | awk '{ s += $1; c += $2 } END { print s, c }')
	pt-report $f.data 2> /dev/null > table
	equal "$f: samples" "$samples" "$(sed -nE 's/^# Samples: ([0-9,]+) of.*/\1/p' table | tr -d ,)"
	equal "$f: what they count" "$count" "$(sed -nE 's/^# Event count \(approx.\): //p' table)"
	of_pprof samples $f.pb.gz > got
	of_report $f.data > want
	awk -F'|' '$2 > 0 { print $1 "|" $2 }' got > self
	same_file "$f: functions by themselves" self want
	at_least "$f: functions" "$(wc -l < want)" 4
	# names of frames that pt-stack calls by their file alone are left to the comparison above
	awk -F'|' '$1 ~ /^(main|leaf.*|recurse.*|mix|touch)$/ { print $1 "|" $3 }' got > total
	of_stack $f.data | grep -E '^(main|leaf[.a-z0-9]*|recurse[.a-z0-9]*|mix|touch)\|' > want
	same_file "$f: functions with what they call" total want
done

pt-convert -o two.pb.gz two.data 2> two.err || fail "pt-convert two.data"
for ev in cpu-clock/period=1000000/ page-faults/period=1/; do
	n=$(go tool pprof -sample_index=samples/$ev -top -unit=count -nodefraction=0 two.pb.gz 2> /dev/null | sed -nE 's/^Showing nodes accounting for ([0-9]+).*/\1/p')
	at_least "samples of $ev" "${n:-0}" 10
	equal "samples of $ev" "$n" "$(pt-report two.data 2> /dev/null | sed -nE "s|^# Samples: ([0-9,]+) of event '$ev'$|\1|p" | tr -d ,)"
done

# Folded stacks give the same functions as the recording they come from.
pt-stack fp.data 2> /dev/null | pt-convert -o folded.pb.gz 2> /dev/null || fail "of folded stacks"
of_pprof count folded.pb.gz | grep -E '^(main|leaf[.a-z0-9]*|recurse[.a-z0-9]*|mix|touch)\|' > got
of_pprof samples fp.pb.gz | grep -E '^(main|leaf[.a-z0-9]*|recurse[.a-z0-9]*|mix|touch)\|' > want
same_file "of folded stacks" got want

# Lines: mix() is inlined into the loop, line 3; pprof finds the source by its path.
pt-convert -l -o lines.pb.gz fp.data 2> /dev/null || fail "pt-convert -l"
has "functions by lines" "$(go tool pprof -lines -top lines.pb.gz 2> /dev/null)" "prog.c:3"
has "the listing of leaf" "$(go tool pprof -list '^leaf' lines.pb.gz 2> /dev/null)" "n = mix(n)"
