# pt-fold and pt-diff beside FlameGraph's scripts: the same stacks, the same counts. What pt writes these scripts read without a word. FLAMEGRAPH names the directory of the scripts, unless they are on PATH.
. "$PT_TOP/tests/lib.sh"
need perl
dir=${FLAMEGRAPH:-$(dirname "$(command -v stackcollapse-perf.pl || echo /nowhere/x)")}
[ -e "$dir/stackcollapse-perf.pl" ] && [ -e "$dir/difffolded.pl" ] || skip "FlameGraph's scripts are not here (FLAMEGRAPH=DIR tells where)"
for f in "$PT_DATA"/fold-{c,cpp,rs,java,node,go}.txt; do
	for o in '' --all --pid --tid --addrs '--all --tid --addrs'; do
		perl "$dir/stackcollapse-perf.pl" $o "$f" > want 2> /dev/null || fail "stackcollapse-perf.pl $o"
		[ -s want ] || fail "stackcollapse-perf.pl $o gives nothing for $f"
		pt-fold $o "$f" > got || fail "pt-fold $o"
		same_file "${f##*/} $o" got want
	done
done
pt-fold "$PT_DATA/fold-java.txt" > a; pt-fold "$PT_DATA/fold-node.txt" "$PT_DATA/fold-java.txt" > b
for o in '' -n -s '-n -s'; do
	perl "$dir/difffolded.pl" $o a b | LC_ALL=C sort > want
	pt-diff $o a b | LC_ALL=C sort > got
	same_file "pt-diff $o" got want
done

# quiet SCRIPT [ARG...]
quiet() { perl "$dir/$1" "${@:2}" 2> err || fail "$1: $(cat err)"; empty "what $1 says" err; }
# of_picture FILE: the samples of a picture of flamegraph.pl
of_picture() { sed -nE 's/.*<title>all \(([0-9,]+) samples, 100%\).*/\1/p' "$1" | tr -d ,; }
for f in fp threads; do
	pt-stack --weighted "$PT_DATA/$f.data" > $f.folded 2> pt.err || fail "pt-stack $f.data"
	grep -q '^# samples' $f.folded || fail "no note in $f.folded"
	quiet flamegraph.pl $f.folded > picture.svg
	equal "samples of $f.data in a flame graph" "$(of_picture picture.svg)" "$(awk '{ n += $NF } END { print n }' $f.folded)"
done
pt-script --no-inline "$PT_DATA/fp.data" > script 2> pt.err || fail "pt-script"
quiet stackcollapse-perf.pl --all script > want
same_file "stacks of pt-script's text" <(pt-fold --all script) want
quiet flamegraph.pl want > picture.svg
equal "samples of pt-script's text in a flame graph" "$(of_picture picture.svg)" "$(awk '{ n += $NF } END { print n }' fp.folded)"
quiet difffolded.pl fp.folded threads.folded > differ
quiet flamegraph.pl differ > picture.svg
at_least "functions of the difference" "$(grep -c '<title>' picture.svg)" 10
pt-diff fp.folded threads.folded > differ
quiet flamegraph.pl differ > picture.svg
at_least "functions of pt-diff's difference" "$(grep -c '<title>' picture.svg)" 10
