# pt lists every tool once, runs them, and knows the near ones.
pt > tools || echo "status $?"
sed -n 's/^\(pt-[a-z]*\) .*/\1/p' tools > names
for c in "$PT_TOP"/cmd/pt-*.c; do basename "$c" .c; done | LC_ALL=C sort | cmp - names && echo "every tool is listed"
pt lat --help | head -1
pt pt-lat --version
pt fold /no/such/file; echo "status $?"
pt recrod; echo "status $?"
pt sched record; echo "status $?"
pt --no-such-option; echo "status $?"
pt > /dev/full; echo "status $?"
