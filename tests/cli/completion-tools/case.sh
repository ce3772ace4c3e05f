# The completion of the tools' own words, which they tell: the line up to the cursor -> what it offers.
. "$PT_TOP/tests/lib/completion.sh"
offers 'pt-report -s comm,ds'
offers 'pt-report -F overhead,sa'
offers 'pt-script -F comm,sy'
offers 'pt-report --call-graph=calle'
offers 'pt-heatmap --by d'
offers 'pt-record --call-graph l'
offers 'pt-record -j any,ind'
offers 'pt-fold --strip addrs,t'
offers 'pt-schedlat -s p'
offers 'pt-stack -k t'
# Every tool that is built answers.
for t in "$PT_BIN"/pt-*; do
	[ -n "$("$t" --complete-options | grep -x -e '--help')" ] || echo "$t has no --complete-options"
done
