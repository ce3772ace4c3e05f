# perf script's text of programs in C, C++, Rust, Java, JavaScript, Go: the lines, as stackcollapse-perf.pl gives them for the same text (tests/data/README.md).
for x in c cpp rs java node go; do
	for o in '' --all '--addrs --tid'; do
		echo "== $x $o"
		pt-fold $o "$PT_DATA/fold-$x.txt"
	done
	while read -r line; do echo "$line"; done < "$PT_DATA/fold-$x.txt" > /dev/null
	dd if="$PT_DATA/fold-$x.txt" bs=37 status=none | pt-fold - | cmp - <(pt-fold "$PT_DATA/fold-$x.txt")
done
