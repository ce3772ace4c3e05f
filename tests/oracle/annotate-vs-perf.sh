# pt-annotate beside perf annotate: samples of each address, exactly; beside objdump: the instructions of whole
# libraries; beside llvm-symbolizer: their lines.
. "$PT_TOP/tests/lib.sh"
need_perf
need gcc g++ python3 objdump llvm-symbolizer
cat > prog.c <<'C'
volatile unsigned sink;
static inline unsigned __attribute__((always_inline)) mix(unsigned n)
{
	return n * 1664525 + 1013904223 + sink;
}
unsigned __attribute__((noinline)) hot(unsigned n)
{
	for (unsigned i = 0; i < 100000; i++)
		n = mix(n) / (i | 1);
	return n;
}
unsigned __attribute__((noinline)) warm(unsigned n)
{
	for (unsigned i = 0; i < 40000; i++)
		n ^= sink + i;
	return n;
}
int main(void) { for (unsigned i = 0; i < 1500; i++) sink += hot(i) + warm(i); return 0; }
C
gcc -O2 -g -o prog prog.c || fail "gcc"
perf record -q -N -B --no-bpf-event -F 1999 -o prog.data ./prog > /dev/null 2>&1 || fail "perf record"
for f in hot warm; do
	perf annotate -i prog.data --stdio -n -s $f 2> /dev/null | sed -nE 's/^ *([0-9]+) : +([0-9a-f]+):.*/\2 \1/p' > perf.$f
	runs 0 pt-annotate -i prog.data -n $f > pt.out 2> pt.err
	sed -nE 's/^ *([0-9]+) : +([0-9a-f]+):.*/\2 \1/p' pt.out > pt.$f
	at_least "$f: instructions" "$(wc -l < perf.$f)" 5
	same_file "$f: samples of each address" perf.$f pt.$f
done
at_least "samples of hot" "$(awk '{ s += $2 } END { print s }' pt.hot)" 100
has "source of hot" "$(pt-annotate -i prog.data hot 2>&1)" 'n = mix(n) / (i | 1);'
# Lines and inlined functions: those of llvm-symbolizer, innermost first; of a C and a C++ program.
cp "$PT_TOP/scripts/bench.load/stl.cc" .
g++ -O2 -g -o stl stl.cc || fail "g++"
perf record -q -N -B --no-bpf-event -F 1999 -o stl.data ./stl 20 > /dev/null 2>&1 || fail "perf record"
pt-annotate -i prog.data -j hot > lines.prog 2> pt.err
pt-annotate -j stl.data > lines.stl 2> pt.err
for program in prog stl; do
	grep "\"dso\":\"[^\"]*/$program\"" lines.$program > lines
	python3 - $program <<'P' || fail "lines of $program are not those of llvm-symbolizer"
