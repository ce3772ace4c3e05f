# pt-fold and pt-diff beside FlameGraph's scripts: the same stacks, the same counts. FLAMEGRAPH names the directory of the scripts, unless they are on PATH.
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
