# variants: plain san
try() { echo "-- $*"; "$@" 2>&1 | head -1; }
cp "$PT_DATA/fp.data" .
try pt-annotate -M masm -i fp.data
try pt-annotate --percent-type local fp.data
try pt-annotate -i fp.data no_such_function
try pt-annotate nothing
try pt-annotate -i nothing.data
try pt-annotate a b
try pt-annotate -i fp.data -- true
try pt-annotate --prefix-strip 2 -i fp.data
cp fp.data perf.data
try pt-annotate nofile.data
rm perf.data
cp "$PT_DATA/trace-zstd.dat" .
try pt-annotate -i trace-zstd.dat
: > empty.data
pt-annotate empty.data; echo "status $?"
head -c 300 fp.data > cut.data
pt-annotate cut.data > /dev/null 2> err; echo "status $?"
pt-annotate --for 1 -s no_such_function -- sh -c 'exit 3' 2> err; echo "status $?"