import json, subprocess, sys
rows = [json.loads(l) for l in open("lines")]
out = subprocess.run(["llvm-symbolizer", "--output-style=JSON", "--no-inlines", "--obj=" + sys.argv[1]] + [r["addr"] for r in rows], capture_output=True, text=True).stdout
theirs = [(s["FileName"].split("/")[-1], s["Line"]) for s in (x["Symbol"][0] for x in json.loads(out))]
bad = [(r["addr"], r.get("file"), r.get("line"), t) for r, t in zip(rows, theirs) if t != ((r.get("file") or "").split("/")[-1], r.get("line", 0))]
print(sys.argv[1] + ":", len(rows), "instructions, lines as llvm-symbolizer has them but for", len(bad))
assert len(rows) == len(theirs) > 5 and not bad, bad[:5]
P
done
# An execute breakpoint that is sampled at each hit is the truth: as many samples as the instruction ran, at its address and at no other.
cat > truth.c <<'C'
volatile unsigned sink;
void __attribute__((noinline)) step(unsigned n) { for (unsigned i = 0; i < n; i++) sink += i; }
int main(void) { for (unsigned i = 0; i < 40; i++) step(25); return 0; }
C
gcc -O1 -g -no-pie -o truth truth.c || fail "gcc"
start=$(nm truth | awk '$3 == "step" { print $1 }')
inner=$(objdump -d --no-show-raw-insn truth | sed -n '/<step>:/,/^$/s/^ *\([0-9a-f]*\):.*sink>.*/\1/p' | head -1)
[ -n "$inner" ] || fail "step() without sink: $(objdump -d truth)"
for place in "$start 40" "$inner 1000"; do
	addr=${place% *} hits=${place#* }
	if perf record -q -N -B --no-bpf-event -e "mem:0x$addr:x:u" -c 1 -o truth.data ./truth > /dev/null 2>&1 &&
		perf script -i truth.data 2> /dev/null | grep -q .; then
		runs 0 pt-annotate -i truth.data -n step > pt.out 2> pt.err
		equal "samples at addresses" "$(sed -nE 's/^ *([1-9][0-9]*) : +([0-9a-f]+):.*/\2 \1/p' pt.out)" "$(printf '%x %d' "$((16#$addr))" "$hits")"
		echo "a breakpoint at $addr: $hits hits, all there"
	else
		echo "no execute breakpoints here"
	fi
done
# The hottest functions come by themselves.
runs 0 pt-annotate -i prog.data --lines > lines 2> pt.err
has "lines of the hottest" "$(cat lines)" '1664525'
# "START END" of functions -> of those that are neighbours from the first to the last: for all of a large library objdump takes seconds
neighbours() {
	local from= to= start end
	while read -r start end; do
		if [ -n "$to" ] && [ $((16#$start - 16#$to)) -gt 65536 ]; then echo "$from $to"; from=; fi
		from=${from:-$start} to=$end
	done
	echo "$from $to"
}
# Instructions of FILE: where each begins and its text are those of objdump, which reads the file there, functions one by one here.
# same_code FILE CPU OBJDUMP FUNCTIONS SAME: in so many functions at least SAME instructions; one that differs is not counted among 2,000.
same_code() {
	insns "$1" "$4" "$2" > pt.insns || fail "insns $1"
	sed -n 's/^function //p' pt.insns | neighbours | while read -r from to; do
		"$3" -d -w -z --no-show-raw-insn -j .text --start-address=0x"$from" --stop-address=0x"$to" "$1"
	done | sed -nE 's/^ *([0-9a-f]+):\t(.*[^ ]) *$/\1 \2/p' | tr '\t' ' ' > objdump.insns
	python3 - "${1##*/} ($2)" "$5" <<'P' || fail "$1: other instructions"
import re, sys
theirs = dict(line.rstrip("\n").split(" ", 1) for line in open("objdump.insns"))
functions = same = places = other_text = 0
ours, within, shown = set(), set(), []
for line in open("pt.insns"):
    w = line.rstrip("\n").split(" ", 1)
    if w[0] == "function":
        start, end = (int(x, 16) for x in w[1].split())
        functions += 1
        within.update(range(start, end))
    elif w[0] not in theirs:
        places += 1
    else:
        ours.add(int(w[0], 16))
        # names are not objdump's to give here
        if re.sub(r" *<[^>]*>", "", theirs[w[0]]).strip() == w[1].strip():
            same += 1
        else:
            other_text += 1
            shown.append((w[0], w[1], theirs[w[0]]))
missing = [a for a in theirs if int(a, 16) in within and int(a, 16) not in ours]
places += len(missing)
print("%s: %d functions, %d instructions equal, %d have another text, %d begin elsewhere" % (sys.argv[1], functions, same, other_text, places))
assert same >= int(sys.argv[2]) and (other_text + places) * 2000 <= same, (shown[:20], [(a, theirs[a]) for a in missing[:20]])
P
}
# Libraries of so many functions that one which was written by hand, with data in it, is no 2,000th of them.
for lib in libc.so.6 libcrypto.so.3 libpython3.11.so.1.0; do
	path=$(ldconfig -p | sed -n "s|.*$lib .*=> ||p" | head -1)
	[ -z "$path" ] || same_code "$path" x86_64 objdump 700 3000
done
# Programs for other CPUs, where their objdump is installed.
for cpu in aarch64 s390x; do
	program=$PT_DATA/stacks/${cpu/aarch64/arm64}/tmp/tiny
	if command -v $cpu-linux-gnu-objdump > /dev/null; then same_code "$program" $cpu $cpu-linux-gnu-objdump 100 60
	else echo "no objdump for $cpu here"; fi
done
