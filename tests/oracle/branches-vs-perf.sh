# Branch records beside perf script: call stacks made of them, and as fields; call chains whose user part comes later.
. "$PT_TOP/tests/lib.sh"
need_perf
tool=$PT_TOOLS/branches
"$tool" lbr lbr.data && "$tool" brstack brstack.data && "$tool" deferred deferred.data || fail "no recordings"
# same NAME FILE ARGS...: the lines of both, but for what perf 6.1 does not know: it reads a first branch where there is none (the sample at 7 ms), and names types of branches
# past its list "(null)".
same() {
	local name=$1 file=$2; shift 2
	perf script -i "$file" "$@" > "$name.perf" 2> "$name.perf-err" || fail "perf script $*: $(cat "$name.perf-err")"
	runs 0 pt-script "$file" "$@" > "$name.pt" 2> "$name.pt-err"
	sed -i 's/(null)//g; s/(\[kernel.kallsyms\])/([unknown])/g' "$name.perf" "$name.pt"
	[ -s "$name.pt" ] || fail "$name: nothing"
	same_file "$name" "$name.pt" "$name.perf"
}
KERNEL="--kallsyms /dev/null"
same lbr lbr.data $KERNEL --time 0,0.0065
runs 0 pt-script -F ip lbr.data > ips 2> err	# perf prints offsets in files; these stay as they were captured
runs 0 pt-script $KERNEL -F ip,sym lbr.data > lbr-all.pt 2> err
equal "addresses a sample" "$(awk '!NF { printf "%d ", n; n = 0; next } { n++ } END { print n }' ips)" "$(awk '!NF { printf "%d ", n; n = 0; next } { n++ } END { print n }' lbr-all.pt)"
for f in comm,brstack comm,brstacksym time,brstack,dso time,brstacksym,dso ip,sym,brstack ip,brstacksym; do same "$f" brstack.data $KERNEL -F $f; done
same default brstack.data $KERNEL
# The dso's offsets, as the documents have them; perf 6.1 prints addresses.
for f in brstack brstackoff; do runs 0 pt-script $KERNEL -F $f --time 0,0.0045 brstack.data > $f 2> err; done
distances=$(python3 -c 'for a, b in zip(*(open(f).read().replace("/", " ").split() for f in ("brstack", "brstackoff"))):
    if a.startswith("0x") and int(a, 16) > 4096: print(hex(int(a, 16) - int(b, 16)))' | sort -u)
equal "from the file's first byte" "$distances" "$(pt-script -j --show-mmap-events brstack.data | python3 -c '
import json, sys
for m in map(json.loads, sys.stdin):
    if m.get("path", "").endswith("/branches"): print(hex(int(m["addr"], 16) - m["pgoff"])); break')"
if [ "$(uname -m)" = x86_64 ]; then
	"$tool" insns insns.data || fail "no recording"
	for f in time,ip,brstackinsn time,brstackinsnlen ip,sym,dso,brstackinsn,srccode; do same "$f" insns.data $KERNEL -F $f --time 0,0.0075; done
	same blocks insns.data $KERNEL -F time,brstackinsn --time 0,0.0075 --max-blocks 2
	# perf goes on behind the branch, for as many bytes as an instruction may have
	runs 0 pt-script $KERNEL -F time,brstackinsn --time 0.0075,0.009 insns.data > text 2> err
	equal "of a branch that is none" "$(grep -c 'mismatch of LBR data and executable' text)" 1
	runs 0 pt-script $KERNEL -F time,brstackinsn --time 0.0095,0.02 insns.data > text 2> err
	at_least "instructions of a forged sample" "$(grep -c insn: text)" 15000
	at_most "the same" "$(grep -c insn: text)" 66000
fi
runs 0 pt-stack $KERNEL lbr.data > folded 2> err
sed '/^#/d; s/\[kernel.kallsyms\]/k/g' folded > folded.k
equal "folded" "$(cat folded.k)" "branches;k;k 1
branches;inner;leaf 1
branches;other;leaf 1
branches;outer;leaf;leaf;leaf 1
branches;outer;middle;inner;leaf 1
branches;outer;middle;inner;leaf;k;k 1"
runs 0 pt-stack $KERNEL deferred.data > folded 2> err
sed '/^#/d; s/\[kernel.kallsyms\]/k/g' folded > folded.k
equal "deferred" "$(cat folded.k)" "branches;k 1
branches;outer;leaf 1
branches;outer;middle;leaf;k 1
branches;outer;middle;leaf;k;k 1"
runs 0 pt-script $KERNEL -F time,ip,sym deferred.data > text 2> err
equal "times" "$(grep -o '^ *0\.[0-9]*' text | tr -d ' ' | tr '\n' ' ')" "0.002000 0.002500 0.005000 0.004000 "
