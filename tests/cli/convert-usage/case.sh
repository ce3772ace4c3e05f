# Wrong usage: status 2 and advice. Nothing to convert: status 1.
try() { "$@" < /dev/null; echo "status $?"; }
try pt-convert
try pt-convert "$PT_DATA/fp.data"
try pt-convert -o out.bin "$PT_DATA/fp.data"
try pt-convert --to svg "$PT_DATA/fp.data"
try pt-convert --to speedscope
try pt-convert -o x.speedscope.json nowhere.data
try pt-convert --to firefox sh
try pt-convert -o /dev/full --to speedscope "$PT_DATA/sched.data" 2> err; grep -h full err
try pt-convert --to speedscope --comm nobody "$PT_DATA/sched.data"
try pt-convert --to speedscope --only cycles "$PT_DATA/sched.data"
try pt-convert --to firefox - < /dev/null
ls

# A file that cannot be written to its end is not there; one of that name stays as it was.
echo before > was.pb.gz
for file in new.pb.gz was.pb.gz; do (trap '' XFSZ; ulimit -f 0; pt-convert -o $file "$PT_DATA/lat-block.data" 2>&1; echo "status $?") | tail -2; done
ls; cat was.pb.gz
ln -s was.pb.gz link.pb.gz; pt-convert -o link.pb.gz "$PT_DATA/lat-block.data" 2> err; ls -l link.pb.gz | grep -o 'link.*'; gzip -t was.pb.gz && echo whole
